import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import type { ToolItem } from '../../src/protocol/items/chat-item';
import type { WebviewToHost } from '../../src/protocol/messages';
import { copyButton, iconButton } from '../controls/controls';
import { emits } from '../controls/emit';
import { openMenu } from '../controls/menu';
import { baseName } from '../format';
import { visibleText } from '../../src/base/text/visible-text';

interface Action {
  /** Name of a codicon. */
  readonly icon: string;
  readonly label: string;
  readonly message: WebviewToHost;
}

/** The actions for a tool call: icons that appear when the mouse is over the card, and a menu with labels. */
export function actionsView(item: ToolItem): TemplateResult {
  const actions = actionsOf(item);
  const label = l10n.t('Actions for {0}', visibleText(item.name));
  const opened = (event: Event): void => {
    if (event.currentTarget instanceof HTMLElement) openMenu(event.currentTarget, label, actions);
  };
  return html`<span class="card-actions">${actions.map(actionIcon)}</span>
    <button
      type="button"
      class="icon-button card-menu"
      aria-haspopup="menu"
      aria-label=${label}
      title=${label}
      @click=${opened}
    >
      <span class="codicon codicon-ellipsis" aria-hidden="true"></span>
    </button>`;
}

function actionIcon({ icon, label, message }: Action): TemplateResult {
  return message.type === 'copy'
    ? copyButton(label, () => message.text, { glyph: icon, tabIndex: -1 })
    : iconButton(icon, label, emits(message), -1);
}

function actionsOf(item: ToolItem): readonly Action[] {
  const { id, path, state, summary, summaryKind, output, command } = item;
  const isOver = ['done', 'failed', 'stopped', 'blocked'].includes(state.type);
  return [
    ...(command?.type === 'waitedFor' ? [] : commandActions(id, command)),
    ...(item.diff ? [{ icon: 'diff', label: l10n.t('Show Diff'), message: { type: 'showDiff', id } } as const] : []),
    ...(path === undefined ? [] : placeActions(path)),
    ...(summaryKind === 'command' && summary !== ''
      ? [
          {
            icon: 'terminal',
            label: l10n.t('Insert into Terminal'),
            message: { type: 'openTerminal', command: summary },
          } as const,
        ]
      : []),
    ...(item.changesPath === true && item.touched !== undefined
      ? [{ icon: 'discard', label: l10n.t('Revert This Change'), message: { type: 'revertCall', id } } as const]
      : []),
    ...(isOver
      ? [{ icon: 'debug-rerun', label: l10n.t('Run Again'), message: { type: 'runAgain', id } } as const]
      : []),
    ...(summary === '' ? [] : [copyAction('copy', copyLabel(summaryKind), summary)]),
    ...(output === '' ? [] : [copyAction('output', l10n.t('Copy Output'), output)]),
  ];
}

/** What can be done with the command of a call while it runs; while the call waits for it, the card shows this all the time. */
export function commandActions(id: string, command: ToolItem['command']): readonly Action[] {
  const show = { icon: 'eye', label: l10n.t('Show in Terminal'), message: { type: 'showCommand', id } } as const;
  switch (command?.type) {
    case 'waitedFor':
      return [
        show,
        {
          icon: 'debug-continue',
          label: l10n.t('Continue Without Waiting'),
          message: { type: 'runCommandOn', id },
        },
      ];
    case 'runningOn':
      return [show, { icon: 'debug-stop', label: l10n.t('Stop Command'), message: { type: 'stopCommand', id } }];
    case 'ending':
      return [show];
    case 'ended':
    case 'stopped':
    case 'timedOut':
    case 'left':
    case undefined:
      return [];
  }
}

function placeActions(path: string): readonly Action[] {
  const name = visibleText(baseName(path));
  return [
    { icon: 'go-to-file', label: l10n.t('Open {0}', name), message: { type: 'openFile', path } },
    {
      icon: 'folder-opened',
      label: l10n.t('Show {0} in the Explorer', name),
      message: { type: 'revealFile', path },
    },
  ];
}

function copyAction(icon: string, label: string, text: string): Action {
  return { icon, label, message: { type: 'copy', text } };
}

function copyLabel(kind: ToolItem['summaryKind']): string {
  switch (kind) {
    case 'command':
      return l10n.t('Copy Command');
    case 'path':
      return l10n.t('Copy Path');
    case 'text':
      return l10n.t('Copy');
  }
}
