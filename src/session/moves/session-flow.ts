import { realpath, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { AgentMessage } from '../../agent/messages';
import { messageOfEntry } from '../../agent/session/context';
import { releaseSession } from '../../agent/models/pi-ai';
import { SessionStore } from '../../agent/session/store';
import { startLevelFor } from '../../agent/settings/model-settings';
import { clampLevel } from '../../agent/thinking-levels';
import { defined } from '../../base/defined';
import type { ForkOutcome } from '../../hook-contract/conversation-port';
import { typedText } from '../attachments/attached-files';
import { emitAndReportSlow, emitWithTimeout, type SlowHook, type HookWait } from '../ports/wait-for-hooks';
import type { ConversationPorts } from '../ports/ports';
import type { HookEventQueue } from '../run/hook-event-queue';
import type { RunControl } from '../run/run-control';
import type { RunningCommands } from '../commands/running-commands';
import type { UserShells } from '../prompts/user-bash';
import { fileToGoTo, openHere } from '../state/missing-folder';
import type { SessionFollowing } from './session-following';
import type { SessionEvents } from '../ports/session-events';
import type { SessionState } from '../state/session-state';

/** The parts of the conversation that a switch of sessions needs. */
export interface SessionFlowParts {
  readonly ports: ConversationPorts;
  readonly state: SessionState;
  readonly hookWait: HookWait;
  readonly control: RunControl;
  readonly hookEvents: HookEventQueue;
  readonly shells: UserShells;
  readonly commands: RunningCommands | undefined;
  readonly following: SessionFollowing;
  readonly events: SessionEvents;
}

/** How a conversation comes to a session. */
export type SessionMove =
  | { readonly reason: 'new' | 'resume' }
  /** `entryId`: the entry at which the other session was left; null when that one is empty. */
  | { readonly reason: 'fork'; readonly entryId: string | null };

const CANCELLED: ForkOutcome = { cancelled: true };
const DONE: ForkOutcome = { cancelled: false };

/** New, resume and fork, each with its events before and after. */
export class SessionFlow {
  constructor(private readonly parts: SessionFlowParts) {}

  async newSession(
    options: { readonly parentSession?: string; readonly setup?: (sessionManager: object) => unknown } = {},
  ): Promise<ForkOutcome> {
    const { ports, state, hookWait } = this.parts;
    const { cwd, sessionDir } = ports;
    const before = await emitAndReportSlow({ type: 'session_before_switch', reason: 'new' }, hookWait);
    if (before.cancelled) return CANCELLED;
    await this.stop();
    const { parentSession } = options;
    const parent = defined({ parentSession });
    const inMemory = state.store.getSessionFile() === undefined;
    const store = inMemory
      ? SessionStore.inMemory(cwd, parentSession)
      : SessionStore.create({ dir: sessionDir, cwd, ...parent });
    const { effectiveLevel: level, model } = state;
    if (level !== clampLevel(model, startLevelFor(ports.settings.current, model))) {
      if (model !== undefined) store.appendModelChange(model.provider, model.id);
      store.appendThinkingLevelChange(level);
    }
    await options.setup?.(store);
    await this.alone(() => this.moveTo(store, { reason: 'new' }, () => state.readContext()));
    return DONE;
  }

  /**
   * Does nothing for the session in use. Asks about a session whose folder no longer exists (see {@link fileToGoTo}),
   * unless `isAsked`. Rejects if the file cannot be opened; the session in use then stays.
   */
  async switchTo(given: string, isAsked = false): Promise<ForkOutcome> {
    const { ports, state, hookWait } = this.parts;
    if (await isSameFile(given, state.store.getSessionFile())) return DONE;
    // Two conversations never append to one file.
    if ((await ports.neighbours?.showFile(given)) === true) return CANCELLED;
    const file = isAsked ? given : await fileToGoTo(given, ports);
    if (file === undefined) return CANCELLED;
    const event = { type: 'session_before_switch', reason: 'resume', targetSessionFile: file } as const;
    if ((await emitAndReportSlow(event, hookWait)).cancelled) {
      if (file !== given) await rm(file, { force: true }); // The fork was cancelled, so its file is not needed.
      return CANCELLED;
    }
    const store = await openHere(file, ports.cwd);
    await this.alone(() => this.moveTo(store, { reason: 'resume' }, () => state.readContext()));
    return DONE;
  }

  /**
   * To be called when the conversation was opened next to another one. Hooks get the events of a move from the session of
   * that file, and prompts wait for them.
   */
  async begin(move: SessionMove, previousSessionFile: string | undefined): Promise<void> {
    const { hookWait } = this.parts;
    await this.alone(() =>
      this.beside(async signal => {
        await emitMove(move, previousSessionFile, hookWait, signal);
        await this.emitStart(move.reason, previousSessionFile, signal);
      }),
    );
  }

  /**
   * A new session that ends before a message of the user, whose text is returned. Rejects when the entry is no such message.
   */
  async fork(entryId: string): Promise<ForkOutcome> {
    const entry = this.parts.state.store.getEntry(entryId);
    const message = entry && messageOfEntry(entry);
    const outcome = await this.branchOff(entryId, 'before');
    if (!outcome.cancelled && message !== undefined) {
      this.parts.events.fire({ type: 'text_returned', text: returnedText(message), images: [], files: [] });
    }
    return outcome;
  }

  /** Opens a new session with everything up to the current entry. Rejects if the session has no message. */
  async clone(): Promise<ForkOutcome> {
    const { store } = this.parts.state;
    const leaf = store.getLeafId();
    if (leaf === null || !store.getPathIds().some(({ type }) => type === 'message')) {
      throw new Error('Cannot clone session: no current entry selected');
    }
    return this.cloneUpTo(leaf);
  }

  /** A new session with everything up to an entry. Rejects when the session has no such entry. */
  cloneUpTo(entryId: string): Promise<ForkOutcome> {
    return this.branchOff(entryId, 'at');
  }

  /** Names the session; an empty name removes the name. */
  rename(name: string): void {
    const { ports, state, events, hookWait } = this.parts;
    const { conversation } = hookWait;
    state.store.appendSessionInfo(name);
    const event = { type: 'session_info_changed', name: state.store.getSessionName() } as const;
    events.fire(event);
    void ports.hooks.runner.emit(event, conversation);
    events.fire({ type: 'status_changed' });
  }

  private async branchOff(entryId: string, position: 'before' | 'at'): Promise<ForkOutcome> {
    const { state, hookWait } = this.parts;
    const before = await emitAndReportSlow({ type: 'session_before_branch', entryId, position }, hookWait);
    if (before.cancelled) return CANCELLED;
    const entry = state.store.getEntry(entryId);
    const isMeant = position === 'at' ? entry !== undefined : entry && messageOfEntry(entry)?.role === 'user';
    if (isMeant !== true) {
      const what = position === 'at' ? 'not in this session' : 'no message of the user';
      throw new Error(`Invalid entry ID for forking: ${entryId} is ${what}.`);
    }
    const follow = (): void => {
      if (!before.skipConversationRestore) state.readContext();
    };
    await this.alone(async () => {
      const store = await state.store.fork(entryId, position);
      await this.moveTo(store, { reason: 'fork', entryId }, follow);
    });
    return DONE;
  }

  /** One switch at a time, after everything else has ended; prompts wait for it, see {@link SessionState.switched}. */
  private async alone(work: () => Promise<void>): Promise<void> {
    const { state } = this.parts;
    while (state.switching !== undefined) await state.switching;
    const switching = this.stop().then(work);
    const ended = switching.catch(() => undefined); // The caller gets the error.
    state.switching = ended;
    try {
      await switching;
    } finally {
      if (state.switching === ended) state.switching = undefined;
    }
  }

  /** Makes another store the current one, tells hooks, then lets the agent follow. */
  private async moveTo(store: SessionStore, move: SessionMove, follow: () => void): Promise<void> {
    const { state, hookWait, events } = this.parts;
    const { reason } = move;
    const late: SlowHook[] = [];
    // A notice shown while the old chat is drawn would disappear with it.
    const first = { ...hookWait, onSlowHook: (slowHook: SlowHook) => late.push(slowHook) };
    await this.beside(signal => this.reportEnd(reason, store.getSessionFile(), first, signal));
    const old = state.store;
    const previousSessionFile = old.getSessionFile();
    events.fire({ type: 'session_leaving' });
    state.store = store;
    state.nextTurn = [];
    await this.beside(async signal => {
      try {
        if (reason !== 'resume') follow();
        await emitMove(move, previousSessionFile, first, signal);
        if (reason === 'resume') follow();
        await this.parts.following.follow();
      } finally {
        events.fire({ type: 'session_entered' });
        await releaseSession(old.getSessionId());
        await old.dispose();
      }
      for (const slowHook of late) hookWait.onSlowHook(slowHook);
      await this.emitStart(reason, previousSessionFile, signal);
    });
  }

  /** Ends the run and commands that run on, gives queued texts back, and waits for what still writes to the session. */
  private async stop(): Promise<void> {
    const { control, hookEvents, shells, commands } = this.parts;
    await control.stop();
    await commands?.endAll();
    await hookEvents.whenDelivered();
    await shells.recorded();
  }

  /** Shows work as going on and lets a stop end it; it does not count as busy. */
  private beside(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    return this.parts.control.beside({ type: 'running', message: '' }, work, false);
  }

  /** For files whose dialect ends hooks with their session. Each also gets the start of the next session: both events or none. */
  private async reportEnd(
    reason: 'new' | 'resume' | 'fork',
    targetSessionFile: string | undefined,
    hookWait: HookWait,
    signal: AbortSignal,
  ): Promise<void> {
    if (!this.emitsStarts) return;
    const target = defined({ targetSessionFile });
    await emitWithTimeout({ type: 'session_shutdown', reason, ...target }, hookWait, signal);
    await this.parts.ports.hooks.renew(hookWait.conversation);
  }

  private async emitStart(
    reason: 'new' | 'resume' | 'fork',
    previousSessionFile: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    if (!this.emitsStarts) return;
    const previous = defined({ previousSessionFile });
    await emitWithTimeout({ type: 'session_start', reason, ...previous }, this.parts.hookWait, signal);
  }

  private get emitsStarts(): boolean {
    return this.parts.ports.startsOnSwitch?.() !== false;
  }
}

/** There is no event for a copy of an empty session. */
async function emitMove(
  move: SessionMove,
  previousSessionFile: string | undefined,
  hookWait: HookWait,
  signal: AbortSignal,
): Promise<void> {
  if (move.reason !== 'fork') {
    const { reason } = move;
    await emitWithTimeout({ type: 'session_switch', reason, previousSessionFile }, hookWait, signal);
  } else if (move.entryId !== null) {
    const { entryId } = move;
    await emitWithTimeout({ type: 'session_branch', entryId, previousSessionFile }, hookWait, signal);
  }
}

/** Compares files, not names: links and relative paths count as their targets. */
async function isSameFile(file: string, current: string | undefined): Promise<boolean> {
  if (current === undefined) return false;
  try {
    return (await realpath(file)) === (await realpath(current));
  } catch {
    return resolve(file) === resolve(current); // A session without an answer has no file yet.
  }
}

function returnedText(message: AgentMessage): string {
  if (!('content' in message)) return '';
  return typedText(message.content);
}
