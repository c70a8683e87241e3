import type { Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { Emitter } from '../../base/event';
import { silentLog, type Log } from '../../base/log';
import { DelayedCall } from '../../base/repeated-calls';
import type { Span } from '../../hooks/dispatch/span';
import type { DispatchRecord } from '../../hooks/dispatch/record';
import { entryOf, take, type LogEntry, type CapturedDispatch } from './log-entry';
import { isSpan, type LogFile } from './log-file';
import { logSpanOf, type RecordedSpan } from './log-span';
import type { Snapshot } from '../../hooks/dispatch/snapshot';

/** Dispatches and spans kept in memory, and characters of dispatches. */
const MOST_ENTRIES = 2_000;
const MOST_SPANS = 4_000;
const MOST_CHARS = 16 * 1024 * 1024;
/** Entries are redacted, told and written together, this long after the first, ms. */
const GATHER_MS = 100;

export interface HookLogOptions {
  /** Absent: the log lives in memory only. */
  readonly file?: LogFile | undefined;
  readonly log?: Log;
  readonly gatherMs?: number;
}

interface Kept {
  readonly entry: LogEntry;
  readonly line: string;
}

/**
 * Every dispatch of the window, kept across its reloads. Bounded in memory and on disk; what is in it is redacted. The
 * payload of the last event of each kind is kept as it was, in memory only, to try handlers with.
 */
export class HookLog implements Disposable {
  private readonly addEmitter = new Emitter<readonly LogEntry[]>();
  /** New entries, several at a time. */
  readonly onDidAdd = this.addEmitter.event;
  private readonly changeEmitter = new Emitter<void>();
  /** The whole list became another: an earlier run was read, or all was cleared. */
  readonly onDidReplace = this.changeEmitter.event;
  private readonly spanEmitter = new Emitter<RecordedSpan>();
  readonly onDidAddSpan = this.spanEmitter.event;
  /** Names this run in entries. */
  readonly run = Date.now().toString(36);
  private readonly last = new Map<string, Snapshot>();
  private kept: Kept[] = [];
  private timed: RecordedSpan[] = [];
  private chars = 0;
  private queue: CapturedDispatch[] = [];
  private readonly laterSettle = new DelayedCall(() => this.settle());
  private writing: Promise<void> = Promise.resolve();
  private failed = false;

  constructor(private readonly options: HookLogOptions = {}) {}

  /** Oldest first. */
  get entries(): readonly LogEntry[] {
    return this.kept.map(({ entry }) => entry);
  }

  /** What went on beside the hooks, in the order in which it ended. */
  get spans(): readonly RecordedSpan[] {
    return this.timed;
  }

  /** Reads what earlier runs left; to be called once. Never rejects. */
  async load(): Promise<void> {
    const { file, log = silentLog } = this.options;
    if (file === undefined) return;
    const { entries: lines, unreadable } = await file.read();
    if (unreadable > 0) log.warn(`${unreadable} lines of the hook log could not be read and are left out.`);
    // What this run has written meanwhile is in memory already.
    const others = lines.filter(line => line.run !== this.run);
    this.timed = [...others.filter(isSpan), ...this.timed].slice(-MOST_SPANS);
    const earlier = others.flatMap(line => (isSpan(line) ? [] : [keep(line)]));
    const own = this.kept;
    this.kept = [];
    this.chars = 0;
    for (const kept of [...earlier, ...own]) this.push(kept);
    this.changeEmitter.fire();
  }

  /** To be subscribed to the dispatches: reads the record's objects now, and works on them later. */
  readonly add = (record: DispatchRecord): void => {
    const taken = take(record);
    this.queue.push(taken);
    this.last.set(lastKey(record.event), taken.payload);
    if (record.toolName !== undefined) this.last.set(lastKey(record.event, record.toolName), taken.payload);
    this.laterSettle.schedule(this.options.gatherMs ?? GATHER_MS);
  };

  /** To be subscribed to the spans. */
  readonly addSpan = (span: Span): void => {
    const told = logSpanOf(span, this.run);
    this.timed.push(told);
    if (this.timed.length > MOST_SPANS) this.timed.shift();
    this.write(`${JSON.stringify(told)}\n`);
    this.spanEmitter.fire(told);
  };

  /** What handlers of the last such event got, unless it was too long to be kept whole. */
  lastPayload(event: string, toolName?: string): Snapshot['value'] | undefined {
    const last = this.last.get(lastKey(event, toolName));
    return last === undefined || last.capped ? undefined : last.value;
  }

  find(run: string, seq: number): LogEntry | undefined {
    this.settle();
    return this.kept.find(({ entry }) => entry.run === run && entry.seq === seq)?.entry;
  }

  /** The last entry that `test` accepts. */
  findLast(test: (entry: LogEntry) => boolean): LogEntry | undefined {
    this.settle();
    return this.kept.findLast(({ entry }) => test(entry))?.entry;
  }

  /** Entries whose JSON contains a text, whatever its case. */
  search(text: string): readonly LogEntry[] {
    this.settle();
    const wanted = text.toLowerCase();
    return this.kept.filter(({ line }) => line.toLowerCase().includes(wanted)).map(({ entry }) => entry);
  }

  /** All of it as JSON lines, redacted. */
  exportText(): string {
    this.settle();
    return this.kept.map(({ line }) => line).join('');
  }

  async clear(): Promise<void> {
    this.settle();
    this.kept = [];
    this.timed = [];
    this.chars = 0;
    this.changeEmitter.fire();
    await this.writing;
    await this.options.file?.clear();
  }

  /** Resolves when everything that happened so far was announced and is on disk. */
  async flush(): Promise<void> {
    this.settle();
    await this.writing;
  }

  dispose(): void {
    this.laterSettle.dispose();
    this.addEmitter.dispose();
    this.spanEmitter.dispose();
    this.changeEmitter.dispose();
  }

  private settle(): void {
    this.laterSettle.cancel();
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
