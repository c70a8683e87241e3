import * as l10n from '@vscode/l10n';
import { defined } from '../../base/defined';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { Emitter } from '../../base/event';
import type { Log } from '../../base/log';
import type { ReadAccess } from '../../agent/session/file/session-file';
import type { SessionCalls } from '../../chat/call-records/session-calls';
import type { ChatModel } from '../../chat/model/chat-model';
import type { CompactionFlow } from '../compaction/compaction-flow';
import type { ModelChoice } from '../models/model-choice';
import type { Presenter } from '../../chat/cards/presenter';
import { readOnlyRefusal } from '../state/refusal';
import type { SessionState } from '../state/session-state';
import { isUnanswered } from '../run/unanswered';
import type { StreamRules } from '../run/stream-rules';
import type { TodoReminders } from '../run/todo-reminders';

export interface SessionDrawingParts {
  readonly log: Log;
  readonly state: SessionState;
  readonly chat: ChatModel;
  readonly presenter: Presenter;
  readonly models: ModelChoice;
  readonly compaction: CompactionFlow;
  readonly rules: StreamRules;
  readonly todos: TodoReminders;
  readonly calls: SessionCalls;
}

/** Redraws a conversation when its session changes, and reports problems of the session. */
export class SessionDrawing implements Disposable {
  private watch = new DisposableStore();
  private readonly redrawEmitter = new Emitter<void>();
  /** The whole chat was replaced. */
  readonly onDidRedraw = this.redrawEmitter.event;
  private readonly lossEmitter = new Emitter<ReadAccess>();
  /** Another window or program has taken the current session. */
  readonly onDidLose = this.lossEmitter.event;

  constructor(private readonly parts: SessionDrawingParts) {}

  /** Updates model, level and drawing to the current session. */
  async follow(): Promise<void> {
    const { state, chat, models, calls } = this.parts;
    this.watchStore();
    const notRestored = await models.followSession();
    await calls.load();
    this.redraw();
    if (notRestored !== undefined) chat.notice('warning', notRestored);
    for (const { message, file, line } of state.store.problems) {
      const place = file === undefined ? {} : { file: { path: file, ...defined({ line }) } };
      chat.notice('warning', message, place);
    }
    const { access } = state.store;
    if (access.kind !== 'read') this.markInterrupted();
    if (access.kind === 'read') {
      const { message, more } = readOnlyRefusal(access);
      chat.notice('warning', message, more);
    }
  }

  /** Marks a run in whose middle the process ended: it has no answer and no end. */
  private markInterrupted(): void {
    const { state, chat } = this.parts;
    const last = state.lastMessage();
    if (last === undefined || !isUnanswered(last)) return;
    // A stopped answer shows that itself.
    if (last.role === 'assistant' && last.stopReason === 'aborted') return;
    chat.notice('warning', l10n.t('This run was interrupted.'), { canContinue: true });
  }

  redraw(): void {
    const { state, chat, presenter, compaction, rules, todos } = this.parts;
    compaction.follow();
    rules.forget();
    todos.forget();
    const { parts, omitted } = state.readTranscript();
    presenter.show(parts);
    if (omitted > 0) chat.notice('info', l10n.t('{0} earlier messages of this session are not shown.', omitted));
    this.redrawEmitter.fire();
  }

  dispose(): void {
    this.watch.dispose();
    this.redrawEmitter.dispose();
    this.lossEmitter.dispose();
  }

  /** Reports failed writes, other writers and entries that turn out to be unreadable, each cause once per session. */
  private watchStore(): void {
    const { state, chat, log } = this.parts;
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
        chat.notice('error', message, file === undefined ? {} : { file: { path: file } });
      }),
    );
  }
}
