import * as l10n from '@vscode/l10n';
import { defined } from '../../base/defined';
import { DisposableStore, toDisposable, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { DelayedCall } from '../../base/async/repeated-calls';
import {
  readPageMessage,
  type ChatChange,
  type HostToWebview,
  type PageStep,
  type ScrollPlace,
  type WebviewToHost,
} from '../../protocol/messages';
import { contextBreakdown } from '../../session/context-breakdown';
import { editForPage } from '../composer/composer-state';
import { joinChanges } from './change-batch';
import type { Chat } from '../chat';
import { compactForUser } from '../commands/compact';
import type { Conversations } from '../window/conversations';
import type { EditorChipsPort } from '../editor/editor-chips-port';
import type { EditorPort } from '../editor/editor-port';
import { findInItems } from './find-in-items';
import { askItem } from './item-requests';
import { askChanges, askCommands, askEditor } from './page-requests';
import { SentItems } from './sent-items';
import { ComponentFeed } from './component-feed';

/** Changes are collected for this time, in ms, before they are sent to the page: single deltas would be too slow. */
const BATCH_MS = 33;

/** One page that shows a conversation. */
export interface PageConnection extends Disposable {
  /** Gets each message of the page, unchecked. */
  readonly receive: (message: unknown) => void;
  /** To be called when the page is hidden, which ends it. Changes wait until the next page is ready. */
  readonly hidden: () => void;
  /** To be called when the user goes to the page, before it has the focus. */
  readonly use: () => void;
  /** Lets the page go somewhere. Does nothing while it is not ready: then it gives its composer the focus by itself. */
  readonly go: (to: PageStep) => void;
}

/** A page as the other pages of the window see it. */
export interface ConnectedPage extends PageConnection {
  /** The conversation that it shows. */
  readonly chat: Chat;
  /** It is in an editor tab. */
  readonly isTab: boolean;
  /** It is there and has asked for its conversation. */
  readonly isReady: boolean;
  readonly post: (message: HostToWebview) => void;
}

/** What a page needs of the window. */
export interface PageParts {
  readonly conversations: Conversations;
  readonly editor: EditorPort;
  readonly editorChips: EditorChipsPort;
  /** Sends a message to the page. */
  readonly post: (message: HostToWebview) => void;
  /** The only conversation that the page shows; undefined: it shows that of the side bar. */
  readonly own: Chat | undefined;
  /** Of all pages with the same conversation, the user went to this one last. */
  readonly isFirst: () => boolean;
  readonly use: () => void;
  /** The page got or lost the keyboard focus. */
  readonly focused: (focused: boolean) => void;
  readonly closed: () => void;
}

/** Connects a page to its conversation. It gets a snapshot when it is ready, then only changes. */
export function connectPage(parts: PageParts): ConnectedPage {
  return new Connection(parts);
}

/** Changes for only one of the pages that show a conversation: they are about its caret or its scroll position. */
function isForOnePage(change: ChatChange): boolean {
  const { type } = change;
  return type === 'reveal' || (type === 'composer' && change.mode === 'insert');
}

class Connection implements ConnectedPage {
  private readonly owned = new DisposableStore();
  private watched = new DisposableStore();
  private revision = 0;
  private ready = false;
  /** Key of the session of the latest snapshot. */
  private session = '';
  private waiting: ChatChange[] = [];
  /** The page is to get the status as it is when the waiting changes are sent: it changes several times per turn. */
  private isStatusDue = false;
  private readonly laterFlush = this.owned.add(new DelayedCall(() => this.flush()));
  private readonly components: ComponentFeed;
  private readonly sent = new SentItems();
  private readonly conversations: Conversations;
  private readonly editor: EditorPort;
  readonly post: (message: HostToWebview) => void;
  /** Follows the editor's chips while the page is there. */
  private chips: Disposable = toDisposable(() => undefined);
  /** Key of a session -> where the page was scrolled to in it; absent: at its end. */
  private readonly scrolls = new Map<string, ScrollPlace>();

  constructor(private readonly parts: PageParts) {
    const { conversations, editor, post } = parts;
    this.conversations = conversations;
    this.editor = editor;
    this.post = post;
    this.components = this.owned.add(new ComponentFeed(post));
    this.watch(this.chat);
    if (!this.isTab) this.followSideBar();
    this.owned.add(
      conversations.dialogs.onDidType(({ typed, view }) => {
        if (this.ready && view !== this) this.post({ type: 'typed', typed });
      }),
    );
    this.owned.add(
      toDisposable(() => {
        this.watched.dispose();
        this.chips.dispose();
        parts.closed();
      }),
    );
  }

  get chat(): Chat {
    return this.parts.own ?? this.conversations.shown;
  }

  get isTab(): boolean {
    return this.parts.own !== undefined;
  }

  get isReady(): boolean {
    return this.ready;
  }

  readonly use = (): void => this.parts.use();

  readonly go = (to: PageStep): void => {
    if (this.ready) this.post({ type: 'navigate', to });
  };

  readonly receive = (raw: unknown): void => {
    const message = readPageMessage(raw, problem =>
      this.conversations.log.warn(`The chat page sent something unknown: ${problem.slice(0, 200)}`),
    );
    if (message === undefined) return;
    this.handle(message).catch((error: unknown) => {
      this.conversations.log.error(`"${message.type}" of the chat page failed`, error);
      this.chat.model.notice('error', messageOf(error));
    });
  };

  readonly hidden = (): void => {
    this.ready = false;
    this.laterFlush.cancel();
    this.waiting = [];
    this.isStatusDue = false;
    this.components.hidden();
    this.chips.dispose();
    this.parts.focused(false);
  };

  dispose(): void {
    this.owned.dispose();
  }

  private followSideBar(): void {
    const { conversations } = this;
    this.owned.add(
      conversations.onDidChangeShown(chat => {
        this.watch(chat);
        this.sendSnapshot();
        if (this.ready) this.components.show(chat.ui, false);
      }),
    );
    this.owned.add(conversations.onDidChange(() => this.sendTabs()));
  }

  private watch(chat: Chat): void {
    this.watched.dispose();
    this.watched = new DisposableStore();
    this.watched.add(chat.model.onDidChange(change => this.queue(change)));
    this.watched.add(chat.status.onDidChange(() => this.queueStatus()));
    this.watched.add(chat.onDidRedraw(() => this.sendSnapshot()));
    this.watched.add(
      chat.composer.onDidChange(({ change, by }) => {
        if (by !== this) this.queue(change);
      }),
    );
  }

  private queue(change: ChatChange): void {
    if (!this.ready || !this.sent.concerns(change)) return;
    if (!isForOnePage(change) || this.parts.isFirst()) this.waiting.push(change);
    // The page where the text is inserted tells where.
    else if (change.type === 'composer') this.waiting.push({ type: 'draft', text: change.draft });
    else return;
    this.laterFlush.schedule(BATCH_MS);
  }

  private queueStatus(): void {
    if (!this.ready) return;
    this.isStatusDue = true;
    this.laterFlush.schedule(BATCH_MS);
  }

  private flush(): void {
    this.laterFlush.cancel();
    const changes = joinChanges(this.waiting);
    if (this.isStatusDue) changes.push({ type: 'status', status: this.chat.status.current });
    this.waiting = [];
    this.isStatusDue = false;
    for (const change of changes) {
      if (change.type === 'reveal') this.chat.model.revealSent();
      this.revision += 1;
      this.post({ ...change, revision: this.revision });
    }
  }

  private sendSnapshot(): void {
    if (!this.ready) return;
    const { chat } = this;
    const { dialogs } = this.conversations;
    const { model, status, commands, composer, changes } = chat;
    const { state, todos } = chat.conversation;
    // A snapshot of the same session does not replace what the page has in its composer.
    const isComposer = ({ type }: ChatChange): boolean => type === 'composer' || type === 'draft';
    this.waiting = this.waiting.filter(change => isComposer(change) && state.key === this.session);
    this.session = state.key;
    this.isStatusDue = false;
    this.flush();
    this.revision += 1;
    const { text, images, files = [], editing } = composer.draft;
    const scroll = this.scrolls.get(state.key);
    this.post({
      type: 'snapshot',
      revision: this.revision,
      // Drawing, draft and scroll position belong to a session; a conversation may switch to another session.
      conversation: state.key,
      ...this.sent.restart(model.items),
      status: status.current,
      commands,
      draft: text,
      ...(images.length > 0 ? { attachments: images } : {}),
      ...(files.length > 0 ? { files } : {}),
      changes: changes.current,
      ...(chat.running.length > 0 ? { running: chat.running } : {}),
      ...(todos.current.length > 0 ? { todos: todos.current } : {}),
      editing: editing && editForPage(editing),
      ...defined({ scroll }),
      ...(dialogs.typed.length > 0 ? { typed: dialogs.typed } : {}),
    });
    if (model.revealed !== undefined) this.queue({ type: 'reveal', id: model.revealed });
  }

  private sendTabs(): void {
    if (this.ready && !this.isTab) this.post({ type: 'conversations', conversations: this.conversations.tabs });
  }

  private followChips(): void {
    this.chips.dispose();
    this.chips = this.parts.editorChips.follow(chips => this.post({ type: 'editorChips', chips }));
  }

  private sendEarlier({ model }: Chat, through: string | undefined): void {
    if (!this.ready) return;
    // Waiting changes are about items that the page has, so they are sent before the next message.
    this.flush();
    this.revision += 1;
    this.post({ type: 'earlier', revision: this.revision, ...this.sent.more(model.items, through) });
  }

  private async handle(message: WebviewToHost): Promise<void> {
    const { chat } = this;
    const { conversation } = chat;
    switch (message.type) {
      case 'ready':
        this.ready = true;
        this.sendSnapshot();
        this.sendTabs();
        this.followChips();
        this.components.show(chat.ui, true);
        return;
      case 'earlier':
        this.sendEarlier(chat, message.through);
        return;
      case 'find': {
        const { request, text, matchCase } = message;
        this.post({ type: 'found', request, matches: findInItems(chat.model.items, text, matchCase) });
        return;
      }
      case 'loadContext':
        this.post({ type: 'context', conversation: conversation.state.key, context: contextBreakdown(conversation) });
        return;
      case 'compactNow':
        return compactForUser(conversation);
      case 'submit':
        return this.submit(message);
      case 'stop':
        return conversation.run.stop();
      case 'continueRun':
        return conversation.run.goOn();
      case 'askAgain':
        conversation.run.askAgain();
        return;
      case 'draft':
        this.noteDraft(message);
        return;
      case 'attachments':
        this.noteAttachments(message);
        return;
      case 'scrolled':
        if (message.scroll === undefined) this.scrolls.delete(message.conversation);
        else this.scrolls.set(message.conversation, message.scroll);
        return;
      case 'newSession':
        return this.conversations.newSession();
      case 'newConversation':
        await this.conversations.openBeside();
        return;
      case 'showConversation':
        this.conversations.show(message.id);
        return;
      case 'closeConversation':
        if (await this.conversations.mayEnd(message.id, 'close')) await this.conversations.close(message.id);
        return;
      case 'editMessage':
        chat.edits.begin(message.id);
        return;
      case 'answerAgain':
        return chat.edits.answerAgain(message.id);
      case 'showVersion':
        return chat.edits.showVersion(message.id, message.by);
      case 'cancelEdit':
        chat.composer.cancelEdit();
        return;
      case 'setThinkingLevel':
        conversation.models.setThinkingLevel(message.level);
        return;
      case 'setApprovalMode':
        conversation.approvals?.setMode(message.mode);
        return;
      case 'notice':
      case 'help':
      case 'deny':
      case 'showDiff':
        return askItem(chat, message, {
          ...{ editor: this.editor, dialogs: this.conversations.dialogs },
          focusComposer: () => this.go('composer'),
        });
      case 'answer':
        this.conversations.dialogs.answer(message.id, message.answer);
        return;
      case 'typed': {
        const { id, text } = message;
        this.conversations.dialogs.noteTyped({ id, text }, this);
        return;
      }
      case 'answerFromTab':
        this.conversations.dialogs.answerFromTab(message.id);
        return;
      case 'runAgain':
        return chat.runAgain(message.id);
      case 'branchFrom':
        return chat.edits.branchFrom(message.id);
      case 'loadDiff':
      case 'openChange':
      case 'revertFile':
      case 'reviewAll':
      case 'keepFile':
      case 'keepAll':
      case 'revertAll':
      case 'revertCall':
      case 'revertTo':
      case 'undoRevert':
        return askChanges(chat.changes, message);
      case 'showCommand':
      case 'runCommandOn':
      case 'stopCommand':
        askCommands(chat, message);
        return;
      case 'focused':
        this.parts.focused(message.focused);
        return;
      case 'openFile':
      case 'openLink':
      case 'openText':
      case 'openDiagram':
      case 'openPlan':
      case 'insertAtCursor':
      case 'copy':
      case 'resumeSession':
      case 'pickModel':
      case 'showHooks':
      case 'applyCode':
      case 'revealFile':
      case 'openTerminal':
      case 'getStarted':
      case 'showAnswerTab':
      case 'showWriteDiff':
        askEditor(this.editor, message);
        return;
      case 'switchChip':
        this.parts.editorChips.switchChip(message.kind, message.path, message.isOn);
        return;
      case 'complete':
      case 'mentioned':
      case 'takeCompletion':
      case 'endComplete':
      case 'dropped':
      case 'editQueued':
      case 'removeQueued':
      case 'deliverQueued':
        chat.composerRequests.receive(message, this.post);
        return;
      case 'unfocused':
        if (this.parts.isFirst()) this.components.receive(message, chat.ui);
        return;
      case 'key':
      case 'ack':
      case 'closeComponent':
      case 'cells':
      case 'theme':
      case 'shortcut':
      case 'rawKey':
      case 'expandItem':
        this.components.receive(message, chat.ui);
    }
  }

  /**
   * A page that has not drawn the latest switch yet means the conversation that it shows. If that was closed, the text
   * was not meant for another one: it stays in the composer.
   */
  private async submit(message: Extract<WebviewToHost, { type: 'submit' }>): Promise<void> {
    const { text, delivery, edits, files = [], restoresFiles = false } = message;
    const images = message.images;
    const meant = message.conversation === undefined ? undefined : this.conversations.withSession(message.conversation);
    const chat = meant ?? this.chat;
    if (meant === undefined && message.conversation !== undefined) {
      chat.composer.giveBack(text, message.images, files);
      chat.model.notice('warning', l10n.t('The session that this was written for is closed. The text was not sent.'));
      return;
    }
    // As the editor is now: it may be another one before the message is sent.
    const along = { images, files, ofEditor: this.parts.editorChips.capture(), page: this };
    return edits === undefined
      ? chat.submit(text, { delivery, ...along })
      : chat.edits.resend(edits, text, { restoresFiles, ...along });
  }

  private noteDraft({ conversation, text, was, ofEarlierPage }: Extract<WebviewToHost, { type: 'draft' }>): void {
    if (ofEarlierPage === true && this.conversations.draftOf(conversation) !== was) return;
    const chat = this.conversations.withSession(conversation);
    if (chat === undefined) this.conversations.keepDraft(conversation, { text });
    else chat.composer.write(text, was, this);
  }

  private noteAttachments(message: Extract<WebviewToHost, { type: 'attachments' }>): void {
    const { images, files = [], conversation } = message;
    const chat = this.conversations.withSession(conversation);
    if (chat === undefined) this.conversations.keepDraft(conversation, { images, files });
    else chat.composer.writeAttachments({ images, files }, this);
  }
}
