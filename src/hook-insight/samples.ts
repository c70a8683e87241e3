import type { Api, AssistantMessage, Model } from '@mariozechner/pi-ai';
import type { AgentMessage, UserMessage } from '../agent/messages';
import { namesOf } from '../hooks/dispatch/deliveries';
import type { CompactionPreparation, HookEvent, HookEventOf, HookEventType } from '../hooks/events/hook-event';

/** What samples are made to fit. */
export interface SampleFacts {
  readonly cwd: string;
  readonly model: Model<Api> | undefined;
  /** The conversation's messages; made up when there are none yet. */
  readonly messages: readonly AgentMessage[];
  readonly sessionFile: string | undefined;
}

/** An event to try a handler with, and how to name it to people. */
export interface SampleEvent {
  readonly label: string;
  readonly event: HookEvent;
}

/** Events of every kind that a handler registered under this name may get, the likeliest first. */
export function samplesFor(registeredAs: string, facts: SampleFacts): readonly SampleEvent[] {
  const types = (Object.keys(SAMPLES) as HookEventType[]).filter(type => namesOf(type).includes(registeredAs));
  return types.flatMap(type => {
    const make = SAMPLES[type] as (facts: SampleFacts) => readonly HookEvent[];
    return make(facts).map(event => ({ label: labelOf(event), event }));
  });
}

/** What tells one event from another of its type, in a few words. */
export function labelOf(event: HookEvent): string {
  if (event.type === 'tool_result') return `${event.type} ${event.toolName}, ${event.isError ? 'failed' : 'done'}`;
  if ('toolName' in event) return `${event.type} ${event.toolName}`;
  if ('reason' in event) return `${event.type}, ${event.reason}`;
  return event.type;
}

const AT = Date.UTC(2025, 0, 1);
const ENTRY = 'a1b2c3d4';
const CALL = { toolCallId: 'call_sample' } as const;
const COMMAND = { toolName: 'bash', input: { command: 'rm -rf build' } } as const;

function user(text: string): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }], timestamp: AT };
}

function assistant(facts: SampleFacts): AssistantMessage {
  return {
    role: 'assistant',
    content: [{ type: 'text', text: 'Done.' }],
    api: facts.model?.api ?? 'anthropic-messages',
    provider: facts.model?.provider ?? 'anthropic',
    model: facts.model?.id ?? 'sample',
    usage: {
      input: 120,
      output: 8,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 128,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: 'stop',
    timestamp: AT,
  };
}

function messagesOf(facts: SampleFacts): readonly AgentMessage[] {
  return facts.messages.length > 0 ? facts.messages : [user('List the files here.'), assistant(facts)];
}

function compaction(facts: SampleFacts): CompactionPreparation {
  const messages = [...messagesOf(facts)];
  return {
    cutPoint: { firstKeptEntryIndex: 1, turnStartIndex: -1, isSplitTurn: false },
    firstKeptEntryId: ENTRY,
    messagesToSummarize: messages,
    messagesToKeep: [],
    turnPrefixMessages: [],
    isSplitTurn: false,
    tokensBefore: 90_000,
    fileOps: { read: new Set(['README.md']), written: new Set(), edited: new Set(['src/index.ts']) },
    settings: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 },
    boundaryStart: 0,
  };
}

function entry(type: string, more: object = {}): HookEventOf<'session_compact'>['compactionEntry'] {
  return { type, id: ENTRY, parentId: null, timestamp: new Date(AT).toISOString(), ...more };
}

function toolCall(toolName: string, input: Record<string, unknown>): HookEventOf<'tool_call'> {
  return { type: 'tool_call', ...CALL, toolName, input };
}

const text = (value: string) => [{ type: 'text' as const, text: value }];
const never = (): AbortSignal => new AbortController().signal;
/** A hook only ever looks at it. */
const modelOf = ({ model }: SampleFacts): Model<Api> =>
  model ?? ({ provider: 'anthropic', id: 'sample' } as Model<Api>);

type Samples = { readonly [T in HookEventType]: (facts: SampleFacts) => readonly HookEventOf<T>[] };

