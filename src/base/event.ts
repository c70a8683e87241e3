import { toDisposable, type Disposable } from './disposable';

/** Subscribe to something that happens; the returned disposable ends the subscription. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/**
 * The private side of an {@link Event}. Listeners run in order of subscription on a copy of the list; a listener
 * that throws does not stop the others, its error goes to `onListenerError` (by default it is rethrown in a microtask).
 */
export class Emitter<T> implements Disposable {
  private listeners = new Set<(value: T) => void>();

  constructor(private readonly onListenerError: (error: unknown) => void = rethrowLater) {}

  readonly event: Event<T> = listener => {
    const own = (value: T): void => {
      listener(value);
    };
    this.listeners.add(own);
    return toDisposable(() => this.listeners.delete(own));
  };

  get hasListeners(): boolean {
    return this.listeners.size > 0;
  }

  fire(value: T): void {
    for (const listener of [...this.listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.onListenerError(error);
      }
    }
  }

  dispose(): void {
    this.listeners.clear();
  }
}

function rethrowLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
