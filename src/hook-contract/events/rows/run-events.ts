import { resultFor } from '../../session/visible-session';
import { copyData } from '../../copy';
import type { DialectId } from '../../dialect-id';
import type { LoadedHook } from '../../loaded-hook';
import { onlyMembers, type EventRows, type MembersOf } from '../event-row';
import type { StreamRule, TodoItem } from '../../../hook-typings/session/event-parts';
import type { CompactionResult, HookEventOf, HookEventType, HookResults } from '../../hook-event';
import { isVisibleMessage, lazy, messageFor, messagesFor, visibleCall } from '../payload-parts';
import type { ProviderEvent } from './provider-events';
import {
  SAMPLE_CALL,
  SAMPLE_TIME,
  sampleAnswer,
  sampleMessages,
  sampleModel,
  sampleText,
  sampleUser,
} from '../sample-parts';

const ALL: readonly DialectId[] = ['v1', 'v2', 'tree', 'omp', 'ext', 'pi'];
const EXT: readonly DialectId[] = ['ext', 'pi'];
const PI: readonly DialectId[] = ['pi'];
const OMP: readonly DialectId[] = ['omp'];
const BASH = { ...SAMPLE_CALL, toolName: 'bash' } as const;
const ARGS = { command: 'rm -rf build' } as const;

const COMPACTION_RESULT: MembersOf<CompactionResult> = {
  summary: true,
  firstKeptEntryId: true,
  tokensBefore: true,
  usage: true,
  details: true,
};
const RULE: MembersOf<StreamRule> = {
  name: true,
  path: true,
  content: true,
  description: true,
  ttsrTrigger: true,
  level: true,
};
const TODO: MembersOf<TodoItem> = { content: true, status: true };

type RunEvent = Exclude<HookEventType, keyof HookResults | ProviderEvent | `session_${string}`>;

