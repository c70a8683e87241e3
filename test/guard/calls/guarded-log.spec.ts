/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access -- hooks are foreign code */
import assert from 'node:assert/strict';
import { HookFindings } from '../../../src/hook-insight/findings';
import { HookLog } from '../../../src/hook-insight/recording/hook-log';
import type { LogEntry } from '../../../src/hook-insight/recording/log-entry';
import { hookTest } from '../../../src/hook-insight/hook-tests/hook-test';
import { Replay, ReplayConversation } from '../../../src/hook-insight/replay/replay';
import { HookStats } from '../../../src/hook-insight/stats';
import { FakeConversation } from '../../support/fake-conversation';
import { hook, hostWith, type Foreign } from '../../support/hook-host';
import { bash, rigWith } from './guard-rig';

const PATH = '/h/gate.ts';
const byAgent = hook(
  'ext',
  pi => {
    pi.on('tool_call', (_event: Foreign, ctx: Foreign) => ({
      block: true,
      reason: `${String(ctx.agent?.name)} ${String(ctx.agent?.subagent?.id)}`,
    }));
  },
  PATH,
);

describe('the hook log of guarded calls', () => {
  const recorded = async (): Promise<LogEntry> => {
    const rig = await rigWith([byAgent]);
    const log = new HookLog();
    rig.host.host.records.onDidDispatch(log.add);
    await rig.reply(bash('ls', { subagent: { id: 'sub-1' } }));
    await log.flush();
    const { entries } = log;
    log.dispose();
    const [entry] = entries;
    assert.ok(entry, 'the call is in the log');
    return entry;
  };

  it('names the agent', async () => {
    const { agent } = await recorded();
    assert.deepEqual(agent, { name: 'claude', sessionId: 's1', subagent: { id: 'sub-1' } });
  });

  it('can be replayed with the same ctx.agent', async () => {
    const entry = await recorded();
    const host = await hostWith([byAgent]);
    const replayed = new ReplayConversation(new FakeConversation('replayed'), []);
    host.host.attach(replayed.conversation);
    const facts = { cwd: '/work', model: undefined, messages: [], sessionFile: undefined };
    const { dispatches } = await new Replay(host.host, replayed, { facts }).run([entry]);
    assert.deepEqual(
      dispatches.map(({ status }) => status),
      ['same'],
    );
  });

  it('gives a test with the same ctx.agent', async () => {
    const test = hookTest(await recorded(), '/h/tests');
    assert.ok('text' in test);
    assert.match(test.text, /"agent": \{\s+"name": "claude",\s+"sessionId": "s1",\s+"subagent": \{/);
  });

  it('counts the call as any other', async () => {
    const rig = await rigWith([byAgent]);
    const stats = new HookStats();
    rig.host.host.records.onDidDispatch(record => {
      stats.add(record);
    });
    await rig.reply(bash('ls'));
    assert.equal(stats.of({ hookPath: PATH, registeredAs: 'tool_call', nth: 0 })?.count, 1);
  });
});

describe('findings about members without effect', () => {
  it('are listed once for each agent, with the line of the member', async () => {
    const rig = await rigWith([
      hook(
        'ext',
        pi => {
          pi.on('tool_call', (_event: Foreign, ctx: Foreign) => {
            ctx.ui.setWidget('w', ['line']);
          });
        },
        PATH,
      ),
    ]);
    const findings = new HookFindings(rig.host.host);
    await rig.reply(bash('ls', { toolCallId: 't1' }));
    await rig.reply(bash('ls', { toolCallId: 't2' }));
    await rig.reply(bash('ls', { agent: 'codex', toolCallId: 't3' }));
    const lines = rig.host.host.sourcesOf(PATH)[0]?.text.split('\n') ?? [];
    const line = lines.findIndex(text => text.includes('setWidget')) + 1;
    assert.ok(line > 1);
    assert.deepEqual(
      findings.list().map(found => [found.code, found.severity, found.message, found.line, found.count]),
      [
        ['no-effect', 'info', '"ui.setWidget" has no effect in sessions of Claude Code.', line, 2],
        ['no-effect', 'info', '"ui.setWidget" has no effect in sessions of Codex.', line, 1],
      ],
    );
    findings.dispose();
  });
});
