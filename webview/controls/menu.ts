import { html, render } from 'lit';
import type { WebviewToHost } from '../../src/protocol/messages';
import { icon } from './controls';
import { emit } from './emit';

export interface MenuEntry {
  /** Name of a codicon. */
  readonly icon: string;
  readonly label: string;
  /** The message that is sent to the host when the user chooses the entry. */
  readonly message: WebviewToHost;
}

/** Minimum distance between a menu and the edges of the page, px. */
const MARGIN = 4;

/**
 * Opens a menu below `owner`, or above it when there is no room, and focuses its first entry. Arrow keys, Home and End move
 * between entries; Escape closes the menu. When the menu closes while it has the focus, `owner` gets the focus.
 */
export function openMenu(owner: HTMLElement, label: string, entries: readonly MenuEntry[]): void {
  const menu = document.createElement('div');
  menu.className = 'menu';
  menu.popover = 'auto';
  menu.role = 'menu';
  menu.ariaLabel = label;
  render(
    entries.map(
      entry =>
        html`<button type="button" role="menuitem" tabindex="-1" @click=${() => choose(entry)}>
          ${icon(entry.icon)} <span>${entry.label}</span>
        </button>`,
    ),
    menu,
  );
  const choose = ({ message }: MenuEntry): void => {
    menu.hidePopover();
    emit(owner, message);
  };
  menu.addEventListener('keydown', event => walk(event, menu));
  menu.addEventListener('toggle', event => {
    if (event.newState === 'open') return;
    if (menu.contains(document.activeElement)) owner.focus();
    owner.ariaExpanded = 'false';
    menu.remove();
  });
  // The menu is added to the body, because cards use CSS containment, so nothing in a card can cover its neighbors.
  document.body.append(menu);
  menu.showPopover();
  owner.ariaExpanded = 'true';
  place(menu, owner);
  menu.querySelector('button')?.focus();
}

function place(menu: HTMLElement, owner: HTMLElement): void {
  const at = owner.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const left = Math.max(MARGIN, Math.min(at.right - width, window.innerWidth - width - MARGIN));
  const below = at.bottom + height + MARGIN <= window.innerHeight;
  menu.style.left = `${left}px`;
  menu.style.top = `${below ? at.bottom : Math.max(MARGIN, at.top - height)}px`;
}

function walk(event: KeyboardEvent, menu: HTMLElement): void {
  const all = [...menu.querySelectorAll('button')];
  const at = all.findIndex(button => button === document.activeElement);
  const to = {
    ArrowDown: (at + 1) % all.length,
    ArrowUp: (at - 1 + all.length) % all.length,
    Home: 0,
    End: all.length - 1,
  }[event.key];
  if (event.key === 'Escape' || event.key === 'Tab') menu.hidePopover();
  else if (to === undefined) return;
  else all[to]?.focus();
  event.preventDefault();
  event.stopPropagation();
}
