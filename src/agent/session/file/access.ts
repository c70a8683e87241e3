import { Emitter } from '../../../base/event';
import { messageOf } from '../../../base/errors';
import { inUse, SessionLock } from './lock';

/** Why nothing may be appended to a session. */
export type ReadOnlyCause = 'damaged' | 'notText' | 'locked' | 'takenOver' | 'notWritable' | 'requested';

/** Whether a session can be written; `reason` is for the user and names the cause. */
export type SessionAccess =
  { readonly kind: 'write' } | { readonly kind: 'read'; readonly cause: ReadOnlyCause; readonly reason: string };

/** Why a session is only read. */
export type ReadAccess = Extract<SessionAccess, { readonly kind: 'read' }>;

/** Whether another window or program writes to the session. */
export function isOpenElsewhere(access: SessionAccess): access is ReadAccess {
  return access.kind === 'read' && (access.cause === 'locked' || access.cause === 'takenOver');
}

const TAKEN_OVER: ReadAccess = { kind: 'read', cause: 'takenOver', reason: 'Another window took over this session' };

/** The right to write to one session file: the lock that shows it, and why it was lost. */
export class WriteAccess {
  private state: SessionAccess = { kind: 'write' };
  private lock: SessionLock | undefined;
  private readonly lossEmitter = new Emitter<ReadAccess>();
  /** Fires when another gets the right to write. */
  readonly onDidLose = this.lossEmitter.event;

  constructor(private readonly path: string) {}

  get current(): SessionAccess {
    return this.state;
  }

  /** Whether {@link take} got the lock. */
  get isLocked(): boolean {
    return this.lock !== undefined;
  }

  /** Locks the file; `force` takes the lock from a living holder. What prevents it is in {@link current}. */
  async take(force: boolean): Promise<void> {
    try {
      const lock = await SessionLock.acquire(this.path, { force, onTaken: () => this.lose(TAKEN_OVER) });
      if (lock instanceof SessionLock) this.lock = lock;
      else this.lose({ kind: 'read', cause: 'locked', reason: inUse(lock).message });
    } catch (error) {
      this.lose({ kind: 'read', cause: 'notWritable', reason: `The folder cannot be written: ${messageOf(error)}` });
    }
  }

  /** Before a write: makes the lock again if it is gone, and loses the right if another holds it. Rejects when that fails. */
  async hold(): Promise<void> {
    if (this.state.kind === 'write' && !(await this.lock?.hold())) this.lose(TAKEN_OVER);
  }

  /** Looks whether another took the lock. Never rejects: what cannot be read leaves the access as it is. */
  async check(): Promise<void> {
    if (this.state.kind === 'write' && (await this.lock?.isTaken().catch(() => false)) === true) this.lose(TAKEN_OVER);
  }

  /** The file is only read from now on; the first cause counts. */
  lose(access: ReadAccess): void {
    if (this.state.kind === 'read') return;
    this.state = access;
    if (isOpenElsewhere(access)) this.lossEmitter.fire(access);
  }

  /** Only reads the file because of what it holds or of what was asked for; this cause counts instead of an earlier one. */
  refuse(access: ReadAccess): void {
    this.state = access;
  }

  /** Removes the lock. */
  async release(): Promise<void> {
    await this.lock?.release();
  }

  /** Never rejects. */
  async dispose(): Promise<void> {
    await this.release().catch(() => undefined); // Others may take a lock that nobody renews.
    this.lock = undefined;
    this.lossEmitter.dispose();
  }
}
