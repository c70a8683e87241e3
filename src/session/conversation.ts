import * as l10n from '@vscode/l10n';
import { isDeepStrictEqual } from 'node:util';
import type { ImageContent } from '@mariozechner/pi-ai';
import { releaseSession } from '../agent/models/pi-ai';
import type { AgentEvent } from '../agent/run/events';
import type { ReadAccess } from '../agent/session/file/access';
import type { SessionStore } from '../agent/session/store';
import { defined } from '../base/defined';
import { DisposableStore } from '../base/disposable';
import type { HookError } from '../hook-contract/record';
import type { ChildCall } from '../hook-run/host/child-call';
import type { Delivery } from '../protocol/composer/composer';
import type { ResourceSource } from '../startup/resources';
import { hookRef } from '../transcript/hook-ref';
import { storedOutcome } from '../transcript/stored-outcome';
import { Approvals } from './approvals/approvals';
import { RunningCommands } from './commands/running-commands';
import { CompactionFlow } from './compaction/compaction-flow';
import { ConversationForHooks } from './conversation-for-hooks';
import { droppedReasoningText } from './models/dropped-reasoning';
import { ModelChoice } from './models/model-choice';
import { SessionFlow } from './moves/session-flow';
import { SessionFollowing } from './moves/session-following';
import { TreeFlow } from './moves/tree-flow';
import type { ConversationPorts } from './ports/ports';
import { SessionEvents } from './ports/session-events';
import { HOOK_WAIT_MS, type HookWait } from './ports/wait-for-hooks';
import { Inbox } from './prompts/inbox';
import type { Disposition } from './prompts/prompt-pipeline';
import { runAgain } from './prompts/run-again';
import { UserShells } from './prompts/user-bash';
import { HookQuestions } from './questions/hook-questions';
import { CallChanges } from './run/call-changes';
import { HookEventQueue } from './run/hook-event-queue';
import { RunControl } from './run/run-control';
import { SessionWriting } from './run/session-writing';
import { StreamRules } from './run/stream-rules';
import { TodoList } from './run/todo-list';
import { Toolset } from './run/toolset';
import { SessionStatus } from './session-status';
import { readOnlyRefusal } from './state/refusal';
import { SessionState } from './state/session-state';

/**
 * One conversation: an agent, its session and its hooks. It tells all that happens as events, and knows no view. Each part
 * is created from earlier ones.
 */
export class Conversation {
  private readonly owned = new DisposableStore();
  readonly events = this.owned.add(new SessionEvents());
  /** All events of the conversation, in order. */
  readonly onDidHappen = this.events.event;
  /** The session that is open now, and what the conversation is about. */
  readonly state: SessionState;
  readonly resources: ResourceSource;
  /** The conversation as hooks see it. */
  readonly forHooks: ConversationForHooks;
  /** Absent where there are none. */
  readonly approvals: Approvals | undefined;
  /** What hooks ask the user here. */
  readonly questions: HookQuestions;
  /** For steps that must come to their end whatever hooks do. */
  readonly hookWait: HookWait;
  readonly toolset: Toolset;
  readonly models: ModelChoice;
  /** What the agent plans to do. */
  readonly todos: TodoList;
  readonly run: RunControl;
  readonly status: SessionStatus;
  /** Commands that calls run; undefined where each call waits for its command. */
  readonly commands: RunningCommands | undefined;
  /** Commands that the user runs beside the agent. */
  readonly shells: UserShells;
  readonly tree: TreeFlow;
  readonly sessions: SessionFlow;
  readonly inbox: Inbox;
  private readonly following: SessionFollowing;

