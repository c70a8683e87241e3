import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { AgentMessage } from '../../agent/messages';
import { SessionStore } from '../../agent/session/store';
import type { ForkOutcome } from '../../hooks/conversation-port';
import { typedText } from '../composer/attached-files';
import { emitAndTell, emitPatiently, type GivenUp, type PatienceParts } from '../patience';
import type { SessionState } from './session-state';

/** What moving between sessions needs of the conversation. */
export interface SessionFlowParts {
  readonly cwd: string;
  readonly sessionDir: string;
  readonly state: SessionState;
  readonly patience: PatienceParts;
  /** Ends the run that is going on, gives queued texts back, and waits for what still writes to the session. */
  readonly stop: () => Promise<void>;
  /** Shows work as going on and lets a stop end it; it does not count as busy. */
  readonly beside: (work: (signal: AbortSignal) => Promise<void>) => Promise<void>;
  /** Puts messages into the agent; `undefined` keeps what is there. */
  readonly setContext: (messages: readonly AgentMessage[] | undefined) => void;
  /** Model, thinking level and the drawn chat follow the session. */
  readonly afterSwitch: (source: 'new' | 'resume' | 'fork') => Promise<void>;
  readonly composer: (text: string) => void;
  /**
   * Takes what is typed into a session that no list will show, because it has no answer and so no file; what is returned
   * puts it into the composer of the session that is open then. Undefined when nothing would be lost.
   */
  readonly takeDraft: () => (() => void) | undefined;
  /** Whether hooks hear `session_start` at a switch. */
  readonly startsOnSwitch: () => boolean;
  /** Shows the other conversation that has a file open; resolves false when none has. */
  readonly showElsewhere: (file: string) => Promise<boolean>;
}

const CANCELLED: ForkOutcome = { cancelled: true };
const DONE: ForkOutcome = { cancelled: false };

/** New, resume and fork, each with its events before and after (reference sections 5 and 14). */
export class SessionFlow {
  private moving: Promise<void> | undefined;

  constructor(private readonly parts: SessionFlowParts) {}

  /**
   * Resolves when no switch is going on any more: until then context and session file may speak of different sessions.
   * Undefined when none is.
   */
  moved(): Promise<void> | undefined {
    return this.moving?.then(() => this.moved());
  }

  async newSession(
    options: { readonly parentSession?: string; readonly setup?: (sessionManager: object) => unknown } = {},
  ): Promise<ForkOutcome> {
    const { cwd, sessionDir, state, patience } = this.parts;
    const before = await emitAndTell({ type: 'session_before_switch', reason: 'new' }, patience);
    if (before.cancelled) return CANCELLED;
    await this.parts.stop();
    const { parentSession } = options;
    const parent = parentSession === undefined ? {} : { parentSession };
    const inMemory = state.store.getSessionFile() === undefined;
    const store = inMemory
      ? SessionStore.inMemory(cwd, parentSession)
      : SessionStore.create({ dir: sessionDir, cwd, ...parent });
    if (state.effectiveLevel !== 'off') store.appendThinkingLevelChange(state.effectiveLevel);
    await options.setup?.(store);
    const follow = (): void => {
      this.parts.setContext(state.readContext());
    };
    await this.alone(() => this.moveTo(store, 'new', follow));
    return DONE;
  }

  /** Rejects when the file cannot be opened at all; the session in use then stays. Nothing happens for that session. */
  async switchTo(file: string): Promise<ForkOutcome> {
    const { state, patience } = this.parts;
    if (await isSameFile(file, state.store.getSessionFile())) return DONE;
    // Two conversations never append to one file.
    if (await this.parts.showElsewhere(file)) return CANCELLED;
    const event = { type: 'session_before_switch', reason: 'resume', targetSessionFile: file } as const;
    if ((await emitAndTell(event, patience)).cancelled) return CANCELLED;
    const store = await SessionStore.open(file);
    const follow = (): void => {
      this.parts.setContext(state.readContext());
    };
    await this.alone(() => this.moveTo(store, 'resume', follow));
    return DONE;
  }

  /**
   * The conversation was opened beside another, for a session that is new or resumed: hooks hear what they hear of a
   * switch, and prompts wait until they have.
   */
  async begin(reason: 'new' | 'resume', previousSessionFile: string | undefined): Promise<void> {
    const { patience } = this.parts;
    await this.alone(() =>
      this.parts.beside(async signal => {
        await emitPatiently({ type: 'session_switch', reason, previousSessionFile }, patience, signal);
        await this.tellStart(reason, signal);
      }),
    );
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
    const { state, patience } = this.parts;
    const before = await emitAndTell({ type: 'session_before_branch', entryId }, patience);
    if (before.cancelled) return CANCELLED;
    const follow = (): void => {
      this.parts.setContext(before.skipConversationRestore ? undefined : state.readContext());
    };
    await this.alone(async () => {
      const store = await state.store.fork(entryId, position);
      await this.moveTo(store, 'fork', follow, entryId);
    });
    return DONE;
  }

  /** One switch at a time, after everything else has ended; prompts wait for it, see {@link moved}. */
  private async alone(work: () => Promise<void>): Promise<void> {
    while (this.moving !== undefined) await this.moving;
    const moving = this.parts.stop().then(work);
    const ended = moving.catch(() => undefined); // Whoever asked for it is told.
    this.moving = ended;
    try {
      await moving;
    } finally {
      if (this.moving === ended) this.moving = undefined;
    }
  }

  /** Makes another store the current one, tells hooks, then lets the agent follow. */
  private async moveTo(
    store: SessionStore,
    reason: 'new' | 'resume' | 'fork',
    follow: () => void,
    entryId?: string,
  ): Promise<void> {
    const { state, patience } = this.parts;
    const old = state.store;
    const previousSessionFile = old.getSessionFile();
    const late: GivenUp[] = [];
    const bringDraft = this.parts.takeDraft();
    state.store = store;
    state.nextTurn = [];
    await this.parts.beside(async signal => {
      try {
        if (reason === 'new' || entryId !== undefined) follow();
        // What is told while the old chat is drawn would go with it.
        const first = { ...patience, onGivenUp: (givenUp: GivenUp) => late.push(givenUp) };
        if (reason !== 'fork') {
          await emitPatiently({ type: 'session_switch', reason, previousSessionFile }, first, signal);
        } else if (entryId !== undefined) {
          await emitPatiently({ type: 'session_branch', entryId, previousSessionFile }, first, signal);
        }
        if (reason === 'resume') follow();
        await this.parts.afterSwitch(reason);
      } finally {
        bringDraft?.();
        await old.dispose();
      }
      for (const givenUp of late) patience.onGivenUp(givenUp);
      await this.tellStart(reason, signal);
    });
  }

  private async tellStart(reason: 'new' | 'resume' | 'fork', signal: AbortSignal): Promise<void> {
    if (!this.parts.startsOnSwitch()) return;
    const event = { type: 'session_start', reason: reason === 'resume' ? 'switch' : reason } as const;
    await emitPatiently(event, this.parts.patience, signal);
  }
}

/** Whatever the names: links and relative paths count as what they lead to. */
async function isSameFile(file: string, current: string | undefined): Promise<boolean> {
  if (current === undefined) return false;
  try {
    return (await realpath(file)) === (await realpath(current));
  } catch {
    return resolve(file) === resolve(current); // A session without an answer has no file yet.
  }
}

function textOf(message: AgentMessage): string {
  if (!('content' in message)) return '';
  return typedText(message.content);
}
