/** Something that holds a resource and can let it go. `dispose` may be called more than once. */
export interface Disposable {
  dispose(): void;
}

/** Wraps a function as a disposable that runs it once, however often it is disposed. */
export function toDisposable(release: () => void): Disposable {
  let done = false;
  return {
    dispose() {
      if (done) return;
      done = true;
      release();
    },
  };
}

/**
 * Owns disposables and disposes them in reverse order of adding. Adding to a disposed store disposes at once,
 * so a late registration cannot leak. Errors of single members are collected and thrown together at the end.
 */
export class DisposableStore implements Disposable {
  private readonly members = new Set<Disposable>();
  private disposed = false;

  get isDisposed(): boolean {
    return this.disposed;
  }

  add<T extends Disposable>(member: T): T {
    if (this.disposed) member.dispose();
    else this.members.add(member);
    return member;
  }

  /** Disposes one member and forgets it. */
  release(member: Disposable): void {
    if (this.members.delete(member)) member.dispose();
  }

  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    const errors: unknown[] = [];
    for (const member of [...this.members].reverse()) {
      try {
        member.dispose();
      } catch (error) {
        errors.push(error);
      }
    }
    this.members.clear();
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, 'Several members failed to dispose');
  }
}
