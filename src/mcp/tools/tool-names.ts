import { createHash } from 'node:crypto';

/** The longest name that every provider accepts, in characters. */
const LONGEST = 64;

/** A tool or prompt of a server. */
export interface Named {
  readonly server: string;
  readonly name: string;
}

/**
 * The names by which the model calls these tools, in the given order: `mcp__<server>__<name>`, in which `_` replaces
 * all characters except letters, digits and `_`. Names that would be equal or too long end with a hash, so that no name
 * depends on the order.
 */
export function mcpNames(items: readonly Named[]): readonly string[] {
  const plain = items.map(({ server, name }) => `mcp__${server}__${name}`.replace(/[^A-Za-z0-9_]/g, '_'));
  const counts = new Map<string, number>();
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  return items.map((item, index) => {
    const name = plain[index] ?? '';
    return name.length <= LONGEST && counts.get(name) === 1 ? name : marked(name, item);
  });
}

function marked(name: string, { server, name: own }: Named): string {
  const mark = createHash('sha256').update(`${server}\0${own}`).digest('hex').slice(0, 8);
  return `${name.slice(0, LONGEST - mark.length - 1)}_${mark}`;
}
