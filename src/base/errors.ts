/** The text of anything that was thrown, never empty. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === '' ? thrown.name : thrown.message;
  if (typeof thrown === 'string' && thrown !== '') return thrown;
  return typeof thrown === 'object' && thrown !== null ? JSON.stringify(thrown) : String(thrown);
}

/** True when the error means that an `AbortSignal` fired. */
export function isAbortError(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'AbortError';
}
