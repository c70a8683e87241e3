import { Type, type Static } from '@sinclair/typebox';
import { readdirSync, readFileSync } from 'node:fs';
import { parseJson } from '../../base/json/parse-json';
import { parse } from '../../base/json/schema';
import { isRunning } from '../held-changes/calling-run';
import { removeStop, stopFile } from './write-stop';

const Text = Type.String();

const StopSchema = Type.Object({
  version: Type.Literal(1),
  /** Absolute path of the hook's entry. */
  hook: Text,
  /** The hook's own files as they ran. */
  sources: Type.Array(Type.Object({ path: Text, hash: Text })),
  /** Whether it handles `tool_call`, as far as was known. */
  gatesTools: Type.Boolean(),
  /** `stalled`: it let nothing else run; `ended`: it ended the process; `broke`: the process failed on what it replaced. */
  why: Type.Union([Type.Literal('stalled'), Type.Literal('ended'), Type.Literal('broke')]),
  /** For `stalled`: how long, ms. */
  ms: Type.Optional(Type.Number()),
  /** For `broke`: what it replaced or deleted. */
  replaced: Type.Optional(Type.Array(Text)),
  event: Type.Optional(Text),
  /** Where, when known: an absolute path and a 1-based line. */
  file: Type.Optional(Text),
  line: Type.Optional(Type.Number()),
  process: Type.Object({
    host: Text,
    pid: Type.Number(),
    bootedAt: Type.Number(),
    startedAt: Type.Optional(Text),
  }),
});

/** What is written of a hook because of which a process could not go on. */
export type StopRecord = Readonly<Static<typeof StopSchema>>;

/** What became of the process, and where, for people and for models. */
export function stopText({ why, ms = 0, replaced = [], event, file, line }: StopRecord): string {
  const where = `${event === undefined ? '' : ` in ${event}`}${file === undefined ? '' : ` at ${file}:${line ?? 0}`}`;
  switch (why) {
    case 'stalled':
      return `Stopped: it let nothing else run for ${Math.round(ms / 1_000)} s${where}, until the process was ended.`;
    case 'ended':
      return `Stopped: it ended the process${where}.`;
    case 'broke':
      return `Stopped: it replaced ${replaced.join(', ')}${where}, and the process failed.`;
  }
}

/** Stops of processes that are gone, by path of the hook. Of a file that is torn nothing can be known. */
export function readStops(dir: string): ReadonlyMap<string, StopRecord> {
  const stops = idsIn(dir).flatMap(id => stopIn(dir, id) ?? []);
  return new Map(stops.filter(stop => !isRunning(stop.process)).map(stop => [stop.hook, stop]));
}

/** From now on nothing of processes that are gone speaks against this hook. */
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
