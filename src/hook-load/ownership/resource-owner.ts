import type { Disposable } from '../../base/disposable';
import type { PiProgram } from './pi-program';

/** A resource that is open and belongs to a load. */
export interface OwnedThing {
  /** The name for messages, for example `http server`. */
  readonly what: string;
  /**
   * `listener`: gets events from outside, so it is closed before the next load starts. `work`: a running handler may be
   * waiting for it, so it stays open until the handlers that ran when it was opened have ended. `rest`: is closed when
   * the last handler has ended.
   */
  readonly kind: 'listener' | 'work' | 'rest';
  /** Closes it; resolves when the operating system has released it. */
  close(): void | Promise<void>;
}

/** What the wrappers of Node's modules and globals need from the scope for which they open resources. */
export interface ResourceOwner {
  /** The path of the hook whose resources these are. */
  readonly owner: string;
  /** True as soon as the release has begun. */
  readonly isReleased: boolean;
  /** True while no handler of the hook runs. */
  readonly isIdle: boolean;
  /** The working directory that the hook sees, absolute; when absent, that of this process. */
  readonly cwd?: string | undefined;
  /** The program that the hook's processes find as `pi`; when absent, whatever is on their PATH. */
  readonly pi?: PiProgram | undefined;
  /** See `OwnershipOptions.protectsStdio`. */
  readonly protectsStdio?: boolean | undefined;
  /** The owned versions of the globals that open or start something. */
  readonly globals: object;
  /** The wrapper of a Node module; undefined for modules that open nothing. `specifier` may begin with `node:`. */
  builtin(specifier: string): object | undefined;
  /** Makes the scope close `thing` at the release, or at once if that has begun. Disposing the result undoes this. */
  own(thing: OwnedThing): Disposable;
  /** Reports an error in code of the hook that has no caller that could catch it. `where` says what failed. */
  report(error: unknown, where: string): void;
  /** Runs a callback of the hook and returns its result. Errors and rejections are reported; nothing is thrown. */
  guarded(where: string, callback: () => unknown): unknown;
}
