import { DisposableStore, type Disposable } from '../../base/disposable';
import type { ConversationState, ConversationTab } from '../../protocol/messages';
import type { Conversation } from '../../session/conversation';
import type { Chat } from '../chat';
import type { ConversationEditor } from '../editor/conversation-editor';
import { isOnlyDraft } from '../composer/drafts';

/** Whether an editor tab is in front of the others of its group. */
export type EditorTabState = 'visible' | 'behind';

/** One conversation of the window, and what a user has not seen of it. */
export class OpenConversation implements Disposable {
  /** Counts up each time that the user goes to a conversation of the window. */
  lastUsed = 0;
  /** Whether it has an editor tab, and that can be seen. */
  editorTab: EditorTabState | undefined;
  private news: 'unread' | 'failed' | undefined;
  private wasBusy = false;
  readonly owned = new DisposableStore();

  constructor(
    readonly chat: Chat,
    readonly editor: ConversationEditor,
  ) {}

  get conversation(): Conversation {
    return this.chat.conversation;
  }

  get id(): string {
    return this.conversation.id;
  }

  /** File of the session; undefined for one in memory. */
  get file(): string | undefined {
    return this.conversation.store.getSessionFile();
  }

  get title(): string {
    return this.chat.status.title;
  }

  /** Something goes on, or waits for the user: it cannot make room for another session. */
  get isBusy(): boolean {
    const { run, shells, commands } = this.conversation;
    const runsOn = commands !== undefined && commands.letGo.length > 0;
    return !run.isIdle || shells.isRunning || runsOn || this.chat.isAsking;
  }

  /** See {@link isOnlyDraft}. Such a conversation stays open, and another session opens beside it. */
  get isOnlyDraft(): boolean {
    return isOnlyDraft(this.chat.composer.draft, this.conversation.run.agent.messages);
  }

  get state(): ConversationState {
    if (this.chat.isAsking) return 'asking';
    if (this.conversation.run.phase.type !== 'idle') return 'running';
    return this.news ?? 'idle';
  }

  get isUnread(): boolean {
    return this.news !== undefined;
  }

  tab(shown: boolean): ConversationTab {
    return { id: this.id, title: this.title, state: this.state, shown };
  }

  /** Notes how a run ended while no page showed the conversation. To be called after each change of the status. */
  follow(isSeen: boolean): void {
    const { isIdle, phase } = this.conversation.run;
    const hasEnded = this.wasBusy && isIdle && phase.type === 'idle';
    this.wasBusy = !isIdle || (this.wasBusy && !hasEnded);
    if (isSeen) this.news = undefined;
    else if (hasEnded) this.news = this.hasFailed ? 'failed' : 'unread';
  }

  /** As it was when the window was closed. */
  markUnread(): void {
    this.news ??= 'unread';
  }

  dispose(): void {
    this.owned.dispose();
  }

  private get hasFailed(): boolean {
    const last = this.conversation.run.agent.messages.findLast(message => message.role === 'assistant');
    return last?.role === 'assistant' && last.stopReason === 'error';
  }
}
