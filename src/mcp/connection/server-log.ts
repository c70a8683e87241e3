import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Emitter } from '../../base/event';
import { hideSecrets } from '../../base/text/redact';

/** Size at which `mcp.log` moves to `mcp.log.1`, in bytes; as in pi. */
const FILE_LIMIT = 5 * 1024 * 1024;
/** Characters that may wait to be written; what a server says beyond that while the disk is busy is counted only. */
const WAITING_LIMIT = 1024 * 1024;

/** The file in which servers' own log messages are kept, in pi's form and without secrets. Several processes may write to it. */
export class McpLogFile {
  private waiting = '';
  private dropped = 0;
  private writing: Promise<void> | undefined;

  /** `path` absolute; its folder is made when something is written. `onFail` hears why nothing could be, once. */
  constructor(
    private readonly path: string,
    private onFail: ((error: unknown) => void) | undefined,
    private readonly limit = FILE_LIMIT,
  ) {}

  /** Notes a message; `text` may have several lines. */
  write(server: string, level: string, text: string, at = new Date()): void {
    const told = hideSecrets(text).replaceAll(/\r?\n/g, '\n    ');
    const line = `${at.toISOString()} [${server}] ${level} ${told}\n`;
    if (this.waiting.length + line.length > WAITING_LIMIT) {
      this.dropped += 1;
      return;
    }
    this.waiting += line;
    this.writing ??= this.writeAll().finally(() => (this.writing = undefined));
  }

  /** Resolves when all that was noted is on disk. */
  async flush(): Promise<void> {
    await this.writing;
  }

  private async writeAll(): Promise<void> {
    while (this.waiting !== '') {
      const lost =
        this.dropped === 0 ? '' : `${new Date().toISOString()} [hookline] ${this.dropped} messages left out\n`;
      const text = `${this.waiting}${lost}`;
      this.waiting = '';
      this.dropped = 0;
      try {
        await mkdir(dirname(this.path), { recursive: true });
        // Asked each time: another process may have moved it.
        if ((await sizeOf(this.path)) > this.limit) await rename(this.path, `${this.path}.1`);
        await appendFile(this.path, text, { mode: 0o600 });
      } catch (error) {
        this.onFail?.(error);
        this.onFail = undefined;
      }
    }
  }
}

/** Lines that are kept of a server, and characters of each. */
const KEPT_LINES = 500;
const LINE_LIMIT = 2_000;
/** Characters of stderr that explain why a server is not there; as in pi. */
const TAIL_CHARS = 2_000;
/** Lines a second that are kept of a server that floods. */
const LINES_PER_SECOND = 100;

/** What a server said of late, for people and without secrets: its stderr, its log messages, and what happened to the connection. */
export class ServerLog {
  private kept: string[] = [];
  private partial = '';
  private tail = '';
  private second = 0;
  private inSecond = 0;
  private readonly lineEmitter = new Emitter<string>();
  /** A line was added. */
  readonly onDidAdd = this.lineEmitter.event;

  /** Oldest first, each with its time. */
  get lines(): readonly string[] {
    return this.kept;
  }

  /** The end of what the server printed to stderr since it was started. */
  get stderrTail(): string {
    return hideSecrets(this.tail.trim());
  }

  /** To be called when the server is started again. */
  restarted(): void {
    this.tail = '';
    this.partial = '';
  }

  add(text: string): void {
    for (const line of text.split(/\r?\n/)) this.addLine(line);
  }

  addStderr(text: string): void {
    this.tail = (this.tail + text).slice(-TAIL_CHARS);
    const lines = (this.partial + text).split(/\r?\n/);
    this.partial = (lines.pop() ?? '').slice(-LINE_LIMIT);
    for (const line of lines) if (line.trim() !== '') this.addLine(line);
  }

  private addLine(line: string): void {
    const now = new Date();
    const second = Math.floor(now.getTime() / 1000);
    this.inSecond = second === this.second ? this.inSecond + 1 : 0;
    this.second = second;
    if (this.inSecond > LINES_PER_SECOND) return;
    const more = this.inSecond === LINES_PER_SECOND ? ' … (more in this second is left out)' : '';
    const kept = `${now.toISOString()} ${hideSecrets(line.slice(0, LINE_LIMIT))}${more}`;
    this.kept.push(kept);
    if (this.kept.length > 2 * KEPT_LINES) this.kept = this.kept.slice(-KEPT_LINES);
    this.lineEmitter.fire(kept);
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0; // It is not there yet.
  }
}
