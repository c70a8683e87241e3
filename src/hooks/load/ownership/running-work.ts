import type { Disposable } from '../../../base/disposable';

/** One handler at work; disposing it says that it has ended. */
class Work implements Disposable {
  before: Work | undefined;
  after: Work | undefined;
  private ended = false;

  constructor(
    readonly begunAs: number,
    private readonly list: RunningWork,
    private readonly onEnd: () => void,
  ) {}

  dispose(): void {
    if (this.ended) return;
    this.ended = true;
    this.list.remove(this);
    this.onEnd();
  }
}

/** The handlers of one load that are at work, in the order they began. A chain: a dispatch adds and removes ten of them. */
export class RunningWork {
  private first: Work | undefined;
  private last: Work | undefined;

  /** Number of the handler that has run longest. */
  get oldest(): number | undefined {
    return this.first?.begunAs;
  }

  /** Numbers must rise; `onEnd` is called once, after the work has left the chain. */
  begin(number: number, onEnd: () => void): Disposable {
    const work = new Work(number, this, onEnd);
    work.before = this.last;
    if (this.last === undefined) this.first = work;
    else this.last.after = work;
    this.last = work;
    return work;
  }

  remove(work: Work): void {
    const { before, after } = work;
    if (before === undefined) this.first = after;
    else before.after = after;
    if (after === undefined) this.last = before;
    else after.before = before;
  }
}
