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
