import { setImmediate } from 'node:timers/promises';
import type { JsonValue, ToolCall } from '@mariozechner/pi-ai';
import { defined } from '../../base/defined';
import { LatestValues } from '../../base/async/latest-values';
import { merged } from '../../base/async/merge';
import { messageOf } from '../../base/errors';
import { unlessAborted } from '../../base/async/wait';
import type { AgentEvent, CallName } from './events';
import type { AssistantMessage, ToolResultMessage } from '../messages';
import { addedUsage, type NestedRecord } from './nested-record';
import type * as CheckArguments from '../tools/arguments/check-arguments';
import { throwAborted } from '../tools/abort';
import {
  ABORTED_TEXT,
  ToolBlocked,
  ToolError,
  type AdmittedCall,
  type GatedTool,
  type ToolOutcome,
  type ToolResult,
} from '../tools/tool';

/** Text of a tool call that was skipped because the user said something first. */
export const SKIPPED_TEXT = 'Skipped due to queued user message.';

/** Text of a call of a tool that does not exist. */
export function notFoundText(toolName: string): string {
  return `Tool ${toolName} not found`;
}

/** A tool that ignores its abort signal is given up after this time, in ms; its late result is dropped. */
const ABORT_GRACE_MS = 3000;

/**
 * How the calls of one answer run. `sideBySide`: all verdicts first, in order, then all calls at once, unless a tool's
 * `executionMode` says otherwise. `oneByOne`: verdict, run and review of a call come before those of the next. The next one is
 * skipped if the user wrote something in the meantime (docs/dialects.md, C39).
 */
export type CallOrder = 'sideBySide' | 'oneByOne';

export function toolCallsOf(message: AssistantMessage): readonly ToolCall[] {
  return message.content.filter(part => part.type === 'toolCall');
}

/** The calls of one answer, or one call that a tool makes, with what they need to run. */
export interface CallBatch {
  readonly calls: readonly ToolCall[];
  /** The answer is incomplete: see {@link prepare}. */
  readonly isCutOff?: boolean;
  readonly tools: readonly GatedTool[];
  readonly signal: AbortSignal;
  readonly order: CallOrder;
  /** Asked after each call where they run `oneByOne`: when true the remaining ones are skipped. */
  readonly interrupted?: () => boolean;
  /** The call whose tool makes this one. */
  readonly parentToolCallId?: string;
  /** Called once at the end of a call; returns the record of the calls that its tool made. */
  readonly nestedOf?: ((toolCallId: string) => NestedRecord | undefined) | undefined;
}

/**
 * Runs the tool calls of one answer and yields their events and result messages, the messages in the order of the calls;
 * returns whether their results end the run. Every call gets a result: unknown tools, bad arguments and throwing tools
 * an error, calls that did not run before an abort `Operation aborted`, those skipped {@link SKIPPED_TEXT}.
 */
export async function* runToolCalls(batch: CallBatch): AsyncGenerator<AgentEvent | ToolResultMessage, boolean> {
  const isSequential = batch.calls.some(({ name }) => toolNamed(name, batch)?.executionMode === 'sequential');
  const ended = batch.order === 'oneByOne' || isSequential ? yield* runInTurn(batch) : yield* runAtOnce(batch);
  return ended.length > 0 && ended.every(({ result }) => result.terminate === true);
}

/** After this many calls, other work in the process gets a turn. */
const CALLS_AT_ONCE = 50;

function startsSlice(index: number): boolean {
  return index > 0 && index % CALLS_AT_ONCE === 0;
}

/** Calls begin in slices, too: each slice waits for the ones before it. */
class Slices {
  private readonly begun: Promise<void>[] = [];

  /** Resolves when the call at this index may begin; undefined for the first slice, which waits for nothing. */
  begins(index: number): Promise<void> | undefined {
    const slice = Math.floor(index / CALLS_AT_ONCE);
    if (slice === 0) return undefined;
    return (this.begun[slice] ??= (this.begun[slice - 1] ?? Promise.resolve()).then(() => setImmediate()));
  }
}

