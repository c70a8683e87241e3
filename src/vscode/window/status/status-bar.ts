import * as vscode from 'vscode';
import { visibleLine } from '../../../base/text/visible-text';
import { DisposableStore, type Disposable } from '../../../base/disposable';
import type { Question } from '../../../session/ports/dialogs';
import type { ConversationTab, RunStatus } from '../../../protocol/messages';
import { conversationStateText, conversationTitle } from '../../chat/conversation-words';
import { headingOf } from '../../questions/question-words';

/** The state of a window that the status bar shows. */
export interface StatusBarState {
  /** Undefined until the conversation has started. */
  readonly status: RunStatus | undefined;
  /** Open conversations that the chat does not show. */
  readonly others: readonly ConversationTab[];
  /** The question that waits for the user's answer. */
  readonly waiting: Question | undefined;
  readonly trusted: boolean;
}

/** One item that shows model, phase, hooks and waiting questions, and one item for each text that a hook sets. */
export class StatusBar implements Disposable {
  private readonly store = new DisposableStore();
  private readonly item = this.store.add(
    vscode.window.createStatusBarItem('hookline.status', vscode.StatusBarAlignment.Right, 100),
  );
  private hookItems: vscode.StatusBarItem[] = [];

  constructor() {
    this.item.name = 'Hookline';
    this.show({ status: undefined, others: [], waiting: undefined, trusted: true });
  }

  show(state: StatusBarState): void {
    const { item } = this;
    item.text = textOf(state);
    item.tooltip = tooltipOf(state);
    item.accessibilityInformation = { label: `Hookline: ${tooltipOf(state)}`, role: 'button' };
    item.backgroundColor = backgroundOf(state);
    item.command = state.waiting === undefined ? 'hookline.openChat' : 'hookline.answerQuestion';
    item.show();
  }

  /** Shows the texts of hooks in this order, left of Hookline's own item. */
  showHookTexts(texts: readonly string[]): void {
    while (this.hookItems.length > texts.length) {
      const extra = this.hookItems.pop();
      if (extra !== undefined) this.store.release(extra);
    }
    texts.map(visibleLine).forEach((text, index) => {
      const item = (this.hookItems[index] ??= this.newHookItem(index));
      item.text = text;
      item.tooltip = vscode.l10n.t('Set by a hook: {0}', text);
      item.show();
    });
  }

  dispose(): void {
    this.store.dispose();
  }

  private newHookItem(index: number): vscode.StatusBarItem {
    const item = vscode.window.createStatusBarItem(
      `hookline.hook.${index}`,
      vscode.StatusBarAlignment.Right,
      101 + 1 / (index + 1),
    );
    item.name = vscode.l10n.t('Hookline: status text {0} of hooks', index + 1);
    item.command = 'hookline.openChat';
    return this.store.add(item);
  }
}

function textOf({ status, others, waiting }: StatusBarState): string {
  if (waiting !== undefined) {
    return `$(bell-dot) ${vscode.l10n.t('Waiting for your answer')}`;
  }
  if (status === undefined) return '$(hubot) Hookline';
  const failing = failingHooks(status);
  const broken = failing > 0 ? ` $(warning) ${failing}` : '';
  const running = others.filter(({ state }) => state === 'running').length;
  const unread = others.filter(({ state }) => state === 'unread' || state === 'failed').length;
  const behind = `${running > 0 ? ` $(sync~spin) ${running}` : ''}${unread > 0 ? ` $(mail) ${unread}` : ''}`;
  return `${iconOf(status)} ${modelOf(status)}${broken}${behind}`;
}

function iconOf(status: RunStatus): string {
  return status.phase.type === 'idle' ? '$(hubot)' : '$(loading~spin)';
}

/** The model's name. The demo model is marked as one unless its name says so. */
function modelOf(status: RunStatus): string {
  if (status.model === '') return vscode.l10n.t('No model');
  return status.demo && !/demo/i.test(status.model) ? `${status.model} (${vscode.l10n.t('demo')})` : status.model;
}

function backgroundOf({ status, waiting }: StatusBarState): vscode.ThemeColor | undefined {
  if (waiting !== undefined) return new vscode.ThemeColor('statusBarItem.warningBackground');
  if (status !== undefined && failingHooks(status) > 0) return new vscode.ThemeColor('statusBarItem.warningBackground');
  return undefined;
}

function tooltipOf({ status, others, waiting, trusted }: StatusBarState): string {
  const lines: string[] = [];
  if (waiting !== undefined) lines.push(vscode.l10n.t('{0}. Click to answer.', headingOf(waiting)));
  if (status !== undefined) {
    lines.push(phaseOf(status), vscode.l10n.t('Model: {0}', modelOf(status)));
    lines.push(...hookLines(status));
  }
  for (const tab of others) {
    if (tab.state !== 'idle') lines.push(`${conversationTitle(tab)}: ${conversationStateText(tab.state)}`);
  }
  if (!trusted) lines.push(vscode.l10n.t('This folder is not trusted: its hooks and settings are not loaded.'));
  return lines.join('\n') || vscode.l10n.t('Open the chat');
}

function phaseOf({ phase }: RunStatus): string {
  switch (phase.type) {
    case 'idle':
      return vscode.l10n.t('Ready');
    case 'running':
      return phase.message === '' ? vscode.l10n.t('Working…') : phase.message;
    case 'asking':
      return vscode.l10n.t('Waiting for your answer');
    case 'compacting':
      return vscode.l10n.t('Summarizing the conversation…');
    case 'retrying':
      return vscode.l10n.t('Retrying ({0} of {1}): {2}', phase.attempt, phase.maxAttempts, phase.error);
  }
}

/** The number of hooks whose current file does not run. */
function failingHooks({ hooks }: RunStatus): number {
  return hooks.broken + hooks.failed + hooks.stopped;
}

function hookLines({ hooks }: RunStatus): string[] {
  const lines = [vscode.l10n.t('Hooks: {0} live', hooks.live)];
  if (hooks.broken > 0) {
    lines.push(vscode.l10n.t('{0} broken; the last good version is running (see Problems)', hooks.broken));
  }
  if (hooks.failed > 0) lines.push(vscode.l10n.t('{0} failed to load (see Problems)', hooks.failed));
  if (hooks.stopped > 0) lines.push(vscode.l10n.t('{0} stopped (see Problems)', hooks.stopped));
  if (hooks.waiting > 0) lines.push(vscode.l10n.t('{0} changed and waiting for approval', hooks.waiting));
  if (hooks.heldBack > 0) lines.push(vscode.l10n.t('{0} held back until this folder is trusted', hooks.heldBack));
  return lines;
}
