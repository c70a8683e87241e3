import * as l10n from '@vscode/l10n';
import type { AgentMessage, AssistantMessage, SystemMessage, ToolResultMessage } from '../agent/messages';
import { messageOfEntry } from '../agent/session/context';
import {
  isSessionEntry,
  unknownKind,
  type SessionEntry,
  type StoredEntry,
  type StoredUsage,
} from '../agent/session/entry';
import { toolFacts } from '../agent/tools';
import { presentedPlan } from '../agent/tools/plan-facts';
import { todosOf, type Todo } from '../agent/tools/todo';
import type { ToolOutcome } from '../agent/tools/tool';
import { notShownText } from '../transcript/message-text';
import { recordedNestedCalls } from '../transcript/nested-calls';
import { planEnd } from '../transcript/plan-end';
import { storedOutcome } from '../transcript/stored-outcome';
import { plainTerminalText } from './terminal-text';
import type { Image } from '../protocol/items/chat-item';
import { planEndText } from '../protocol/items/plan-end-text';
import { defined } from '../base/defined';

/** What a tool call came to. */
export interface ExportResult {
  /** As the tool gave it, with the escape sequences of terminals. */
  readonly text: string;
  readonly images: readonly Image[];
  /** Unified diff text, of edits. */
  readonly diff?: string;
  readonly outcome: ToolOutcome['type'];
  /** The presented plan as the user edited it. */
  readonly editedPlan?: string;
  /** A line for each call that the tool made, indented as deep as it was made. */
  readonly calls?: string;
  /** The todo list that the call wrote. */
  readonly todos?: readonly Todo[];
}

/** A tool call with the result. */
export interface ExportTool {
  readonly name: string;
  /** The argument that matters. */
  readonly summary: string;
  /** All arguments as indented JSON; empty for a plan. */
  readonly args: string;
  /** The plan that the call presents, as Markdown; what became of it is the text of the result. */
  readonly plan?: string;
  /** Absent for a call without a result. */
  readonly result?: ExportResult;
  /** The answer was stopped before the call had a result. */
  readonly stopped?: true;
}

export type ExportBlock =
  { readonly type: 'text' | 'thinking'; readonly text: string } | { readonly type: 'tool'; readonly tool: ExportTool };

/** The folded details of a mark, in Markdown. */
interface MarkDetail {
  readonly title: string;
  readonly text: string;
}

interface Base {
  readonly entryId: string;
  /** ISO 8601, as written; may be empty. */
  readonly time: string;
  readonly label?: string;
}

/** One piece of an exported session, free of model and session types. */
export type ExportItem =
  | (Base & { readonly kind: 'user'; readonly text: string; readonly images: readonly Image[] })
  | (Base & {
      readonly kind: 'assistant';
      readonly model: string;
      readonly blocks: readonly ExportBlock[];
      /** Why the answer is not whole, when it is not. */
      readonly problem?: string;
      readonly tokens: number;
      /** US dollars. */
      readonly cost: number;
    })
  | (Base & { readonly kind: 'tool'; readonly tool: ExportTool })
  | (Base & {
      readonly kind: 'bash';
      readonly command: string;
      /** As the command printed it, with the escape sequences of terminals. */
      readonly output: string;
      /** `exit code 1`, `cancelled`, `not shown to the model`; empty when there is nothing to say. */
      readonly remarks: readonly string[];
    })
  | (Base & {
      readonly kind: 'custom';
      readonly customType: string;
      readonly text: string;
      readonly images: readonly Image[];
      /** False: only the model saw it. */
      readonly display: boolean;
    })
  | (Base & { readonly kind: 'mark'; readonly text: string; readonly detail?: MarkDetail })
  /** The todo list of the agent at the end of the branch; its calls only say how far it was. */
  | (Base & { readonly kind: 'todos'; readonly todos: readonly Todo[] });

/** An answer whose results are still to come. */
interface Pending {
  readonly entry: StoredEntry;
  readonly message: AssistantMessage;
  readonly results: Map<string, ExportResult>;
}

/**
 * The pieces of one branch, in order; a result is put to its call, and entries in a row that this code does not know are
 * one line. Takes entries one by one, so that a long session need not be in memory.
 */
