import type { HandlerClock } from './clock';
import type { StoppedCode } from '../../hook-contract/loaded-hook';
import type { HandlerRun } from './handler-run';

/** The Promise class before any hook runs: a gate that was just called may have replaced the global one. */
export const OwnPromise = Promise;

/** How a call of hook code ended. */
export type Settled =
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'threw'; readonly error: unknown }
  | { readonly type: 'late'; readonly timeoutMs: number }
  | { readonly type: 'aborted' }
  /** An endless loop of the hook was stopped, in this call or before it. */
  | { readonly type: 'stopped'; readonly error: StoppedCode };

export interface WaitLimits {
  readonly clock: HandlerClock;
  /** When the handler was called, on the clock of `performance.now()`. */
  readonly startedAt: number;
  /** ms; absent: the handler may take for ever */
  readonly timeoutMs: number | undefined;
  /** When it fires, the handler is abandoned after `abortGraceMs`. */
  readonly signal: AbortSignal | undefined;
  readonly abortGraceMs: number;
  /** When it fires, the handler counts as failed: it is a gate that can no longer answer. */
  readonly turnedOff?: AbortSignal;
}

/**
 * Waits for what hook code returned, within limits; never rejects. Settles with the code, its deadline or the signal,
 * whichever is first; later results are dropped.
 */
export function settleWithin(run: HandlerRun, returned: PromiseLike<unknown>, limits: WaitLimits): Promise<Settled> {
  const { clock, timeoutMs, signal, abortGraceMs, turnedOff } = limits;
  return new OwnPromise(resolve => {
    const settle = (settled: Settled): void => {
      run.limitBy(undefined);
      signal?.removeEventListener('abort', onAbort);
      turnedOff?.removeEventListener('abort', onTurnOff);
      resolve(settled);
    };
    const giveUp = (): void => {
      settle({ type: 'aborted' });
    };
    const onAbort = (): void => {
      if (abortGraceMs === 0) giveUp();
      else run.limitBy(clock.watch(abortGraceMs, giveUp));
    };
    const onTurnOff = (): void => {
      settle({ type: 'threw', error: new Error('The hook was turned off before it answered.') });
    };
    if (timeoutMs !== undefined) {
      const late = (): void => {
        settle({ type: 'late', timeoutMs });
      };
      run.limitBy(clock.watch(timeoutMs, late, limits.startedAt));
    }
    const failed = (error: unknown): void => {
      settle({ type: 'threw', error });
    };
    try {
      returned.then(value => settle({ type: 'value', value }), failed);
    } catch (error) {
      failed(error); // A promise whose own `then` was replaced.
    }
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
    if (turnedOff?.aborted === true) onTurnOff();
    else turnedOff?.addEventListener('abort', onTurnOff, { once: true });
  });
}

// eslint-disable-next-line @typescript-eslint/unbound-method -- compared and called with its own promise only
const nativeThen = Promise.prototype.then;

/**
 * Observes promises one after the other, so that the result of each is known after one turn of the microtask queue; much
 * cheaper than {@link settleWithin}. A promise that does not settle by then may still do so later: another watch has to
 * observe the next one.
 */
export class PromiseWatch {
  /** How the last promise settled; undefined while it is pending. */
  settled: Settled | undefined;

  /** False for values that are not plain promises: their `then` is hook code and must only be called once. */
  observe(returned: PromiseLike<unknown> | undefined): boolean {
    if (!(returned instanceof OwnPromise) || returned.then !== nativeThen) return false;
    this.settled = undefined;
    returned.then(this.noteValue, this.noteError);
    return true;
  }

  private readonly noteValue = (value: unknown): void => {
    this.settled = value === undefined ? NO_VALUE : { type: 'value', value };
  };

  private readonly noteError = (error: unknown): void => {
    this.settled = { type: 'threw', error };
  };
}

const NO_VALUE: Settled = { type: 'value', value: undefined };
