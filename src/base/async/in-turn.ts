/** Runs works one after the other, in the order in which they were given. */
export class InTurn {
  private last: Promise<unknown> = Promise.resolve();

  /** Settles as the work does; one that fails does not keep the next from running. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.last.then(work, work);
    this.last = mine;
    return mine;
  }
}
