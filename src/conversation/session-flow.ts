import type { AgentMessage } from '../agent/messages';
import { SessionStore } from '../agent/session/store';
import type { ForkOutcome, HookConversation } from '../hooks/conversation-port';
import { typedText } from './attached-files';
import type { HookRuntime } from './hook-runtime';
import type { SessionState } from './session-state';

/** What moving between sessions needs of the conversation. */
export interface SessionFlowParts {
  readonly cwd: string;
  readonly sessionDir: string;
  readonly state: SessionState;
  readonly hooks: HookRuntime;
  readonly conversation: HookConversation;
  /** Ends the run that is going on and gives queued texts back. */
  readonly stop: () => Promise<void>;
  /** Puts messages into the agent; `undefined` keeps what is there. */
  readonly setContext: (messages: readonly AgentMessage[] | undefined) => void;
  /** Model, thinking level and the drawn chat follow the session. */
  readonly afterSwitch: (source: 'new' | 'resume' | 'fork') => Promise<void>;
  readonly composer: (text: string) => void;
}

const CANCELLED: ForkOutcome = { cancelled: true };
const DONE: ForkOutcome = { cancelled: false };

/** New, resume and fork, each with its events before and after (reference sections 5 and 14). */
export class SessionFlow {
  constructor(private readonly parts: SessionFlowParts) {}

  async newSession(
    options: { readonly parentSession?: string; readonly setup?: (sessionManager: object) => unknown } = {},
  ): Promise<ForkOutcome> {
    const { hooks, conversation, cwd, sessionDir, state } = this.parts;
    const before = await hooks.emit({ type: 'session_before_switch', reason: 'new' }, conversation);
    if (before.cancelled) return CANCELLED;
    await this.parts.stop();
    const parent = options.parentSession === undefined ? {} : { parentSession: options.parentSession };
    const inMemory = state.store.getSessionFile() === undefined;
    const store = inMemory ? SessionStore.inMemory(cwd) : SessionStore.create({ dir: sessionDir, cwd, ...parent });
    if (state.thinkingLevel !== 'off') store.appendThinkingLevelChange(state.thinkingLevel);
    await options.setup?.(store);
    await this.moveTo(store, 'new', () => {
      this.parts.setContext(state.readContext());
    });
    return DONE;
  }

  /** Rejects when the file cannot be opened at all; the session in use then stays. */
  async switchTo(file: string): Promise<ForkOutcome> {
    const { hooks, conversation, state } = this.parts;
    const event = { type: 'session_before_switch', reason: 'resume', targetSessionFile: file } as const;
    if ((await hooks.emit(event, conversation)).cancelled) return CANCELLED;
    const store = await SessionStore.open(file);
    await this.parts.stop();
    await this.moveTo(store, 'resume', () => {
      this.parts.setContext(state.readContext());
    });
    return DONE;
  }

  /** A new session that ends before a message of the user, whose text goes to the composer. */
  async fork(entryId: string): Promise<ForkOutcome> {
    const { state } = this.parts;
    const entry = state.store.getEntry(entryId);
    const message = entry?.type === 'message' ? (entry as { message?: AgentMessage }).message : undefined;
    if (message?.role !== 'user') {
      throw new Error(`Invalid entry ID for forking: ${entryId} is no message of the user.`);
    }
    const outcome = await this.branchOff(entryId, 'before');
    if (!outcome.cancelled) this.parts.composer(textOf(message));
    return outcome;
  }

  /** A new session with everything up to the entry the conversation is at. Rejects when there is none. */
  async clone(): Promise<ForkOutcome> {
    const leaf = this.parts.state.store.getLeafId();
    if (leaf === null) throw new Error('Cannot clone session: no current entry selected');
    return this.branchOff(leaf, 'at');
  }

  private async branchOff(entryId: string, position: 'before' | 'at'): Promise<ForkOutcome> {
    const { hooks, conversation, state } = this.parts;
    const before = await hooks.emit({ type: 'session_before_branch', entryId }, conversation);
    if (before.cancelled) return CANCELLED;
    await this.parts.stop();
    const store = await state.store.fork(entryId, position);
    const follow = (): void => {
      this.parts.setContext(before.skipConversationRestore ? undefined : state.readContext());
    };
    await this.moveTo(store, 'fork', follow, entryId);
    return DONE;
  }

  /** Makes another store the current one, tells hooks, then lets the agent follow. */
  private async moveTo(
    store: SessionStore,
    reason: 'new' | 'resume' | 'fork',
    follow: () => void,
    entryId?: string,
  ): Promise<void> {
    const { hooks, conversation, state } = this.parts;
    const old = state.store;
    const previousSessionFile = old.getSessionFile();
    state.store = store;
    state.nextTurn = [];
    if (reason === 'new' || entryId !== undefined) follow();
    if (entryId === undefined) await hooks.emit({ type: 'session_switch', reason, previousSessionFile }, conversation);
    else await hooks.emit({ type: 'session_branch', entryId, previousSessionFile }, conversation);
    if (reason === 'resume') follow();
    await this.parts.afterSwitch(reason);
    await old.dispose();
    const started = reason === 'resume' ? 'switch' : reason;
    await hooks.emit({ type: 'session_start', reason: started }, conversation);
  }
}

function textOf(message: AgentMessage): string {
  if (!('content' in message)) return '';
  return typedText(message.content);
}
