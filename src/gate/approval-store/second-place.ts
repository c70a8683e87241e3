import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Static, TSchema } from '@sinclair/typebox';
import { parse } from '../../base/json/schema';
import { readRegularTextSync } from '../../base/files/regular-file';

/** Larger files are not ours. */
const MOST_BYTES = 1024 * 1024;

/** The folder beside the state folder. Both move with the same variables, so no process sees only one of them. */
export function besideState(stateDir: string): string {
  return join(dirname(stateDir), '.hookline-past-use');
}

/** The two folders with all that is stored about approvals. Who can write there can approve hooks. */
export function stateFolders(stateDir: string): readonly string[] {
  return [stateDir, besideState(stateDir)];
}

/** The lines of a file that fit; others were cut off, or are not ours. None where the file is missing. Never throws. */
export function linesIn<S extends TSchema>(file: string, schema: S): readonly Static<S>[] {
  return noteText(file)
    .split('\n')
    .flatMap(line => {
      try {
        const result = parse(schema, JSON.parse(line));
        return result.ok ? [result.value] : [];
      } catch {
        return [];
      }
    });
}

/** Writes a file, readable only for the user, in place of what is there. Throws when that fails. */
export function replaceLines(file: string, lines: readonly object[]): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const beside = `${file}.${randomUUID()}.tmp`;
  writeFileSync(beside, lines.map(line => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 });
  renameSync(beside, file);
}

function noteText(file: string): string {
  try {
    return readRegularTextSync(file, MOST_BYTES);
  } catch {
    return ''; // It does not exist, or Hookline did not write it.
  }
}
