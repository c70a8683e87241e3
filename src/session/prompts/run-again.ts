import * as l10n from '@vscode/l10n';
import type { ToolCall } from '@mariozechner/pi-ai';
import { randomUUID } from 'node:crypto';
import type { AgentMessage, ToolResultMessage } from '../../agent/messages';
import { runToolCalls, toolCallsOf } from '../../agent/run/tool-calls';
import { rerunMessage } from '../../transcript/rerun-message';
import type { SessionEvents } from '../ports/session-events';
import type { SessionState } from '../state/session-state';
import type { Inbox } from './inbox';
import { refuseUnrecordable } from '../state/refusal';
import type { RunControl } from '../run/run-control';
import type { Toolset } from '../run/toolset';

export interface RunAgainParts {
  readonly events: SessionEvents;
  readonly control: RunControl;
  readonly state: SessionState;
  readonly toolset: Toolset;
  readonly inbox: Inbox;
}

/**
 * Repeats a tool call of the session for the user: with the model's arguments, through all `tool_call` and `tool_result`
 * handlers. It is not a step of the model, so hooks and programs get no other event; the session records it as a message
 * of ours that the model reads with the next prompt. Rejects when it cannot begin, and for undefined, which is no call.
 */
export async function runAgain(toolCallId: string | undefined, parts: RunAgainParts): Promise<void> {
  if (!parts.control.isIdle) throw new Error(l10n.t('The agent is working. Stop it first, or wait.'));
  const found = toolCallId === undefined ? undefined : findCall(parts.state.readTranscript().messages, toolCallId);
  if (found === undefined) throw new Error(l10n.t('This call is not in the session any more.'));
  await refuseUnrecordable(parts.state);
  const again = { ...found, id: `again-${randomUUID()}` };
  const result = await parts.control.beside(
    { type: 'running', message: l10n.t('Running {0} again', again.name) },
    async signal => {
      let last: ToolResultMessage | undefined;
      const { toolset } = parts;
      for await (const event of runToolCalls({
        calls: [again],
        tools: toolset.gated(),
        signal,
        order: 'oneByOne',
        nestedOf: id => toolset.nested.take(id),
      })) {
        if ('role' in event) last = event;
        else parts.events.fire({ type: 'step', step: event, byUser: true });
      }
      return last;
    },
  );
  if (result === undefined) return;
  await parts.inbox.sendCustom(rerunMessage(again, result), { triggerTurn: false });
}

function findCall(messages: readonly AgentMessage[], id: string): ToolCall | undefined {
  const calls = messages.flatMap(message => (message.role === 'assistant' ? toolCallsOf(message) : []));
  return calls.findLast(call => call.id === id);
}
