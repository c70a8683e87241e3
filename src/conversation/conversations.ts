import { resolve } from 'node:path';
import { SessionCatalog, type SessionInfo } from '../agent/session/catalog';
import { SessionStore } from '../agent/session/store';
import { messageOf } from '../base/errors';
import { DisposableStore } from '../base/disposable';
import { Emitter } from '../base/event';
import type { Log } from '../base/log';
import { Conversation } from './conversation';
import type { HookError } from '../hooks/record';
import type { DialogQueue } from './dialogs';
import { hookRef } from './hook-ref';
import { emitPatiently, waitPatiently, type GivenUp } from './patience';
import type { ConversationPorts } from './ports';

/** The conversations of one window; one of them is active. */
export class Conversations {
  private readonly catalog: SessionCatalog;
  private readonly activeEmitter = new Emitter<Conversation>();
  readonly onDidChangeActive = this.activeEmitter.event;
  private readonly owned = new DisposableStore();

  private constructor(
    private readonly ports: ConversationPorts,
    private readonly current: Conversation,
  ) {
    this.catalog = new SessionCatalog(ports.sessionDir);
    this.owned.add(ports.hooks.attach(current.bridge));
    ports.hooks.setActive(current.bridge);
    this.owned.add(
      ports.hooks.onError(error => {
        this.showError(error);
      }),
    );
  }

  /**
   * Opens the window's first conversation: a given session, the latest of the workspace, or a new one. Hooks should be loaded
   * by then; they get their start event here.
   */
  static async open(
    given: ConversationPorts,
    options: { readonly resume: boolean } | { readonly store: SessionStore },
  ): Promise<Conversations> {
    const { ports, late } = 'store' in options ? { ports: given, late: undefined } : await withSessionDirectory(given);
    const store = 'store' in options ? options.store : await firstStore(ports, options.resume);
    const conversation = new Conversation('chat-1', ports, store);
    const conversations = new Conversations(ports, conversation);
    await conversation.open();
    const patience = conversation.patience;
    if (late !== undefined) patience.onGivenUp(late);
    await emitPatiently({ type: 'session_start', reason: 'startup' }, patience);
    await ports.resources?.discover('startup', conversation.bridge);
    return conversations;
  }

  get active(): Conversation {
    return this.current;
  }

  get dialogs(): DialogQueue {
    return this.ports.dialogs;
  }

  /** To be called after hooks were loaded anew: they say again what resources they bring. */
  async hooksReloaded(): Promise<void> {
    await this.ports.resources?.discover('reload', this.current.bridge);
  }

  get log(): Log {
    return this.ports.log;
  }

  /** Sessions of the workspace, newest first. */
  list(): Promise<readonly SessionInfo[]> {
    return this.catalog.list();
  }

  /** Ends the run, tells hooks, and closes the session file. */
  async dispose(): Promise<void> {
    await this.current.stop();
    await this.ports.hooks.farewell(this.current.bridge);
    await this.current.dispose();
    this.owned.dispose();
    this.activeEmitter.dispose();
  }

  private showError(error: HookError): void {
    const { file, line, column } = error;
    const place = { ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) };
    this.current.notice('error', `Hook "${hookRef(error.hookPath).name}" error in ${error.event}: ${error.message}`, {
      hook: hookRef(error.hookPath, line),
      ...(error.stack === undefined ? {} : { detail: error.stack }),
      ...(file === undefined ? {} : { file: { path: file, ...place } }),
    });
  }
}

/** Hooks may put session files elsewhere (`session_directory`, reference section 5.5); relative to the workspace. */
async function withSessionDirectory(
  ports: ConversationPorts,
): Promise<{ readonly ports: ConversationPorts; readonly late?: GivenUp }> {
  const asking = ports.hooks.sessionDirectory(ports.cwd);
  const nobody = { conversation: '', isAsking: () => false, patienceMs: ports.patienceMs };
  const answer = await waitPatiently('session_directory', asking, ports.hooks, nobody);
  if (!('value' in answer)) return { ports, late: answer };
  const wished = answer.value;
  return { ports: wished === undefined ? ports : { ...ports, sessionDir: resolve(ports.cwd, wished) } };
}

/** A session that cannot be opened must not keep the window from starting: a new one takes its place. */
async function firstStore(ports: ConversationPorts, resume: boolean): Promise<SessionStore> {
  const { sessionDir, cwd, log } = ports;
  try {
    const [latest] = resume ? await new SessionCatalog(sessionDir).list() : [];
    if (latest !== undefined) return await SessionStore.open(latest.file);
  } catch (error) {
    log.error(`The latest session could not be opened: ${messageOf(error)}`, error);
  }
  return SessionStore.create({ dir: sessionDir, cwd });
}
