import * as l10n from '@vscode/l10n';
import { linkTarget } from '../markdown/links';
import { visibleText } from '../../src/base/text/visible-text';
import { ANSI_START, tokenizeAnsi, type AnsiSpan, STYLE_CLASSES } from './ansi';
import { paint } from './paint';

/** The element scrolls with new output when it is at most this far from the end, px. */
const NEAR_END = 8;

/** `<hookline-output>`: terminal output with colors. New output is added at the end, which stays visible if it was. */
export class OutputElement extends HTMLElement {
  private raw = '';
  private state = ANSI_START;
  private readonly pre = document.createElement('pre');

  set text(text: string) {
    if (!this.pre.isConnected) this.build();
    if (text === this.raw) return;
    const follows = this.pre.scrollHeight - this.pre.scrollTop - this.pre.clientHeight <= NEAR_END;
    const grew = text.startsWith(this.raw) && !/\r(?!\n)/.test(text.slice(Math.max(0, this.raw.length - 1)));
    if (!grew) {
      this.state = ANSI_START;
      this.pre.replaceChildren();
    }
    this.add(grew ? text.slice(this.raw.length) : withoutOverwritten(text));
    this.raw = text;
    if (follows) this.pre.scrollTop = this.pre.scrollHeight;
  }

  connectedCallback(): void {
    this.pre.scrollTop = this.pre.scrollHeight;
  }

  private build(): void {
    this.pre.tabIndex = 0;
    this.pre.setAttribute('role', 'region');
    this.pre.setAttribute('aria-label', l10n.t('Output'));
    this.append(this.pre);
  }

  private add(chunk: string): void {
    const { spans, state } = tokenizeAnsi(chunk.replaceAll('\r\n', '\n'), this.state);
    this.state = state;
    this.pre.append(...spans.map(spanNode));
  }
}

/** Removes text that a carriage return overwrites, as in progress bars. */
function withoutOverwritten(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/[^\n]*\r(?=[^\n])/g, '')
    .replaceAll('\r', '');
}

function spanNode({ text, style }: AnsiSpan): Node {
  const shown = visibleText(text);
  if (Object.keys(style).length === 0) return document.createTextNode(shown);
  const span = document.createElement('span');
  span.textContent = shown;
  span.className = STYLE_CLASSES.filter(name => style[name])
    .map(name => `ansi-${name}`)
    .join(' ');
  paint(span, style);
  if (style.link !== undefined && linkTarget(style.link)) {
    span.classList.add('link');
    span.setAttribute('role', 'link');
    span.tabIndex = 0;
    span.dataset['href'] = style.link;
    span.title = style.link;
  }
  return span;
}
