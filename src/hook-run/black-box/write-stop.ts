import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isFile } from '../../base/files/on-disk';
import type { StopRecord } from '../../hook-load/files/stop-record';

/** A hook that can be blamed, and what of it is known. */
export type WatchedCode = Pick<StopRecord, 'hook' | 'sources' | 'gatesTools'>;

/** A line of a hook. */
export interface StopPlace {
  readonly code: WatchedCode;
  readonly file: string;
  readonly line: number;
}

/** The innermost line of a stack trace that belongs to a hook. */
export function placeInStack(stack: string, hooks: Iterable<WatchedCode>): StopPlace | undefined {
  const owners = new Map<string, WatchedCode>();
  for (const code of hooks) for (const { path } of code.sources) owners.set(path, code);
  for (const frame of stack.split('\n')) {
    const [, place = '', line = ''] = /(?:\(|\bat )([^()]+):(\d+):\d+\)?$/.exec(frame) ?? [];
    const file = place.startsWith('file:') ? fileURLToPath(place) : place;
    const code = owners.get(file);
    if (code !== undefined) return { code, file, line: Number(line) };
  }
  return undefined;
}

/** Writes the record of the stop of this process, in place of an earlier one. Throws as `writeFileSync`. */
export function writeStop(dir: string, id: string, stop: StopRecord): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  writeFileSync(stopFile(dir, id), JSON.stringify(stop), { mode: 0o600 });
}

/** Removes the record, if there is one: where the folder cannot be made, none was written. */
export function removeStop(dir: string, id: string): void {
  const file = stopFile(dir, id);
  if (isFile(file)) rmSync(file, { force: true });
}

/** Absolute path of what the process of this id wrote. */
export function stopFile(dir: string, id: string): string {
  return join(dir, `${id}.json`);
}
