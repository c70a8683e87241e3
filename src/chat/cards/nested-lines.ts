import type { ToolArguments } from '../../agent/tools/facts';
import type { ToolResultMessage } from '../../agent/messages';
import type { NestedLine, ToolItem, ToolState } from '../../protocol/items/chat-item';
import { nestedCallWords, recordedNestedCalls } from '../../transcript/nested-calls';
import { endState } from './present-verdict';

/** The line of a nested call in the card of the model's call. */
export function nestedLine(
  call: { readonly id: string; readonly name: string; readonly args: ToolArguments },
  rootId: string,
  state: ToolState,
): NestedLine {
  return { ...nestedCallWords(call, rootId), state };
}

/** Lines of the nested calls that the session recorded for a call; none where there were none. */
export function recordedLines(message: ToolResultMessage): Pick<ToolItem, 'nested'> {
  const nested = recordedNestedCalls(message).map(({ words, outcome, durationMs, error }): NestedLine => {
    const line = { ...words, state: endState(outcome, [], durationMs) };
    return error === '' ? line : { ...line, error };
  });
  return nested.length === 0 ? {} : { nested };
}
