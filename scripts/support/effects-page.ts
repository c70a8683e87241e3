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

/** What differs in the column of an agent. */
export interface EffectChanges {
  /** Without the version. */
  readonly name: string;
  /** Undefined where the table has no such column. */
  readonly before: string | undefined;
  readonly after: string;
  readonly cells: readonly { readonly tried: string; readonly before: string; readonly after: string }[];
}

const PAGE = join(ROOT, 'docs', 'guard.md');
const PART: PagePart = {
  path: 'docs/guard.md',
  begin: '<!-- table of effects -->',
  end: '<!-- end of the table of effects -->',
};
const NOT_TRIED = 'not tried';

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
    ...tried.map(what => [what, ...all.map(({ seen }) => seen[what] ?? NOT_TRIED)]),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(3, ...rows.map(row => row[column]?.length ?? 0)));
  const lines = rows.map(row => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  const rule = `| ${widths.map(width => '-'.repeat(width)).join(' | ')} |`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

/** The columns of a table that {@link effectsTable} made. */
export function columnsOf(table: string): readonly Effects[] {
  const [head = [], , ...rows] = table.split('\n').map(line =>
    line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  );
  return head.slice(1).map((agent, index) => ({
    agent,
    seen: Object.fromEntries(rows.map(([tried = '', ...cells]) => [tried, cells[index] ?? NOT_TRIED])),
  }));
}

/**
 * The columns of a table after a run. Those of agents that the run left out stay as they are, in their places; with `isAll`, they
 * go. A column is known by the name of its agent, whatever the version.
 */
export function columnsAfter(
  before: readonly Effects[],
  seen: readonly Effects[],
  { isAll }: { readonly isAll: boolean },
): readonly Effects[] {
  if (isAll) return seen;
  const order = [...new Set([...seen, ...before].flatMap(column => Object.keys(column.seen)))];
  const kept = before.map(column => seen.find(each => nameOf(each.agent) === nameOf(column.agent)) ?? column);
  return [...kept, ...seen.filter(each => !kept.includes(each))].map(column => ({
    agent: column.agent,
    seen: Object.fromEntries(order.map(tried => [tried, column.seen[tried] ?? NOT_TRIED])),
  }));
}

/** What a run saw of its agents, compared with a table. Columns of other agents do not count. */
export function effectChanges(before: readonly Effects[], seen: readonly Effects[]): readonly EffectChanges[] {
  return seen.map(after => {
    const name = nameOf(after.agent);
    const column = before.find(({ agent }) => nameOf(agent) === name);
    const tried = [...new Set([...Object.keys(after.seen), ...Object.keys(column?.seen ?? {})])];
    const cells = tried
      .map(what => ({ tried: what, before: column?.seen[what] ?? NOT_TRIED, after: after.seen[what] ?? NOT_TRIED }))
      .filter(cell => cell.before !== cell.after);
    return { name, before: column && versionIn(column.agent), after: versionIn(after.agent), cells };
  });
}

/** What differs, as lines: the versions of each agent, and below each cell with what it was and what it is. */
export function changesText(changes: readonly EffectChanges[]): string {
  return changes
    .flatMap(({ name, before = 'not in the table', after, cells }) => [
      `${name}: ${before === after ? after : `${before} → ${after}`}${cells.length === 0 ? ', nothing changed' : ''}`,
      ...cells.map(cell => `  ${cell.tried}: ${cell.before} → ${cell.after}`),
    ])
    .join('\n');
}

/** The table of the page. @throws {UserError} when the page has no place for it */
export function tableOfPage(): string {
  return partOf(readFileSync(PAGE, 'utf8'), PART);
}

/** Writes the table into the page. @throws {UserError} when the page has no place for it */
export function writeEffects(table: string): void {
  writeFileSync(PAGE, withPart(readFileSync(PAGE, 'utf8'), PART, table));
}

function nameOf(agent: string): string {
  return agent.replace(/ \S+$/, '');
}

function versionIn(agent: string): string {
  return agent.slice(nameOf(agent).length).trim();
}
