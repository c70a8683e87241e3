import { performance } from 'node:perf_hooks';

/** A part of a run that is not a hook's; the hook log shows it next to the time of hooks. */
export interface Span {
  /** `turn`: from its start until the end of its last tool, so it contains the others. `model`: one request. */
  readonly kind: 'turn' | 'model' | 'tool';
  readonly conversation: string;
  /** For a tool: the id of the call. */
  readonly toolCallId?: string;
  readonly toolName?: string;
  /** ms since the epoch */
  readonly startedAt: number;
  readonly durationMs: number;
}

/** Begins a span; the returned function ends and announces it, once. */
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
