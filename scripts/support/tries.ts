import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.ts';

const PAGE = join(ROOT, 'docs', 'reliability.md');

/** Matches a row of a table of attacks: attack, number of tries, result, and names of tests. */
const ROW = /^\| (?<attack>.+?) +\| (?<said>\d+) +\| .+ \| (?<tests>[^|]*`[^|]*`[^|]*) \|$/;

/** A row whose number differs from the number of attacks that its tests made. */
export interface WrongRow {
  readonly line: string;
  readonly attack: string;
  readonly said: number;
  readonly counted: number;
}

/**
 * Finds the rows of a page whose number of tries differs from the number of attacks that their tests made. Names of tests
 * are in backquotes, and `…` in a name matches any text. For a row whose tests did not run, `counted` is 0.
 *
 * @param tries - see `MochaReport`
 */
export function wrongRows(page: string, tries: Readonly<Record<string, number>>): readonly WrongRow[] {
  return page.split('\n').flatMap(line => {
    const { attack = '', said = '', tests = '' } = ROW.exec(line)?.groups ?? {};
    if (tests === '') return [];
    const names = [...tests.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name.split('…').map(part => part.trim()));
    const counted = Object.entries(tries)
      .filter(([title]) => names.some(parts => holdsInOrder(title, parts)))
      .reduce((sum, [, count]) => sum + count, 0);
    return counted === Number(said) ? [] : [{ line, attack, said: Number(said), counted }];
  });
}

/** Says which numbers of docs/reliability.md are wrong after a run of all tests; undefined when all are right. */
export function triesProblem(tries: Readonly<Record<string, number>>): string | undefined {
  const wrong = wrongRows(readFileSync(PAGE, 'utf8'), tries);
  if (wrong.length === 0) return undefined;
  const rows = wrong.map(({ attack, said, counted }) => `"${attack}" says ${said}, the tests made ${counted}`);
  return `docs/reliability.md: ${rows.join('; ')} (npm test -- --write-tries writes them)`;
}

/** Writes the right numbers into the rows of docs/reliability.md; rows whose tests did not run do not change. */
export function writeTries(tries: Readonly<Record<string, number>>): void {
  let page = readFileSync(PAGE, 'utf8');
  for (const { line, said, counted } of wrongRows(page, tries)) {
    if (counted === 0) continue;
    const width = Math.max(String(said).length, String(counted).length);
    const cell = new RegExp(`\\| ${said}${' '.repeat(width - String(said).length)}`);
    page = page.replace(line, line.replace(cell, `| ${String(counted).padEnd(width)}`));
  }
  writeFileSync(PAGE, page);
}

function holdsInOrder(text: string, parts: readonly string[]): boolean {
  let from = 0;
  return parts.every(part => {
    const at = text.indexOf(part, from);
    from = at + part.length;
    return at !== -1;
  });
}
