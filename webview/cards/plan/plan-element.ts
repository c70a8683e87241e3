import * as l10n from '@vscode/l10n';
import { MarkdownElement } from '../../markdown/markdown-element';

/** Characters of a plan that are drawn without being asked for. */
const SHOWN = 20_000;
/** How many more are drawn in one frame. */
const STEP = 8_000;

/**
 * `<hookline-plan>`: a plan as Markdown, as high as it is. Of a very long one, the beginning is drawn, and a button draws the rest,
 * frame by frame, so that the page does not freeze.
 */
export class PlanElement extends HTMLElement {
  private text = '';
  private limit = SHOWN;
  private frame = 0;
  private readonly body = new MarkdownElement();
  private readonly more = document.createElement('button');

  constructor() {
    super();
    this.more.type = 'button';
    this.more.className = 'button secondary plan-more';
    // The page stops following its end, so that the rest of the plan does not push the reader away.
    this.more.ariaExpanded = 'false';
    this.more.addEventListener('click', () => this.grow());
  }

  set plan(text: string) {
    if (text === this.text) return;
    this.text = text;
    this.limit = SHOWN;
    this.draw();
  }

  connectedCallback(): void {
    this.append(this.body);
    this.draw();
  }

  disconnectedCallback(): void {
    cancelAnimationFrame(this.frame);
  }

  private grow(): void {
    this.limit += STEP;
    this.draw();
    this.more.remove();
    if (this.limit < this.text.length) this.frame = requestAnimationFrame(() => this.grow());
  }

  private draw(): void {
    if (!this.isConnected) return;
    const left = this.text.length - this.limit;
    this.body.source = { text: left <= 0 ? this.text : beginningOf(this.text, this.limit), final: left <= 0 };
    if (left <= 0) return;
    this.more.textContent =
      left === 1
        ? l10n.t('Show the whole plan (1 more character)')
        : l10n.t('Show the whole plan ({0} more characters)', left.toLocaleString());
    this.append(this.more);
  }
}

/** Ends with a paragraph if there is one. */
function beginningOf(plan: string, length: number): string {
  const end = plan.lastIndexOf('\n\n', length);
  return plan.slice(0, end > 0 ? end : length);
}
