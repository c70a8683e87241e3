/** What a reload reads besides the files of hooks that changed. */
export class ForcedReload {
  /** `all`, `paths`: files that are reloaded although they have not changed. */
  constructor(
    private all: boolean,
    private readonly paths: Set<string>,
    /** Whether the packages are read again. */
    public packages = true,
  ) {}

  has(path: string): boolean {
    return this.all || this.paths.has(path);
  }

  /** Adds the other request to this one. */
  add(other: ForcedReload): void {
    this.all ||= other.all;
    for (const path of other.paths) this.paths.add(path);
    this.packages ||= other.packages;
  }
}

/** Runs one reload at a time; requests during a reload share one further reload. */
export class ReloadQueue {
  private running: Promise<void> | undefined;
  private next: { promise: Promise<void>; readonly fresh: ForcedReload } | undefined;
  private closed = false;

  constructor(private readonly reload: (fresh: ForcedReload) => Promise<void>) {}

  get isClosed(): boolean {
    return this.closed;
  }

  /** Settles like the reload that serves the request; resolves at once after {@link close}. */
  request(fresh: ForcedReload): Promise<void> {
    if (this.closed) return Promise.resolve();
    if (this.running === undefined) {
      this.running = this.reload(fresh).finally(() => (this.running = undefined));
      return this.running;
    }
    if (this.next !== undefined) {
      this.next.fresh.add(fresh);
      return this.next.promise;
    }
    const next = { fresh, promise: Promise.resolve() };
    this.next = next;
    const follow = (): Promise<void> => {
      this.next = undefined;
      return this.request(fresh);
    };
    next.promise = this.running.then(follow, follow);
    return next.promise;
  }

  /** Drops what waits and resolves when the reload that runs is over; never rejects. */
  async close(): Promise<void> {
    this.closed = true;
    await this.running?.catch(() => undefined); // The caller of the reload gets the error.
  }
}