  constructor(
    readonly id: string,
    readonly ports: ConversationPorts,
    store: SessionStore,
  ) {
    const { events } = this;
    const { log, dialogs, neighbours, hookWaitMs, prepareView } = ports;
    const state = (this.state = new SessionState(store));
    const resources = (this.resources = ports.resources);
    const conversation = (this.forHooks = new ConversationForHooks(this));
    const approvals = (this.approvals =
      ports.approvals && this.owned.add(new Approvals(ports.approvals, state, conversation, ports.changes)));
    const questions = (this.questions = new HookQuestions({ events, dialogs, conversation, neighbours }));
    const isAsking = (): boolean => questions.openCount > 0;
    const hookWait = (this.hookWait = this.waitFor(isAsking));

    // What a run needs, and the run.
    const todos = (this.todos = this.owned.add(new TodoList({ ports, conversation, events })));
    const changes = ports.changes && new CallChanges(ports.changes, state);
    const hookEvents = new HookEventQueue(log, isAsking, hookWaitMs);
    const running = { ports, events, state, conversation, hookEvents, todos };
    const commands = (this.commands = ports.keepsCommands === true ? this.keepCommands() : undefined);
    const toolset = (this.toolset = new Toolset({ ...running, changes, commands, approvals }));
    const models = (this.models = new ModelChoice({ ports, state, conversation, hookWait, events }));
    const rules = new StreamRules({ resources, state });
    const compaction = new CompactionFlow({ ports, state, conversation, events });
    const writing = new SessionWriting({ log, state, events, compaction, rules, todos });
    const control = (this.run = new RunControl({ ...running, toolset, writing, compaction, rules }));
    this.owned.add(control.warmer);
    this.status = new SessionStatus({ ports, state, compaction, control });
    const shellParts = { ports, state, events, conversation, control, writing };
    const shells = (this.shells = new UserShells(shellParts, hookWaitMs ?? HOOK_WAIT_MS));

    // Going from one session, or place in it, to another.
    const followed = { log, state, events, models, compaction, rules, todos, prepareView };
    const following = (this.following = this.owned.add(new SessionFollowing(followed)));
    this.tree = new TreeFlow({ ports, state, conversation, control, following, events });
    this.sessions = new SessionFlow({
      ports,
      state,
      hookWait,
      control,
      hookEvents,
      shells,
      commands,
      following,
      events,
    });

    // What comes in.
    this.inbox = new Inbox({ ports, conversation, resources, events, shells, toolset, state, control });
    this.listen();
  }

  /** Lets model, level, context and transcript follow the session. Call once after construction; tells no hook. */
  async open(): Promise<void> {
    this.state.readContext();
    await this.following.follow();
  }

  get store(): SessionStore {
    return this.state.store;
  }

  /**
   * Sends a text from outside of a chat, where only commands of hooks have a meaning. Rejects when it is refused, else
   * `onAccepted` is called first; failures of the run itself are in the messages. Resolves when all is done.
   */
  prompt(
    text: string,
    options: {
      readonly images?: readonly ImageContent[];
      readonly source?: 'interactive' | 'rpc';
      /** What to do while a run is going on; undefined: refuse. */
      readonly delivery?: Delivery;
      readonly onAccepted?: (disposition: Disposition) => void;
    } = {},
  ): Promise<void> {
    const { images = [], source = 'interactive', delivery, onAccepted } = options;
    return this.inbox.send({ text, images, source, delivery, ...defined({ onAccepted }) });
  }

  /** See {@link runAgain}. */
  runAgain(toolCallId: string | undefined): Promise<void> {
    const { events, run, state, toolset, inbox } = this;
    return runAgain(toolCallId, { events, control: run, state, toolset, inbox });
  }

  /** Takes the right to write to the session from another window. */
  async takeOver(): Promise<void> {
    // What was stopped when this window lost the session may still be ending.
    await this.run.waitForSettled();
    await this.store.takeOver();
    await this.open();
  }

  /** Tells the user what a hook threw, with the place it was thrown at. */
  reportHookError(error: HookError): void {
    const { file, line, column } = error;
    const place = defined({ line, column });
    const text = l10n.t('Hook "{0}" error in {1}: {2}', hookRef(error.hookPath).name, error.event, error.message);
    this.events.notice('error', text, {
      hook: hookRef(error.hookPath, line),
      ...defined({ detail: error.stack }),
      ...(file === undefined ? {} : { file: { path: file, ...place } }),
    });
  }

  /** Ends the run and the commands that run on. */
  async endWork(): Promise<void> {
    await this.run.stop();
    await this.commands?.endAll();
  }

  /** Ends everything and lets go of the session file. The owner of the hooks notifies them. */
  async dispose(): Promise<void> {
    await this.endWork();
    this.owned.dispose();
    await releaseSession(this.store.getSessionId());
    await this.store.dispose();
  }

  private keepCommands(): RunningCommands {
    const { events, ports, state } = this;
    return new RunningCommands({
      ...{ events, log: ports.log },
      tell: async message => {
        if (state.store.access.kind === 'read') return; // Another window has the session.
        await this.inbox.sendCustom(message, { triggerTurn: false, afterTurn: true });
      },
    });
  }

