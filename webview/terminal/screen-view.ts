import * as l10n from '@vscode/l10n';
import type { HookComponent, ComponentFrame, ComponentToHost } from '../../src/protocol/items/hook-component';
import { visibleText } from '../../src/base/text/visible-text';
import { rowElement } from './lines-element';
import { KeyInput } from './key-input';
import type { FontMetrics } from './metrics';
import { lineNodes } from './paint-line';

export interface ScreenViewParts {
  readonly metrics: FontMetrics;
  send(message: ComponentToHost): void;
  /** How many columns fit. */
  columns(): number;
}

/** One component of a hook: rows of text, an invisible text field for keys, and a title bar for panels and overlays. */
export class ScreenView {
  readonly element = document.createElement('section');
  private readonly term = document.createElement('div');
  private readonly rows: HTMLElement[] = [];
  private input: KeyInput | undefined;
  private waiting: ComponentFrame[] = [];
  private request = 0;
  private frame: ComponentFrame | undefined;
  private text: readonly string[] = [];
  /** A key was sent since the last frame. */
  private isKeyNews = false;

  constructor(
    private current: HookComponent,
    private readonly parts: ScreenViewParts,
  ) {
    const { element, term } = this;
    element.dataset['component'] = current.id;
    element.dataset['place'] = current.place;
    element.className = `hook-component hook-component-${current.place}`;
    element.setAttribute('role', 'group');
    element.setAttribute(
      'aria-label',
      l10n.t('{0} of {1}', visibleText(current.label), visibleText(current.hook.name)),
    );
    term.className = 'term';
    if (this.isModal) element.append(this.head());
    element.append(term);
    term.addEventListener('mouseup', () => {
      if (document.getSelection()?.isCollapsed !== false) this.focus();
    });
    term.addEventListener('keydown', event => this.scroll(event), { capture: true });
    this.update(current);
  }

  get component(): HookComponent {
    return this.current;
  }

  get holdsFocus(): boolean {
    return this.element.contains(document.activeElement);
  }

  update(component: HookComponent): void {
    this.current = component;
    if (component.takesKeys && this.input === undefined) this.addInput();
    if (component.text === undefined || component.text === this.text) return;
    this.text = component.text;
    this.paintRows(
      component.text.length,
      component.text.map((line, row) => [row, line] as const),
    );
  }

  /** Paints the frame with the browser's next frame, and then confirms it to the host. */
  receive(frame: ComponentFrame): void {
    this.waiting.push(frame);
    if (this.request !== 0) return;
    this.request = requestAnimationFrame(() => {
      this.request = 0;
      for (const next of this.waiting.splice(0)) this.paint(next);
    });
  }

  focus(): void {
    this.input?.focus();
  }

  /** Takes a key that was pressed while nothing had the focus, and then has the focus. */
  take(event: KeyboardEvent): void {
    this.input?.take(event);
  }

  /** To be called when the available size or the font has changed. */
  refit(): void {
    const { frame } = this;
    if (frame === undefined) return;
    this.arrange(frame);
    if (frame.cursor !== undefined) this.bringIntoView(frame.cursor.row);
  }

  dispose(): void {
    cancelAnimationFrame(this.request);
    this.element.remove();
  }

  private get isModal(): boolean {
    return this.current.place === 'panel' || this.current.place === 'overlay';
  }

  private paint(frame: ComponentFrame): void {
    const { cursor } = this.frame ?? {};
    this.frame = frame;
    this.paintRows(frame.height, frame.changes);
    this.arrange(frame);
    if (frame.cursor !== undefined && JSON.stringify(frame.cursor) !== JSON.stringify(cursor)) {
      this.bringIntoView(frame.cursor.row);
    } else if (this.isKeyNews) this.showChange(frame);
    this.isKeyNews = false;
    this.element.dataset['sequence'] = String(frame.sequence);
    this.parts.send({ type: 'ack', component: frame.component, sequence: frame.sequence });
  }

