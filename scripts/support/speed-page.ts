import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from './fail.mjs';
import { ROOT } from './paths.ts';

/** A part of docs/speed.md that the bench writes: the rows of the product's parts, or of whole programs. */
export type SpeedPart = 'rows' | 'programs';

/** Writes a table of the bench into its part of docs/speed.md. @throws UserError when the page has no such part */
export function writeSpeedPart(part: SpeedPart, table: string): void {
  const path = join(ROOT, 'docs', 'speed.md');
  writeFileSync(path, withSpeedPart(readFileSync(path, 'utf8'), part, table));
}

/** The page with another table between the comments `<!-- bench: PART -->` and `<!-- end of bench: PART -->`. */
export function withSpeedPart(page: string, part: SpeedPart, table: string): string {
  const [begin, end] = [`<!-- bench: ${part} -->`, `<!-- end of bench: ${part} -->`];
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from === -1 || to < from) throw new UserError(`docs/speed.md has no part between "${begin}" and "${end}"`);
  return `${page.slice(0, from)}${begin}\n\n${table.trim()}\n\n${page.slice(to)}`;
}
