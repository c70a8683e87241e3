import type { ToolResult } from './tool';

/** A result of one text part. */
export function textResult<D>(text: string, details: D): ToolResult<D> {
  return { content: [{ type: 'text', text }], details };
}

/** Adds the bracketed line that tells the model what was left out. */
export function withNotices(text: string, notices: readonly string[]): string {
  return notices.length === 0 ? text : `${text}\n\n[${notices.join('. ')}]`;
}

/** A limit as the model may give it: missing, fractional, zero or negative. */
export function effectiveLimit(given: number | undefined, standard: number): number {
  return given === undefined || Number.isNaN(given) ? standard : Math.max(1, Math.floor(given));
}

/** The code of a Node system error (`ENOENT`), if it is one. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
