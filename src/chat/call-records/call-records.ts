import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../base/errors';
import { JsonLinesFile } from '../../base/json/json-lines-file';
import type { Log } from '../../base/log';
import { lineOf, readRecord, type CallRecord } from './call-record';
import { readThoughts, type ThoughtRecord } from './thought-record';

/** What is kept of a session. */
export type SessionRecord = CallRecord | ThoughtRecord;

/** Records that nothing was added to for so long are forgotten, ms: as long as changed files are remembered. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * How tool calls came about and how long answers thought, kept across windows: a bounded file per session beside what VS Code keeps of the
 * workspace. The session file itself stays pi's, entry by entry: hooks read it, and what they see must not depend on
 * who shows it.
 */
export class CallRecords {
  private readonly files = new Map<string, JsonLinesFile<SessionRecord>>();
  private work: Promise<void>;

  /** `dir` absolute. */
  constructor(
    private readonly dir: string,
    private readonly log: Log,
    now = Date.now(),
  ) {
    this.work = this.forgetOld(now);
  }

  /** What is kept of a session, oldest first. Never rejects. */
  async read(session: string): Promise<readonly SessionRecord[]> {
    await this.work;
    const { entries, unreadable } = await this.fileOf(session).read();
    if (unreadable > 0) {
      this.log.warn(`${unreadable} records of calls and answers of session ${session} cannot be read.`);
    }
    return entries;
  }

  /** Adds a record. If the disk refuses it, the log says so. */
  add(session: string, record: SessionRecord): void {
    this.work = this.work.then(async () => {
      try {
        const line = 'call' in record ? lineOf(record) : `${JSON.stringify(record)}\n`;
        await this.fileOf(session).append(line);
      } catch (error) {
        this.log.warn(`What is known of a call or an answer could not be kept: ${messageOf(error)}`);
      }
    });
  }

  /** Resolves when all is on disk. */
  flush(): Promise<void> {
    return this.work;
  }

  private fileOf(session: string): JsonLinesFile<SessionRecord> {
    const known = this.files.get(session);
    if (known !== undefined) return known;
    const name = `${session.replace(/[^\w.-]/g, '_').slice(0, 120)}.jsonl`;
    const file = new JsonLinesFile<SessionRecord>(join(this.dir, name), line => readRecord(line) ?? readThoughts(line));
    this.files.set(session, file);
    return file;
  }

  private async forgetOld(now: number): Promise<void> {
    const names = await readdir(this.dir).catch(() => [] as string[]); // Nothing was kept here yet.
    for (const name of names) {
      const path = join(this.dir, name);
      try {
        if (now - (await stat(path)).mtimeMs > KEPT_MS) await rm(path, { force: true });
      } catch (error) {
        this.log.warn(`An old record of tool calls could not be deleted: ${messageOf(error)}`);
      }
    }
  }
}
