import type { ImageContent, ToolCall } from '@mariozechner/pi-ai';
import type { AgentEvent, PiEvent } from '../../agent/run/events';
import type { AgentMessage, AssistantMessage, UserMessage } from '../../agent/messages';
import type { EntryId, StoredEntry } from '../../agent/session/entry';
import type { Todo } from '../../agent/tools/todo';
import type { CommandExit } from '../../agent/tools/tool';
import { Emitter } from '../../base/event';
import type { ApprovalMode } from '../../hook-contract/approvals/approval-mode';
import type { Answer } from '../../hook-contract/ui/ui';
import type { BashOutcome, CompactionResult } from '../../hook-contract/hook-event';
import type { NoticeItem } from '../../protocol/items/chat-item';
import type { TextFile } from '../../protocol/composer/composer';
import type { RecordedCommandEnd } from '../../transcript/command-end';
import type { Question } from './dialogs';

export type CompactionReason = 'manual' | 'threshold' | 'overflow';

/** The purpose of a summary. */
export type SummaryPurpose =
  { readonly source: 'compaction'; readonly reason: CompactionReason } | { readonly source: 'branchSummary' };

/** The result of a compaction, in pi's words. */
export type CompactionOutcome = CompactionResult & {
  /** Size of the context now, estimated from its characters. */
  readonly estimatedTokensAfter: number;
};

export interface CompactionEnd {
  readonly result: CompactionOutcome | undefined;
  readonly aborted: boolean;
  /** The failed request is repeated with the shorter context. */
  readonly willRetry: boolean;
  readonly errorMessage?: string;
}

type EventOf<T extends PiEvent['type']> = Extract<PiEvent, { readonly type: T }>;

/**
 * What programs see of a conversation, in the words of pi 1.5 (docs/cli.md): the events of runs, after hooks handled
 * them, and others. `src/modes/protocol` writes them for the versions of the protocol.
 */
export type ProgramEvent =
  | Exclude<PiEvent, EventOf<'agent_end'>>
  /** `willRetry`: the run failed for a temporary reason and is retried. */
  | (EventOf<'agent_end'> & { readonly willRetry: boolean })
  /** Nothing follows the run any more: no retry, no compaction, no queued message. */
  | { readonly type: 'agent_settled'; readonly aborted: boolean }
  /** A hook added its own entry to the session, or an entry that edits another one. */
  | { readonly type: 'entry_appended'; readonly entry: StoredEntry }
  | { readonly type: 'queue_update'; readonly steering: readonly string[]; readonly followUp: readonly string[] }
  | { readonly type: 'compaction_start'; readonly reason: CompactionReason }
  | ({ readonly type: 'compaction_end'; readonly reason: CompactionReason } & CompactionEnd)
  /** The request for a summary failed for a temporary reason and is repeated after `delayMs`. */
  | {
      readonly type: 'summarization_retry_scheduled';
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly delayMs: number;
      readonly errorMessage: string;
    }
  | ({ readonly type: 'summarization_retry_attempt_start' } & SummaryPurpose)
  /** After the last of these tries, whatever the result. */
  | { readonly type: 'summarization_retry_finished' }
  | {
      readonly type: 'auto_retry_start';
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly delayMs: number;
      readonly errorMessage: string;
    }
  | {
      readonly type: 'auto_retry_end';
      readonly success: boolean;
      readonly attempt: number;
      readonly finalError?: string;
    }
  | { readonly type: 'session_info_changed'; readonly name: string | undefined }
  | { readonly type: 'thinking_level_changed'; readonly level: string }
  | { readonly type: 'approval_mode_changed'; readonly mode: ApprovalMode }
  /** The todo list of the agent is another one, or the session or the place in it has another; empty: there is none. */
  | { readonly type: 'todos_changed'; readonly todos: readonly Todo[] };

/** A text for the user about the conversation: what it says, and what can be done about it. */
export type Notice = Omit<NoticeItem, 'kind' | 'id'> & {
  /** Other events tell the same. */
  readonly about?: 'compaction';
};

/** One thing to be shown of a session: a message, an entry of a hook, or consecutive entries of unknown types. */
export type TranscriptPart =
  | { readonly type: 'message'; readonly message: AgentMessage }
  | { readonly type: 'entry'; readonly entryId: EntryId }
  | { readonly type: 'unknown'; readonly kinds: readonly string[] };

/** A command that the user runs beside the agent. */
export interface UserShell {
  readonly id: string;
  readonly command: string;
  /** The model does not see it. */
  readonly hidden: boolean;
}

/** What becomes of such a command. `output`: `append` follows what was printed, or with `reset` replaces it. */
export type UserShellChange =
  | { readonly type: 'running' }
  | { readonly type: 'output'; readonly append: string; readonly reset: boolean }
  | { readonly type: 'over'; readonly outcome: BashOutcome }
  /** A hook failed, or the session cannot be written: it does not run. */
  | { readonly type: 'refused' };

