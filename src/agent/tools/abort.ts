import { ABORTED_TEXT } from './tool';

/** Throws `Operation aborted` when the signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new Error(ABORTED_TEXT);
}

/**
 * The outcome of `work`, or `Operation aborted` as soon as the signal fires: for work that cannot be interrupted
 * (a stalled file system, a hook's remote operation). What such work does later is ignored.
 */
export async function raceAbort<T>(signal: AbortSignal | undefined, work: T | Promise<T>): Promise<T> {
  if (signal === undefined || !(work instanceof Promise)) {
    throwIfAborted(signal);
    return work;
  }
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(new Error(ABORTED_TEXT));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}
