import { html, render } from 'lit';
import type { WebviewToHost } from '../../src/protocol/messages';
import { icon } from './controls';
import { emit } from './emit';

export interface MenuEntry {
  /** Name of a codicon. */
  readonly icon: string;
  readonly label: string;
  /** Sent to the host from the element that the menu belongs to. */
  readonly message: WebviewToHost;
}

/** Pixels between a menu and the edges of the page. */
const MARGIN = 4;

/**
 * Opens a menu below `owner` (or above it, where there is no room) with its first entry focused. Arrow keys, Home and End
 * move, Escape closes; the focus goes back to `owner` whenever it was in the menu.
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
  // Beside the items: they are contained, and what is contained cannot lie over its neighbours.
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
