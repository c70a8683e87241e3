import { randomUUID } from 'node:crypto';
import { statSync, watch, type BigIntStats, type FSWatcher } from 'node:fs';
import { open, rename, rm, stat, utimes, writeFile, type FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Type, type Static } from '@sinclair/typebox';
import { defined } from '../../../base/defined';
import { isOwnProc, readProcessRow } from '../../../base/ending/process-table';
import { isCode } from '../../../base/errors';
import { processStart } from './process-start';
import { readRegularText } from '../../../base/files/regular-file';
import { parse } from '../../../base/json/schema';

/** Of the file beside a session that shows who has it open to write. */
export const LOCK_ENDING = '.lock';

const HEARTBEAT_MS = 20_000;
/** A lock whose holder did not renew it for this time may be taken, in ms. */
const STALE_MS = 90_000;
/** How long another process may take between making the lock and writing its content, in ms. */
const WRITE_MS = 50;

const LockSchema = Type.Object({
  token: Type.String(),
  pid: Type.Number(),
  /** When the process began, because another one may have its id by now. Missing where the system does not show it. */
  started: Type.Optional(Type.String()),
  host: Type.String(),
  /** ISO 8601. */
  since: Type.String(),
});
/** The process that writes to a session file. */
export type LockHolder = Readonly<Static<typeof LockSchema>>;

/** Someone else writes to the session. */
export class SessionInUseError extends Error {
  override readonly name = 'SessionInUseError';
}

/** The error that says who writes to a session. */
export function inUse({ host }: LockHolder): SessionInUseError {
  const where = host === hostname() ? '' : ` on ${host}`;
  return new SessionInUseError(`Another window or program${where} has this session open.`);
}

/** Tokens held by this process: a lock with our pid and another token is from before a restart. */
const heldHere = new Set<string>();

/**
 * The right to append to one session file, shown by `<file>.lock` beside it (pi reads only `*.jsonl` there). A holder
 * renews it every 20 seconds, checks before each write that it still holds it, and notices at once when another takes it.
 */
export class SessionLock {
  private readonly token = randomUUID();
  /** The content of the lock file. */
  private text = '';
  /**
   * The stamp of the lock file when our token was last read in it; another holder, and each renewal, changes the stamp.
   */
  private seen: BigIntStats | undefined;
  private heartbeat: NodeJS.Timeout | undefined;
  private watcher: FSWatcher | undefined;

  private constructor(
    private readonly path: string,
    private readonly onTaken: () => void,
  ) {}

  /**
   * Takes the lock, or returns who holds it. The lock of a dead holder is taken; `force` also takes that of a living
   * one. `onTaken` is called when another takes it from here, once or more, until it is released.
   */
  static async acquire(
    file: string,
    { force = false, onTaken = () => undefined }: { readonly force?: boolean; readonly onTaken?: () => void } = {},
  ): Promise<SessionLock | LockHolder> {
    const lock = new SessionLock(`${file}${LOCK_ENDING}`, onTaken);
    await lock.prepareText();
    // Before others of this process can see the lock.
    heldHere.add(lock.token);
    if (await lock.write()) {
      lock.start();
      return lock;
    }
    heldHere.delete(lock.token);
    const holder = (await readHolder(lock.path)) ?? (await lock.laterHolder());
    if (!force && holder && !(await isGone(lock.path, holder))) return holder;
    await lock.replace();
    const winner = await readHolder(lock.path);
    if (winner && winner.token !== lock.token) return winner;
    lock.start();
    return lock;
  }

  /**
   * {@link isHeld}; also creates a missing lock again, because a program that deleted it, for example with the folder,
   * does not hold it. False if another process holds the file.
   */
  async hold(): Promise<boolean> {
    if (await this.isHeld()) return true;
    if ((await readHolder(this.path)) !== undefined) return false;
    await this.prepareText();
    if (!(await this.write())) {
      // Another process was faster, or the lock file cannot be read.
      if ((await readHolder(this.path)) === undefined) await this.replace();
    }
    this.watch();
    return this.isHeld();
  }

  /** Whether another holds the file. A missing lock was deleted, and is nobody's. */
  async isTaken(): Promise<boolean> {
    return !(await this.isHeld()) && (await readHolder(this.path)) !== undefined;
  }