async function* runInTurn(batch: CallBatch): AsyncGenerator<AgentEvent | ToolResultMessage, readonly Ended[]> {
  const all: Ended[] = [];
  let skip = false;
  for (const [index, call] of batch.calls.entries()) {
    if (startsSlice(index)) await setImmediate();
    yield started(call, batch);
    const prepared = skip ? skipped() : await prepare(call, batch);
    const ended = 'result' in prepared ? prepared : yield* execute(prepared, batch);
    yield endOf(call, ended, batch);
    yield resultMessage(call, ended, batch);
    all.push(ended);
    if (batch.order === 'oneByOne') skip ||= !batch.signal.aborted && batch.interrupted?.() === true;
  }
  return all;
}

async function* runAtOnce(batch: CallBatch): AsyncGenerator<AgentEvent | ToolResultMessage, readonly Ended[]> {
  const all = new Map<ToolCall, Ended>();
  const running: AsyncGenerator<AgentEvent, void>[] = [];
  const slices = new Slices();
  const run = async function* (call: ToolCall, ready: Ready, index: number): AsyncGenerator<AgentEvent, void> {
    const turn = slices.begins(index);
    if (turn !== undefined) await turn;
    const ended = yield* execute(ready, batch);
    all.set(call, ended);
    yield endOf(call, ended, batch);
  };
  for (const [index, call] of batch.calls.entries()) {
    if (startsSlice(index)) await setImmediate();
    yield started(call, batch);
    const prepared = await prepare(call, batch);
    if ('result' in prepared) {
      all.set(call, prepared);
      yield endOf(call, prepared, batch);
    } else {
      running.push(run(call, prepared, running.length));
    }
  }
  yield* merged(running);
  for (const [index, [call, ended]] of inOrder(batch.calls, all).entries()) {
    if (startsSlice(index)) await setImmediate();
    yield resultMessage(call, ended, batch);
  }
  return [...all.values()];
}

function inOrder(calls: readonly ToolCall[], all: ReadonlyMap<ToolCall, Ended>): [ToolCall, Ended][] {
  return calls.flatMap(call => {
    const ended = all.get(call);
    return ended === undefined ? [] : [[call, ended] as [ToolCall, Ended]];
  });
}

/** Most updates of a tool that may wait for slow listeners. Only the newest are kept. */
const WAITING_UPDATES = 64;

/** A call that may run. */
interface Ready {
  readonly call: ToolCall;
  readonly params: Record<string, unknown>;
  readonly run: AdmittedCall;
}

/** A call that is over. */
interface Ended {
  readonly result: ToolResult;
  readonly outcome: ToolOutcome;
  /** How long the tool ran, in whole ms; absent when it did not. */
  readonly durationMs?: number;
}

/**
 * Everything before a call runs; never rejects. An answer that was cut off may contain half a command, so none of its calls run.
 */
async function prepare(call: ToolCall, batch: CallBatch): Promise<Ready | Ended> {
  const { signal, isCutOff = false } = batch;
  if (signal.aborted) return stopped();
  if (isCutOff) {
    return failed(
      `The answer was cut off at the model's output limit, so ${call.name} was not run: its arguments may be incomplete.`,
    );
  }
  const tool = toolNamed(call.name, batch);
  if (tool === undefined) return { result: errorResult(notFoundText(call.name)), outcome: { type: 'notFound' } };
  const checked = await checkArguments(tool, call);
  if ('problem' in checked) return failed(checked.problem);
  try {
    return { call, params: checked.params, run: await tool.admit(call.id, checked.params, signal) };
  } catch (error) {
    return endedBy(error, signal);
  }
}

function toolNamed(name: string, { tools }: CallBatch): GatedTool | undefined {
  return tools.find(tool => tool.name === name);
}

async function* execute({ call, params, run }: Ready, batch: CallBatch): AsyncGenerator<AgentEvent, Ended> {
  const { signal } = batch;
  if (signal.aborted) return stopped();
  const updates = new LatestValues<ToolResult>(WAITING_UPDATES);
  const began = performance.now();
  const work = runToEnd(call.name, run, signal, updates).then(ended => ({
    ...ended,
    durationMs: Math.round(performance.now() - began),
  }));
  for await (const partialResult of updates) {
    yield { type: 'tool_execution_update', ...callName(call, batch), args: params, partialResult };
  }
  return work;
}

type Checked = { readonly params: Record<string, unknown> } | { readonly problem: string };

/** Loaded at the first call, and only once: `import()` takes longer than the check. */
let checking: typeof CheckArguments | undefined;

