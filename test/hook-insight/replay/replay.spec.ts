/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access -- hooks are foreign code */
import assert from 'node:assert/strict';
import { HookLog } from '../../../src/hook-insight/recording/hook-log';
import type { LogEntry } from '../../../src/hook-insight/recording/log-entry';
import { dispatchesIn } from '../../../src/hook-insight/replay/recorded-dispatch';
import { Replay, ReplayConversation, type ReplayOptions } from '../../../src/hook-insight/replay/replay';
import type { ReplayReport } from '../../../src/hook-insight/replay/report';
import type { HookEvent } from '../../../src/hook-contract/hook-event';
import type { SampleContext } from '../../../src/hook-contract/events/event-row';
import { samplesFor } from '../../../src/hook-insight/samples';
import { EVENT_NAMES } from '../../../src/hook-contract/events/event-table';
import { FakeConversation } from '../../support/fake-conversation';
import { hook, TestHost, type Factory, type InlineHook } from '../../support/hook-host';

const FACTS: SampleContext = { cwd: '/work', model: undefined, messages: [], sessionFile: undefined };
const call = (command: string): HookEvent => ({
  type: 'tool_call',
  toolCallId: command,
  toolName: 'bash',
  input: { command },
});
const result = (text: string): HookEvent => ({
  type: 'tool_result',
  toolCallId: text,
  toolName: 'bash',
  input: { command: 'x' },
  content: [{ type: 'text', text }],
  details: { kept: true },
  isError: false,
});

