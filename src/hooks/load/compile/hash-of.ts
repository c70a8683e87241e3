/** sha256 of a text, hexadecimal. The module that does it is loaded with the first text: not every thread has one. */
export function hashOf(text: string): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', text, 'hex');
}
