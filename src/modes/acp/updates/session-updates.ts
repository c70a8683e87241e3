import { randomUUID } from 'node:crypto';
import type { SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk';
import * as l10n from '@vscode/l10n';
import type { AgentEvent } from '../../../agent/run/events';
import { isFailedOrAborted, type AgentMessage, type AssistantMessage } from '../../../agent/messages';
import { toolCallsOf } from '../../../agent/run/tool-calls';
import { DisposableStore } from '../../../base/disposable';
import { visibleText } from '../../../base/text/visible-text';
import type { DispatchRecord } from '../../../hook-contract/record';
import type { Conversation } from '../../../session/conversation';
import { isForPrograms, type Notice, type ProgramEvent, type ViewEvent } from '../../../session/ports/session-events';
import type { SessionClient } from '../client';
import { Answers, sendMessage } from './answers';
import { sayTo, type Say } from './notices';
import { planOf } from './plan';
import { ToolCalls, type CallInQuestion } from './tool-calls';

export interface SessionUpdatesParts {
  readonly client: SessionClient;
  readonly conversation: Conversation;
  /** Absolute. */
  readonly cwd: string;
}

type EventOf<T extends ProgramEvent['type']> = Extract<ProgramEvent, { readonly type: T }>;

/**
 * Tells the client what happens in a conversation, from its construction until it is disposed. Notices that came before are
 * told at once. What the client did itself is not repeated: its prompts, and an answer that failed, which answers its prompt.
 */
export class SessionUpdates {
  /** Tells the user something that is no part of an answer. */
  readonly say: Say;
  private readonly owned = new DisposableStore();
  private readonly answers: Answers;
  private readonly calls: ToolCalls;
  private readonly showsCompaction: boolean;
  private compactionId = '';
  private usage = '';
  private model: unknown;

  constructor(private readonly parts: SessionUpdatesParts) {
    const { client, conversation, cwd } = parts;
    const { ports, toolset, events } = conversation;
    this.say = sayTo(client);
    this.answers = new Answers(client);
    this.calls = new ToolCalls({ client, cwd, tools: () => toolset.all(), log: ports.log });
    this.showsCompaction = client.capabilities.session?.compaction != null;
    this.model = conversation.status.answering;
    for (const notice of events.notices) this.tellNotice(notice);
    this.owned.add(
      conversation.onDidHappen(event => {
        if (isForPrograms(event)) this.note(event);
        else this.show(event);
      }),
    );
    this.owned.add(ports.hooks.records.onDidDispatch(record => this.follow(record)));
  }

  /** See {@link ToolCalls.permissionCall}. */
  permissionCall(toolCallId: string, asked?: CallInQuestion): Promise<ToolCallUpdate> {
    return this.calls.permissionCall(toolCallId, asked);
  }

  /** See {@link ToolCalls.restore}. */
  restoreCall(toolCallId: string): void {
    this.calls.restore(toolCallId);
  }

  /** Resolves when the client was sent all that happened so far; the answer of a prompt follows that. */
  whenTold(): Promise<void> {
    return this.calls.whenTold();
  }

  /** What the client was sent of an answer and of calls that the session file does not have yet. */
  get unrecorded(): readonly SessionUpdate[] {
    return [...this.answers.unrecorded, ...this.calls.unrecorded];
  }

  /** Tells how full the context is and what the session has cost, unless the client knows. */
  tellUsage(): void {
    const { contextUsage } = this.parts.conversation.status;
    if (contextUsage === undefined || contextUsage.tokens === null) return;
    this.sendUsage(contextUsage.tokens, contextUsage.contextWindow);
  }

  /** Nothing more is told. */
  dispose(): void {
    this.owned.dispose();
  }

  private send(update: SessionUpdate): void {
    this.parts.client.update(update);
  }

  private show(event: ViewEvent): void {
    const { calls } = this;
    switch (event.type) {
      case 'step':
        this.step(event.step);
        return;
      case 'message_replaced': {
        const { message } = event;
        const left = new Set(message.role === 'assistant' ? toolCallsOf(message).map(({ id }) => id) : []);
        for (const { id } of event.calls) {
          if (!left.has(id)) calls.fail(id, l10n.t('A hook removed this call from the answer.'));
        }
        return;
      }
      case 'call_input':
        calls.changeInput(event.toolCallId, event.input);
        return;
      case 'tool_clock':
        if (event.isRunning) calls.begin(event.toolCallId);
        return;
      case 'command_output':
        calls.addOutput(event.toolCallId, event.chunk);
        return;
      case 'command_end':
        calls.exit(event.toolCallId, event.exitCode, event.signal);
        return;
      case 'notice':
        this.tellNotice(event.notice);
        return;
      case 'transcript':
        calls.endRun();
        return;
      case 'status_changed': {
        const { answering } = this.parts.conversation.status;
        if (answering === this.model) return;
        this.model = answering;
        this.tellUsage();
        return;
      }
      case 'message_announced':
      case 'message_withdrawn':
      case 'answer_dropped':
      case 'call_admitted':
      case 'command_state':
      case 'command_over':
      case 'question':
      case 'shell':
      case 'session_leaving':
      case 'session_entered':
      case 'text_returned':
        return;
    }
  }

  /** A hook that changes the input of a call is heard of before the call runs. */
  private follow({ conversation, toolCallId, event, before, input }: DispatchRecord): void {
    if (conversation !== this.parts.conversation.id || event !== 'tool_call' || before === undefined) return;
    if (toolCallId !== undefined && input !== undefined) this.calls.changeInput(toolCallId, input);
  }

  private step(step: AgentEvent): void {
    const { answers, calls } = this;
    switch (step.type) {
      case 'message_start':
        if (step.message.role === 'assistant') answers.begin();
        return;
      case 'message_update': {
        const { assistantMessageEvent: part } = step;
        answers.add(part);
        if (part.type !== 'toolcall_end') return;
        const { id: toolCallId, name, arguments: input } = part.toolCall;
        calls.announce({ toolCallId, name, input });
        return;
      }
      case 'message_end':
        this.endMessage(step.message);
        return;
      case 'tool_execution_start': {
        const { toolCallId, toolName: name, args: input, parentToolCallId } = step;
        calls.announce({ toolCallId, name, input, parentToolCallId });
        return;
      }
      case 'tool_execution_end':
        calls.end(step);
        return;
      case 'turn_end':
        this.tellUsage();
        return;
      case 'agent_end':
        calls.endRun();
        return;
      case 'tool_execution_update':
        calls.showPartial(step.toolCallId, step.partialResult);
        return;
      case 'agent_start':
      case 'turn_start':
        return;
    }
  }

  private endMessage(message: AgentMessage): void {
    const { client, conversation } = this.parts;
    switch (message.role) {
      case 'assistant':
        this.endAnswer(message);
        return;
      case 'user':
        if (conversation.inbox.waiting.isOfHook(message)) sendMessage(client, 'user_message_chunk', message.content);
        return;
      case 'custom':
        if (message.display) sendMessage(client, 'agent_message_chunk', message.content);
        return;
      case 'toolResult':
        this.calls.forget(message.toolCallId);
        return;
      case 'system':
      case 'bashExecution':
      case 'branchSummary':
      case 'compactionSummary':
        return;
    }
  }

  private endAnswer(message: AssistantMessage): void {
    this.answers.end(message);
    const isWhole = !isFailedOrAborted(message);
    for (const { id: toolCallId, name, arguments: input } of toolCallsOf(message)) {
      if (isWhole) this.calls.announce({ toolCallId, name, input });
      else this.calls.fail(toolCallId, l10n.t('The answer ended before this call was complete.'));
    }
  }

  private note(event: ProgramEvent): void {
    switch (event.type) {
      case 'session_info_changed':
        this.send({
          sessionUpdate: 'session_info_update',
          title: event.name === undefined ? null : visibleText(event.name),
        });
        return;
      case 'compaction_start':
        if (!this.showsCompaction) return;
        this.compactionId = randomUUID();
        this.send({ sessionUpdate: 'compaction_update', compactionId: this.compactionId, status: 'in_progress' });
        return;
      case 'compaction_end':
        this.endCompaction(event);
        return;
      case 'todos_changed':
        this.send(planOf(event.todos));
        return;
      case 'auto_retry_start': {
        const { errorMessage, attempt, maxAttempts, delayMs } = event;
        const seconds = Math.round(delayMs / 1_000);
        const text = l10n.t('The request failed: {0}', errorMessage);
        this.say('warning', `${text} ${l10n.t('Try {0} of {1} follows in {2} s.', attempt, maxAttempts, seconds)}`);
        return;
      }
      // Steps tell the same, or these concern other programs.
      case 'agent_start':
      case 'agent_end':
      case 'agent_settled':
      case 'approval_mode_changed':
      case 'auto_retry_end':
      case 'entry_appended':
      case 'message_start':
      case 'message_update':
      case 'message_end':
      case 'queue_update':
      case 'summarization_retry_scheduled':
      case 'summarization_retry_attempt_start':
      case 'summarization_retry_finished':
      case 'thinking_level_changed':
      case 'tool_execution_start':
      case 'tool_execution_update':
      case 'tool_execution_end':
      case 'turn_start':
      case 'turn_end':
        return;
    }
  }

  private endCompaction({ result, aborted, errorMessage }: EventOf<'compaction_end'>): void {
    if (result !== undefined) this.sendUsage(result.estimatedTokensAfter, undefined);
    if (!this.showsCompaction || this.compactionId === '') return;
    const { compactionId } = this;
    this.compactionId = '';
    const update = { sessionUpdate: 'compaction_update', compactionId } as const;
    if (result !== undefined) {
      this.send({ ...update, status: 'completed', summary: [{ type: 'text', text: result.summary }] });
    } else if (aborted) this.send({ ...update, status: 'cancelled' });
    else this.send({ ...update, status: 'failed', error: errorMessage ?? l10n.t('The summary failed.') });
  }

  private sendUsage(tokens: number, window = this.parts.conversation.status.contextUsage?.contextWindow): void {
    if (window === undefined || window <= 0) return;
    const amount = this.parts.conversation.state.spending.current?.cost.total;
    const cost = amount === undefined ? {} : { cost: { amount, currency: 'USD' } };
    const update = { sessionUpdate: 'usage_update', used: Math.round(tokens), size: window, ...cost } as const;
    const told = JSON.stringify(update);
    if (told === this.usage) return;
    this.usage = told;
    this.send(update);
  }

  private tellNotice({ level, text, file, hook, about }: Notice): void {
    if (about === 'compaction' && this.showsCompaction) return;
    const line = file?.line === undefined ? '' : `:${file.line}`;
    this.say(level, file === undefined ? text : `${text} (${file.path}${line})`, hook?.path);
  }
}
