import { toDisposable, type Disposable } from '../base/disposable';
import { messageOf } from '../base/errors';
import type { Log } from '../base/log';

/** A value that is made by the first call of `get`. When making it fails, the next `get` tries again. */
export class Lazy<T> {
  private making: Promise<T> | undefined;
  private made: T | undefined;

  constructor(private readonly make: () => Promise<T>) {}

  /** The value, or undefined when it has not been made yet. */
  get current(): T | undefined {
    return this.made;
  }

  get(): Promise<T> {
    this.making ??= this.make().then(
      value => (this.made = value),
      (error: unknown) => {
        this.making = undefined;
        throw error;
      },
    );
    return this.making;
  }

  /** Waits until the value is made. Undefined when `get` was never called or the value could not be made. */
  async whenMade(): Promise<T | undefined> {
    return this.making?.catch(() => undefined);
  }
}

/** Makes a value after VS Code has finished what it is doing now. A failure is logged; `value.get` can try again. */
export function startWhenIdle(value: Lazy<unknown>, log: Log): Disposable {
  const timer = setTimeout(() => {
    value.get().catch((error: unknown) => log.error(`Hookline could not be started: ${messageOf(error)}`, error));
  }, 0);
  return toDisposable(() => clearTimeout(timer));
}
