import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { ConversationState, ConversationTab } from '../../src/protocol/messages';
import { visibleText } from '../../src/base/text/visible-text';
import { emit, emits } from '../controls/emit';
import { icon } from '../controls/controls';
import { openMenu } from '../controls/menu';

const ICONS: { readonly [S in ConversationState]: string } = {
  idle: 'comment',
  running: 'loading codicon-modifier-spin',
  asking: 'bell-dot',
  unread: 'circle-filled',
  failed: 'error',
};

/** The text for the state of a conversation; empty for an idle one. */
export function tabStateText(state: ConversationState): string {
  switch (state) {
    case 'idle':
      return '';
    case 'running':
      return l10n.t('running');
    case 'asking':
      return l10n.t('waiting for your answer');
    case 'unread':
      return l10n.t('unread');
    case 'failed':
      return l10n.t('failed');
  }
}

export function tabTitle({ title }: Pick<ConversationTab, 'title'>): string {
  return title === '' ? l10n.t('New session') : visibleText(title);
}

/**
 * The tabs of the open conversations. Arrow keys, Home and End switch between them. A menu lists them all when there are
 * more than two, because some may be out of sight. Nothing when only one is open.
 */
export function tabsView(tabs: readonly ConversationTab[]): TemplateResult | typeof nothing {
  if (tabs.length < 2) return nothing;
  return html`<div
      class="tab-list"
      role="tablist"
      aria-label=${l10n.t('Conversations')}
      @keydown=${keyed}
      @wheel=${wheeled}
    >
      ${tabs.map(tabView)}
    </div>
    ${tabs.length > 2 ? listButton(tabs) : nothing}
    <button
      type="button"
      class="icon-button"
      data-hookline="new-conversation"
      aria-label=${l10n.t('New Parallel Conversation')}
      title=${l10n.t('New Parallel Conversation')}
      @click=${emits({ type: 'newConversation' })}
    >
      ${icon('add')}
    </button>
    ${closeView(tabs.find(tab => tab.shown))}`;
}

function tabView(tab: ConversationTab): TemplateResult {
  const { id, state, shown } = tab;
  const title = tabTitle(tab);
  const stateText = tabStateText(state);
  return html`<button
    type="button"
    role="tab"
    class=${`tab tab-${state}${shown ? ' tab-shown' : ''}`}
    data-conversation=${id}
    data-state=${state}
    data-vscode-context=${JSON.stringify({ webviewSection: 'conversation', conversation: id })}
    aria-selected=${shown ? 'true' : 'false'}
    aria-label=${stateText === '' ? title : `${title}, ${stateText}`}
    title=${describedTab(tab)}
    tabindex=${shown ? '0' : '-1'}
    @click=${emits({ type: 'showConversation', id })}
  >
    ${icon(ICONS[state])} <span class="clip">${title}</span>
  </button>`;
}

/** The states of other conversations that the button for the list shows, the most urgent first. */
const TOLD = ['asking', 'failed', 'unread'] as const satisfies readonly ConversationState[];

/** Says which of how many conversations is shown, and whether another one has news; opens the list of all. */
function listButton(tabs: readonly ConversationTab[]): TemplateResult {
  const at = l10n.t('{0} of {1}', tabs.findIndex(({ shown }) => shown) + 1, tabs.length);
  const news = TOLD.find(state => tabs.some(tab => !tab.shown && tab.state === state));
  const about = tabs
    .filter(tab => !tab.shown && tab.state === news)
    .map(tab => `${tabTitle(tab)}: ${tabStateText(tab.state)}`);
  const label = [l10n.t('All conversations, {0} is shown', at), ...about].join('; ');
  const entries = tabs.map(tab => ({
    icon: ICONS[tab.state],
    label: describedTab(tab),
    checked: tab.shown,
    message: { type: 'showConversation', id: tab.id } as const,
  }));
  const opened = (event: Event): void => {
    if (event.currentTarget instanceof HTMLElement) openMenu(event.currentTarget, l10n.t('Conversations'), entries);
  };
  return html`<button
    type="button"
    class=${`tab-all${news === undefined ? '' : ` tab-${news}`}`}
    data-hookline="all-conversations"
    aria-haspopup="menu"
    aria-label=${label}
    title=${label}
    @click=${opened}
  >
    ${news === undefined ? nothing : icon(ICONS[news])} <span>${at}</span> ${icon('chevron-down')}
  </button>`;
}

/** The title with the state, where there is one to tell. */
function describedTab(tab: ConversationTab): string {
  const stateText = tabStateText(tab.state);
  return stateText === '' ? tabTitle(tab) : `${tabTitle(tab)} (${stateText})`;
}

function closeView(tab: ConversationTab | undefined): TemplateResult | typeof nothing {
  if (tab === undefined) return nothing;
  const close = l10n.t('Close {0}', tabTitle(tab));
  return html`<button
    type="button"
    class="icon-button"
    data-hookline="close-conversation"
    aria-label=${close}
    title=${close}
    @click=${emits({ type: 'closeConversation', id: tab.id })}
  >
    ${icon('close')}
  </button>`;
}

/** Scrolls the tabs sideways when the user turns the mouse wheel. */
function wheeled(event: WheelEvent): void {
  if (!(event.currentTarget instanceof HTMLElement) || event.deltaX !== 0) return;
  event.currentTarget.scrollLeft += event.deltaY;
}

function keyed(event: KeyboardEvent): void {
  if (!(event.currentTarget instanceof HTMLElement) || !(event.target instanceof HTMLElement)) return;
  const id = event.target.dataset['conversation'];
  if (id === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]')];
  const to = nextTab(event.key, all.indexOf(event.target), all.length);
  if (to !== undefined) {
    event.preventDefault();
    const next = all[to];
    next?.focus();
    next?.click();
  } else if (event.key === 'Delete') {
    event.preventDefault();
    emit(event.target, { type: 'closeConversation', id });
  }
}

/** Index of the tab to which a key moves from index `at`; undefined for other keys. */
export function nextTab(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowRight':
      return (at + 1) % count;
    case 'ArrowLeft':
      return (at - 1 + count) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
