import * as l10n from '@vscode/l10n';
import type { ChatItem } from '../../src/protocol/items/chat-item';
import { spokenOf } from '../cards/item';
import type { ChatState } from './reducer';
import { tabStateText, tabTitle } from '../status/tabs';

/** How many sentences the live region keeps. */
const KEPT = 6;

/**
 * What a screen reader should say after a change: questions, blocked and failed calls, warnings, complete answers, and the
 * start and end of runs. It does not read parts of an answer. Empty when there is nothing to say.
 */
export function announcements(before: ChatState, after: ChatState): readonly string[] {
  if (after.sync !== 'live') return [];
  const known = before.sync === 'live' && before.conversation === after.conversation;
  const spoken = known ? changedItems(before, after).flatMap(([old, item]) => spokenOf(item, old)) : openGates(after);
  const elsewhere = ofOthers(before, after);
  return known ? [...spoken, ...ofPhase(before, after), ...elsewhere] : [...spoken, ...elsewhere];
}

/** Changed states of conversations that are not shown. */
function ofOthers(before: ChatState, after: ChatState): readonly string[] {
  if (before.tabs === after.tabs) return [];
  const old = new Map(before.tabs.map(({ id, state }) => [id, state]));
  return after.tabs.flatMap(tab => {
    const isNews = !tab.shown && old.has(tab.id) && old.get(tab.id) !== tab.state;
    return isNews && tab.state !== 'idle' && tab.state !== 'running'
      ? [`${tabTitle(tab)}: ${tabStateText(tab.state)}`]
      : [];
  });
}

function changedItems(before: ChatState, after: ChatState): [ChatItem | undefined, ChatItem][] {
  if (before.items === after.items) return [];
  const from = after.items.findIndex((item, index) => item !== before.items[index]);
  if (from < 0) return [];
  const old = new Map(before.items.slice(from).map(item => [item.id, item]));
  return after.items.slice(from).flatMap(item => (old.get(item.id) === item ? [] : [[old.get(item.id), item]]));
}

function openGates(state: ChatState): readonly string[] {
  return state.items.flatMap(item => (item.kind === 'gate' ? spokenOf(item, undefined) : []));
}

function ofPhase(before: ChatState, after: ChatState): readonly string[] {
  const was = before.status.phase.type;
  const { phase } = after.status;
  if (was === phase.type) return [];
  switch (phase.type) {
    case 'idle':
      return [l10n.t('Ready')];
    case 'running':
      return was === 'idle' ? [l10n.t('Working')] : [];
    case 'asking':
      return []; // The question is announced itself.
    case 'compacting':
      return [l10n.t('Compacting the conversation')];
    case 'retrying':
      return [l10n.t('Retry {0} of {1} follows: {2}', phase.attempt, phase.maxAttempts, phase.error)];
  }
}

/** Lets a screen reader say sentences, by adding them to an `aria-live` region. */
export function say(region: HTMLElement, sentences: readonly string[]): void {
  for (const sentence of sentences) {
    const line = document.createElement('p');
    line.textContent = sentence;
    region.append(line);
  }
  while (region.childElementCount > KEPT) region.firstElementChild?.remove();
}
