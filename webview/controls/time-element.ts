import { duration } from '../format';

/** `<hookline-time>`: counts the seconds since or until a time (ms since the epoch, by the host's clock). */
export class TimeElement extends HTMLElement {
  private timer = 0;
  private read: (now: number) => number = () => 0;

  set since(start: number) {
    this.read = now => now - start;
    this.draw();
  }

  set until(end: number) {
    this.read = now => end - now;
    this.draw();
  }

  connectedCallback(): void {
    this.timer = window.setInterval(() => this.draw(), 1000);
  }

  disconnectedCallback(): void {
    window.clearInterval(this.timer);
  }

  private draw(): void {
    this.textContent = duration(Math.max(0, Math.round(this.read(Date.now()) / 1000)) * 1000)
      .replace('<1 ms', '0 s')
      .replace('.0 s', ' s');
  }
}
