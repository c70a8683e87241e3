import { appendFile, mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Emitter } from '../../base/event';
import { sizeOf } from '../../base/files/on-disk';
import { hideSecrets } from '../../base/text/redact';

/** Size at which `mcp.log` is renamed to `mcp.log.1`, in bytes; the same as in pi. */
const FILE_LIMIT = 5 * 1024 * 1024;
/** How many characters may wait to be written; further messages are dropped and only counted. */
const WAITING_LIMIT = 1024 * 1024;

/**
 * The file with the servers' own log messages, in pi's format and without secrets. Several processes may write to it.
 */
export class McpLogFile {
  private waiting = '';
  private dropped = 0;
  private writing: Promise<void> | undefined;

  /** `path` is absolute; its folder is made when needed. `onFail` is called once, with the first error of writing. */
  constructor(
    private readonly path: string,
    private onFail: ((error: unknown) => void) | undefined,
    private readonly limit = FILE_LIMIT,
  ) {}

  /** Adds a message; it is written in the background. `text` may have several lines. */
  write(server: string, level: string, text: string, at = new Date()): void {
    const indented = hideSecrets(text).replaceAll(/\r?\n/g, '\n    ');
    const line = `${at.toISOString()} [${server}] ${level} ${indented}\n`;
    if (this.waiting.length + line.length > WAITING_LIMIT) {
      this.dropped += 1;
      return;
    }
    this.waiting += line;
    this.writing ??= this.writeAll().finally(() => (this.writing = undefined));
  }

  /** Resolves when all messages were written. */
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
        // The size is read each time, since another process may have renamed the file.
        if ((await sizeOf(this.path)) > this.limit) await rename(this.path, `${this.path}.1`);
        await appendFile(this.path, text, { mode: 0o600 });
      } catch (error) {
        this.onFail?.(error);
        this.onFail = undefined;
      }
    }
  }
}

/** How many lines of a server are kept, and how many characters of each. */
const KEPT_LINES = 500;
const LINE_LIMIT = 2_000;
/** How many characters of stderr are shown to explain why a server failed; the same as in pi. */
const TAIL_CHARS = 2_000;
/** How many lines per second are kept of a server. */
const LINES_PER_SECOND = 100;

/**
 * The latest lines about a server, for users and without secrets: its stderr, its log messages, and connection events.
 */
export class ServerLog {
  private kept: string[] = [];
  private partial = '';
  private tail = '';
  private second = 0;
  private inSecond = 0;
  private readonly lineEmitter = new Emitter<string>();
  /** Fires with each line that is added. */
  readonly onDidAdd = this.lineEmitter.event;

  /** The lines, the oldest first, each with its time. */
  get lines(): readonly string[] {
    return this.kept;
  }

  /** The end of what the server printed to stderr since it was started. */
  get stderrTail(): string {
    return hideSecrets(this.tail.trim());
  }

  /** Clears {@link stderrTail}. Call this when the server is started again. */
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