/** The other events of a run. These events only inform. */
export const RUN_EVENTS: EventRows<RunEvent> = {
  agent_start: { names: [{ name: 'agent_start', of: ALL }], members: {}, samples: () => [{ type: 'agent_start' }] },
  agent_end: {
    names: [
      {
        name: 'agent_end',
        of: ALL,
        payload: (event, { hook }) => lazy({ type: event.type }, { messages: () => messagesFor(hook, event.messages) }),
      },
    ],
    members: { messages: true },
    samples: facts => [{ type: 'agent_end', messages: sampleMessages(facts) }],
  },
  agent_settled: {
    names: [{ name: 'agent_settled', of: PI }],
    members: { aborted: true },
    samples: () => [{ type: 'agent_settled', aborted: false }],
  },
  turn_start: {
    names: [{ name: 'turn_start', of: ALL }],
    members: { turnIndex: true, timestamp: true },
    samples: () => [{ type: 'turn_start', turnIndex: 0, timestamp: SAMPLE_TIME }],
  },
  message_start: {
    names: [
      {
        name: 'message_start',
        of: EXT,
        reaches: (event, hook) => isVisibleMessage(hook, event.message),
        payload: (event, { hook }) => lazy({ type: event.type }, { message: () => messageFor(hook, event.message) }),
      },
    ],
    members: { message: true },
    samples: () => [{ type: 'message_start', message: sampleUser('Say hello.') }],
  },
  message_update: {
    names: [
      {
        name: 'message_update',
        of: EXT,
        payload: (event, { hook }) =>
          lazy(
            { type: event.type },
            {
              message: () => messageFor(hook, event.message),
              assistantMessageEvent: () => deltaFor(hook, event.assistantMessageEvent),
            },
          ),
      },
    ],
    isStreamed: true,
    members: { message: true, assistantMessageEvent: true },
    samples: facts => [
      {
        type: 'message_update',
        message: sampleAnswer(facts),
        assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'Done.', partial: sampleAnswer(facts) },
      },
    ],
  },
  tool_execution_start: {
    names: [
      {
        name: 'tool_execution_start',
        of: EXT,
        payload: (event, { hook }) => lazy(visibleCall(event, hook), { args: () => copyData(event.args) }),
      },
    ],
    members: { toolCallId: true, toolName: true, parentToolCallId: true, args: true },
    samples: () => [{ type: 'tool_execution_start', ...BASH, args: ARGS }],
  },
  tool_execution_update: {
    names: [
      {
        name: 'tool_execution_update',
        of: EXT,
        payload: (event, { hook }) =>
          lazy(visibleCall(event, hook), {
            args: () => copyData(event.args),
            partialResult: () => copyData(event.partialResult),
          }),
      },
    ],
    isStreamed: true,
    members: { toolCallId: true, toolName: true, parentToolCallId: true, args: true, partialResult: true },
    samples: () => [
      {
        type: 'tool_execution_update',
        ...BASH,
        args: ARGS,
        partialResult: { content: sampleText('rem'), details: undefined },
      },
    ],
  },
  tool_execution_end: {
    names: [
      {
        name: 'tool_execution_end',
        of: EXT,
        payload: (event, { hook }) => lazy(visibleCall(event, hook), { result: () => copyData(event.result) }),
      },
    ],
    members: {
      toolCallId: true,
      toolName: true,
      parentToolCallId: true,
      result: true,
      isError: true,
      durationMs: true,
    },
    samples: () => [
      {
        type: 'tool_execution_end',
        ...BASH,
        result: { content: sampleText('removed'), details: undefined },
        isError: false,
      },
    ],
  },
  ui_prompt_start: {
    names: [{ name: 'ui_prompt_start', of: PI }],
    members: { reason: true, kind: true, title: true },
    samples: () => [{ type: 'ui_prompt_start', reason: 'ui_prompt', kind: 'confirm' }],
  },
  ui_prompt_end: {
    names: [{ name: 'ui_prompt_end', of: PI }],
    members: { reason: true, kind: true, title: true },
    samples: () => [{ type: 'ui_prompt_end', reason: 'ui_prompt', kind: 'confirm' }],
  },
  model_select: {
    names: [{ name: 'model_select', of: EXT }],
    members: { model: true, previousModel: true, source: true },
    samples: facts => [{ type: 'model_select', model: sampleModel(facts), previousModel: undefined, source: 'set' }],
  },
  thinking_level_select: {
    names: [{ name: 'thinking_level_select', of: EXT }],
    members: { level: true, previousLevel: true },
    samples: () => [{ type: 'thinking_level_select', level: 'medium', previousLevel: 'off' }],
  },
  auto_compaction_start: {
    names: [{ name: 'auto_compaction_start', of: OMP }],
    endsWithRun: true,
    members: { reason: true, action: true },
    samples: () => [{ type: 'auto_compaction_start', reason: 'threshold', action: 'context-full' }],
  },
  auto_compaction_end: {
    names: [
      {
        name: 'auto_compaction_end',
        of: OMP,
        payload: ({ result, ...event }, { hook }) => ({
          ...event,
          result: result && onlyMembers(resultFor(hook.dialect, result), COMPACTION_RESULT),
        }),
      },
    ],
    endsWithRun: true,
    members: { action: true, result: true, aborted: true, willRetry: true, errorMessage: true, skipped: true },
    samples: () => [
      { type: 'auto_compaction_end', action: 'context-full', result: undefined, aborted: false, willRetry: false },
    ],
  },
  auto_retry_start: {
    names: [{ name: 'auto_retry_start', of: OMP }],
    members: { attempt: true, maxAttempts: true, delayMs: true, errorMessage: true },
    samples: () => [
      { type: 'auto_retry_start', attempt: 1, maxAttempts: 3, delayMs: 2_000, errorMessage: '529 overloaded' },
    ],
  },
  auto_retry_end: {
    names: [{ name: 'auto_retry_end', of: OMP }],
    members: { attempt: true, success: true, finalError: true },
    samples: () => [{ type: 'auto_retry_end', success: true, attempt: 1 }],
  },
  ttsr_triggered: {
    names: [
      {
        name: 'ttsr_triggered',
        of: OMP,
        payload: event => ({ ...event, rules: event.rules.map(rule => onlyMembers(rule, RULE)) }),
      },
    ],
    members: { rules: true },
    samples: () => [{ type: 'ttsr_triggered', rules: [] }],
  },
  todo_reminder: {
    names: [
      {
        name: 'todo_reminder',
        of: OMP,
        payload: event => ({ ...event, todos: event.todos.map(todo => onlyMembers(todo, TODO)) }),
      },
    ],
    members: { todos: true, attempt: true, maxAttempts: true },
    samples: () => [{ type: 'todo_reminder', todos: [], attempt: 1, maxAttempts: 3 }],
  },
};

type Delta = HookEventOf<'message_update'>['assistantMessageEvent'];

/**
 * The last piece of the answer. The answer so far, which grows with each piece, is copied only when a hook reads it.
 */
function deltaFor(hook: LoadedHook, delta: Delta): Delta {
  if (delta.type === 'done') return lazy({ ...delta }, { message: () => messageFor(hook, delta.message) });
  if (delta.type === 'error') return lazy({ ...delta }, { error: () => messageFor(hook, delta.error) });
  const copy = lazy({ ...delta }, { partial: () => messageFor(hook, delta.partial) });
  return delta.type === 'toolcall_end' ? lazy(copy, { toolCall: () => copyData(delta.toolCall) }) : copy;
}
