import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import type { WebviewToHost } from '../../src/protocol/messages';
import type { ChatState } from '../chat/reducer';

/** Distance from the upper end, in px, at which more is fetched. */
const NEAR_START = 1500;

/** Fetches what came before the items that the page has: by and by while scrolling back, or up to a certain item. */
export class EarlierPages {
  private left = 0;
  private asked = false;
  private wish: 'start' | undefined;
  private arrived: (() => void)[] = [];

  constructor(
    private readonly host: HTMLElement,
    private readonly scroller: HTMLElement,
    private readonly send: (message: WebviewToHost) => void,
    private readonly leaveEnd: () => void,
  ) {}

  /** A new snapshot is here: what was asked for before it will not come. */
  restart(): void {
    this.asked = false;
  }

  /** To be called with each state before it is drawn; whether items came in before the others. */
  update(state: ChatState, before: ChatState): boolean {
    const isSame = state.conversation === before.conversation;
    const came = isSame && state.earlier < before.earlier && state.items.length > before.items.length;
    if (state.earlier !== before.earlier || !isSame || state.sync !== before.sync) this.asked = false;
    this.left = state.sync === 'live' ? state.earlier : 0;
    render(this.left === 0 ? nothing : this.view(), this.host);
    return came;
  }

  /** To be called after the new items were drawn. */
  settle(): void {
    if (this.asked) return;
    const waiting = this.arrived.splice(0);
    for (const go of waiting) go();
    if (this.wish !== 'start') return;
    this.scroller.scrollTop = 0;
    if (this.left > 0) this.ask();
    else this.wish = undefined;
  }

  /** Fetches more when the upper end is near. */
  scrolled(): void {
    if (this.left > 0 && this.scroller.scrollTop < NEAR_START) this.ask();
  }

  /** Fetches all there is and goes to the beginning. */
  toStart(): void {
    this.wish = 'start';
    this.leaveEnd();
    this.settle();
  }

  /** Fetches up to and with an item; resolves once what came is drawn, whether it was there or not. */
  reach(id: string): Promise<void> {
    if (this.left === 0) return Promise.resolve();
    return new Promise(resolve => {
      this.arrived.push(resolve);
      this.asked = true;
      this.send({ type: 'earlier', through: id });
    });
  }

  /** Fetches one page more; resolves once it is drawn. */
  next(): Promise<void> {
    return new Promise(resolve => {
      this.arrived.push(resolve);
      this.ask();
    });
  }

  private ask(): void {
    if (this.asked || this.left === 0) return;
    this.asked = true;
    this.send({ type: 'earlier' });
  }

  private view(): TemplateResult {
    const toStart = (): void => {
      this.toStart();
    };
    return html`<div class="earlier" data-hookline="earlier">
      <span class="muted">${l10n.t('{0} earlier entries', this.left)}</span>
      <button type="button" class="link" @click=${toStart}>${l10n.t('Go to the start')}</button>
    </div>`;
  }
}
