import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { url as inspectorUrl } from 'node:inspector';
import { join } from 'node:path';
import { setImmediate } from 'node:timers';
import type { Worker } from 'node:worker_threads';
import { defined } from '../../base/defined';
import type { Disposable } from '../../base/disposable';
import { thisProcess, isRunning } from '../../base/ending/known-process';
import type { Log } from '../../base/log';
import { messageOf } from '../../base/errors';
import type { HookWatch } from '../../hook-load/ownership/scope';
import { CELL, type KnownSource, type WatchdogData, type WatchdogMessage } from './watchdog-messages';
import { placeInStack, removeStop, writeStop, type StopPlace, type WatchedCode, stopFile } from './write-stop';
import { StopSchema, type StopRecord } from '../../hook-load/files/stop-record';
import { parseJson } from '../../base/json/parse-json';
import { parse } from '../../base/json/schema';

export interface BlackBoxParts {
  /** Absolute path of the folder for the records; outside of any workspace. */
  readonly dir: string;
  /** Starts the thread that calls `watchMainThread`; undefined: stops are read, and nothing is watched. */
  readonly startThread: (() => Worker) | undefined;
  /** How long hooks may keep all else from running, ms; 0: for ever, and nothing is watched. */
  readonly limitMs: () => number;
  readonly log: Log;
}

/**
 * The record of a process that a hook froze, ended or broke: which hook it was, in which event and line. A separate
 * thread writes it while nothing else can run; this class only sets one number for each handler. It reads the records
 * of processes that have ended.
 */
export class BlackBox implements Disposable {
  private readonly cells = new Int32Array(
    new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * Object.keys(CELL).length),
  );
  private readonly id = randomUUID();
  private readonly codes = new Map<string, WatchedCode>();
  private readonly watches = new Map<string, HookWatch>();
  private lastNumber = 0;
  private thread: Worker | undefined;
  private failure: { readonly code: WatchedCode; readonly replaced: string[] } | undefined;

  constructor(private readonly parts: BlackBoxParts) {}

  /** The records of hooks, by path. */
  read(): ReadonlyMap<string, StopRecord> {
    return readStops(this.parts.dir);
  }

  /** The user wants the hook to run again, or it is another one now. */
  forget(hook: string): void {
    forgetStops(this.parts.dir, hook);
  }

  /** This code is about to run, or runs now. */
  announce(hook: string, sources: readonly KnownSource[], gatesTools: boolean): void {
    const { startThread } = this.parts;
    const limitMs = this.parts.limitMs();
    if (startThread === undefined || limitMs === 0) return;
    this.thread ??= this.start(startThread(), limitMs);
    this.codes.set(hook, { hook, gatesTools, sources: sources.map(({ path, hash = '' }) => ({ path, hash })) });
    // The sources of a loaded hook also have their texts, which would be copied to the thread.
    const known = sources.map(({ path, hash }) => ({ path, hash }));
    this.post({ type: 'hook', path: hook, sources: known, gatesTools });
  }

  /** For all loads of one hook. */
  watch(hook: string): HookWatch {
    const known = this.watches.get(hook);
    if (known !== undefined) return known;
    const { cells } = this;
    const numbers = new Map<string, number>();
    const watch: HookWatch = {
      enter: event => {
        cells[CELL.at] = numbers.get(event) ?? this.number(numbers, hook, event);
      },
      leave: () => {
        cells[CELL.at] = 0;
      },
    };
    this.watches.set(hook, watch);
    return watch;
  }

  /** The process may be about to fail because of what this hook replaced of the language. */
  suspect(hook: string, replaced: string): void {
    const code = this.codes.get(hook);
    if (code === undefined) return;
    this.failure = { code, replaced: [...(this.failure?.replaced ?? []), replaced] };
    setImmediate(() => (this.failure = undefined));
  }

  dispose(): void {
    process.off('exit', this.atExit);
    if (this.thread !== undefined) this.clear();
    void this.thread?.terminate();
    this.thread = undefined;
  }

  /** To be called when this thread continues: removes the record that the watchdog wrote. */
  private clear(): void {
    this.cells[CELL.debugged] = 1;
    removeStop(this.parts.dir, this.id);
  }

  private number(numbers: Map<string, number>, hook: string, event: string): number {
    const number = ++this.lastNumber;
    numbers.set(event, number);
    this.post({ type: 'code', number, hook, event });
    return number;
  }

  private post(message: WatchdogMessage): void {
    this.thread?.postMessage(message);
  }

  private start(thread: Worker, limitMs: number): Worker {
    const { cells, id, parts } = this;
    const data: WatchdogData = { cells, dir: parts.dir, id, process: thisProcess(), limitMs };
    thread.postMessage(data);
    thread.on('message', (asked: number) => {
      cells[CELL.debugged] = inspectorUrl() === undefined ? 0 : 1;
      Atomics.store(cells, CELL.answered, asked);
    });
    thread.on('error', error => parts.log.error(`Hookline no longer watches hooks: ${messageOf(error)}`, error));
    process.on('exit', this.atExit);
    return thread;
  }

  /** A hook that ends the process is on the stack of that. */
  private readonly atExit = (): void => {
    const before = Error.stackTraceLimit;
    Error.stackTraceLimit = 200;
    const { stack = '' } = new Error();
    Error.stackTraceLimit = before;
    const place = placeInStack(stack, this.codes.values());
    const cause = this.failure ?? place;
    if (cause === undefined) {
      this.clear();
      return;
    }
    const { dir } = this.parts;
    writeStop(dir, this.id, { version: 1, ...cause.code, ...this.causeOf(place), process: thisProcess() });
  };

  private causeOf(place: StopPlace | undefined): Pick<StopRecord, 'why' | 'replaced' | 'file' | 'line'> {
    if (this.failure !== undefined) return { why: 'broke', replaced: this.failure.replaced };
    return { why: 'ended', ...defined({ file: place?.file, line: place?.line }) };
  }
}

/** The part of it that a host of hooks uses. */
export type StopMemory = Pick<BlackBox, 'read' | 'forget' | 'announce' | 'suspect'>;

/** Absolute path of the folder with the records of hooks that stopped a process. */
export function stopsFolder(stateDir: string): string {
  return join(stateDir, 'stopped-hooks');
}

/** The stops that processes which have ended left in a folder, by path of the hook. Torn files are skipped. */
export function readStops(dir: string): ReadonlyMap<string, StopRecord> {
  const stops = idsIn(dir).flatMap(id => stopIn(dir, id) ?? []);
  return new Map(stops.filter(stop => !isRunning(stop.process)).map(stop => [stop.hook, stop]));
}

/** Removes the records of ended processes about this hook. */
function forgetStops(dir: string, hook: string): void {
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