  private waitFor(isAsking: () => boolean): HookWait {
    const { ports, events, forHooks } = this;
    return {
      hooks: ports.hooks,
      conversation: forHooks,
      isAsking,
      ...defined({ hookWaitMs: ports.hookWaitMs }),
      onSlowHook: ({ text, hookPath }) => {
        ports.log.warn(text);
        events.notice('warning', text, hookPath === undefined ? {} : { hook: hookRef(hookPath) });
      },
    };
  }

  /** What happens in one part and counts in another. */
  private listen(): void {
    const { ports, events, run, inbox, models, approvals, following } = this;
    const { steering, followUps } = run.agent;
    const statusChanged = (): void => events.fire({ type: 'status_changed' });
    let lastQueue = inbox.waiting.unbegunTexts;
    const reportQueue = (): void => {
      const texts = inbox.waiting.unbegunTexts;
      if (isDeepStrictEqual(texts, lastQueue)) return;
      lastQueue = texts;
      events.fire({ type: 'queue_update', ...texts });
    };
    let lastMode = approvals?.mode;
    const reportMode = (): void => {
      const mode = approvals?.mode;
      if (mode === undefined || mode === lastMode) return;
      lastMode = mode;
      events.fire({ type: 'approval_mode_changed', mode });
    };
    const approvalsChanged = (): void => {
      statusChanged();
      reportMode();
    };
    for (const subscription of [
      ports.hooks.onDidCallInChild(call => {
        if (call.conversation !== this.id) return;
        events.fire({ type: 'step', step: childEvent(call), byUser: false });
        // That agent has its own gates; their verdict is in the end of the call.
        if (call.step.step === 'start') {
          events.fire({ type: 'tool_clock', toolCallId: call.step.id, isRunning: true });
        }
      }),
      steering.onDidChange(reportQueue),
      followUps.onDidChange(reportQueue),
      this.onDidHappen(event => {
        if (event.type !== 'message_end' || event.message.role !== 'assistant') return;
        if (!ports.settings.current.showCacheMissNotices) return;
        const text = droppedReasoningText(event.message, run.agent.messages);
        if (text !== undefined) events.notice('warning', text);
      }),
      run.onDidChangePhase(statusChanged),
      following.onDidLose(access => void this.leaveLostSession(access)),
      approvals?.onDidChange(approvalsChanged),
      ports.approvals?.onDidChange?.(approvalsChanged),
      this.onDidHappen(({ type }) => {
        if (type === 'session_entered') reportMode();
      }),
      ports.models.onDidChange(() => void models.modelsChanged()),
    ]) {
      if (subscription !== undefined) this.owned.add(subscription);
    }
  }

  /**
   * Another window or program has taken the session. What goes on could not be recorded: open questions close as canceled,
   * everything active stops, and texts that wait return to the composer. Resolves when all has ended; never rejects.
   */
  private async leaveLostSession(access: ReadAccess): Promise<void> {
    const { ports, events, run, questions, shells, commands } = this;
    const runsOn = (commands?.letGo.length ?? 0) > 0;
    const wasActive = !run.isIdle || shells.isRunning || runsOn || questions.openCount > 0;
    const text = l10n.t('Another window or program has taken over this session.');
    ports.log.warn(`The session is lost: ${access.reason}`);
    const { more } = readOnlyRefusal(access);
    events.notice('error', wasActive ? `${text} ${l10n.t('What was running here was stopped.')}` : text, more);
    questions.cancelAll();
    await run.stop(ports.mode === 'tui' ? 'person' : 'program');
    await commands?.endAll();
  }
}

/** A step of a call in an agent that a tool started, as a step of a call that the tool made. */
function childEvent({ parentToolCallId, step }: ChildCall): AgentEvent {
  const call = { toolCallId: step.id, toolName: step.name, parentToolCallId };
  if (step.step === 'start') return { type: 'tool_execution_start', ...call, args: step.args };
  const { isError, error, durationMs } = step;
  return {
    type: 'tool_execution_end',
    ...call,
    isError,
    result: { content: [{ type: 'text', text: error }], details: undefined },
    // The agent is another process, which only sends the text of its outcome.
    outcome: storedOutcome({ toolName: step.name, text: error, isError }),
    ...defined({ durationMs }),
  };
}
