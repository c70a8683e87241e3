import { readdirSync, readFileSync } from 'node:fs';
import { isRunning } from '../../base/ending/known-process';
import { parseJson } from '../../base/json/parse-json';
import { parse } from '../../base/json/schema';
import { StopSchema, type StopRecord } from '../../hook-load/files/stop-record';
import { removeStop, stopFile } from './write-stop';

/** Stops of processes that have ended, by path of the hook. Torn files are skipped. */
export function readStops(dir: string): ReadonlyMap<string, StopRecord> {
  const stops = idsIn(dir).flatMap(id => stopIn(dir, id) ?? []);
  return new Map(stops.filter(stop => !isRunning(stop.process)).map(stop => [stop.hook, stop]));
}

/** Removes the records of ended processes about this hook. */
export function forgetStops(dir: string, hook: string): void {
  for (const id of idsIn(dir)) {
    const stop = stopIn(dir, id);
    if (stop?.hook === hook && !isRunning(stop.process)) removeStop(dir, id);
  }
}

function idsIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir).flatMap(name => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : []));
  } catch {
    return []; // Nothing was ever written.
  }
}

function stopIn(dir: string, id: string): StopRecord | undefined {
  try {
    const stop = parse(StopSchema, parseJson(readFileSync(stopFile(dir, id), 'utf8')));
    return stop.ok ? stop.value : undefined;
  } catch {
    return undefined; // Torn, or removed by another process just now.
  }
}