async function checkArguments(tool: GatedTool, call: ToolCall): Promise<Checked> {
  const { argumentsError } = call;
  if (argumentsError !== undefined) return { problem: `Invalid arguments for tool "${call.name}": ${argumentsError}` };
  const { checkedArguments } = (checking ??= await import('../tools/arguments/check-arguments'));
  try {
    const prepared = tool.prepareArguments === undefined ? call.arguments : tool.prepareArguments(call.arguments);
    return { params: checkedArguments(tool.name, tool.parameters as object, prepared) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** Runs a tool to its end; never rejects, and closes `updates` when nothing more will come. */
async function runToEnd(
  toolName: string,
  run: AdmittedCall,
  signal: AbortSignal,
  updates: LatestValues<ToolResult>,
): Promise<Ended> {
  try {
    const running = run(partial => updates.add(partial));
    const result = await unlessAborted(running, signal, throwAborted, ABORT_GRACE_MS);
    return checkedResult(toolName, result, signal);
  } catch (error) {
    return endedBy(error, signal);
  } finally {
    updates.close();
  }
}

/** Tools of hooks are foreign code: a result without content must not reach the provider. */
function checkedResult(toolName: string, given: unknown, signal: AbortSignal): Ended {
  const content = typeof given === 'object' && given !== null && 'content' in given ? given.content : undefined;
  if (!Array.isArray(content)) return failed(`Tool ${toolName} returned no content list.`);
  const result = given as ToolResult;
  return { result, outcome: { type: result.isError === true ? failureType(signal) : 'done' } };
}

function endedBy(error: unknown, signal: AbortSignal): Ended {
  if (error instanceof ToolBlocked) {
    const { message, reason, by, terminate } = error;
    const outcome = { type: 'blocked', reason, ...defined({ by }) } as const;
    return { result: { ...errorResult(message), ...(terminate ? { terminate } : {}) }, outcome };
  }
  const outcome = { type: failureType(signal) };
  if (!(error instanceof ToolError)) return { result: errorResult(messageOf(error)), outcome };
  const { content, details, structuredContent } = error;
  const data = structuredContent === undefined ? { details: details ?? {} } : { details, structuredContent };
  return { result: { content, ...data, isError: true }, outcome };
}

/** A call that fails after it was stopped did so for that reason. */
function failureType({ aborted }: AbortSignal): 'failed' | 'stopped' {
  return aborted ? 'stopped' : 'failed';
}

function skipped(): Ended {
  return { result: errorResult(SKIPPED_TEXT), outcome: { type: 'skipped', reason: SKIPPED_TEXT } };
}

function stopped(): Ended {
  return { result: errorResult(ABORTED_TEXT), outcome: { type: 'stopped' } };
}

function failed(text: string): Ended {
  return { result: errorResult(text), outcome: { type: 'failed' } };
}

function errorResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }], details: {}, isError: true };
}

function callName({ id: toolCallId, name: toolName }: ToolCall, { parentToolCallId }: CallBatch): CallName {
  return { toolCallId, toolName, ...defined({ parentToolCallId }) };
}

function started(call: ToolCall, batch: CallBatch): AgentEvent {
  return { type: 'tool_execution_start', ...callName(call, batch), args: call.arguments };
}

function endOf(call: ToolCall, { result, outcome, durationMs }: Ended, batch: CallBatch): AgentEvent {
  const isError = result.isError === true;
  const ran = defined({ durationMs });
  return { type: 'tool_execution_end', ...callName(call, batch), result, isError, ...ran, outcome };
}

/** Only the message contains the record of the calls that the tool made. */
function resultMessage(
  { id: toolCallId, name: toolName }: ToolCall,
  { result, durationMs }: Ended,
  { nestedOf }: CallBatch,
): ToolResultMessage {
  const { content, isError = false } = result;
  const details = result.details as JsonValue | undefined; // It is written as JSON, whatever a tool returns.
  const { nestedCalls, usage: below } = nestedOf?.(toolCallId) ?? {};
  const usage = below === undefined ? result.usage : addedUsage(result.usage, below);
  return {
    role: 'toolResult',
    toolCallId,
    toolName,
    content,
    details,
    ...defined({ usage, nestedCalls, durationMs }),
    isError,
    timestamp: Date.now(),
  };
}
