import * as l10n from '@vscode/l10n';
import { clipped } from '../../base/text/clipped';
import { defined } from '../../base/defined';
import { singleLine } from '../../base/text/single-line';
import type { NoticeItem, ToolItem } from '../../protocol/items/chat-item';
import type { CommandState } from '../../protocol/panels/running-commands';
import type { RecordedCommandEnd } from '../../transcript/command-end';

/** Characters of a command line in a notice. */
const SHOWN_COMMAND = 80;

/** The state of a command that ran on, after its end. */
export function stateAtEnd({ how, exitCode }: Pick<RecordedCommandEnd, 'how' | 'exitCode'>): CommandState {
  switch (how) {
    case 'exited':
      return { type: 'ended', ...defined({ exitCode }) };
    case 'failed':
      return { type: 'ended' };
    case 'timeout':
      return { type: 'timedOut' };
    case 'stopped':
    case 'left':
      return { type: how };
  }
}

/** Tells the user of the end of a command that ran on. */
export function commandEndNotice(id: string, end: RecordedCommandEnd, card: ToolItem | undefined): NoticeItem {
  const command = clipped(singleLine(card?.summary ?? end.toolCallId), SHOWN_COMMAND);
  const isFailure = end.how === 'failed' || (end.how === 'exited' && end.exitCode !== undefined && end.exitCode !== 0);
  return { kind: 'notice', id, level: isFailure ? 'warning' : 'info', text: endText(command, end) };
}

function endText(command: string, { how, exitCode }: RecordedCommandEnd): string {
  switch (how) {
    case 'exited':
      return exitCode === undefined
        ? l10n.t('“{0}” has ended.', command)
        : l10n.t('“{0}” has ended with exit code {1}.', command, exitCode);
    case 'failed':
      return l10n.t('“{0}” has failed.', command);
    case 'timeout':
      return l10n.t('“{0}” was ended by its timeout.', command);
    case 'stopped':
      return l10n.t('“{0}” was stopped by you.', command);
    case 'left':
      return l10n.t('“{0}” was ended with its conversation.', command);
  }
}
