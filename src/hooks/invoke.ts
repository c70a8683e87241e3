import type { HandlerClock } from './clock';
import type { HandlerRun } from './handler-run';
import type { HookFunction } from './loaded-hook';

/** How a call of hook code ended. */
export type Settled =
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'threw'; readonly error: unknown }
  | { readonly type: 'late'; readonly timeoutMs: number }
  | { readonly type: 'aborted' };

export interface InvokeLimits {
  readonly clock: HandlerClock;
  /** ms; absent: the handler may take for ever */
  readonly timeoutMs: number | undefined;
  /** When it fires, the handler is given up after `abortGraceMs`. */
  readonly signal: AbortSignal | undefined;
  readonly abortGraceMs: number;
}

/**
 * Calls hook code and tells how it ended; never throws or rejects. Answers at once when the code does, else a promise
 * that settles when the code, its deadline or the signal does, whichever is first: what comes later is dropped.
 */
export function invoke(
  run: HandlerRun,
  code: HookFunction,
  args: readonly unknown[],
  limits: InvokeLimits,
): Settled | Promise<Settled> {
  try {
    const returned = code(...args);
    if (!isThenable(returned)) return { type: 'value', value: returned };
    return limits.timeoutMs === undefined && limits.signal === undefined
      ? unlimited(returned)
      : limited(run, returned, limits);
  } catch (error) {
    return { type: 'threw', error };
  }
}

async function unlimited(returned: PromiseLike<unknown>): Promise<Settled> {
  try {
    return { type: 'value', value: await returned };
  } catch (error) {
    return { type: 'threw', error };
  }
}

function limited(run: HandlerRun, returned: PromiseLike<unknown>, limits: InvokeLimits): Promise<Settled> {
  const { clock, timeoutMs, signal, abortGraceMs } = limits;
  return new Promise(resolve => {
    const giveUp = (): void => {
      settle({ type: 'aborted' });
    };
    const onAbort = (): void => {
      if (abortGraceMs === 0) giveUp();
      else run.limitBy(clock.watch(abortGraceMs, giveUp));
    };
    const settle = (settled: Settled): void => {
      run.limitBy(undefined);
      signal?.removeEventListener('abort', onAbort);
      resolve(settled);
    };
    if (timeoutMs !== undefined) {
      run.limitBy(
        clock.watch(timeoutMs, () => {
          settle({ type: 'late', timeoutMs });
        }),
      );
    }
    void Promise.resolve(returned).then(
      value => {
        settle({ type: 'value', value });
      },
      (error: unknown) => {
        settle({ type: 'threw', error });
      },
    );
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Reads `then` once; a getter that throws is the caller's to catch. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (value instanceof Promise) return true;
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
