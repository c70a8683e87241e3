import * as l10n from '@vscode/l10n';
import { toolFacts } from '../../agent/tools';
import { toolKind } from '../../gate/calls/call-details';
import { defined } from '../../base/defined';
import { anySignal } from '../../base/async/wait';
import type { Answer, DialogKind, DialogOrigin, HookQuestion } from '../../hook-contract/ui/ui';
import type { HookConversation } from '../../hook-contract/conversation-port';
import type { HookRef } from '../../protocol/items/chat-item';
import { hookRef } from '../../transcript/hook-ref';
import type { DialogQueue, Question } from '../ports/dialogs';
import type { Neighbours } from '../ports/ports';
import type { QuestionChange, SessionEvents } from '../ports/session-events';

export interface HookQuestionsParts {
  readonly events: SessionEvents;
  readonly dialogs: DialogQueue;
  /** The conversation as hooks see it. */
  readonly conversation: HookConversation;
  /** Absent where there is but one conversation. */
  readonly neighbours: Neighbours | undefined;
  /** See {@link Question.guarded}. */
  readonly guarded?: Question['guarded'];
}

/** A call that a question may be about. */
interface CallInWords {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The questions of hooks in one conversation; through the queue, each is on every view of the window at the same time. */
export class HookQuestions {
  /** Ids of questions that are shown or wait. */
  private readonly open = new Set<string>();
  /** What the user tells the model about calls they denied in questions of hooks: tool call id -> message. */
  private readonly denials = new Map<string, string>();
  /** Calls that have begun and not ended, by id; their arguments as hooks changed them. */
  private readonly calls = new Map<string, CallInWords>();
  private count = 0;

  constructor(private readonly parts: HookQuestionsParts) {
    parts.events.event(event => {
      if (event.type === 'call_input') this.noteInput(event.toolCallId, event.input);
      if (event.type === 'agent_settled') {
        // Calls of an agent that was stopped have no end.
        this.calls.clear();
        this.denials.clear();
      }
      if (event.type !== 'step') return;
      const { step } = event;
      if (step.type === 'tool_execution_start') {
        this.calls.set(step.toolCallId, { name: step.toolName, args: step.args });
      }
      if (step.type === 'tool_execution_end') this.calls.delete(step.toolCallId);
    });
  }

  /** Questions that are shown or wait. */
  get openCount(): number {
    return this.open.size;
  }

  /** Closes all questions as canceled. */
  cancelAll(): void {
    for (const id of this.open) this.parts.dialogs.cancel(id);
  }

  async ask(asked: HookQuestion): Promise<Answer> {
    const { dialogs, events } = this.parts;
    const { toolCallId, input } = asked.origin;
    if (toolCallId !== undefined && input !== undefined) events.fire({ type: 'call_input', toolCallId, input });
    const question = this.question(asked);
    const tell = (change: QuestionChange): void => events.fire({ type: 'question', question, change });
    const signal = anySignal(asked.signal, this.parts.conversation.signal);
    this.open.add(question.id);
    tell({ type: 'waiting' });
    try {
      const answer = await dialogs.ask(question, {
        signal,
        onShown: () => tell({ type: 'open' }),
        onOver: given => {
          const denial = denialIn(given);
          if (denial !== undefined && toolCallId !== undefined && !isOfGate(asked)) {
            this.denials.set(toolCallId, denial);
          }
          tell({ type: 'over', answer: given });
        },
      });
      return answer;
    } finally {
      this.open.delete(question.id);
      tell({ type: 'settled' });
    }
  }

  /** What the user told the model with the denial of this call; once. */
  takeDenial(toolCallId: string): string | undefined {
    const message = this.denials.get(toolCallId);
    this.denials.delete(toolCallId);
    return message;
  }

  private noteInput(toolCallId: string, args: CallInWords['args']): void {
    const call = this.calls.get(toolCallId);
    if (call !== undefined) this.calls.set(toolCallId, { ...call, args });
  }

  private question(asked: HookQuestion): Question {
    const { title, message, dialog, origin, instead, asksWhy, asker, subject, timeout } = asked;
    const { conversation, neighbours, guarded } = this.parts;
    const { toolCallId } = origin;
    return {
      id: `gate:${conversation.id}:${++this.count}`,
      hook: askerOf(origin, instead),
      title,
      message,
      dialog,
      ...(asksWhy !== true && canDeny(dialog, origin) ? { canDeny: true as const } : {}),
      asker,
      conversationId: conversation.id,
      ...defined({
        subject,
        call: this.waitingCall(asked),
        guarded,
        conversation: neighbours?.nameAmongOthers(),
        toolCallId,
        about: this.about(origin),
        timeout,
      }),
      ...(instead === 'dry-run' ? { isTrial: true as const } : {}),
    };
  }

  /** See {@link Question.call}. */
  private waitingCall(asked: HookQuestion): Question['call'] {
    const { toolName, input } = asked.origin;
    if (asked.subject !== undefined || !decides(asked) || toolName === undefined || input === undefined) {
      return undefined;
    }
    if ((toolFacts(toolName).file(input)?.use ?? 'read') === 'read') return undefined;
    const { conversation } = this.parts;
    const tool = conversation.allTools().find(({ name }) => name === toolName);
    // A tool of a hook with this name may write elsewhere. Other agents list no tools.
    if (tool !== undefined && toolKind(tool) !== 'writes') return undefined;
    return { toolName, kind: 'writes', input, cwd: conversation.cwd };
  }

  /** The call that a question is about, as the user knows it. */
  private about({ toolCallId = '', toolName, input }: DialogOrigin): Question['about'] {
    const call = this.calls.get(toolCallId);
    const tool = call?.name ?? toolName;
    const args = call?.args ?? input;
    if (tool === undefined) return undefined;
    return { tool, summary: args === undefined ? '' : toolFacts(tool).summarize(args) };
  }
}

/** Who asks, as the user reads it: a hook that does not run asks nothing, and one that is tried asks about nothing real. */
function askerOf({ hookPath }: HookQuestion['origin'], instead: HookQuestion['instead']): HookRef {
  const hook = hookRef(hookPath);
  switch (instead) {
    case 'missing-guard':
      return { ...hook, name: 'Hookline' };
    case 'dry-run':
      return { ...hook, name: l10n.t('Test of {0}', hook.name) };
    case undefined:
      return hook;
  }
}

/** Whether a call waits for the answer itself, and not for that of a question before. */
function decides({ asker, origin, instead }: HookQuestion): boolean {
  if (instead !== undefined) return instead === 'missing-guard';
  return origin.event === 'tool_call' && !(asker.type === 'gate' && asker.follows === true);
}

/** The gate passes on itself what the user says: it also asks about calls of agents that the named call started. */
function isOfGate({ asker, instead }: HookQuestion): boolean {
  return asker.type === 'gate' && instead === undefined;
}

function canDeny({ type }: DialogKind, { toolCallId, event }: DialogOrigin): boolean {
  return toolCallId !== undefined && event !== 'tool_result' && (type === 'select' || type === 'confirm');
}

/** What the user says with a denial; undefined for a blank text, and for other answers. */
export function denialIn(answer: Answer): string | undefined {
  const message = typeof answer === 'object' && 'denied' in answer ? answer.denied.trim() : '';
  return message === '' ? undefined : message;
}
