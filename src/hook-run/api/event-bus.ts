import { toDisposable, type Disposable } from '../../base/disposable';

type Listener = (data: unknown) => unknown;

/** The bus behind `pi.events`, shared by all hooks of a host. Errors of a listener go to its subscriber. */
export class EventBus {
  private readonly channels = new Map<string, Set<Listener>>();

  emit(channel: string, data: unknown): void {
    for (const listener of [...(this.channels.get(channel) ?? [])]) listener(data);
  }

  /** `listener` must not throw: listeners of hooks are wrapped before. */
  on(channel: string, listener: Listener): Disposable {
    const listeners = this.channels.get(channel) ?? new Set<Listener>();
    this.channels.set(channel, listeners);
    const own: Listener = data => listener(data);
    listeners.add(own);
    return toDisposable(() => {
      listeners.delete(own);
      if (listeners.size === 0) this.channels.delete(channel);
    });
  }
}
