import { visibleText } from '../../src/base/text/visible-text';

/** `<hookline-frames>`: shows short texts in turn, like a spinner in a terminal; with reduced motion, only the first one. */
export class FramesElement extends HTMLElement {
  private timer = 0;
  private frames: readonly string[] = [];
  private intervalMs = 0;
  private shown = 0;

  /** Sets the texts and the interval. Setting the same values again does not restart the animation. */
  set pictures({ frames, intervalMs }: { readonly frames: readonly string[]; readonly intervalMs: number }) {
    if (frames.join('\0') === this.frames.join('\0') && intervalMs === this.intervalMs) return;
    this.frames = frames;
    this.intervalMs = intervalMs;
    this.shown = 0;
    this.start();
  }

  connectedCallback(): void {
    this.ariaHidden = 'true';
    this.start();
  }

  disconnectedCallback(): void {
    window.clearInterval(this.timer);
  }

  private start(): void {
    window.clearInterval(this.timer);
    this.draw();
    const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (!this.isConnected || still || this.frames.length < 2) return;
    this.timer = window.setInterval(() => {
      this.shown = (this.shown + 1) % this.frames.length;
      this.draw();
    }, this.intervalMs);
  }

  private draw(): void {
    this.textContent = visibleText(this.frames[this.shown] ?? '');
  }
}
