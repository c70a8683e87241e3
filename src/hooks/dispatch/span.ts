import { performance } from 'node:perf_hooks';

/** A stretch of a run that is no hook's: what the time of hooks is seen beside. */
export interface Span {
  /** `turn`: from its start until its last tool is through, and thus around all others. `model`: one request. */
  readonly kind: 'turn' | 'model' | 'tool';
  readonly conversation: string;
  /** For a tool: the id of the call. */
  readonly toolCallId?: string;
  readonly toolName?: string;
  /** ms since the epoch */
  readonly startedAt: number;
  readonly durationMs: number;
}

/** A span begins now; the returned function ends it and tells it, once. */
export function beginSpan(
  records: { addSpan(span: Span): void },
  span: Omit<Span, 'startedAt' | 'durationMs'>,
): () => void {
  const began = performance.now();
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    const durationMs = performance.now() - began;
    records.addSpan({ ...span, startedAt: performance.timeOrigin + began, durationMs });
  };
}
