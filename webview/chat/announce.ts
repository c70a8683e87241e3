import * as l10n from '@vscode/l10n';
import type { AssistantItem, ChatItem, GateItem, ToolState } from '../../src/protocol/chat-item';
import type { ChatState } from './reducer';
import { tabStateText, tabTitle } from '../status/tabs';

/** How many characters of an answer are read aloud. */
const SPOKEN = 400;
/** How many sentences the live region keeps. */
const KEPT = 6;

/**
 * What a screen reader should say after a change: questions, blocked and failed calls, warnings, complete answers, and the
 * start and end of runs. It does not read parts of an answer. Empty when there is nothing to say.
 */
export function announcements(before: ChatState, after: ChatState): readonly string[] {
  if (after.sync !== 'live') return [];
  const known = before.sync === 'live' && before.conversation === after.conversation;
  const said = known ? changedItems(before, after).flatMap(([old, item]) => ofItem(old, item)) : openGates(after);
  const elsewhere = ofOthers(before, after);
  return known ? [...said, ...ofPhase(before, after), ...elsewhere] : [...said, ...elsewhere];
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
  return state.items.flatMap(item => (item.kind === 'gate' ? ofGate(undefined, item) : []));
}

function ofItem(old: ChatItem | undefined, item: ChatItem): readonly string[] {
  switch (item.kind) {
    case 'gate':
      return ofGate(old, item);
    case 'tool':
      return old?.kind === 'tool' && old.state.type === item.state.type ? [] : ofTool(item.name, item.state);
    case 'notice':
      return old || item.level === 'info' ? [] : [`${item.level}: ${item.text}`];
    case 'assistant':
      return old?.kind === 'assistant' && old.state === item.state ? [] : ofAnswer(item);
    case 'user':
    case 'custom':
    case 'entry':
    case 'bash':
      return [];
  }
}

function ofGate(old: ChatItem | undefined, gate: GateItem): readonly string[] {
  const wasOpen = old?.kind === 'gate' && old.state.type === 'open';
  return gate.state.type === 'open' && !wasOpen
    ? [l10n.t('{0} asks: {1} {2}', gate.hook.name, gate.title, gate.message)]
    : [];
}

function ofAnswer(item: AssistantItem): readonly string[] {
  if (item.state === 'error') return [l10n.t('The answer failed: {0}', item.error ?? l10n.t('unknown reason'))];
  const text = item.blocks.flatMap(block => (block.type === 'text' ? [block.shown ?? block.text] : [])).join(' ');
  return item.state === 'done' && text !== '' ? [l10n.t('Answer: {0}', text.slice(0, SPOKEN))] : [];
}

function ofTool(name: string, state: ToolState): readonly string[] {
  if (state.type === 'blocked') {
    return [l10n.t('{0} blocked by {1}: {2}', name, state.by?.name ?? 'Hookline', state.reason)];
  }
  return state.type === 'failed' ? [l10n.t('{0} failed', name)] : [];
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
