import type { Terminal } from '@mariozechner/pi-tui';

/** What components may need to see of a screen's size, in cells. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** A `Terminal` of pi-tui that writes nowhere: the page gets the picture as frames. */
export class HostTerminal implements Terminal {
  /** The Kitty protocol is not claimed; keys come in its form anyway where the older one has none. */
  readonly kittyProtocolActive = false;
  private onInput: ((data: string) => void) | undefined;
  private onResize: (() => void) | undefined;

  constructor(
    private current: ScreenSize,
    private readonly onTitle: (title: string) => void,
  ) {}

  get columns(): number {
    return this.current.columns;
  }

  get rows(): number {
    return this.current.rows;
  }

  resize(size: ScreenSize): void {
    this.current = size;
    this.onResize?.();
  }

  /** Hands over what a user typed, in a terminal's bytes. @throws what the component throws */
  type(data: string): void {
    this.onInput?.(data);
  }

  start(onInput: (data: string) => void, onResize: () => void): void {
    this.onInput = onInput;
    this.onResize = onResize;
  }

  stop(): void {
    this.onInput = undefined;
    this.onResize = undefined;
  }

  setTitle(title: string): void {
    this.onTitle(title);
  }

  drainInput(): Promise<void> {
    return Promise.resolve();
  }

  write(): void {
    // Nothing: frames are made from the lines themselves. The same goes for all below.
  }

  moveBy(): void {
    // See write.
  }

  hideCursor(): void {
    // See write.
  }

  showCursor(): void {
    // See write.
  }

  clearLine(): void {
    // See write.
  }

  clearFromCursor(): void {
    // See write.
  }

  clearScreen(): void {
    // See write.
  }

  setProgress(): void {
    // See write.
  }

  setProgramStatus(): void {
    // See write.
  }
}