export function* exportItems(
  entries: Iterable<StoredEntry>,
  labelOf: (entryId: string) => string | undefined,
): Generator<ExportItem> {
  let pending: Pending | undefined;
  let todos: ExportItem | undefined;
  const base = (entry: StoredEntry): Base => {
    const label = labelOf(entry.id);
    return { entryId: entry.id, time: entry.timestamp, ...defined({ label }) };
  };
  for (const run of inRuns(entries)) {
    const message = run.isKnown ? messageOfEntry(run.entry) : undefined;
    if (run.isKnown && message?.role === 'toolResult' && pending && takes(pending, message)) {
      const result = resultOf(message);
      if (result.todos !== undefined) todos = { ...base(run.entry), kind: 'todos', todos: result.todos };
      pending.results.set(message.toolCallId, result);
      continue;
    }
    const item = run.isKnown ? itemOf(run.entry, message, base) : unknownItem(run.kinds, base(run.first));
    const isAnswer = run.isKnown && message?.role === 'assistant';
    if (pending && (item !== undefined || isAnswer)) {
      yield answerOf(pending, base(pending.entry));
      pending = undefined;
    }
    if (isAnswer) pending = { entry: run.entry, message, results: new Map() };
    if (item !== undefined) yield item;
  }
  if (pending) yield answerOf(pending, base(pending.entry));
  if (todos?.kind === 'todos' && todos.todos.length > 0) yield todos;
}

type Run =
  | { readonly isKnown: true; readonly entry: SessionEntry }
  | { readonly isKnown: false; readonly first: StoredEntry; readonly kinds: string[] };

/** Each entry by itself, those in a row that this code does not know as one. */
function* inRuns(entries: Iterable<StoredEntry>): Generator<Run> {
  let unknown: Extract<Run, { isKnown: false }> | undefined;
  for (const entry of entries) {
    if (!isSessionEntry(entry)) {
      unknown ??= { isKnown: false, first: entry, kinds: [] };
      const kind = unknownKind(entry);
      if (!unknown.kinds.includes(kind)) unknown.kinds.push(kind);
      continue;
    }
    if (unknown) yield unknown;
    unknown = undefined;
    yield { isKnown: true, entry };
  }
  if (unknown) yield unknown;
}

function unknownItem(kinds: readonly string[], base: Base): ExportItem {
  return { ...base, kind: 'mark', text: notShownText(kinds) };
}

function takes({ message, results }: Pending, { toolCallId }: ToolResultMessage): boolean {
  return !results.has(toolCallId) && message.content.some(part => part.type === 'toolCall' && part.id === toolCallId);
}

function itemOf(
  entry: SessionEntry,
  message: AgentMessage | undefined,
  base: (entry: StoredEntry) => Base,
): ExportItem | undefined {
  if (message === undefined) return changeOf(entry, base(entry));
  switch (message.role) {
    case 'system':
      return { ...base(entry), kind: 'mark', text: l10n.t('System prompt'), detail: asText(promptOf(message)) };
    case 'user':
      return { ...base(entry), kind: 'user', text: textIn(message.content), images: imagesIn(message.content) };
    case 'toolResult': {
      const tool = { name: message.toolName, summary: '', args: '', result: resultOf(message) };
      return { ...base(entry), kind: 'tool', tool };
    }
    case 'bashExecution': {
      const { command, output } = message;
      return { ...base(entry), kind: 'bash', command, output, remarks: remarksOn(message) };
    }
    case 'custom': {
      const { customType, content, display } = message;
      return {
        ...base(entry),
        kind: 'custom',
        customType,
        text: plainTerminalText(textIn(content)),
        images: imagesIn(content),
        display,
      };
    }
    case 'branchSummary':
      return {
        ...base(entry),
        kind: 'mark',
        text: l10n.t('Summary of the branch you left'),
        detail: asSummary(message.summary),
      };
    case 'compactionSummary': {
      const text = l10n.t('Earlier conversation summarized ({0} tokens)', message.tokensBefore);
      return { ...base(entry), kind: 'mark', text, detail: asSummary(message.summary) };
    }
    case 'assistant':
      return undefined;
  }
}

