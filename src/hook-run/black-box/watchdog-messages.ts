import type { StopRecord } from '../../hook-load/files/stop-record';

/** What the watch is started with. */
export interface WatchdogData {
  /** Shared with the main thread: see {@link CELL}. */
  readonly cells: Int32Array;
  /** Absolute path of the folder for the records. */
  readonly dir: string;
  /** Name of this process's file there. */
  readonly id: string;
  readonly process: StopRecord['process'];
  /** How long the main thread may be silent before that is written down, ms. */
  readonly limitMs: number;
}

/** Places in the shared array. */
export const CELL = {
  /** Which code is at work: the number of a {@link WatchdogMessage}; 0 for none. */
  at: 0,
  /** The last question that the main thread answered. */
  answered: 1,
  /** 1 while a debugger may hold the main thread. */
  debugged: 2,
} as const;

/** What the main thread tells. */
export type WatchdogMessage =
  | {
      readonly type: 'hook';
      readonly path: string;
      readonly sources: readonly KnownSource[];
      readonly gatesTools: boolean;
    }
  | { readonly type: 'code'; readonly number: number; readonly hook: string; readonly event: string };

/** The hash of a file that is about to be loaded is not known yet. */
export interface KnownSource {
  readonly path: string;
  readonly hash?: string | undefined;
}
