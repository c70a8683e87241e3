/** Reads `then` once; a getter that throws is the caller's to catch. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (value instanceof Promise) return true;
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/** A promise that is settled from outside. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

export function deferred<T = void>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((settle, fail) => {
    resolve = settle;
    reject = fail;
  });
  return { promise, resolve, reject };
}

/** How often the time that counts is added up where a wait can pause, in ms. */
const TICK_MS = 100;
/** What a wait gives that ended without its work. */
const GIVEN_UP = Symbol('given up');

/**
 * The outcome of `work`, or that of `late` when `ms` pass first; `late` may throw. Time in which `isPaused` is true
 * does not count. The work continues, and its later outcome is ignored.
 */
export async function withTimeout<T, L>(
  work: T | PromiseLike<T>,
  ms: number,
  late: () => L,
  isPaused?: () => boolean,
): Promise<Awaited<T> | L> {
  const over = deferred<typeof GIVEN_UP>();
  const stop = startTimer(ms, () => over.resolve(GIVEN_UP), isPaused);
  try {
    const first = await Promise.race([work, over.promise]);
    return first === GIVEN_UP ? late() : first;
  } finally {
    stop();
  }
}

/**
 * The outcome of `work`, or that of `aborted` when the signal has fired and `graceMs` passed since; `aborted` may
 * throw. The work continues, and its later outcome is ignored.
 */
export async function unlessAborted<T, A>(
  work: T | PromiseLike<T>,
  signal: AbortSignal | undefined,
  aborted: () => A,
  graceMs = 0,
): Promise<Awaited<T> | A> {
  if (signal === undefined) return await work;
  const over = deferred<typeof GIVEN_UP>();
  let stop: (() => void) | undefined;
  const giveUp = (): void => over.resolve(GIVEN_UP);
  const onAbort = (): void => {
    if (graceMs === 0) giveUp();
    else stop = startTimer(graceMs, giveUp);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    const first = await Promise.race([work, over.promise]);
    return first === GIVEN_UP ? aborted() : first;
  } finally {
    stop?.();
    signal.removeEventListener('abort', onAbort);
  }
}

/** True when `ms` have passed, false as soon as the signal fires. */
export function sleep(ms: number, signal: AbortSignal): Promise<boolean> {
  const never = new Promise<never>(() => undefined);
  return withTimeout(
    unlessAborted(never, signal, () => false),
    ms,
    () => true,
  );
}

/** Fires with the first of the given signals; undefined when there is none. */
export function anySignal(first: AbortSignal, ...others: readonly (AbortSignal | undefined)[]): AbortSignal;
export function anySignal(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined;
export function anySignal(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter(signal => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}

/** Returns what stops it. */
function startTimer(ms: number, over: () => void, isPaused?: () => boolean): () => void {
  if (isPaused === undefined) {
    const timer = setTimeout(over, ms);
    return () => clearTimeout(timer);
  }
  const tick = Math.min(TICK_MS, ms);
  let spent = 0;
  const timer = setInterval(() => {
    if (!isPaused()) spent += tick;
    if (spent >= ms) over();
  }, tick);
  return () => clearInterval(timer);
}

/** For a second check of a signal: without a call, the compiler assumes that it is as at the first one. */
export function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
