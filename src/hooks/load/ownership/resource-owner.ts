import type { Disposable } from '../../../base/disposable';
import type { PiProgram } from './pi-program';

/** Something open that belongs to a load. */
export interface OwnedThing {
  /** For people: `http server on port 3333`. */
  readonly what: string;
  /**
   * `listener`: gets events from outside and must be gone before a successor starts. `work`: something a running handler
   * may be waiting for, so it may live until the handlers that ran when it was opened have ended. `rest`: goes when the
   * last handler has ended.
   */
  readonly kind: 'listener' | 'work' | 'rest';
  /** Closes it; resolves when the operating system has let go of it. */
  close(): void | Promise<void>;
}

/** What the wrappers of Node's modules and globals need of the scope that they open things for. */
export interface ResourceOwner {
  /** Whose resources these are: the hook's path. */
  readonly owner: string;
  /** True as soon as the load is being released. */
  readonly isReleased: boolean;
  /** True while no handler of the hook runs. */
  readonly isIdle: boolean;
  /** The folder that the hook finds itself in; absent: that of this process. Absolute. */
  readonly cwd?: string | undefined;
  /** What the hook's processes find as pi; absent: whatever is on their PATH. */
  readonly pi?: PiProgram | undefined;
  /** The owned versions of the globals that open or start something. */
  readonly globals: object;
  /** The wrapper of a Node module, or undefined for modules that open nothing. With or without `node:`. */
  builtin(specifier: string): object | undefined;
  /** Takes responsibility for something; the result forgets it again. After the release it is closed at once. */
  own(thing: OwnedThing): Disposable;
  /** Tells of an error in code of the hook that has no caller to throw to. */
  report(error: unknown, where: string): void;
  /** Runs a callback of the hook for code that must not see it fail: throws and rejections are reported. */
  guarded(where: string, callback: () => unknown): unknown;
}
