import { createHash } from 'node:crypto';

/** Longest name that every provider takes. */
const LONGEST = 64;

/** A tool or prompt of a server. */
export interface Named {
  readonly server: string;
  readonly name: string;
}

/**
 * The names under which the model calls what servers offer, in the order given: `mcp__<server>__<name>` with `_` for what no
 * letter, digit or `_` is. Of those that would be alike, or that are too long, each ends with a mark of its own, so that none
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
