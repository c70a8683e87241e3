import * as l10n from '@vscode/l10n';
import type { UserMessage } from '../../agent/messages';
import { messageOfEntry } from '../../agent/session/context';
import type { SessionStore } from '../../agent/session/store';
import { latestBelow, versionsOf } from '../../agent/session/message-versions';
import { attachedImages, attachedTexts, typedText } from '../../session/attachments/attached-files';
import type { CapturedTexts } from '../../session/attachments/editor-texts';
import type { ComposerState } from './composer-state';
import { isEmptyDraft, type EditTarget } from './drafts';
import type { SessionChanges } from '../changes/session-changes';
import type { RunControl } from '../../session/run/run-control';
import type { Inbox } from '../../session/prompts/inbox';
import type { Attached } from '../../session/prompts/waiting-messages';
import type { ChatModel } from '../model/chat-model';
import type { SessionFlow } from '../../session/moves/session-flow';
import type { SessionState } from '../../session/state/session-state';
import type { TreeFlow } from '../../session/moves/tree-flow';

export interface MessageEditsParts {
  readonly state: SessionState;
  readonly chat: ChatModel;
  readonly composer: ComposerState;
  readonly inbox: Inbox;
  readonly tree: TreeFlow;
  readonly sessions: SessionFlow;
  readonly control: RunControl;
  readonly changes: SessionChanges;
}

const NOT_REPLACED = (): string => l10n.t('The message was not replaced, because a hook or Stop prevented it.');

interface Resent extends Attached {
  readonly ofEditor?: CapturedTexts;
  readonly restoresFiles?: boolean;
  /** The page that it was sent from, see {@link ComposerState.clear}. */
  readonly page?: object;
}

/** What can be done with a message that was sent: say it in other words, or go on from before it in a new session. */
export class MessageEdits {
  constructor(private readonly parts: MessageEditsParts) {}

  /** Starts a new session that ends before this drawn message of the user; its text goes to the composer. */
  async branchFrom(itemId: string): Promise<void> {
    const entry = this.entryOf(itemId);
    if (entry !== undefined) await this.parts.sessions.fork(entry);
  }

  /** Puts a drawn message of the user into the composer; nothing else happens until it is sent. */
  begin(itemId: string): void {
    const entry = this.entryOf(itemId);
    const message = entry === undefined ? undefined : userMessageIn(this.parts.state.store, entry);
    if (entry === undefined || message === undefined) return;
    const { content } = message;
    const files = this.parts.changes.countSince(itemId);
    const sent = { entry, was: typedText(content), ...(files === 0 ? {} : { files }) };
    this.parts.composer.beginEdit(sent, attachedImages(content), attachedTexts(content));
  }

  /** {@link begin}s with the message that a drawn answer answers. */
  beginBefore(itemId: string): void {
    const asked = this.askedBefore(itemId);
    if (asked !== undefined) this.begin(asked);
  }

  /** Goes to the end of what became of the version before or after a drawn message of the user; hooks are asked. */
  async showVersion(itemId: string, by: 'previous' | 'next'): Promise<void> {
    const { store } = this.parts.state;
    const entry = this.entryOf(itemId);
    const versions = entry === undefined ? [] : versionsOf(store, entry);
    const wanted = versions[versions.findIndex(id => id === entry) + (by === 'next' ? 1 : -1)];
    if (wanted === undefined) return;
    await this.parts.tree.navigate(latestBelow(store.getNodes(), wanted), { stays: true });
  }

  /**
   * Sends the message again that a drawn answer answers, as another version of it; hooks are asked. The draft stays, and
   * nothing happens while the agent works.
   */
  async answerAgain(itemId: string): Promise<void> {
    const { state, chat, control, inbox, tree, changes } = this.parts;
    const asked = this.askedBefore(itemId);
    const entry = asked === undefined ? undefined : this.entryOf(asked);
    const message = entry === undefined ? undefined : userMessageIn(state.store, entry);
    if (entry === undefined || message === undefined || !control.isIdle || (await inbox.refuses())) return;
    const { content } = message;
    const { cancelled } = await tree.navigate(entry, { resend: true });
    if (cancelled) {
      chat.notice('info', NOT_REPLACED());
      return;
    }
    changes.warm();
    await inbox.submit(typedText(content), { images: attachedImages(content), files: attachedTexts(content) });
  }

  /**
   * Sends a text in place of a sent message: ends what is running, goes to the place before that message (hooks are
   * asked as for every move in the tree), and sends the text from there. The later messages stay in the session as
   * another branch. `restoresFiles`: files are restored as well. If the message cannot be replaced, the text returns to
   * the composer.
   */
  async resend(entry: string, text: string, given: Resent): Promise<void> {
    const { state, composer, inbox, chat, tree, changes } = this.parts;
    const was = userMessageIn(state.store, entry);
    const { images, files, ofEditor, restoresFiles = false, page } = given;
    const { editing } = composer.draft;
    composer.clear(page);
    if (was === undefined) {
      if (editing !== undefined) composer.giveBack(editing.before.text, editing.before.images, editing.before.files);
      composer.giveBack(text, images, files);
      chat.notice(
        'warning',
        l10n.t('The message that was edited is not in this session. Send the text as a new message.'),
      );
      return;
    }
    const nothing: EditTarget['before'] = { text: '', images: [] };
    const edit: EditTarget = { entry, was: typedText(was.content), before: editing?.before ?? nothing };
    if (await inbox.refuses()) {
      composer.backToEdit(edit, { text, images, files });
      return;
    }
    const restore = restoresFiles ? await this.restoreTo(entry) : undefined;
    try {
      const { cancelled } = await tree.navigate(entry, { resend: true });
      if (cancelled) {
        composer.backToEdit(edit, { text, images, files });
        chat.notice('info', NOT_REPLACED());
        return;
      }
    } catch (error) {
      composer.backToEdit(edit, { text, images, files });
      throw error;
    }
    await restore?.();
    const { before } = edit;
    if (!isEmptyDraft(before)) composer.giveBack(before.text, before.images, before.files);
    changes.warm();
    await inbox.submit(text, { images, files, ofEditor });
  }

  /** What the agent has changed is known permanently only once it works no more. */
  private async restoreTo(entry: string): Promise<(() => Promise<void>) | undefined> {
    const { state, chat, control, changes } = this.parts;
    await control.stop();
    const item = chat.itemOf(message => state.entryIdOf(message) === entry);
    return item === undefined ? undefined : changes.restoreTo(item);
  }

  private askedBefore(itemId: string): string | undefined {
    const { items } = this.parts.chat;
    const at = items.findIndex(({ id }) => id === itemId);
    return items.findLast((item, index) => index < at && item.kind === 'user' && item.state === 'sent')?.id;
  }

  private entryOf(itemId: string): string | undefined {
    const message = this.parts.chat.messageOf(itemId);
    return message === undefined ? undefined : (this.parts.state.entryIdOf(message) ?? undefined);
  }
}

function userMessageIn(store: SessionStore, entryId: string): UserMessage | undefined {
  const entry = store.getEntry(entryId);
  const message = entry && messageOfEntry(entry);
  return message?.role === 'user' ? message : undefined;
}
