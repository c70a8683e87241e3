import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withPart } from './page-part.ts';
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
  const path = 'docs/speed.md';
  return withPart(page, { path, begin: `<!-- bench: ${part} -->`, end: `<!-- end of bench: ${part} -->` }, table);
}
