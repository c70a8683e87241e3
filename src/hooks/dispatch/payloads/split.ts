import type { HookEvent, HookEventOf, HookEventType } from '../../events/hook-event';
import { copyData } from '../copy';
import type { LoadedHook } from '../../loaded-hook';
import { branchTarget } from './branching';
import { beforeCompact, compacted } from './compaction';
import { lazy } from './lazy';
import { messageFor, messagesFor } from './messages';
import type { Shape } from './shape';

/** The event as it is, copied so that a hook's changes stay its own. */
function plain(event: HookEvent): object {
  return { ...event };
}

const switched: Shape<'session_switch'> = (event, { conversation }) => ({
  ...event,
  newSessionFile: conversation?.sessionFile ?? null,
});

const beforeAgentStart: Shape<'before_agent_start'> = event =>
  lazy(
    { ...event },
    {
      userMessage: () => ({
        role: 'user',
        content: [{ type: 'text', text: event.prompt }, ...(event.images ?? [])],
        timestamp: Date.now(),
      }),
    },
  );

const toolResult: Shape<'tool_result'> = event =>
  lazy(
    { ...event },
    {
      input: () => copyData(event.input),
      content: () => copyData(event.content),
      details: () => copyData(event.details),
      result: () => event.content.map(part => (part.type === 'text' ? part.text : '')).join('\n'),
    },
  );

const toolCall: Shape<'tool_call'> = (event, { hook }) =>
  hook.dialect.sharesToolInput ? { ...event } : { ...event, input: copyData(event.input) };

/**
 * How each canonical event looks under its own name: a union of what the documents tell of it. Objects that belong to
 * the agent or the session are copied when read; where both spellings of a name exist, both are there (C21).
 */
export const SPLIT: { readonly [T in HookEventType]: Shape<T> } = {
  resources_discover: plain,
  session_directory: plain,
  session_start: plain,
  session_before_switch: plain,
  session_switch: switched,
  session_before_branch: (event, { conversation }) => ({ ...event, ...branchTarget(conversation, event.entryId) }),
  session_branch: (event, { conversation }) => ({ ...event, ...branchTarget(conversation, event.entryId) }),
  session_before_compact: beforeCompact,
  session_compacting: (event, { hook }) =>
    lazy(
      { type: 'session.compacting', sessionId: event.sessionId },
      { messages: () => messagesFor(hook, event.messages) },
    ),
  session_compact: compacted,
  session_before_tree: event => ({ ...event, preparation: copyData(event.preparation) }),
  session_tree: event => ({
    ...event,
    ...(event.summaryEntry === undefined ? {} : { summaryEntry: copyData(event.summaryEntry) }),
    ...(event.fromHook === undefined ? {} : { fromExtension: event.fromHook }),
  }),
  session_shutdown: plain,
  input: plain,
  before_agent_start: beforeAgentStart,
  agent_start: plain,
  agent_end: (event, { hook }) => lazy({ type: event.type }, { messages: () => messagesFor(hook, event.messages) }),
  turn_start: plain,
  turn_end: (event, { hook }) =>
    lazy(
      { type: event.type, turnIndex: event.turnIndex },
      { message: () => messageFor(hook, event.message), toolResults: () => messagesFor(hook, event.toolResults) },
    ),
  message_start: (event, { hook }) => lazy({ type: event.type }, { message: () => messageFor(hook, event.message) }),
  message_update: (event, { hook }) =>
    lazy(
      { type: event.type },
      {
        message: () => messageFor(hook, event.message),
        assistantMessageEvent: () => deltaFor(hook, event.assistantMessageEvent),
      },
    ),
  message_end: (event, { hook }) => lazy({ type: event.type }, { message: () => messageFor(hook, event.message) }),
  tool_execution_start: event => lazy(rest(event), { args: () => copyData(event.args) }),
  tool_execution_update: event =>
    lazy(rest(event), { args: () => copyData(event.args), partialResult: () => copyData(event.partialResult) }),
  tool_execution_end: event =>
    lazy({ ...rest(event), isError: event.isError }, { result: () => copyData(event.result) }),
  context: plain,
  before_provider_request: plain,
  model_select: plain,
  thinking_level_select: plain,
  tool_call: toolCall,
  tool_result: toolResult,
  user_bash: plain,
  auto_compaction_start: plain,
  auto_compaction_end: plain,
  auto_retry_start: plain,
  auto_retry_end: plain,
  ttsr_triggered: event => ({ ...event, rules: copyData(event.rules) }),
  todo_reminder: event => ({ ...event, todos: copyData(event.todos) }),
};

function rest(event: HookEventOf<'tool_execution_start' | 'tool_execution_update' | 'tool_execution_end'>): object {
  return { type: event.type, toolCallId: event.toolCallId, toolName: event.toolName };
}

/** What the model said last. The answer so far, which grows with each of these, is copied for those who read it. */
function deltaFor(hook: LoadedHook, delta: HookEventOf<'message_update'>['assistantMessageEvent']): object {
  if (delta.type === 'done') return lazy({ ...delta }, { message: () => messageFor(hook, delta.message) });
  if (delta.type === 'error') return lazy({ ...delta }, { error: () => messageFor(hook, delta.error) });
  const copy = lazy({ ...delta }, { partial: () => messageFor(hook, delta.partial) });
  return delta.type === 'toolcall_end' ? lazy(copy, { toolCall: () => copyData(delta.toolCall) }) : copy;
}
