/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access -- hooks are foreign code */
import assert from 'node:assert/strict';
import { contractOf } from '../../../src/guard/agents';
import type { AgentReply } from '../../../src/guard/protocol/agent-call';
import { hook, type Foreign } from '../../support/hook-host';
import { agentCall } from '../agents/agent-calls';
import { rigWith } from './guard-rig';

describe('a call of Copilot from its own configuration and from that of Claude Code', () => {
  for (const id of [undefined, 'call_1']) {
    it(`is decided once, answered alike and in the log once, ${id === undefined ? 'without' : 'with'} an id`, async () => {
      const seen: string[] = [];
      const rig = await rigWith(
        [
          hook('ext', pi => {
            pi.on('tool_call', (event: Foreign) => {
              seen.push(String(event.input.command));
              return { block: true, reason: 'no' };
            });
          }),
        ],
        { contractOf },
      );
      const own = { timestamp: '2026-11-30T00:13:00.307Z', transcript_path: undefined };
      const members = { ...own, tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: id };
      const reply = (client: 'claude' | 'copilot'): Promise<AgentReply> => {
        const call = agentCall(client, 'PreToolUse', members);
        return rig.folder.handle(contractOf(client).read(call), call, new AbortController().signal);
      };
      const [first, second] = await Promise.all([reply('claude'), reply('copilot')]);
      assert.deepEqual(seen, ['ls']);
      assert.match(first.output, /"permissionDecision":"deny"/);
      assert.equal(second.output, first.output);
      const records = [...first.records, ...second.records];
      assert.deepEqual(
        records.map(({ agent, verdict }) => [agent, verdict]),
        [['copilot', 'blocked']],
      );
    });
  }
});

describe('an event of Cursor from its own configuration and from that of Claude Code', () => {
  const COMMON = {
    ...{ conversation_id: 'c1', generation_id: 'g1', cursor_version: '3.14.7', workspace_roots: ['/work/shop'] },
    ...{ session_id: undefined, transcript_path: null },
  };
  const CALL = { tool_name: 'Shell', tool_input: { command: 'ls' }, tool_use_id: 't1' };
  /** Cursor's names of events, and those of the hooks of Claude Code. */
  const CLAUDES = {
    ...({ preToolUse: 'PreToolUse', beforeSubmitPrompt: 'UserPromptSubmit', stop: 'Stop' } as const),
    ...({ preCompact: 'PreCompact', sessionEnd: 'SessionEnd' } as const),
  };

  async function rigOf(seen: string[]): Promise<(...event: Given) => Promise<AgentReply>> {
    const rig = await rigWith(
      [
        hook('ext', pi => {
          pi.on('input', (event: Foreign) => void seen.push(`input ${String(event.text)}`));
          pi.on('tool_call', (event: Foreign) => {
            seen.push(String(event.input.command));
            return { block: true, reason: 'no' };
          });
          pi.on('session_before_compact', () => void seen.push('compact'));
          pi.on('session_shutdown', () => void seen.push('shutdown'));
          pi.on('agent_end', () => {
            seen.push('end');
            pi.sendUserMessage('Run the tests.', { deliverAs: 'followUp' });
          });
        }),
      ],
      { contractOf },
    );
    return (entry, name, members) => {
      const call = agentCall(entry, entry === 'claude' ? CLAUDES[name] : name, {
        ...COMMON,
        hook_event_name: name,
        ...members,
      });
      return rig.folder.handle(contractOf(entry).read(call), call, new AbortController().signal);
    };
  }
  type Given = readonly [entry: 'claude' | 'cursor', name: keyof typeof CLAUDES, members: object];

  it('is decided once, answered alike and in the log once', async () => {
    const seen: string[] = [];
    const reply = await rigOf(seen);
    const replies = await Promise.all([reply('cursor', 'preToolUse', CALL), reply('claude', 'preToolUse', CALL)]);
    assert.deepEqual(seen, ['ls']);
    for (const { output } of replies) {
      assert.deepEqual(JSON.parse(output), { permission: 'deny', user_message: 'no', agent_message: 'no' });
    }
    assert.deepEqual(
      replies.flatMap(({ records }) => records.map(({ agent, verdict }) => [agent, verdict])),
      [['cursor', 'blocked']],
    );
  });

  it('is another call where the id is another one', async () => {
    const seen: string[] = [];
    const reply = await rigOf(seen);
    await reply('cursor', 'preToolUse', CALL);
    await reply('claude', 'preToolUse', { ...CALL, tool_use_id: 't2' });
    assert.deepEqual(seen, ['ls', 'ls']);
  });

  it('may be a prompt, which hooks get once each time that it is sent', async () => {
    const seen: string[] = [];
    const reply = await rigOf(seen);
    for (const generation_id of ['g1', 'g2']) {
      const members = { prompt: 'hi', generation_id };
      const replies = [await reply('cursor', 'beforeSubmitPrompt', members)];
      replies.push(await reply('claude', 'beforeSubmitPrompt', members));
      assert.deepEqual(
        replies.map(({ output }) => output),
        ['{"continue":true}', '{"continue":true}'],
      );
      assert.equal(replies.flatMap(({ records }) => records).length, 1);
    }
    await reply('cursor', 'beforeSubmitPrompt', { prompt: 'hi', generation_id: 'g2' });
    assert.deepEqual(seen, ['input hi', 'input hi', 'input hi'], 'the same entry asks again about another prompt');
  });

  it('may be a stop, which hooks get once each time that Cursor stops', async () => {
    const seen: string[] = [];
    const reply = await rigOf(seen);
    const outputs: unknown[] = [];
    // Cursor counts how often a hook let it go on, and may then give each run an id of its own, or not.
    for (const members of [
      { loop_count: 0 },
      { loop_count: 1 },
      { loop_count: 2 },
      { loop_count: 3, generation_id: 'g2' },
    ]) {
      const stop = { status: 'completed', ...members };
      const replies = await Promise.all([reply('cursor', 'stop', stop), reply('claude', 'stop', stop)]);
      const [first, second] = replies;
      assert.equal(second.output, first.output);
      assert.deepEqual(
        replies.flatMap(({ records }) => records.map(({ agent, event }) => [agent, event])),
        [['cursor', 'stop']],
      );
      outputs.push(JSON.parse(first.output));
    }
    assert.deepEqual(outputs, [{ followup_message: 'Run the tests.' }, {}, {}, {}]);
    assert.deepEqual(seen, ['end', 'end', 'end', 'end']);
  });

  it('may be a compaction or an end, which hooks get once each time', async () => {
    const seen: string[] = [];
    const reply = await rigOf(seen);
    const both = async (name: 'preCompact' | 'sessionEnd', members: object): Promise<void> => {
      const [first, second] = [await reply('cursor', name, members), await reply('claude', name, members)];
      assert.deepEqual(second, first);
    };
    for (const generation_id of ['g1', 'g2']) await both('preCompact', { trigger: 'auto', generation_id });
    for (const conversation_id of ['c1', 'c2', 'c1']) {
      await both('sessionEnd', { reason: 'completed', conversation_id });
    }
    assert.deepEqual(seen, ['compact', 'compact', 'shutdown', 'shutdown', 'shutdown']);
  });
});
