import * as l10n from '@vscode/l10n';
import { clipped } from '../../base/text/clipped';
import type { EditorPort } from '../editor/editor-port';
import type { OpenConversation } from './open-conversation';

/** Longest part of a draft that a question shows, in UTF-16 code units. */
const SHOWN_DRAFT = 300;

/**
 * Whether the user lets a conversation be closed, or its session be deleted: asked when it is at work, and before its
 * draft is lost. A draft of a session that is in a file is not: it waits for that session.
 */
export async function mayEnd(
  open: OpenConversation,
  purpose: 'close' | 'delete',
  editor: Pick<EditorPort, 'confirm'>,
): Promise<boolean> {
  const name = open.title === '' ? l10n.t('New session') : open.title;
  if (open.isBusy) {
    const detail = open.isOnlyDraft ? l10n.t('Its unsent draft will be discarded.') : '';
    return purpose === 'close'
      ? editor.confirm(l10n.t('“{0}” is still running. Stop and close it?', name), detail, l10n.t('Stop and Close'))
      : editor.confirm(l10n.t('“{0}” is still running. Stop and delete it?', name), '', l10n.t('Stop and Delete'));
  }
  if (!open.isOnlyDraft || purpose === 'delete') return true;
  return editor.confirm(
    l10n.t('“{0}” has an unsent draft. Discard it?', name),
    clipped(open.chat.composer.draft.text, SHOWN_DRAFT),
    l10n.t('Discard and Close'),
  );
}