  private paintRows(height: number, changes: ComponentFrame['changes']): void {
    while (this.rows.length > height) this.rows.pop()?.remove();
    while (this.rows.length < height) {
      const row = rowElement();
      this.rows.push(row);
      this.term.append(row);
    }
    for (const [row, text] of changes) {
      this.rows[row]?.replaceChildren(...lineNodes(text, this.parts.metrics.fits));
    }
  }

  private arrange(frame: ComponentFrame): void {
    const { cell } = this.parts.metrics;
    const wide = frame.columns ?? 0;
    const scale = Math.min(1, this.parts.columns() / Math.max(1, wide));
    this.term.style.setProperty('zoom', String(scale));
    this.input?.setWantsReleases(frame.wantsReleases);
    const { row = 0, column = 0 } = frame.cursor ?? {};
    const { offsetLeft = 0, offsetTop = 0 } = this.rows[row] ?? {};
    this.input?.moveTo(offsetLeft + column * cell.width, offsetTop);
    if (frame.overlay !== undefined) this.place(frame.overlay, frame.height);
  }

  private bringIntoView(row: number): void {
    this.rows[row]?.scrollIntoView({ block: 'nearest' });
  }

  /**
   * Scrolls to the first block of rows that changed, such as the selected row of a list and the one before it. A list that
   * moved as a whole has its selected row where it was.
   */
  private showChange({ changes }: ComponentFrame): void {
    const [first] = changes[0] ?? [];
    if (first === undefined) return;
    const block = changes.filter(([row], index) => row === first + index).length;
    if (block * this.parts.metrics.cell.height > this.term.clientHeight) return;
    this.bringIntoView(first + block - 1);
    this.bringIntoView(first);
  }

  /** Shift and a page key scroll rows that do not fit, as in a terminal: other keys are the component's. */
  private scroll(event: KeyboardEvent): void {
    const { term } = this;
    const pages = { PageDown: 1, PageUp: -1 }[event.key];
    const isMine = event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey;
    if (pages === undefined || !isMine || term.scrollHeight <= term.clientHeight) return;
    event.preventDefault();
    event.stopPropagation();
    term.scrollTop += pages * (term.clientHeight - this.parts.metrics.cell.height);
  }

  /** Converts the overlay's position in the host's grid to shares of the free space, because the page has another size. */
  private place({ row, column, width, columns, rows }: NonNullable<ComponentFrame['overlay']>, height: number): void {
    const { style } = this.element;
    const share = (start: number, room: number): number => (room <= 0 ? 0 : Math.min(1, Math.max(0, start / room)));
    style.setProperty('--overlay-width', `${width * this.parts.metrics.cell.width}px`);
    style.setProperty('--overlay-x', String(share(column, columns - width)));
    style.setProperty('--overlay-y', String(share(row, rows - height)));
  }

  private addInput(): void {
    const { id, label } = this.current;
    this.input = new KeyInput(l10n.t('Keyboard input for {0}', visibleText(label)), data => {
      this.isKeyNews = true;
      this.parts.send({ type: 'key', component: id, data });
    });
    this.term.prepend(this.input.element);
  }

  private head(): HTMLElement {
    const head = document.createElement('div');
    head.className = 'hook-component-head';
    const title = document.createElement('span');
    title.className = 'hook-component-title clip';
    title.textContent = visibleText(`${this.current.label} · ${this.current.hook.name}`);
    const close = document.createElement('button');
    close.type = 'button';
    close.className = 'icon-button';
    close.title = l10n.t('Close');
    close.setAttribute('aria-label', l10n.t('Close {0}', visibleText(this.current.label)));
    const glyph = document.createElement('span');
    glyph.className = 'codicon codicon-close';
    glyph.setAttribute('aria-hidden', 'true');
    close.append(glyph);
    close.addEventListener('click', () => this.parts.send({ type: 'closeComponent', component: this.current.id }));
    head.append(title, close);
    return head;
  }
}
