import { render, type TemplateResult } from 'lit';
import type { Bridge } from '../bridge';

/** A page in an editor tab. It receives messages of its host and draws itself at most once per frame. */
export abstract class EditorPage<In, Out, Saved = never> {
  private frame = 0;

  constructor(
    protected readonly root: HTMLElement,
    protected readonly bridge: Bridge<In, Out | { readonly type: 'ready' }, Saved>,
  ) {}

  /** Starts to receive and draw, and tells the host that the page is ready. */
  start(): void {
    window.addEventListener('resize', () => this.draw());
    this.bridge.onMessage(message => {
      this.receive(message);
      this.draw();
    });
    this.bridge.send({ type: 'ready' });
    this.draw();
  }

  protected abstract receive(message: In): void;
  protected abstract view(): TemplateResult;
  /** Whether the first content of the host is drawn; tests wait for it. */
  protected abstract isReady(): boolean;
  /** Called after each drawing. */
  protected drawn(): void {}

  /** Whether a change is not drawn yet. */
  get isStale(): boolean {
    return this.frame !== 0;
  }

  /** Draws in the next frame. To be called after each change of what the page shows. */
  draw(): void {
    if (this.frame !== 0) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      render(this.view(), this.root);
      this.drawn();
      this.root.dataset['ready'] = String(this.isReady());
    });
  }
}