/** What becomes of a question of a hook: it waits, is shown, is answered, and its hook goes on. */
export type QuestionChange =
  | { readonly type: 'waiting' }
  | { readonly type: 'open' }
  | { readonly type: 'over'; readonly answer: Answer }
  | { readonly type: 'settled' };

/** What only a view of a conversation needs. A step is told as soon as it happens, before hooks and programs get it. */
export type ViewEvent =
  /** A step of a run, of a call that a tool or its agent made, or of a call that the user repeats. */
  | { readonly type: 'step'; readonly step: AgentEvent; readonly byUser: boolean }
  /** A message of the user that the agent does not have yet: it opens a run, or waits in a queue. */
  | {
      readonly type: 'message_announced';
      readonly message: UserMessage;
      readonly state: 'sent' | 'steer' | 'followUp';
    }
  /** An announced message will not be sent from where it is. */
  | { readonly type: 'message_withdrawn'; readonly message: AgentMessage }
  /** A hook replaced a message in place; `calls`: the calls that it had before. */
  | { readonly type: 'message_replaced'; readonly message: AgentMessage; readonly calls: readonly ToolCall[] }
  /** The answer that failed last leaves the context; `retried`: it is requested again. */
  | { readonly type: 'answer_dropped'; readonly retried: AssistantMessage | undefined }
  /** All hooks let the call pass; its tool begins when it is its turn. */
  | { readonly type: 'call_admitted'; readonly toolCallId: string }
  /** The tool of a call itself begins, or has ended. */
  | { readonly type: 'tool_clock'; readonly toolCallId: string; readonly isRunning: boolean }
  /**
   * The command of a call printed something, control sequences included. All chunks together are the whole output, also what
   * the result leaves out. Only if the ports say that the view follows commands.
   */
  | { readonly type: 'command_output'; readonly toolCallId: string; readonly chunk: string }
  /** The command is over; nothing of it follows. Told under the same condition, once for each call of a tool that runs commands. */
  | ({ readonly type: 'command_end'; readonly toolCallId: string } & CommandExit)
  /** The command of a call began, was let go or was stopped; only if the ports say that commands are kept. */
  | {
      readonly type: 'command_state';
      readonly toolCallId: string;
      readonly state: 'waitedFor' | 'runningOn' | 'ending';
      /** In ms since 1970. */
      readonly startedAt: number;
    }
  /** It has ended. `end` is absent when its call waited for it. Told under the same condition. */
  | { readonly type: 'command_over'; readonly toolCallId: string; readonly end?: RecordedCommandEnd }
  /** A question is about the call with this input. */
  | { readonly type: 'call_input'; readonly toolCallId: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly type: 'question'; readonly question: Question; readonly change: QuestionChange }
  | { readonly type: 'shell'; readonly shell: UserShell; readonly change: UserShellChange }
  | { readonly type: 'notice'; readonly notice: Notice }
  /** The session, or the place in it, is another one: replaces everything shown. `omitted`: earlier messages. */
  | { readonly type: 'transcript'; readonly parts: readonly TranscriptPart[]; readonly omitted: number }
  /** Another session is about to take the place of the current one. */
  | { readonly type: 'session_leaving' }
  /** The other session is there. */
  | { readonly type: 'session_entered' }
  /** A text of the user was not sent. */
  | {
      readonly type: 'text_returned';
      readonly text: string;
      readonly images: readonly ImageContent[];
      readonly files: readonly TextFile[];
    }
  /** Phase, model, level, name, usage or approval mode may be another. */
  | { readonly type: 'status_changed' };

/** All events of a conversation, in order. */
export type SessionEvent = ProgramEvent | ViewEvent;

const FOR_VIEWS: Readonly<Record<ViewEvent['type'], true>> = {
  step: true,
  message_announced: true,
  message_withdrawn: true,
  message_replaced: true,
  answer_dropped: true,
  call_admitted: true,
  tool_clock: true,
  command_output: true,
  command_end: true,
  command_state: true,
  command_over: true,
  call_input: true,
  question: true,
  shell: true,
  notice: true,
  transcript: true,
  session_leaving: true,
  session_entered: true,
  text_returned: true,
  status_changed: true,
};

/** Whether programs see the event. */
export function isForPrograms(event: SessionEvent): event is ProgramEvent {
  return !Object.hasOwn(FOR_VIEWS, event.type);
}

/** The events of one conversation. Listeners get each at once, in order of subscription. */
export class SessionEvents {
  private readonly emitter = new Emitter<SessionEvent>();
  readonly event = this.emitter.event;
  private told: readonly Notice[] = [];

  /** The notices since the last transcript. */
  get notices(): readonly Notice[] {
    return this.told;
  }

  fire(event: SessionEvent): void {
    if (event.type === 'transcript') this.told = [];
    if (event.type === 'notice') this.told = [...this.told, event.notice];
    this.emitter.fire(event);
  }

  /** Tells the user something. */
  notice(level: Notice['level'], text: string, more: Omit<Notice, 'level' | 'text'> = {}): void {
    this.fire({ type: 'notice', notice: { level, text, ...more } });
  }

  dispose(): void {
    this.emitter.dispose();
  }
}
