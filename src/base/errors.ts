/** The text of anything that was thrown, never empty. Never throws, as it is where errors of foreign code are caught. */
export function messageOf(thrown: unknown): string {
  try {
    return textOf(thrown);
  } catch {
    return 'an error that cannot be read'; // It holds itself, or a getter of it throws.
  }
}

function textOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === '' ? thrown.name : thrown.message;
  if (typeof thrown === 'string' && thrown !== '') return thrown;
  if (typeof thrown !== 'object' || thrown === null) return String(thrown) === '' ? 'an empty error' : String(thrown);
  const text: unknown = JSON.stringify(thrown);
  return typeof text === 'string' ? text : Object.prototype.toString.call(thrown);
}

/** True for a system error of this code. */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
