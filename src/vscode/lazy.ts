/** A value that is made when it is first asked for. A failed attempt is not remembered. */
export class Lazy<T> {
  private making: Promise<T> | undefined;
  private made: T | undefined;

  constructor(private readonly make: () => Promise<T>) {}

  /** The value if it exists already. */
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

  /** The value, or undefined when nobody asked for it or it could not be made. */
  async settled(): Promise<T | undefined> {
    return this.making?.catch(() => undefined);
  }
}
