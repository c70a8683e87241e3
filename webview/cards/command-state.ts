import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import type { ToolItem, ToolState } from '../../src/protocol/items/chat-item';
import type { CommandState } from '../../src/protocol/panels/running-commands';
import { icon } from '../controls/controls';

/** What becomes of a command after its call has returned. */
type LaterState = Exclude<CommandState, { readonly type: 'waitedFor' }>;

interface Look {
  /** Name of a codicon. */
  readonly glyph: string;
  /** The state of a call that has the same colors. */
  readonly as: ToolState['type'];
}

const LOOKS: { readonly [T in LaterState['type']]: Look } = {
  runningOn: { glyph: 'loading codicon-modifier-spin', as: 'running' },
  ending: { glyph: 'loading codicon-modifier-spin', as: 'running' },
  ended: { glyph: 'check', as: 'done' },
  stopped: { glyph: 'debug-stop', as: 'skipped' },
  timedOut: { glyph: 'watch', as: 'skipped' },
  left: { glyph: 'debug-disconnect', as: 'skipped' },
};
const FAILED: Look = { glyph: 'error', as: 'failed' };

/** The state of a command that ran on, which counts in place of that of its call; undefined when there is none. */
export function laterState({ command }: Pick<ToolItem, 'command'>): LaterState | undefined {
  return command?.type === 'waitedFor' ? undefined : command;
}

/** The state as an icon and text. */
export function commandChip(command: LaterState): TemplateResult {
  const hasFailed = command.type === 'ended' && command.exitCode !== 0;
  const { glyph, as } = hasFailed ? FAILED : LOOKS[command.type];
  const time = command.type === 'runningOn' ? html` <hookline-time .since=${command.startedAt}></hookline-time>` : '';
  return html`<span class="chip chip-${as}">${icon(glyph)} <span>${commandWords(command)}${time}</span></span>`;
}

/** The state in words. */
export function commandWords(command: LaterState): string {
  switch (command.type) {
    case 'runningOn':
      return l10n.t('Runs on');
    case 'ending':
      return l10n.t('Stopping…');
    case 'ended':
      return command.exitCode === undefined ? l10n.t('Ended') : l10n.t('Ended · exit code {0}', command.exitCode);
    case 'stopped':
      return l10n.t('Stopped');
    case 'timedOut':
      return l10n.t('Timed out');
    case 'left':
      return l10n.t('Ended with its window');
  }
}
