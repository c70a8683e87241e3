import { toDisposable, type Disposable } from './disposable';

/** Subscribe to something that happens; the returned disposable ends the subscription. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/**
 * The private side of an {@link Event}. Listeners run in order of subscription, those of the moment of the call; a listener
 * that throws does not stop the others, its error goes to `onListenerError` (by default it is rethrown in a microtask).
 */
export class Emitter<T> implements Disposable {
  /** Replaced at each change, so that a call uses the list of its beginning until its end. */
  private listeners: readonly { readonly listener: (value: T) => void }[] = [];

  constructor(private readonly onListenerError: (error: unknown) => void = rethrowLater) {}

  readonly event: Event<T> = listener => {
    const own = { listener };
    this.listeners = [...this.listeners, own];
    return toDisposable(() => {
      this.listeners = this.listeners.filter(each => each !== own);
    });
  };

  fire(value: T): void {
    for (const { listener } of this.listeners) {
      try {
        listener(value);
      } catch (error) {
        this.onListenerError(error);
      }
    }
  }

  dispose(): void {
    this.listeners = [];
  }
}

function rethrowLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
