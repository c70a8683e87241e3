import * as l10n from '@vscode/l10n';
import type { NestedToolCallRecord } from '@mariozechner/pi-ai';
import type { ToolResultMessage } from '../agent/messages';
import { toolFacts } from '../agent/tools';
import type { ToolArguments, ToolFacts } from '../agent/tools/facts';
import type { ToolOutcome } from '../agent/tools/tool';
import { isRecord } from '../base/json/is-record';
import { shownOutput } from './message-text';
import { storedOutcome } from './stored-outcome';

/** A nested call in words. */
export interface NestedCallWords {
  readonly id: string;
  readonly name: string;
  readonly icon: ToolFacts['icon'];
  /** The argument that matters. */
  readonly summary: string;
  readonly summaryKind: ToolFacts['summaryKind'];
  /** 1 for a call that the tool of the model's call made itself. */
  readonly depth: number;
}

/** A nested call that a session recorded. */
export interface RecordedNestedCall {
  readonly words: NestedCallWords;
  /** Which hook blocked is not in a session. */
  readonly outcome: ToolOutcome;
  /** ms. */
  readonly durationMs: number | undefined;
  /** Why it failed; empty where there is no reason. */
  readonly error: string;
}

/** A call that a tool made; `rootId`: the model's call at the top. */
export function nestedCallWords(
  call: { readonly id: string; readonly name: string; readonly args: ToolArguments },
  rootId: string,
): NestedCallWords {
  const { icon, summaryKind, summarize } = toolFacts(call.name);
  const depth = call.id.slice(rootId.length).split('/').length - 1;
  return { id: call.id, name: call.name, icon, summary: summarize(call.args), summaryKind, depth };
}

/** The nested calls that the session recorded for a call of the model. */
export function recordedNestedCalls({ toolCallId, nestedCalls }: ToolResultMessage): readonly RecordedNestedCall[] {
  const calls: unknown = nestedCalls?.calls;
  if (!Array.isArray(calls)) return [];
  return calls.filter(isNestedCall).map((call): RecordedNestedCall => {
    const { id, name, arguments: args = {}, status, error = '', durationMs } = call;
    const words = nestedCallWords({ id, name, args }, toolCallId);
    if (status === 'unfinished') {
      const unfinished = l10n.t('The tool ended before this call was complete.');
      return { words, outcome: { type: 'failed' }, durationMs: undefined, error: unfinished };
    }
    const ran = typeof durationMs === 'number' ? durationMs : undefined;
    return {
      words,
      outcome: storedOutcome({ toolName: name, text: error, isError: status === 'error' }),
      durationMs: ran,
      error: shownOutput(error),
    };
  });
}

/** Other programs write sessions, too, so values that are not calls are skipped. */
function isNestedCall(call: unknown): call is NestedToolCallRecord {
  if (!isRecord(call) || typeof call['id'] !== 'string' || typeof call['name'] !== 'string') return false;
  return (
    (call['arguments'] === undefined || isRecord(call['arguments'])) &&
    (call['error'] === undefined || typeof call['error'] === 'string')
  );
}
