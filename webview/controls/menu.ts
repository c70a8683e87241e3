import { html, nothing, render, type TemplateResult } from 'lit';
import type { WebviewToHost } from '../../src/protocol/messages';
import { icon } from './controls';
import { emit } from './emit';

/** One line of a menu. */
export type MenuEntry = {
  /** Name of a codicon; without it, the label stands where those of the other entries do. */
  readonly icon?: string;
  readonly label: string;
  /** What the entry does, in a line below its label. */
  readonly detail?: string;
  /** The key that does the same. */
  readonly keys?: string;
  /** Present in a menu of which one entry is in force. */
  readonly checked?: boolean;
} & (
  | {
      /** The message that is sent to the host when the user chooses the entry. */
      readonly message: WebviewToHost;
    }
  | { readonly run: () => void }
);

/** A button that opens a menu. */
export interface MenuButton {
  /** Its `data-hookline`. */
  readonly id: string;
  /** Its classes. */
  readonly look: string;
  /** Its accessible name. */
  readonly label: string;
  readonly title: string;
  readonly face: unknown;
  readonly menuLabel: string;
  readonly entries: readonly MenuEntry[];
  /** The button says what it says, and opens nothing. */
  readonly locked?: boolean;
  /** Takes the focus when the button is gone while its menu has the focus. */
  readonly lost?: () => void;
}

/** Minimum distance between a menu and the edges of the page, px. */
const MARGIN = 4;

/** The menu that is open; a page shows one at a time. */
let current: { readonly owner: HTMLElement; readonly close: () => void } | undefined;

/** A button that opens its menu by a click, Enter, Space or an arrow key. */
export function menuButton(button: MenuButton): TemplateResult {
  const { id, look, label, title, face, menuLabel, entries, locked = false, lost } = button;
  const open = (event: Event, at: 'first' | 'last' = 'first'): void => {
    if (event.currentTarget instanceof HTMLElement && !locked) {
      openMenu(event.currentTarget, menuLabel, entries, { at, lost });
    }
  };
  const keyed = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    open(event, event.key === 'ArrowUp' ? 'last' : 'first');
  };
  return html`<button
    type="button"
    class=${look}
    data-hookline=${id}
    aria-haspopup="menu"
    aria-expanded="false"
    aria-disabled=${locked ? 'true' : nothing}
    aria-label=${label}
    title=${title}
    @click=${(event: Event) => open(event)}
    @keydown=${keyed}
  >
    ${face}
  </button>`;
}

/**
 * Opens a menu beside `owner` and focuses the entry in force, or the one `at` an end. Closes it
 * instead when it is open. Arrow keys, Home, End, first letters and the mouse move between entries; Escape and Tab close the menu,
 * and so do a press beside it and the end of its owner. When the menu closes while it has the focus, `owner` gets the focus; `lost` is
 * called when the owner is gone.
 */
export function openMenu(
  owner: HTMLElement,
  label: string,
  entries: readonly MenuEntry[],
  { at = 'first', lost }: { readonly at?: 'first' | 'last'; readonly lost?: (() => void) | undefined } = {},
): void {
  const isOpen = current?.owner === owner;
  current?.close();
  if (isOpen) return;
  const menu = document.createElement('div');
  menu.className = 'menu';
  // Not `auto`: a press on the owner would close the menu, and the click that follows would open it again.
  menu.popover = 'manual';
  menu.role = 'menu';
  menu.ariaLabel = label;
  const ending = new AbortController();
  const close = (): void => {
    if (ending.signal.aborted) return;
    ending.abort();
    current = undefined;
    const hadFocus = menu.contains(document.activeElement);
    menu.remove();
    owner.ariaExpanded = 'false';
    if (!hadFocus) return;
    if (owner.isConnected) owner.focus();
    else lost?.();
  };
  const choose = (entry: MenuEntry): void => {
    close();
    if ('run' in entry) entry.run();
    else emit(owner, entry.message);
  };
  render(
    entries.map(entry => entryView(entry, () => choose(entry))),
    menu,
  );
  menu.addEventListener('keydown', event => keyed(event, menu, entries, close));
  menu.addEventListener('mousemove', pointed);
  closeWith(owner, menu, close, ending.signal);
  // The menu is added to the body, because cards use CSS containment, so nothing in a card can cover its neighbors.
  document.body.append(menu);
  menu.showPopover();
  owner.ariaExpanded = 'true';
  current = { owner, close };
  placeBeside(menu, owner);
  const buttons = [...menu.querySelectorAll('button')];
  (menu.querySelector<HTMLElement>('[aria-checked="true"]') ?? buttons.at(at === 'first' ? 0 : -1))?.focus();
}