  /** False once another has taken the file over. */
  async isHeld(): Promise<boolean> {
    const stamp = stampOf(this.path);
    if (stamp === undefined) return false;
    if (isSame(stamp, this.seen)) return true;
    const isOurs = (await readHolder(this.path))?.token === this.token;
    this.seen = isOurs ? stamp : undefined;
    return isOurs;
  }

  /** Releases the lock, unless another process has taken it already. May be called more than once. */
  async release(): Promise<void> {
    clearInterval(this.heartbeat);
    this.watcher?.close();
    const wasHeld = await this.isHeld();
    heldHere.delete(this.token);
    if (wasHeld) await rm(this.path, { force: true });
  }

  private async prepareText(): Promise<void> {
    const started = await processStart(process.pid);
    const holder: LockHolder = {
      token: this.token,
      pid: process.pid,
      ...defined({ started }),
      host: hostname(),
      since: new Date().toISOString(),
    };
    this.text = JSON.stringify(holder);
  }

  /** False when there is a lock already. */
  private async write(): Promise<boolean> {
    let handle: FileHandle;
    try {
      handle = await open(this.path, 'wx', 0o600);
    } catch (error) {
      if (isCode(error, 'EEXIST')) return false;
      throw error;
    }
    try {
      await handle.writeFile(this.text);
    } finally {
      await handle.close();
    }
    return true;
  }

  /** Who holds a lock that cannot be read: another process may be about to write its content. */
  private async laterHolder(): Promise<LockHolder | undefined> {
    await sleep(WRITE_MS);
    return readHolder(this.path);
  }

  private async replace(): Promise<void> {
    const fresh = `${this.path}.${this.token}`;
    await writeFile(fresh, this.text, { mode: 0o600 });
    await rename(fresh, this.path);
  }

  private start(): void {
    heldHere.add(this.token);
    this.heartbeat = setInterval(() => this.beat(), HEARTBEAT_MS);
    this.heartbeat.unref();
    this.watch();
  }

  /** Watches the file that is there now. If files cannot be watched, each heartbeat checks it. */
  private watch(): void {
    this.watcher?.close();
    try {
      this.watcher = watch(this.path, { persistent: false }, () => this.look());
      this.watcher.on('error', () => this.watcher?.close());
    } catch {
      this.watcher = undefined; // The system has no watches left, or the file is gone.
    }
  }

  private look(): void {
    void this.isTaken()
      .then(isTaken => {
        if (isTaken && heldHere.has(this.token)) this.onTaken();
      })
      // The next write reports a problem of the folder.
      .catch(() => undefined);
  }

  private beat(): void {
    const now = new Date();
    this.look();
    void this.isHeld()
      .then(held => (held ? utimes(this.path, now, now) : undefined))
      // A missed renewal only makes the lock look older; the next write reports a problem of the folder.
      .catch(() => undefined);
  }
}

/** The living process that has a session file (absolute path) open to write, this one too; undefined when there is none. */
export async function holderOf(file: string): Promise<LockHolder | undefined> {
  const path = `${file}${LOCK_ENDING}`;
  const holder = await readHolder(path);
  return holder === undefined || (await isGone(path, holder)) ? undefined : holder;
}

/** Identifies the current file at a path and its version; undefined when there is none. */
function stampOf(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

function isSame(one: BigIntStats, other: BigIntStats | undefined): boolean {
  return one.ctimeNs === other?.ctimeNs && one.ino === other.ino && one.dev === other.dev && one.size === other.size;
}

async function readHolder(path: string): Promise<LockHolder | undefined> {
  try {
    const parsed = parse(LockSchema, JSON.parse(await readRegularText(path)));
    return parsed.ok ? parsed.value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function isGone(path: string, holder: LockHolder): Promise<boolean> {
  const here = holder.host === hostname();
  if (here && holder.pid === process.pid) return !heldHere.has(holder.token);
  if (here && !isAlive(holder.pid)) return true;
  if (here && holder.started !== undefined) {
    const started = await processStart(holder.pid);
    if (started !== undefined && started !== holder.started) return true;
  }
  return (await ageOf(path)) > STALE_MS;
}

async function ageOf(path: string): Promise<number> {
  try {
    return Date.now() - (await stat(path)).mtimeMs;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return Infinity;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // One that has ended stays in the table until its parent takes notice, which in a container may be never.
    return process.platform !== 'linux' || !isOwnProc() || readProcessRow(pid) !== undefined;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
}
