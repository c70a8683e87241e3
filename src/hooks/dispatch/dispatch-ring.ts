import { Emitter } from '../../base/event';
import type { Span } from './span';
import type { DispatchRecord } from './record';

type Stored = { -readonly [K in keyof DispatchRecord]: DispatchRecord[K] };

/** Keeps the records of the last dispatches, without their payloads, and notifies subscribers of each one. */
export class DispatchRing {
  private readonly dispatchEmitter = new Emitter<DispatchRecord>();
  readonly onDidDispatch = this.dispatchEmitter.event;
  private readonly spanEmitter = new Emitter<Span>();
  /** Time that was not a hook's; fires when it ends. */
  readonly onDidEndSpan = this.spanEmitter.event;
  private readonly ring: Stored[] = [];
  private next = 0;
  private count = 0;

  constructor(private readonly size = 2_000) {}

  /** Takes ownership of the record: its payload is dropped after the subscribers have seen it. */
  add(record: DispatchRecord): void {
    const stored: Stored = record;
    stored.seq = ++this.count;
    if (this.dispatchEmitter.hasListeners) this.dispatchEmitter.fire(stored);
    stored.payload = undefined;
    stored.returned = undefined;
    stored.before = undefined;
    stored.input = undefined;
    stored.dialogs = undefined;
    this.ring[this.next] = stored;
    this.next = (this.next + 1) % this.size;
  }

  addSpan(span: Span): void {
    this.spanEmitter.fire(span);
  }

  /** Oldest first. */
  recent(): readonly DispatchRecord[] {
    return [...this.ring.slice(this.next), ...this.ring.slice(0, this.next)];
  }

  dispose(): void {
    this.dispatchEmitter.dispose();
    this.spanEmitter.dispose();
  }
}
