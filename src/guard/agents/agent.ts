import type { AgentCall, AgentId } from '../protocol/agent-call';

/** A tool call with pi's names of the tool and of its arguments; paths are absolute. */
export interface TranslatedCall {
  readonly toolName: string;
  readonly input: Record<string, unknown>;
}

/** What every event of an agent says. */
export interface GuardedEventBase {
  readonly agent: AgentId;
  /** The agent's own name of the event. */
  readonly name: string;
  readonly sessionId: string;
  /** Where the agent works now, absolute. */
  readonly cwd: string;
  /** The folder that the agent was started in, absolute, where it says it. */
  readonly projectDir?: string;
  readonly version?: string;
  readonly model?: string;
  /** Whether a person sits at the agent; undefined where it does not say. */
  readonly isAttended?: boolean;
  readonly subagent?: { readonly id: string; readonly type?: string };
  /** The agent's id of what its user last asked for, where every entry of its configuration gets it. */
  readonly turnId?: string;
}

/** Names a session among those of all agents. Questions of hooks in it have it as `conversationId`. */
export function sessionKey({ agent, sessionId }: { readonly agent: string; readonly sessionId: string }): string {
  return `${agent}:${sessionId}`;
}

/** An event of an agent, in one form for all agents. */
export type GuardedEvent = GuardedEventBase &
  (
    | { readonly type: 'session_start'; readonly reason: 'startup' | 'resume' | 'clear' | 'compact' }
    | { readonly type: 'prompt'; readonly text: string }
    | {
        readonly type: 'tool_call';
        /**
         * The same for the result of the call. An agent that gives its calls no ids (Copilot) gets one that is made of the
         * session and the call: an equal call has it again.
         */
        readonly toolCallId: string;
        /** The agent gave no id, so that another call may have this one. */
        readonly isMadeId?: true;
        /** One call as the hooks see it, or several: a patch is one for each file. Never empty. */
        readonly calls: readonly TranslatedCall[];
        /** The tool and its arguments as the agent named them. */
        readonly original: { readonly name: string; readonly input: Readonly<Record<string, unknown>> };
      }
    | {
        readonly type: 'tool_result';
        readonly toolCallId: string;
        readonly isMadeId?: true;
        readonly calls: readonly TranslatedCall[];
        readonly original: { readonly name: string; readonly input: Readonly<Record<string, unknown>> };
        /** The text of the result as the model gets it. */
        readonly text: string;
        readonly isError: boolean;
        /** The result as the agent gave it: a replacement needs its form. */
        readonly response: unknown;
      }
    /** `isContinued`: the agent goes on because a hook already asked it to. */
    | { readonly type: 'stop'; readonly isContinued: boolean; readonly lastText?: string }
    | { readonly type: 'before_compact'; readonly trigger: 'manual' | 'auto'; readonly instructions?: string }
    | { readonly type: 'after_compact' }
    | { readonly type: 'subagent_start' | 'subagent_stop' }
    | { readonly type: 'session_end'; readonly reason: string }
    /** An event that Hookline does not know, or that only informs. */
    | { readonly type: 'other' }
  );

export type GuardedEventOf<T extends GuardedEvent['type']> = Extract<GuardedEvent, { readonly type: T }>;

/** What hooks decided about an event. What the event of an agent cannot take, its writer turns into a denial that says so. */
export interface EventAnswer {
  /** The call, prompt or compaction must not happen; never empty. */
  readonly deny?: string;
  /** The agent asks its own user with this text; only where {@link AgentContract.asks}. */
  readonly ask?: string;
  /** New arguments of a call, with pi's names, for each of the event's calls; absent where nothing changed. */
  readonly input?: readonly Readonly<Record<string, unknown>>[];
  /** Text for the model, beside the prompt, the call or the result. */
  readonly context?: string;
  /** Replaces the text of the result; `isWithheld`: nobody may see the result. */
  readonly result?: { readonly text: string; readonly isError: boolean; readonly isWithheld?: true };
  /** The agent goes on with this text in place of stopping. */
  readonly goOn?: string;
}

/** What the writer made of an answer. */
export interface WrittenAnswer {
  /** One JSON object as text, or empty: no decision. */
  readonly output: string;
  /** Parts of the answer that this agent cannot take and that were left out, in words: `text added to the prompt`. */
  readonly unsupported: readonly string[];
  /** The answer became this denial, since the agent would have ignored what it asked for. */
  readonly denied?: string;
  /** The `toolCallId` of the result, where changed arguments change it. */
  readonly resultId?: string;
}

/** An event that the client is registered for. */
export interface ContractEvent {
  /** The agent's own name. */
  readonly name: string;
  readonly type: GuardedEvent['type'];
  /** No answer is a denial. */
  readonly gates: boolean;
}

/** How one agent calls hooks and reads their answers (docs/guard.md). */
export interface AgentContract {
  readonly id: AgentId;
  /** As users know it. */
  readonly name: string;
  /** The newest version that the tests ran; undefined: they ran none, and the contract is what the agent's documentation says. */
  readonly testedVersion: string | undefined;
  /** npm package; undefined where it is in none. */
  readonly package: string | undefined;
  /** Whether the agent can ask its user with the text of a hook, before a tool runs. */
  readonly asks: boolean;
  readonly events: readonly ContractEvent[];
  /** @throws {BadPayloadError} that says what is wrong with it */
  read(call: AgentCall): GuardedEvent;
  write(event: GuardedEvent, answer: EventAnswer): WrittenAnswer;
  /** The agent's form of a refusal for an event of this name, whose payload may be unreadable; empty where none can be refused. */
  refuse(eventName: string, reason: string): string;
}

/** A payload that cannot be read; the message names the agent, the event and the member. */
export class BadPayloadError extends Error {}
