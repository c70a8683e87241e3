import { Emitter } from '../../base/event';
import type { Span } from './span';
import type { DispatchRecord } from '../../hook-contract/record';

/** Numbers the records of dispatches and tells subscribers of each one. Keeps none of them. */
export class DispatchRecords {
  private readonly dispatchEmitter = new Emitter<DispatchRecord>();
  readonly onDidDispatch = this.dispatchEmitter.event;
  private readonly spanEmitter = new Emitter<Span>();
  /** Time that was not a hook's; fires when it ends. */
  readonly onDidEndSpan = this.spanEmitter.event;
  private count = 0;

  /** The number of the next record. */
  nextSeq(): number {
    return ++this.count;
  }

  /** Tells the subscribers. */
  add(record: DispatchRecord): void {
    this.dispatchEmitter.fire(record);
  }

  addSpan(span: Span): void {
    this.spanEmitter.fire(span);
  }

  dispose(): void {
    this.dispatchEmitter.dispose();
    this.spanEmitter.dispose();
  }
}