const SAMPLES: Samples = {
  tool_call: () => [
    toolCall('bash', { ...COMMAND.input }),
    toolCall('write', { path: '.env', content: 'KEY=1\n' }),
    toolCall('edit', { path: 'src/index.ts', oldText: 'let', newText: 'const' }),
    toolCall('read', { path: 'README.md' }),
  ],
  tool_result: () => [
    { type: 'tool_result', ...CALL, ...bash(), content: text('build removed\n'), details: undefined, isError: false },
    { type: 'tool_result', ...CALL, ...bash(), content: text('rm: cannot remove'), details: undefined, isError: true },
  ],
  input: () => [{ type: 'input', text: 'Say hello.', source: 'interactive' }],
  before_agent_start: () => [
    { type: 'before_agent_start', prompt: 'Say hello.', systemPrompt: 'You are a coding agent.' },
  ],
  context: facts => {
    const messages = messagesOf(facts);
    return [{ type: 'context', messages, entryIds: messages.map(() => null) }];
  },
  before_provider_request: facts => [
    { type: 'before_provider_request', payload: { model: modelOf(facts).id, messages: [], stream: true } },
  ],
  user_bash: ({ cwd }) => [{ type: 'user_bash', command: 'git status', excludeFromContext: false, cwd }],
  session_start: () => [{ type: 'session_start', reason: 'startup' }],
  session_before_switch: ({ sessionFile }) => [
    { type: 'session_before_switch', reason: 'new' },
    { type: 'session_before_switch', reason: 'resume', targetSessionFile: sessionFile ?? '/sessions/other.jsonl' },
  ],
  session_switch: ({ sessionFile }) => [
    { type: 'session_switch', reason: 'new', previousSessionFile: sessionFile },
    { type: 'session_switch', reason: 'resume', previousSessionFile: sessionFile },
  ],
  session_before_branch: () => [{ type: 'session_before_branch', entryId: ENTRY }],
  session_branch: ({ sessionFile }) => [{ type: 'session_branch', entryId: ENTRY, previousSessionFile: sessionFile }],
  session_before_compact: facts => [
    {
      type: 'session_before_compact',
      preparation: compaction(facts),
      branchEntries: [],
      previousCompactions: [],
      model: modelOf(facts),
      signal: never(),
    },
  ],
  session_compacting: facts => [{ type: 'session_compacting', sessionId: ENTRY, messages: messagesOf(facts) }],
  session_compact: () => [
    {
      type: 'session_compact',
      compactionEntry: entry('compaction', {
        summary: 'So far: hello.',
        firstKeptEntryId: ENTRY,
        tokensBefore: 90_000,
      }),
      tokensBefore: 90_000,
      fromHook: false,
    },
  ],
  session_before_tree: ({ model }) => [
    {
      type: 'session_before_tree',
      preparation: {
        targetId: ENTRY,
        oldLeafId: null,
        commonAncestorId: null,
        entriesToSummarize: [],
        userWantsSummary: true,
      },
      model,
      signal: never(),
    },
  ],
  session_tree: () => [{ type: 'session_tree', newLeafId: ENTRY, oldLeafId: null }],
  session_shutdown: () => [{ type: 'session_shutdown', reason: 'reload' }],
  session_directory: ({ cwd }) => [{ type: 'session_directory', cwd }],
  resources_discover: ({ cwd }) => [{ type: 'resources_discover', cwd, reason: 'startup' }],
  agent_start: () => [{ type: 'agent_start' }],
  agent_end: facts => [{ type: 'agent_end', messages: messagesOf(facts) }],
  turn_start: () => [{ type: 'turn_start', turnIndex: 0, timestamp: AT }],
  turn_end: facts => [{ type: 'turn_end', turnIndex: 0, message: assistant(facts), toolResults: [] }],
  message_start: () => [{ type: 'message_start', message: user('Say hello.') }],
  message_update: facts => [
    {
      type: 'message_update',
      message: assistant(facts),
      assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'Done.', partial: assistant(facts) },
    },
  ],
  message_end: facts => [{ type: 'message_end', message: assistant(facts) }],
  tool_execution_start: () => [{ type: 'tool_execution_start', ...CALL, toolName: 'bash', args: COMMAND.input }],
  tool_execution_update: () => [
    {
      type: 'tool_execution_update',
      ...CALL,
      toolName: 'bash',
      args: COMMAND.input,
      partialResult: { content: text('rem'), details: undefined },
    },
  ],
  tool_execution_end: () => [
    {
      type: 'tool_execution_end',
      ...CALL,
      toolName: 'bash',
      result: { content: text('removed'), details: undefined },
      isError: false,
    },
  ],
  model_select: facts => [{ type: 'model_select', model: modelOf(facts), previousModel: undefined, source: 'set' }],
  thinking_level_select: () => [{ type: 'thinking_level_select', level: 'medium', previousLevel: 'off' }],
  auto_compaction_start: () => [{ type: 'auto_compaction_start', reason: 'threshold', action: 'context-full' }],
  auto_compaction_end: () => [
    { type: 'auto_compaction_end', action: 'context-full', result: undefined, aborted: false, willRetry: false },
  ],
  auto_retry_start: () => [
    { type: 'auto_retry_start', attempt: 1, maxAttempts: 3, delayMs: 2_000, errorMessage: '529 overloaded' },
  ],
  auto_retry_end: () => [{ type: 'auto_retry_end', success: true, attempt: 1 }],
  ttsr_triggered: () => [{ type: 'ttsr_triggered', rules: [] }],
  todo_reminder: () => [{ type: 'todo_reminder', todos: [], attempt: 1, maxAttempts: 3 }],
};

function bash(): { readonly toolName: string; readonly input: Record<string, unknown> } {
  return { toolName: COMMAND.toolName, input: { ...COMMAND.input } };
}

/**
 * A sample with what was recorded of a real event of its type laid over: members that the sample has too, of the same
 * kind. What was recorded in part stays as in the sample.
 */
export function withRecorded<E extends HookEvent>(sample: E, recorded: Readonly<Record<string, unknown>>): E {
  const event: Record<string, unknown> = { ...sample };
  for (const [name, value] of Object.entries(sample)) {
    const given = recorded[name];
    if (given === undefined || name === 'type' || kindOf(given) !== kindOf(value)) continue;
    event[name] = given;
  }
  return event as E;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return value === null ? 'null' : typeof value;
}
