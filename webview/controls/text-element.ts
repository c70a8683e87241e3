import * as l10n from '@vscode/l10n';
import { hasHiddenCharacters } from '../../src/base/text/visible-text';
import { markedNodes } from '../marked-text';

/** How many characters are drawn at first. A browser lays out this many in one line without a delay. */
const STEP = 20_000;

/** Draws the beginning of a long `text` into `target`, and a button below it that draws more. */
export class SteppedText {
  private shown = '';
  private limit = STEP;
  private readonly more = document.createElement('button');

  /** `changed` is called after a click on the button has drawn more text. */
  constructor(
    private readonly target: HTMLElement,
    private text = '',
    private readonly changed?: () => void,
  ) {
    this.more.type = 'button';
    this.more.className = 'link show-more';
    this.more.addEventListener('click', () => {
      this.limit += STEP * 5;
      this.draw();
      this.changed?.();
    });
  }

  /** The part of the text that is drawn, with hidden characters not replaced. */
  get visible(): string {
    return this.shown;
  }

  /** Draws another text. When it begins with the drawn text, only the rest is added. */
  show(text: string): void {
    this.text = text;
    this.draw();
  }

  private draw(): void {
    const next = this.text.length > this.limit ? this.text.slice(0, this.limit) : this.text;
    if (next !== this.shown) {
      if (!this.append(next)) this.target.replaceChildren(...markedNodes(next));
      this.shown = next;
    }
    this.drawMore();
  }

  /** Adds only what is new, so that a selection stays; false if it cannot be told apart from what is drawn. */
  private append(next: string): boolean {
    const { lastChild } = this.target;
    if (!(lastChild instanceof Text) || this.shown === '' || !next.startsWith(this.shown)) return false;
    const rest = next.slice(this.shown.length);
    // Whether a hidden character belongs to a sequence depends on its neighbors.
    if (hasHiddenCharacters(this.shown.slice(-2) + rest.slice(0, 2))) return false;
    const [first, ...others] = markedNodes(rest);
    if (first instanceof Text) lastChild.appendData(first.data);
    else if (first !== undefined) this.target.append(first);
    this.target.append(...others);
    return true;
  }

  private drawMore(): void {
    const left = this.text.length - this.shown.length;
    if (left <= 0) {
      this.more.remove();
      return;
    }
    this.more.textContent =
      left === 1
        ? l10n.t('Show more (1 character left)')
        : l10n.t('Show more ({0} characters left)', left.toLocaleString());
    if (this.more.previousElementSibling !== this.target) this.target.after(this.more);
  }
}

/** `<hookline-text>`: plain text from outside, with line breaks. Of a long text, a button shows more. */
export class TextElement extends HTMLElement {
  private stepped: SteppedText | undefined;

  set text(text: string) {
    if (!this.stepped) {
      const body = document.createElement('span');
      this.append(body);
      this.stepped = new SteppedText(body);
    }
    this.stepped.show(text);
  }
}