/** What a patch of the prompt says: its sections as they are from here on, and the tools that came and went. */
function promptOf({ content, sections = {}, toolsAdded = [], toolsRemoved = [] }: SystemMessage): string {
  const names = (tools: readonly { readonly name: string }[]): string => tools.map(({ name }) => name).join(', ');
  return [
    textIn(content),
    ...Object.entries(sections).map(([name, text]) => text ?? l10n.t('Section "{0}" is removed.', name)),
    ...(toolsAdded.length === 0 ? [] : [l10n.t('Tools added: {0}', names(toolsAdded))]),
    ...(toolsRemoved.length === 0 ? [] : [l10n.t('Tools removed: {0}', names(toolsRemoved))]),
  ]
    .filter(text => text !== '')
    .join('\n\n');
}

/** Entries that are no messages. */
function changeOf(entry: SessionEntry, base: Base): ExportItem | undefined {
  const mark = (text: string, detail?: string): ExportItem => ({
    ...base,
    kind: 'mark',
    text,
    ...(detail === undefined ? {} : { detail: asText(detail) }),
  });
  switch (entry.type) {
    case 'model_change':
      return mark(l10n.t('Model: {0}', `${entry.provider}/${entry.modelId}`));
    case 'thinking_level_change':
      return mark(l10n.t('Thinking: {0}', entry.thinkingLevel));
    case 'usage':
      return mark(l10n.t('Used for {0}: {1} tokens', entry.kind, tokensIn(entry.usage).toLocaleString('en')));
    case 'context_edit':
      return entry.replacement === null
        ? mark(l10n.t('Not sent to the model: {0}', entry.targetId))
        : mark(l10n.t('Replaced for the model: {0}', entry.targetId), textIn(entry.replacement.content));
    case 'custom':
      return mark(l10n.t('State of a hook: {0}', entry.customType), asCode(entry.data));
    case 'label':
      return undefined; // It is with what it is on.
    case 'session_info':
      return entry.name ? mark(l10n.t('Name: {0}', entry.name)) : undefined;
    case 'message':
    case 'custom_message':
    case 'branch_summary':
    case 'compaction':
      return undefined; // A message, or a summary that says nothing.
  }
}

function asText(text: string): MarkDetail {
  return { title: l10n.t('Text'), text };
}

function asSummary(text: string): MarkDetail {
  return { title: l10n.t('Summary'), text };
}

function asCode(data: unknown): string | undefined {
  return data === undefined ? undefined : `\`\`\`\`json\n${JSON.stringify(data, undefined, 2)}\n\`\`\`\``;
}

function answerOf({ message, results }: Pending, base: Base): ExportItem {
  const blocks = message.content.flatMap((part): ExportBlock[] => {
    if (part.type === 'text') return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
    if (part.type === 'thinking') return part.thinking.trim() === '' ? [] : [{ type: 'thinking', text: part.thinking }];
    // A part that a newer version wrote is neither.
    if ((part.type as string) !== 'toolCall') return [];
    const result = results.get(part.id);
    const { name } = part;
    const plan = presentedPlan(name, part.arguments);
    const tool: ExportTool = {
      name,
      summary: toolFacts(name).summarize(part.arguments),
      args: plan !== undefined || result?.todos !== undefined ? '' : JSON.stringify(part.arguments, undefined, 2),
      ...(plan === undefined ? {} : { plan: result?.editedPlan ?? plan }),
    };
    if (result !== undefined) return [{ type: 'tool', tool: { ...tool, result } }];
    return [{ type: 'tool', tool: message.stopReason === 'aborted' ? { ...tool, stopped: true } : tool }];
  });
  const problem = problemOf(message);
  // What foreign programs wrote may lack members that the type promises.
  const usage = message.usage as Partial<AssistantMessage['usage']> | undefined;
  return {
    ...base,
    kind: 'assistant',
    model: modelName(message),
    blocks,
    ...defined({ problem }),
    tokens: numberOf(usage?.totalTokens),
    cost: numberOf(usage?.cost?.total),
  };
}

