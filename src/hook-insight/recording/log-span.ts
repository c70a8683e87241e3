import { Type, type Static } from '@sinclair/typebox';
import type { Span } from '../../hooks/dispatch/span';

const Text = Type.String();

/** A span of a run as it is kept: one line of the log's file, between the dispatches. */
export const LogSpanSchema = Type.Object({
  /** As that of an entry. */
  run: Text,
  span: Type.Union([Type.Literal('turn'), Type.Literal('model'), Type.Literal('tool')]),
  conversation: Text,
  /** ms since the epoch */
  at: Type.Number(),
  ms: Type.Number(),
  tool: Type.Optional(Text),
  toolCallId: Type.Optional(Text),
});

export type RecordedSpan = Static<typeof LogSpanSchema>;

/** The span as it is kept; `run` is that of this window. */
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
    ...(toolName === undefined ? {} : { tool: toolName }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
  };
}
