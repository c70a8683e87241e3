/** sha256 of a text or of bytes, hexadecimal. The module that does it is loaded with the first text: not every thread has one. */
export function hashOf(content: string | Buffer): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', content, 'hex');
}
