import * as l10n from '@vscode/l10n';
import { readFile } from 'node:fs/promises';
import { defined } from '../../base/defined';
import { DisposableStore, toDisposable, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { DelayedCall } from '../../base/async/repeated-calls';
import type { ErrorHelp } from '../../protocol/items/chat-item';
import { readPageMessage, type ChatChange, type HostToWebview, type WebviewToHost } from '../../protocol/messages';
import { contextBreakdown } from '../../session/context-breakdown';
import { editForPage } from '../composer/composer-state';
import { joinChanges } from './change-batch';
import type { Chat } from '../chat';
import { compactForUser } from '../commands/compact';
import type { Conversations } from '../window/conversations';
import type { EditorPort } from '../editor/editor-port';
import { findInItems } from './find-in-items';
import { askChanges, askCommands, askEditor } from './page-requests';
import { SentItems } from './sent-items';
import { ComponentFeed } from './component-feed';

/** Changes are collected for this time, in ms, before they are sent to the page: single deltas would be too slow. */
const BATCH_MS = 33;

/** One page that shows the active conversation. */
export interface PageConnection extends Disposable {
  /** Gets each message of the page, unchecked. */
  readonly receive: (message: unknown) => void;
  /** To be called when the page is hidden, which ends it. Changes wait until the next page is ready. */
  readonly hidden: () => void;
}

/**
 * Connects a page to the active conversation. `post` sends a message to the page: a snapshot when the page is ready, then
 * only changes.
 */
export function connectPage(
  conversations: Conversations,
  editor: EditorPort,
  post: (message: HostToWebview) => void,
): PageConnection {
  return new Connection(conversations, editor, post);
}

class Connection implements PageConnection {
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

  constructor(
    private readonly conversations: Conversations,
    private readonly editor: EditorPort,
    private readonly post: (message: HostToWebview) => void,
  ) {
    this.components = this.owned.add(new ComponentFeed(post));
    this.watch(conversations.active);
    this.owned.add(
      conversations.onDidChangeActive(chat => {
        this.watch(chat);
        this.sendSnapshot();
        if (this.ready) this.components.show(chat.ui, false);
      }),
    );
    this.owned.add(conversations.onDidChange(() => this.sendTabs()));
    this.owned.add(
      conversations.dialogs.onDidType(({ typed, view }) => {
        if (this.ready && view !== this) this.post({ type: 'typed', typed });
      }),
    );
    this.owned.add(
      toDisposable(() => {
        this.watched.dispose();
        this.editor.chatFocused(false);
      }),
    );
  }

  readonly receive = (raw: unknown): void => {
    const message = readPageMessage(raw, problem =>
      this.conversations.log.warn(`The chat page sent something unknown: ${problem.slice(0, 200)}`),
    );
    if (message === undefined) return;
    this.handle(message).catch((error: unknown) => {
      this.conversations.log.error(`"${message.type}" of the chat page failed`, error);
      this.conversations.active.model.notice('error', messageOf(error));
    });
  };

  readonly hidden = (): void => {
    this.ready = false;
    this.laterFlush.cancel();
    this.waiting = [];
    this.isStatusDue = false;
    this.editor.chatFocused(false);
  };

  dispose(): void {
    this.owned.dispose();
  }

  private watch(chat: Chat): void {
    this.watched.dispose();
    this.watched = new DisposableStore();
    this.watched.add(chat.model.onDidChange(change => this.queue(change)));
    this.watched.add(chat.status.onDidChange(() => this.queueStatus()));
    this.watched.add(chat.onDidRedraw(() => this.sendSnapshot()));
  }

  private queue(change: ChatChange): void {
    if (!this.ready || !this.sent.concerns(change)) return;
    this.waiting.push(change);
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
    if (this.isStatusDue) changes.push({ type: 'status', status: this.conversations.active.status.current });
    this.waiting = [];
    this.isStatusDue = false;
    for (const change of changes) {
      if (change.type === 'reveal') this.conversations.active.model.revealSent();
      this.revision += 1;
      this.post({ ...change, revision: this.revision });
    }
  }

  private sendSnapshot(): void {
    if (!this.ready) return;
    const { dialogs, active } = this.conversations;
    const { model, status, commands, composer, changes } = active;
    const { state, todos } = active.conversation;
    // A snapshot of the same session does not replace what the page has in its composer.
    this.waiting = this.waiting.filter(({ type }) => type === 'composer' && state.key === this.session);
    this.session = state.key;
    this.isStatusDue = false;
    this.flush();
    this.revision += 1;
    const { text, images, files = [], editing } = composer.draft;
    const scroll = this.conversations.scrollOf(state.key);
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
      ...(active.running.length > 0 ? { running: active.running } : {}),
      ...(todos.current.length > 0 ? { todos: todos.current } : {}),
      editing: editing && editForPage(editing),
      ...defined({ scroll }),
      ...(dialogs.typed.length > 0 ? { typed: dialogs.typed } : {}),
    });
    if (model.revealed !== undefined) this.queue({ type: 'reveal', id: model.revealed });
  }

  private sendTabs(): void {
    if (this.ready) this.post({ type: 'conversations', conversations: this.conversations.tabs });
  }

  private sendEarlier({ model }: Chat, through: string | undefined): void {
    if (!this.ready) return;
    // Waiting changes are about items that the page has, so they are sent before the next message.
    this.flush();
    this.revision += 1;
    this.post({ type: 'earlier', revision: this.revision, ...this.sent.more(model.items, through) });
  }

  private async handle(message: WebviewToHost): Promise<void> {
    const chat = this.conversations.active;
    const { conversation } = chat;
    switch (message.type) {
      case 'ready':
        this.ready = true;
        this.sendSnapshot();
        this.sendTabs();
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
        this.conversations.noteDraft(message.conversation, { images: message.images, files: message.files ?? [] });
        return;
      case 'scrolled':
        this.conversations.noteScroll(message.conversation, message.scroll);
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
        return this.runNotice(chat, message);
      case 'help':
        return this.help(chat, message.id, message.help);
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
      case 'deny':
        this.deny(chat, message.id, message.message);
        return;
      case 'runAgain':
        return chat.runAgain(message.id);
      case 'branchFrom':
        return chat.edits.branchFrom(message.id);
      case 'showDiff':
        return this.showDiff(chat, message.id);
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
      case 'openFile':
      case 'openLink':
      case 'openText':
      case 'openDiagram':
      case 'openPlan':
      case 'insertAtCursor':
      case 'copy':
      case 'focused':
      case 'resumeSession':
      case 'pickModel':
      case 'showHooks':
      case 'applyCode':
      case 'revealFile':
      case 'openTerminal':
      case 'getStarted':
      case 'showAnswerTab':
        askEditor(this.editor, message);
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
      case 'key':
      case 'ack':
      case 'unfocused':
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
    const chat = meant ?? this.conversations.active;
    if (meant === undefined && message.conversation !== undefined) {
      chat.composer.giveBack(text, message.images, files);
      chat.model.notice('warning', l10n.t('The session that this was written for is closed. The text was not sent.'));
      return;
    }
    return edits === undefined
      ? chat.submit(text, { delivery, images, files })
      : chat.edits.resend(edits, text, { images, files, restoresFiles });
  }

  private noteDraft({ conversation, text, was }: Extract<WebviewToHost, { type: 'draft' }>): void {
    if (was !== undefined && this.conversations.draftOf(conversation) !== was) return;
    this.conversations.noteDraft(conversation, { text });
  }

  private deny({ model }: Chat, id: string, message: string): void {
    const gate = model.get(id);
    if (gate?.kind !== 'gate' || gate.canDeny !== true) return;
    this.conversations.dialogs.answer(id, { denied: message });
  }

  /** The page can only run commands that the host put on the notice. */
  private async runNotice(
    { conversation, model, composer }: Chat,
    { id, command }: Extract<WebviewToHost, { type: 'notice' }>,
  ): Promise<void> {
    const item = model.get(id);
    if (item?.kind !== 'notice' || item.actions?.some(action => action.command === command) !== true) return;
    if (command === 'compact') return compactForUser(conversation);
    if (command !== 'compactWith') {
      this.editor.run(command, item.hook?.path);
      return;
    }
    composer.giveBack('/compact ');
    model.apply({ type: 'focusComposer' });
  }

  /** The page can only do what the host put on the card. */
  private async help({ conversation, model, edits }: Chat, id: string, help: ErrorHelp): Promise<void> {
    const item = model.get(id);
    if (item?.kind !== 'assistant' || item.help?.includes(help) !== true) return;
    switch (help) {
      case 'continue':
        return conversation.run.goOn();
      case 'retry':
        return conversation.run.retry(model.messageOf(id));
      case 'compact':
        return compactForUser(conversation);
      case 'editMessage':
        edits.beginBefore(id);
        return;
      case 'setApiKey':
      case 'logIn':
      case 'pickModel':
      case 'openSettings':
        this.editor.run(help);
    }
  }

  private async showDiff({ model, changes }: Chat, id: string): Promise<void> {
    const item = model.get(id);
    if (item?.kind !== 'tool') return;
    const { path } = item;
    const before = path === undefined ? undefined : await changes.textBefore(item.toolCallId);
    if (path === undefined || before === undefined) {
      model.notice('warning', l10n.t('The text before this change is no longer available.'));
      return;
    }
    await readFile(path); // throws for a file that is gone
    this.editor.showDiff(path, before, item.summary, undefined, changes.originOf(path, item.id));
  }
}
