import * as l10n from '@vscode/l10n';
import { defined } from '../../base/defined';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { Emitter } from '../../base/event';
import type { Log } from '../../base/log';
import type { ReadAccess } from '../../agent/session/file/access';
import type { CompactionFlow } from '../compaction/compaction-flow';
import type { ModelChoice } from '../models/model-choice';
import { readOnlyRefusal } from '../state/refusal';
import type { ConversationPorts } from '../ports/ports';
import type { SessionEvents } from '../ports/session-events';
import type { SessionState } from '../state/session-state';
import { isUnanswered } from '../run/unanswered';
import type { StreamRules } from '../run/stream-rules';
import type { TodoList } from '../run/todo-list';

export interface SessionFollowingParts {
  readonly log: Log;
  readonly state: SessionState;
  readonly events: SessionEvents;
  readonly models: ModelChoice;
  readonly compaction: CompactionFlow;
  readonly rules: StreamRules;
  readonly todos: TodoList;
  readonly prepareView: ConversationPorts['prepareView'];
}

/** Lets a conversation follow its session when that changes, tells what is in it, and reports its problems. */
export class SessionFollowing implements Disposable {
  private watch = new DisposableStore();
  private readonly lossEmitter = new Emitter<ReadAccess>();
  /** Another window or program has taken the current session. */
  readonly onDidLose = this.lossEmitter.event;

  constructor(private readonly parts: SessionFollowingParts) {}

  /** Updates model, level and transcript to the current session. */
  async follow(): Promise<void> {
    const { state, events, models, prepareView } = this.parts;
    this.watchStore();
    const notRestored = await models.followSession();
    await prepareView?.();
    this.tell();
    if (notRestored !== undefined) events.notice('warning', notRestored);
    for (const { message, file, line } of state.store.problems) {
      const place = file === undefined ? {} : { file: { path: file, ...defined({ line }) } };
      events.notice('warning', message, place);
    }
    const { access } = state.store;
    if (access.kind !== 'read') this.markInterrupted();
    if (access.kind === 'read') {
      const { message, more } = readOnlyRefusal(access);
      events.notice('warning', message, more);
    }
  }

  /** Marks a run in whose middle the process ended: it has no answer and no end. */
  private markInterrupted(): void {
    const { state, events } = this.parts;
    const last = state.lastMessage();
    if (last === undefined || !isUnanswered(last)) return;
    // A stopped answer shows that itself.
    if (last.role === 'assistant' && last.stopReason === 'aborted') return;
    events.notice('warning', l10n.t('This run was interrupted.'), { canContinue: true });
  }

  /** Tells everything that is to be shown of the session at its present place. */
  tell(): void {
    const { state, events, compaction, rules, todos } = this.parts;
    compaction.follow();
    rules.forget();
    const { parts, messages, omitted } = state.readTranscript();
    todos.follow(messages);
    events.fire({ type: 'transcript', parts, omitted });
  }

  dispose(): void {
    this.watch.dispose();
    this.lossEmitter.dispose();
  }

  /** Reports failed writes, other writers and entries that turn out to be unreadable, each cause once per session. */
  private watchStore(): void {
    const { state, events, log } = this.parts;
    const { store } = state;
    const reported = new Set<string>();
    this.watch.dispose();
    this.watch = new DisposableStore();
    this.watch.add(store.onDidLose(access => this.lossEmitter.fire(access)));
    this.watch.add(
      store.onDidComplain(({ message, file }) => {
        if (reported.has(message)) return;
        reported.add(message);
        log.warn(`Session ${store.getSessionFile() ?? ''}: ${message}`);
        events.notice('error', message, file === undefined ? {} : { file: { path: file } });
      }),
    );
  }
}
