import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { partOf, withPart, type PagePart } from './page-part.ts';
import { ROOT } from './paths.ts';

/** What the tests of one agent saw, as a file of theirs. */
export interface Effects {
  /** Name and version; the head of its column. */
  readonly agent: string;
  /** What was seen, by what was tried, in the order of the table. */
  readonly seen: Readonly<Record<string, string>>;
}

const PAGE = join(ROOT, 'docs', 'guard.md');
const PART: PagePart = {
  path: 'docs/guard.md',
  begin: '<!-- table of effects -->',
  end: '<!-- end of the table of effects -->',
};

/** Reads what the tests wrote into a folder, one file for each agent, in the order of the names of the files. */
export function readEffects(folder: string): readonly Effects[] {
  const files = readdirSync(folder).sort();
  return files.map(file => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Effects); // Written by the tests.
}

/** One column for each agent, one row for each thing that was tried with at least one of them. */
export function effectsTable(all: readonly Effects[]): string {
  const tried = [...new Set(all.flatMap(({ seen }) => Object.keys(seen)))];
  const rows = [
    ['', ...all.map(({ agent }) => agent)],
    ...tried.map(what => [what, ...all.map(({ seen }) => seen[what] ?? 'not tried')]),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(3, ...rows.map(row => row[column]?.length ?? 0)));
  const lines = rows.map(row => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  const rule = `| ${widths.map(width => '-'.repeat(width)).join(' | ')} |`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

/** Writes the table into the page. @throws {UserError} when the page has no place for it */
export function writeEffects(table: string): void {
  writeFileSync(PAGE, withPart(readFileSync(PAGE, 'utf8'), PART, table));
}

/** Whether the page has this table. @throws {UserError} when the page has no place for it */
export function hasEffects(table: string): boolean {
  return partOf(readFileSync(PAGE, 'utf8'), PART) === table;
}
