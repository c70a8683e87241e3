import { Type, type Static } from '@sinclair/typebox';
import type { Span } from '../../hook-run/dispatch/span';
import { defined } from '../../base/defined';

const Text = Type.String();

/** A span of a run as the log stores it: one line of its file, among the dispatches. */
export const LogSpanSchema = Type.Object({
  /** The same as in an entry. */
  run: Text,
  span: Type.Union([Type.Literal('turn'), Type.Literal('model'), Type.Literal('tool')]),
  conversation: Text,
  /** ms since 1970 */
  at: Type.Number(),
  ms: Type.Number(),
  tool: Type.Optional(Text),
  toolCallId: Type.Optional(Text),
});

export type RecordedSpan = Static<typeof LogSpanSchema>;

/** Makes the stored form of a span; `run` identifies this run of the window. */
export function logSpanOf(
  { kind, conversation, startedAt, durationMs, toolName, toolCallId }: Span,
  run: string,
): RecordedSpan {
  return {
    run,
    span: kind,
    conversation,
    at: Math.round(startedAt),
    ms: Math.round(durationMs * 1_000) / 1_000,
    ...defined({ tool: toolName, toolCallId }),
  };
}
