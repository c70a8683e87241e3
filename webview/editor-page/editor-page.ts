import { render, type TemplateResult } from 'lit';
import type { Bridge } from '../bridge';

/** A page in an editor tab: takes in what its host says, and draws all of itself once a frame at most. */
export abstract class EditorPage<In, Out, Saved = never> {
  private frame = 0;

  constructor(
    protected readonly root: HTMLElement,
    protected readonly bridge: Bridge<In, Out | { readonly type: 'ready' }, Saved>,
  ) {}

  /** Asks the host for what there is to draw, and draws it from now on. */
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
  /** Whether all is drawn that the host has to say so far; tests wait for it. */
  protected abstract isReady(): boolean;
  /** After each drawing. */
  protected drawn(): void {}

  /** Whether what is seen is older than what is known. */
  get isStale(): boolean {
    return this.frame !== 0;
  }

  /** To be called after whatever changes what is seen. */
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
