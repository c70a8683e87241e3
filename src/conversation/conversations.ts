import { SessionCatalog, type SessionInfo } from '../agent/session/catalog';
import { SessionStore } from '../agent/session/store';
import { messageOf } from '../base/errors';
import { Emitter } from '../base/event';
import type { Log } from '../base/log';
import { Conversation } from './conversation';
import type { DialogQueue } from './dialogs';
import type { ConversationPorts } from './ports';

/** The conversations of one window; one of them is active. */
export class Conversations {
  private count = 0;
  private current: Conversation;
  private readonly activeEmitter = new Emitter<Conversation>();
  readonly onDidChangeActive = this.activeEmitter.event;

  private constructor(
    private readonly ports: ConversationPorts,
    first: Conversation,
  ) {
    this.current = first;
  }

  /** Opens the window's first conversation: the latest session of the workspace, or a new one. */
  static async open(ports: ConversationPorts, options: { readonly resume: boolean }): Promise<Conversations> {
    const conversation = new Conversation('chat-1', ports, await firstStore(ports, options.resume));
    const conversations = new Conversations(ports, conversation);
    conversations.count = 1;
    await conversation.open();
    return conversations;
  }

  get active(): Conversation {
    return this.current;
  }

  get dialogs(): DialogQueue {
    return this.ports.dialogs;
  }

  get log(): Log {
    return this.ports.log;
  }

  /** Sessions of the workspace, newest first. */
  list(): Promise<readonly SessionInfo[]> {
    return new SessionCatalog(this.ports.sessionDir).list();
  }

  async dispose(): Promise<void> {
    await this.current.dispose();
    this.activeEmitter.dispose();
  }
}

/** A session that cannot be opened must not keep the window from starting: a new one takes its place. */
async function firstStore(ports: ConversationPorts, resume: boolean): Promise<SessionStore> {
  const { sessionDir, cwd, log } = ports;
  try {
    const [latest] = resume ? await new SessionCatalog(sessionDir).list({ limit: 1 }) : [];
    if (latest !== undefined) return await SessionStore.open(latest.file);
  } catch (error) {
    log.error(`The latest session could not be opened: ${messageOf(error)}`, error);
  }
  return SessionStore.create({ dir: sessionDir, cwd });
}
