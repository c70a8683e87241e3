/** A call that {@link GATE} blocks. */
export const CALL = { type: 'tool_call', toolCallId: 'c1', toolName: 'bash', input: { command: 'rm -rf /' } } as const;

/** Written as people write gates: each leans on the language in its own way. */
export const GATE = `export default function (pi) {
  const words = new Set(['rm', 'sudo']);
  pi.on('tool_call', async event => {
    const { command } = JSON.parse(JSON.stringify(event.input));
    const parts = command.split(' ').filter(part => part.length > 0);
    if (parts.some(part => words.has(part)) && /\\brm\\b/.test(command) && command.includes('rm')) {
      return { block: true, reason: 'no' };
    }
  });
}
`;

/** What the hooks of these tests replace, and every global that one of them deletes. */
const originals = [
  ...[Object, Array, Promise, JSON, Reflect].map(holder => [holder, Object.getOwnPropertyDescriptors(holder)] as const),
  ...[Object, Function, Array, String, RegExp, Map, Set].map(
    ({ prototype }) => [prototype as object, Object.getOwnPropertyDescriptors(prototype)] as const,
  ),
  [globalThis, Object.getOwnPropertyDescriptors({ Math, URL, Promise })] as const,
].map(([holder, members]) => ({ holder, members }));

/** The members that are not as before; puts them back, so that a patch that is missed spoils one test only. */
export function takeChanged(): readonly string[] {
  const changed: string[] = [];
  for (const { holder, members } of originals) {
    for (const key of Reflect.ownKeys(members)) {
      const value: unknown = (Reflect.get(members, key) as PropertyDescriptor).value;
      if (value === undefined || Object.getOwnPropertyDescriptor(holder, key)?.value === value) continue;
      Object.defineProperty(holder, key, { value, writable: true, configurable: true });
      changed.push(String(key));
    }
  }
  for (const key in Object.prototype) {
    Reflect.deleteProperty(Object.prototype, key);
    changed.push(key);
  }
  return changed;
}
