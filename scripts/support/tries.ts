import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.ts';

const PAGE = join(ROOT, 'docs', 'reliability.md');

/** A row of a table of attacks: attack, tries, result, and the tests that it is about. */
const ROW = /^\| (?<attack>.+?) +\| (?<said>\d+) +\| .+ \| (?<tests>[^|]*`[^|]*`[^|]*) \|$/;

/** A row whose number is not what the tests went through. */
export interface WrongRow {
  readonly line: string;
  readonly attack: string;
  readonly said: number;
  readonly counted: number;
}

/**
 * Rows of a page whose number of tries differs from what the tests that they name went through. A name stands between
 * backquotes, and … in it for any text; a row of which no test ran counts 0.
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

/** What is wrong with the numbers of docs/reliability.md after a run of all tests, for people; undefined: nothing. */
export function triesProblem(tries: Readonly<Record<string, number>>): string | undefined {
  const wrong = wrongRows(readFileSync(PAGE, 'utf8'), tries);
  if (wrong.length === 0) return undefined;
  const rows = wrong.map(({ attack, said, counted }) => `"${attack}" says ${said}, the tests made ${counted}`);
  return `docs/reliability.md: ${rows.join('; ')} (npm test -- --write-tries writes them)`;
}

/** Writes what the tests went through into the rows of docs/reliability.md of which one ran. */
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