function entryView(entry: MenuEntry, choose: () => void): TemplateResult {
  const { checked } = entry;
  // The second click of a double click belongs to the button that the first one opened the menu with.
  const clicked = (event: MouseEvent): void => {
    if (event.detail < 2) choose();
  };
  return html`<button
    type="button"
    role=${checked === undefined ? 'menuitem' : 'menuitemradio'}
    tabindex="-1"
    aria-checked=${checked === undefined ? nothing : String(checked)}
    aria-description=${entry.detail ?? nothing}
    aria-keyshortcuts=${entry.keys ?? nothing}
    @click=${clicked}
  >
    ${entry.icon === undefined ? html`<span class="codicon"></span>` : icon(entry.icon)}
    <span class="menu-words"
      >${entry.label}${entry.detail === undefined ? nothing : html`<span class="menu-detail" aria-hidden="true">${entry.detail}</span>`}</span
    >
    ${entry.keys === undefined ? nothing : html`<kbd aria-hidden="true">${entry.keys}</kbd>`}
    ${checked === true ? icon('check') : nothing}
  </button>`;
}

/** The entry under a mouse that moves gets the focus. One that rests leaves it where keys brought it. */
function pointed({ target, movementX, movementY }: MouseEvent): void {
  // Browsers also report a move when the page moves below the mouse.
  if ((movementX === 0 && movementY === 0) || !(target instanceof Element)) return;
  target.closest('button')?.focus({ preventScroll: true });
}

/** Closes a menu when the user turns to something else, or its owner is gone. */
function closeWith(owner: HTMLElement, menu: HTMLElement, close: () => void, signal: AbortSignal): void {
  const pressed = ({ target }: Event): void => {
    if (target instanceof Node && !menu.contains(target) && !owner.contains(target)) close();
  };
  document.addEventListener('pointerdown', pressed, { capture: true, signal });
  window.addEventListener('blur', close, { signal });
  window.addEventListener('resize', close, { signal });
  // Also called when the owner is removed or hidden.
  const watch = new ResizeObserver(() => {
    if (owner.offsetWidth === 0) close();
  });
  watch.observe(owner);
  signal.addEventListener('abort', () => watch.disconnect());
}

/** Places a menu or panel that is shown below `owner`, or above it when there is no room, and inside of the page. */
export function placeBeside(menu: HTMLElement, owner: Element): void {
  const at = owner.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const start = at.left + width + MARGIN <= window.innerWidth ? at.left : at.right - width;
  const left = Math.max(MARGIN, Math.min(start, window.innerWidth - width - MARGIN));
  const below = at.bottom + height + MARGIN <= window.innerHeight;
  menu.style.left = `${left}px`;
  menu.style.top = `${below ? at.bottom : Math.max(MARGIN, at.top - height)}px`;
}

function keyed(event: KeyboardEvent, menu: HTMLElement, entries: readonly MenuEntry[], close: () => void): void {
  const { key } = event;
  const all = [...menu.querySelectorAll('button')];
  const at = all.findIndex(button => button === document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[key] ?? startingWith(event, entries, at);
  if (key === 'Escape' || key === 'Tab') close();
  else if (to !== undefined) all.at(to % all.length)?.focus();
  // A key that is still down was pressed for the button that opened the menu.
  else if (!event.repeat || (key !== 'Enter' && key !== ' ')) return;
  event.preventDefault();
  event.stopPropagation();
}

/** Index of the next entry whose label begins with the typed letter; undefined when there is none. */
function startingWith(event: KeyboardEvent, entries: readonly MenuEntry[], at: number): number | undefined {
  if (event.key.length !== 1 || event.key === ' ' || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const letter = event.key.toLowerCase();
  const fits = entries.flatMap(({ label }, index) => (label.toLowerCase().startsWith(letter) ? [index] : []));
  return fits.find(index => index > at) ?? fits[0];
}
