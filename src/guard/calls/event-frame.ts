import type { DispatchRecord } from '../../hook-contract/record';
import type { Answer, HookQuestion } from '../../hook-contract/ui/ui';
import type { GuardedEvent } from '../agents/agent';

/** Why a call is denied whose question reached nobody. */
export const NOBODY_ASKED =
  'A hook asks about this call, and nobody could be asked. Open its folder in VS Code, or run "hookline guard watch" in a terminal.';

/** Where a text for the model can go that a hook sends during an event. */
type TextPlace = 'context' | 'goOn' | 'nowhere';

/** What a frame needs to know of its event. */
export type FramedEvent = Pick<GuardedEvent, 'type'> & { readonly isContinued?: boolean };

/** What hooks do while one event of an agent is handled, besides what their handlers return. */
export class EventFrame {
  /** Texts that hooks sent to the model. */
  readonly texts: string[] = [];
  /** ms that a person was waited for. */
  askedMs = 0;
  /** How many questions that decide about the event were asked. */
  questions = 0;
  /** The text with which the agent asks its own user, and the hook whose text it is. */
  agentAsks: { readonly text: string; readonly hookPath: string } | undefined;
  /** A question that decides about the event could not be asked. */
  isUnanswered = false;
  /** The calls of handlers for the event. */
  readonly records: Pick<DispatchRecord, 'hookPath' | 'outcome'>[] = [];

  constructor(
    readonly event: FramedEvent,
    /** Ends the handling of the event. */
    readonly signal: AbortSignal,
  ) {}

  /** Where texts go that a hook sends now. */
  get textPlace(): TextPlace {
    const { event } = this;
    switch (event.type) {
      case 'session_start':
      case 'prompt':
      case 'tool_call':
      case 'tool_result':
        return 'context';
      case 'stop':
        return event.isContinued === true ? 'nowhere' : 'goOn';
      case 'before_compact':
      case 'after_compact':
      case 'subagent_start':
      case 'subagent_stop':
      case 'session_end':
      case 'other':
        return 'nowhere';
    }
  }

  /** The texts as one; undefined where there are none. */
  get text(): string | undefined {
    return this.texts.length === 0 ? undefined : this.texts.join('\n\n');
  }

  /** The hooks whose handlers changed something, in order. */
  get changedBy(): readonly string[] {
    return this.records.flatMap(({ hookPath, outcome }) => (outcome.type === 'returned' ? [hookPath] : []));
  }

  /**
   * Leaves a question to the agent's own user, if it is the first one about a call and a plain yes or no. The hook gets the
   * answer yes, and the agent asks. Else the answer is none, and the call must not run.
   */
  leaveToAgent(question: HookQuestion, agentCanAsk: boolean): Answer {
    if (this.event.type !== 'tool_call' || question.asker.type === 'listening') return undefined;
    this.questions += 1;
    const yes = agentCanAsk && this.questions === 1 ? plainYes(question) : undefined;
    if (yes === undefined) {
      this.isUnanswered = true;
      return undefined;
    }
    const { title, message, origin } = question;
    this.agentAsks = { text: [title, message].filter(Boolean).join('\n'), hookPath: origin.hookPath };
    return yes;
  }
}

/** The answer that allows this one call; undefined where the question asks for more than yes or no. */
function plainYes({ dialog, subject }: HookQuestion): Answer {
  if (dialog.type === 'confirm') return true;
  if (dialog.type !== 'select' || subject?.type !== 'call') return undefined;
  return dialog.options[dialog.meanings?.indexOf('allowOnce') ?? -1];
}