describe('a replay', () => {
  const opened: TestHost[] = [];
  afterEach(async () => {
    for (const host of opened.splice(0)) await host.host.dispose();
  });

  /** What the log says of events that went to these hooks. */
  const record = async (
    hooks: readonly InlineHook[],
    events: readonly HookEvent[],
    answers: readonly (string | boolean | undefined)[] = [],
  ): Promise<readonly LogEntry[]> => {
    const host = new TestHost(hooks);
    opened.push(host);
    await host.host.reload();
    host.conversation.ui.answers.push(...answers);
    const log = new HookLog();
    host.host.records.onDidDispatch(log.add);
    for (const event of events) await host.emit(event);
    await log.flush();
    const { entries } = log;
    log.dispose();
    return entries;
  };
  const replay = async (
    hooks: readonly InlineHook[],
    entries: readonly LogEntry[],
    options: Partial<ReplayOptions> = {},
  ): Promise<ReplayReport & { readonly conversation: FakeConversation }> => {
    const host = new TestHost(hooks);
    opened.push(host);
    const conversation = new FakeConversation('replayed');
    const replayed = new ReplayConversation(conversation, []);
    host.host.attach(replayed.conversation);
    await host.host.reload();
    const report = await new Replay(host.host, replayed, { facts: FACTS, ...options }).run(entries);
    return { ...report, conversation };
  };
  const ext = (factory: Factory, path = '/h/gate.ts'): InlineHook => hook('ext', factory, path);

  const asking: Factory = pi => {
    pi.on(
      'tool_call',
      async (event: { input: { command: string } }, ctx: { ui: { confirm(title: string): Promise<boolean> } }) => {
        event.input.command = event.input.command.trim();
        if (!(await ctx.ui.confirm('Run it?'))) return { block: true, reason: 'no' };
        return undefined;
      },
    );
  };

  it('gives each handler what it got before it changed it, with the answers of then', async () => {
    const entries = await record([ext(asking)], [call(' ls '), call('rm')], [true, false]);
    assert.deepEqual(
      entries.map(({ dialogs }) => dialogs),
      [[{ kind: 'confirm', title: 'Run it?', answer: true }], [{ kind: 'confirm', title: 'Run it?', answer: false }]],
    );
    const { counts, dispatches, conversation } = await replay([ext(asking)], entries);
    assert.deepEqual(counts, { same: 2, changed: 0, unsure: 0, skipped: 0 });
    assert.deepEqual(dispatches[0]?.handlers[0]?.after?.changes, [
      { member: 'input', before: { command: ' ls ' }, after: { command: 'ls' } },
    ]);
    assert.deepEqual(conversation.ui.calls, [], 'nobody was asked again');
  });

  it('tells a verdict, a change or an answer that became another, a gate that is new, and one that is gone', async () => {
    const shout: Factory = pi => {
      pi.on('tool_result', (event: { content: { text: string }[] }) => ({
        content: [{ type: 'text', text: `${event.content[0]?.text ?? ''}!` }],
      }));
    };
    const whisper: Factory = pi => {
      pi.on('tool_result', () => ({ content: [{ type: 'text', text: '…' }] }));
    };
    const gate: Factory = pi => {
      pi.on('tool_call', () => ({ block: true, reason: 'shut' }));
    };
    const open: Factory = pi => {
      pi.on('tool_call', () => undefined);
    };
    const results = await record([ext(shout)], [result('a')]);
    assert.equal((await replay([ext(shout)], results)).counts.same, 1);
    const [changed] = (await replay([ext(whisper)], results)).dispatches;
    assert.equal(changed?.status, 'changed');
    assert.deepEqual(changed.handlers[0]?.after?.changes?.[0]?.after, [{ type: 'text', text: '…' }]);

    const calls = await record([ext(open)], [call('ls')]);
    const both = await replay([ext(open), ext(gate, '/h/new.ts')], calls);
    assert.deepEqual(
      both.dispatches[0]?.handlers.map(({ hookPath, status }) => [hookPath, status]),
      [
        ['/h/gate.ts', 'same'],
        ['/h/new.ts', 'changed'],
      ],
    );
    const shut = await record([ext(gate)], [call('ls')]);
    const gone = await replay([ext(open, '/h/other.ts')], shut);
    assert.deepEqual([gone.counts.changed, gone.missing], [1, ['/h/gate.ts']]);
    const ignored = await replay([ext(open, '/h/other.ts')], shut, { ignoreMissing: true });
    assert.equal(ignored.dispatches.length, 0);
    const moved = await replay([ext(gate, '/elsewhere/gate.ts')], shut);
    assert.deepEqual([moved.counts.same, moved.missing], [1, []]);
  });

  it('leaves out what the built-in gate decided, which no hook decided', async () => {
    const shut: Factory = pi => {
      pi.on('tool_call', () => ({ block: true, reason: 'The user did not allow this call.' }));
    };
    const open: Factory = pi => {
      pi.on('tool_call', () => undefined);
    };
    const gate = (path: string): InlineHook[] => [ext(open), ext(shut, path)];
    for (const path of ['/extension/dist/approvals/built-in-gate.ts', 'C:\\dist\\approvals\\built-in-gate.ts']) {
      const { counts, missing } = await replay([ext(open)], await record(gate(path), [call('ls')]));
      assert.deepEqual([counts, missing], [{ same: 1, changed: 0, unsure: 0, skipped: 0 }, []]);
    }
    const own = '/h/built-in-gate.ts';
    const { counts } = await replay([ext(open), ext(open, own)], await record(gate(own), [call('ls')]));
    assert.equal(counts.changed, 1, 'a hook of the same name is replayed');
  });

  it('is not certain where a hook could not be given what it had', async () => {
    const status: Factory = pi => {
      pi.on('tool_call', async () => {
        const { stdout } = (await pi.exec('git', ['status'])) as { stdout: string };
        pi.sendUserMessage('checked');
        return stdout === '' ? { block: true, reason: 'nothing said' } : undefined;
      });
    };
    const entries = await record([ext(pi => pi.on('tool_call', () => undefined))], [call('token=abcdefgh12')]);
    const asked = await replay([ext(asking)], entries);
    assert.deepEqual(asked.dispatches[0]?.handlers[0]?.notes, [
      'secrets are [redacted] in the recording',
      'it asked confirm "Run it?", and the recording has no answer to this',
    ]);
    const executed = await replay([ext(status)], entries);
    assert.deepEqual([executed.counts.unsure, executed.counts.changed], [1, 0]);
    assert.ok(executed.dispatches[0]?.handlers[0]?.notes.includes('exec git was not done'));
    assert.deepEqual(executed.conversation.actions, [], 'nothing was done to the conversation');
  });

  it('does not take a hook that does not load for one that decides otherwise', async () => {
    const gate: Factory = pi => {
      pi.on('tool_call', () => ({ block: true, reason: 'shut' }));
    };
    const broken: Factory = () => {
      throw new Error('not today');
    };
    const alone = await replay([ext(broken)], await record([ext(gate)], [call('ls')]));
    assert.deepEqual(alone.counts, { same: 0, changed: 0, unsure: 0, skipped: 1 });
    assert.equal(alone.dispatches[0]?.why, 'gate.ts does not load');
    const watch: Factory = pi => {
      pi.on('tool_result', (event: { isError: boolean }) => ({ isError: !event.isError }));
    };
    const two = await record([ext(watch), ext(watch, '/h/other.ts')], [result('a')]);
    const one = await replay([ext(watch), ext(broken, '/h/other.ts')], two);
    assert.deepEqual(
      one.dispatches[0]?.handlers.map(({ status, notes }) => [status, notes]),
      [
        ['same', []],
        ['unsure', ['the hook does not load']],
      ],
    );
  });

  it('is not certain where the person answered with a secret, which is not in the recording', async () => {
    const sudo: Factory = pi => {
      pi.on('tool_call', async (_event: unknown, { ui }: { ui: { input(title: string): Promise<string> } }) =>
        (await ui.input('Password for sudo')) === 'hunter2' ? undefined : { block: true, reason: 'wrong' },
      );
    };
    const entries = await record([ext(sudo)], [call('ls')], ['hunter2']);
    assert.ok(!JSON.stringify(entries).includes('hunter2'));
    const { counts, dispatches } = await replay([ext(sudo)], entries);
    assert.deepEqual([counts.unsure, counts.changed], [1, 0]);
    assert.deepEqual(dispatches[0]?.handlers[0]?.notes, ['answers of the user are [redacted] in the recording']);
  });

  it('asks no handler twice for one event, and keeps events apart that follow each other', async () => {
    const twice: Factory = pi => {
      pi.on('turn_start', () => undefined);
      pi.on('turn_start', () => undefined);
    };
    const turn = (turnIndex: number): HookEvent => ({ type: 'turn_start', turnIndex, timestamp: 1 });
    const entries = await record([ext(twice), ext(twice, '/h/b.ts')], [turn(0), turn(1), turn(2)]);
    assert.equal(entries.length, 12);
    assert.deepEqual(
      dispatchesIn(entries).map(({ entries: own }) => own.length),
      [4, 4, 4],
    );
    const alone = await replay([ext(twice), ext(twice, '/h/b.ts')], entries, { alone: true });
    assert.deepEqual([alone.counts.same, alone.dispatches.every(({ handlers }) => handlers.length === 1)], [12, true]);
  });

  it('repeats every event that there is, but for those whose messages are not recorded', async () => {
    const all: Factory = pi => {
      for (const name of EVENT_NAMES) pi.on(name, () => undefined);
    };
    const events = [...EVENT_NAMES].flatMap(name => samplesFor(name, FACTS).map(({ event }) => event));
    const unique = [...new Map(events.map(event => [JSON.stringify(event), event])).values()];
    for (const dialect of ['v1', 'v2', 'tree', 'omp', 'ext'] as const) {
      const hooks = [hook(dialect, all, '/h/all.ts')];
      const entries = await record(hooks, unique);
      const { dispatches, counts } = await replay(hooks, entries);
      assert.deepEqual([counts.changed, counts.unsure], [0, 0], dialect);
      const skipped = new Set(dispatches.filter(({ status }) => status === 'skipped').map(({ event }) => event));
      assert.deepEqual(
        [...skipped].sort(),
        ['context', 'message_update', 'provider_stream_event', 'tool_execution_update'],
        dialect,
      );
    }
  });

  it('stops when it is told to, and tells how far it is', async () => {
    const entries = await record([ext(asking)], [call('a'), call('b'), call('c')], [true, true, true]);
    const stop = new AbortController();
    const progress: number[] = [];
    const onProgress = (done: number): void => {
      progress.push(done);
      if (done === 2) stop.abort();
    };
    const { dispatches } = await replay([ext(asking)], entries, { signal: stop.signal, onProgress });
    assert.deepEqual([dispatches.length, progress], [2, [1, 2]]);
  });
});
