import { unlessAborted } from '../../base/async/wait';
import { ABORTED_TEXT } from './tool';

/** Throws `Operation aborted`. */
export function throwAborted(): never {
  throw new Error(ABORTED_TEXT);
}

/** Throws `Operation aborted` when the signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throwAborted();
}

/**
 * The outcome of `work`, or `Operation aborted` as soon as the signal fires: for work that cannot be interrupted
 * (a stalled file system, a hook's remote operation). What such work does later is ignored.
 */
export async function raceAbort<T>(signal: AbortSignal | undefined, work: T | Promise<T>): Promise<T> {
  if (!(work instanceof Promise)) throwIfAborted(signal);
  return await unlessAborted<T | Promise<T>, never>(work, signal, throwAborted);
}