function tokensIn({ totalTokens, input, output, cacheRead, cacheWrite }: StoredUsage): number {
  return (
    numberOf(totalTokens) || [input, output, cacheRead, cacheWrite].reduce<number>((sum, n) => sum + numberOf(n), 0)
  );
}

function modelName({ provider, model }: Partial<AssistantMessage>): string {
  return [provider, model].filter(part => typeof part === 'string' && part !== '').join('/');
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/** How a call ended, in words; empty for one that went well. */
export function endWords({ result, stopped }: Pick<ExportTool, 'result' | 'stopped'>): string {
  if (result !== undefined) return outcomeWords(result.outcome);
  return stopped === true ? l10n.t('stopped') : l10n.t('no result');
}

function outcomeWords(outcome: ToolOutcome['type']): string {
  switch (outcome) {
    case 'done':
      return '';
    case 'blocked':
      return l10n.t('blocked');
    case 'failed':
      return l10n.t('failed');
    case 'stopped':
      return l10n.t('stopped');
    case 'notFound':
      return l10n.t('not found');
    case 'skipped':
      return l10n.t('skipped');
  }
}

/** The state of an item of the todo list, in a word. */
export function todoWord(status: Todo['status']): string {
  switch (status) {
    case 'pending':
      return l10n.t('Open');
    case 'in_progress':
      return l10n.t('Doing');
    case 'completed':
      return l10n.t('Done');
    case 'abandoned':
      return l10n.t('Given up');
  }
}

function problemOf({ stopReason, errorMessage }: AssistantMessage): string | undefined {
  if (stopReason === 'aborted') return l10n.t('Stopped');
  if (stopReason === 'error') return errorMessage ?? l10n.t('The provider reported an error without a text.');
  return undefined;
}

function resultOf(message: ToolResultMessage): ExportResult {
  const details: unknown = message.details;
  const diff = typeof details === 'object' && details !== null && 'diff' in details ? details.diff : undefined;
  const todos = todosOf(message);
  const text = todos === undefined ? textIn(message.content) : '';
  const end = planEnd(message.toolName, details);
  return {
    text: end === undefined ? text : planEndText(end),
    ...defined({ todos }),
    images: imagesIn(message.content),
    ...(typeof diff === 'string' && diff !== '' ? { diff } : {}),
    outcome: storedOutcome({ toolName: message.toolName, text: plainTerminalText(text), isError: message.isError })
      .type,
    ...(end?.type === 'approved' && end.edited !== undefined ? { editedPlan: end.edited } : {}),
    ...callsOf(message),
  };
}

function callsOf(message: ToolResultMessage): Pick<ExportResult, 'calls'> {
  const nested = recordedNestedCalls(message);
  if (nested.length === 0) return {};
  const lines = nested.map(({ words: { depth, name, summary }, outcome, error }) => {
    const end = outcome.type === 'done' ? '' : ` (${error === '' ? outcomeWords(outcome.type) : error})`;
    return `${'  '.repeat(depth - 1)}${name}${summary === '' ? '' : ` ${summary}`}${end}`;
  });
  return { calls: plainTerminalText(lines.join('\n')) };
}

function remarksOn(message: Extract<AgentMessage, { role: 'bashExecution' }>): readonly string[] {
  const { exitCode, cancelled, excludeFromContext } = message;
  return [
    ...(cancelled ? [l10n.t('stopped')] : []),
    ...(typeof exitCode === 'number' && exitCode !== 0 ? [l10n.t('exit code {0}', exitCode)] : []),
    ...(excludeFromContext === true ? [l10n.t('not shown to the model')] : []),
  ];
}

function textIn(content: string | readonly { readonly type: string; readonly text?: string }[]): string {
  if (typeof content === 'string') return content;
  return content.flatMap(part => (part.type === 'text' ? [part.text ?? ''] : [])).join('\n');
}

function imagesIn(content: string | readonly { readonly type: string }[]): readonly Image[] {
  if (typeof content === 'string') return [];
  return content.flatMap(part => {
    if (part.type !== 'image' || !('data' in part) || !('mimeType' in part)) return [];
    const { data, mimeType } = part;
    return typeof data === 'string' && typeof mimeType === 'string' ? [{ type: 'image', data, mimeType }] : [];
  });
}
