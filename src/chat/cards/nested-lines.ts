import * as l10n from '@vscode/l10n';
import { toolFacts } from '../../agent/tools';
import type { ToolArguments } from '../../agent/tools/facts';
import type { NestedToolCallRecord } from '@mariozechner/pi-ai';
import type { ToolResultMessage } from '../../agent/messages';
import { isRecord } from '../../base/json/is-record';
import type { NestedLine, ToolItem, ToolState } from '../../protocol/chat-item';
import { storedOutcome } from '../../transcript/stored-outcome';
import { shownOutput } from './present-tool';
import { endState } from './present-verdict';

/** The line of a nested call in the card of the model's call. */
export function nestedLine(
  call: { readonly id: string; readonly name: string; readonly args: ToolArguments },
  rootId: string,
  state: ToolState,
): NestedLine {
  const { icon, summarize } = toolFacts(call.name);
  const depth = call.id.slice(rootId.length).split('/').length - 1;
  return { id: call.id, name: call.name, icon, summary: summarize(call.args), depth, state };
}

/** Lines of the nested calls that the session recorded for a call; none where there were none. */
export function recordedLines({ toolCallId, nestedCalls }: ToolResultMessage): Pick<ToolItem, 'nested'> {
  const calls: unknown = nestedCalls?.calls;
  if (!Array.isArray(calls)) return {};
  const nested = calls.filter(isNestedCall).map((call): NestedLine => {
    const { id, name, arguments: args = {}, status } = call;
    const error =
      status === 'unfinished' ? l10n.t('The tool ended before this call was complete.') : (call.error ?? '');
    const line = nestedLine({ id, name, args }, toolCallId, stateOf(call));
    return error === '' ? line : { ...line, error: shownOutput(error) };
  });
  return nested.length === 0 ? {} : { nested };
}

/** Other programs write sessions, too, so values that are not calls are skipped. */
function isNestedCall(call: unknown): call is NestedToolCallRecord {
  if (!isRecord(call) || typeof call['id'] !== 'string' || typeof call['name'] !== 'string') return false;
  return (
    (call['arguments'] === undefined || isRecord(call['arguments'])) &&
    (call['error'] === undefined || typeof call['error'] === 'string')
  );
}

/** Which hook blocked is not in a session. */
function stateOf({ status, error = '', durationMs }: NestedToolCallRecord): ToolState {
  if (status === 'unfinished') return { type: 'failed' };
  return endState(
    storedOutcome(error, status === 'error'),
    [],
    typeof durationMs === 'number' ? durationMs : undefined,
  );
}
