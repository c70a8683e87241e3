import type { Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { Emitter } from '../../base/event';
import { silentLog, type Log } from '../../base/log';
import { DelayedCall } from '../../base/async/repeated-calls';
import type { Span } from '../../hook-run/dispatch/span';
import type { DispatchRecord } from '../../hook-contract/record';
import { entryOf, captureDispatch, type LogEntry, type CapturedDispatch } from './log-entry';
import { isSpan, type LogFile } from './log-file';
import { logSpanOf, type RecordedSpan } from './log-span';
import type { Snapshot } from './snapshot';

/** How many dispatches, spans, and characters of dispatches are kept in memory at most. */
const MOST_ENTRIES = 2_000;
const MOST_SPANS = 4_000;
const MOST_CHARS = 16 * 1024 * 1024;
/** Dispatches are collected for this time, in ms, and then redacted, announced and written together. */
const GATHER_MS = 100;

export interface HookLogOptions {
  /** When absent, the log is only in memory. */
  readonly file?: LogFile | undefined;
  readonly log?: Log;
  readonly gatherMs?: number;
}

interface Kept {
  readonly entry: LogEntry;
  readonly line: string;
}

/**
 * Logs every dispatch of the window, also across reloads. Its size in memory and on disk is limited, and its entries
 * are redacted. The payload of the last event of each kind is also kept as it was, only in memory, for trying handlers.
 */
export class HookLog implements Disposable {
  private readonly addEmitter = new Emitter<readonly LogEntry[]>();
  /** Fires with new entries, several at a time. */
  readonly onDidAdd = this.addEmitter.event;
  private readonly changeEmitter = new Emitter<void>();
  /** Fires when the whole list has changed: earlier runs were read, or the log was cleared. */
  readonly onDidReplace = this.changeEmitter.event;
  private readonly spanEmitter = new Emitter<RecordedSpan>();
  readonly onDidAddSpan = this.spanEmitter.event;
  /** Identifies this run of the window in entries. */
  readonly run = Date.now().toString(36);
  private readonly last = new Map<string, Snapshot>();
  private kept: Kept[] = [];
  private timed: RecordedSpan[] = [];
  private chars = 0;
  private queue: CapturedDispatch[] = [];
  private readonly delayedDrain = new DelayedCall(() => this.drainQueue());
  private writing: Promise<void> = Promise.resolve();
  private failed = false;

  constructor(private readonly options: HookLogOptions = {}) {}

  /** Oldest first. */
  get entries(): readonly LogEntry[] {
    return this.kept.map(({ entry }) => entry);
  }

  /** The other parts of runs, such as tools and requests to the model, in the order in which they ended. */
  get spans(): readonly RecordedSpan[] {
    return this.timed;
  }

  /** Reads the entries of earlier runs. Call this once. Never rejects. */
  async load(): Promise<void> {
    const { file, log = silentLog } = this.options;
    if (file === undefined) return;
    const { entries: lines, unreadable } = await file.read();
    if (unreadable > 0) log.warn(`${unreadable} lines of the hook log could not be read and are skipped.`);
    // The lines that this run has written in the meantime are already in memory.
    const others = lines.filter(line => line.run !== this.run);
    this.timed = [...others.filter(isSpan), ...this.timed].slice(-MOST_SPANS);
    const earlier = others.flatMap(line => (isSpan(line) ? [] : [keep(line)]));
    const own = this.kept;
    this.kept = [];
    this.chars = 0;
    for (const kept of [...earlier, ...own]) this.push(kept);
    this.changeEmitter.fire();
  }

  /** Listener for dispatches. Copies the record's objects now; the rest of the work is done later. */
  readonly add = (record: DispatchRecord): void => {
    const taken = captureDispatch(record);
    this.queue.push(taken);
    this.last.set(lastKey(record.event), taken.payload);
    if (record.toolName !== undefined) this.last.set(lastKey(record.event, record.toolName), taken.payload);
    this.delayedDrain.schedule(this.options.gatherMs ?? GATHER_MS);
  };

  /** Listener for spans. */
  readonly addSpan = (span: Span): void => {
    const logged = logSpanOf(span, this.run);
    this.timed.push(logged);
    if (this.timed.length > MOST_SPANS) this.timed.shift();
    this.write(`${JSON.stringify(logged)}\n`);
    this.spanEmitter.fire(logged);
  };

  /** The payload of the last such event; undefined when there was none, or when it was too long to be kept whole. */
  lastPayload(event: string, toolName?: string): Snapshot['value'] | undefined {
    const last = this.last.get(lastKey(event, toolName));
    return last === undefined || last.capped ? undefined : last.value;
  }

  find(run: string, seq: number): LogEntry | undefined {
    this.drainQueue();
    return this.kept.find(({ entry }) => entry.run === run && entry.seq === seq)?.entry;
  }

  /** The last entry for which `test` returns true. */
  findLast(test: (entry: LogEntry) => boolean): LogEntry | undefined {
    this.drainQueue();
    return this.kept.findLast(({ entry }) => test(entry))?.entry;
  }

  /** The entries whose JSON contains a text, ignoring case. */
  search(text: string): readonly LogEntry[] {
    this.drainQueue();
    const wanted = text.toLowerCase();
    return this.kept.filter(({ line }) => line.toLowerCase().includes(wanted)).map(({ entry }) => entry);
  }

  /** All entries as JSON lines, redacted. */
  exportText(): string {
    this.drainQueue();
    return this.kept.map(({ line }) => line).join('');
  }

  async clear(): Promise<void> {
    this.drainQueue();
    this.kept = [];
    this.timed = [];
    this.chars = 0;
    this.last.clear();
    this.changeEmitter.fire();
    // What comes from now on is written after the file was cleared.
    const cleared = this.writing.then(() => this.options.file?.clear());
    this.writing = cleared.catch(() => undefined);
    await cleared;
  }

  /** Resolves when all dispatches so far have been announced and written to disk. */
  async flush(): Promise<void> {
    this.drainQueue();
    await this.writing;
  }

  dispose(): void {
    this.delayedDrain.dispose();
    this.addEmitter.dispose();
    this.spanEmitter.dispose();
    this.changeEmitter.dispose();
  }

  private drainQueue(): void {
    this.delayedDrain.cancel();
    if (this.queue.length === 0) return;
    const fresh = this.queue.map(taken => keep(entryOf(taken, this.run)));
    this.queue = [];
    for (const kept of fresh) this.push(kept);
    this.write(fresh.map(({ line }) => line).join(''));
    this.addEmitter.fire(fresh.map(({ entry }) => entry));
  }

  private push(kept: Kept): void {
    this.kept.push(kept);
    this.chars += kept.line.length;
    while (this.kept.length > MOST_ENTRIES || this.chars > MOST_CHARS) {
      this.chars -= this.kept.shift()?.line.length ?? 0;
    }
  }

  private write(lines: string): void {
    const { file, log = silentLog } = this.options;
    if (file === undefined) return;
    this.writing = this.writing.then(async () => {
      try {
        await file.append(lines);
        this.failed = false;
      } catch (error) {
        if (!this.failed) log.warn(`The hook log could not be written: ${messageOf(error)}`);
        this.failed = true;
      }
    });
  }
}

function keep(entry: LogEntry): Kept {
  return { entry, line: `${JSON.stringify(entry)}\n` };
}

function lastKey(event: string, toolName?: string): string {
  return toolName === undefined ? event : `${event}\n${toolName}`;
}
