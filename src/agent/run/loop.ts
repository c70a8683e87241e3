import type { Api, AssistantMessageEvent, Context, Model } from '@mariozechner/pi-ai';
import { defined } from '../../base/defined';
import { messageOf } from '../../base/errors';
import { anySignal } from '../../base/async/wait';
import type { AgentEvent } from './events';
import {
  isFailedOrAborted,
  type AgentMessage,
  type AssistantMessage,
  type Message,
  type SystemMessage,
  type ToolDeclaration,
  type ToolResultMessage,
} from '../messages';
import type { MessageQueue } from './message-queue';
import type { AskedContext, RequestOptions } from '../models/requests/stream';
import { isVirtual, type LeveledAnswer } from '../models/virtual-models';
import type { ThinkingLevel } from '../thinking-levels';
import { runToolCalls, toolCallsOf, type CallBatch, type CallOrder } from './tool-calls';
import type { GatedTool, KnownTool } from '../tools/tool';

/** One request to a model. The stream ends with `done` or `error`; HTTP errors and aborts arrive as `error`. */
export type StreamFn = (
  model: Model<Api>,
  context: AskedContext,
  options: RequestOptions,
) => AsyncIterable<AssistantMessageEvent> | Promise<AsyncIterable<AssistantMessageEvent>>;

/** Makes the requests of a run, and sends them. */
export interface RequestSource {
  readonly stream: StreamFn;
  /**
   * Model, system prompt, tools and options, read again before each request, so that a change reaches the next turn.
   * Throws when no model is chosen.
   */
  settings(): TurnSettings;
  /** The tools that the calls of an answer run: those of {@link settings} when the answer is complete. */
  tools(): readonly GatedTool[];
  /** Changes the settings of one request before its context is built; a rejection is the request's error. */
  prepare?(settings: TurnSettings, messages: readonly AgentMessage[], signal: AbortSignal): Promise<TurnSettings>;
  /** Builds the context for the model; may call hooks. Must not change `messages`. */
  toContext(messages: readonly AgentMessage[], signal: AbortSignal): Promise<RequestContext>;
  /**
   * The changes of prompt and tools that the context does not have yet, as a message before the one that the request answers. If
   * absent, nothing is recorded.
   */
  promptChange?(messages: readonly AgentMessage[]): SystemMessage | undefined;
}

/** What a run asks of the conversation that it belongs to. */
export interface RunPorts {
  readonly requests: RequestSource;
  /** How the calls of the next answer run. */
  readonly callOrder: () => CallOrder;
  /** See `CallBatch.nestedOf`; tools make no calls when absent. */
  readonly nestedOf?: CallBatch['nestedOf'];
  /** Called when a turn is over and all its events were emitted except its end. When absent, nothing is decided. */
  readonly finishTurn?: ((turn: Turn) => Promise<FinishedTurn>) | undefined;
  /**
   * Called between two turns: returns a replacement for a context that became too long. If absent or undefined, the context
   * stays.
   */
  readonly betweenTurns?:
    ((messages: readonly AgentMessage[]) => Promise<readonly AgentMessage[] | undefined>) | undefined;
  /** Returns a watcher for the next answer while it streams; there is none when absent. */
  readonly watchAnswer?: (() => AnswerWatcher | undefined) | undefined;
}

/** Everything one run of the agent needs. `messages` is the live context: the run appends to it. */
export interface Run extends RunPorts {
  readonly messages: AgentMessage[];
  /** New messages that start the run; empty when it continues from the current context (retry). */
  readonly prompts: readonly AgentMessage[];
  readonly signal: AbortSignal;
  /** Messages that interrupt at the next tool boundary. */
  readonly steering: Pick<MessageQueue, 'take'>;
  /** Messages that wait until the agent would stop. */
  readonly followUps: Pick<MessageQueue, 'take'>;
}

/** The context of one request. */
export interface RequestContext {
  readonly messages: Message[];
  /** See {@link AskedContext}; absent where the messages do not tell the prompt and the tools. */
  readonly inPlace?: readonly Message[];
  /** Replaces the prompt and the tools of the settings. */
  readonly prompt?: { readonly systemPrompt: string; readonly tools: readonly ToolDeclaration[] };
}

/** Called with each event of one answer, in order; returns an interruption to stop the answer. */
export type AnswerWatcher = (event: AssistantMessageEvent) => Interruption | undefined;

/**
 * Stops an answer: its beginning is reported as aborted and removed from the context, and the run continues with these messages.
 */
export interface Interruption {
  /** Becomes the answer's `errorMessage`. */
  readonly reason: string;
  readonly messages: readonly AgentMessage[];
}

/** One answer and what its tools gave. */
export interface Turn {
  readonly turnIndex: number;
  readonly message: AssistantMessage;
  readonly toolResults: readonly ToolResultMessage[];
}

/** The decision at the end of a turn. */
export interface FinishedTurn {
  /** One more request follows, unless the run continues anyway; without effect when the turn failed. */
  readonly goesOn: boolean;
  /** Replaces the context. */
  readonly context?: readonly AgentMessage[];
}

export interface TurnSettings {
  readonly model: Model<Api>;
  readonly systemPrompt: string;
  readonly tools: readonly GatedTool[];
  readonly options: Omit<RequestOptions, 'signal'>;
  /** The thinking level to record in the answer; none when absent. */
  readonly thinkingLevel?: ThinkingLevel;
}

/**
 * One run: turns until the model calls no tool and nothing is queued. Always ends with `agent_end`: failures of the provider, of
 * tools and of the conversion become messages.
 */
export async function* runLoop(run: Run): AsyncGenerator<AgentEvent, void> {
  const added: AgentMessage[] = [];
  const append = function* (messages: readonly AgentMessage[]): Generator<AgentEvent, void> {
    for (const message of messages) {
      run.messages.push(message);
      added.push(message);
      yield { type: 'message_start', message };
      yield { type: 'message_end', message };
    }
  };
  yield { type: 'agent_start' };
  let incoming = run.prompts;
  const isAnswered = incoming.length === 0 && run.messages.at(-1)?.role === 'assistant';
  for (let turnIndex = 0; ; turnIndex++) {
    yield { type: 'turn_start', turnIndex, timestamp: Date.now() };
    // The messages that start a run are recorded even if it is stopped at once.
    if (turnIndex === 0 || !run.signal.aborted) yield* append(promptChangeFor(run));
    yield* append(incoming);
    if (turnIndex === 0) yield* append(waitingMessages(run, isAnswered));
    const { message, interruption } = yield* streamAnswer(run);
    if (interruption === undefined) {
      run.messages.push(message);
      added.push(message);
    }
    yield { type: 'message_end', message };
    const round = isFailedOrAborted(message) ? NO_ROUND : yield* toolRound(run, message, append);
    const turn: Turn = { turnIndex, message, toolResults: round.results };
    const finished = await run.finishTurn?.(turn);
    if (finished?.context !== undefined) replaceContext(run.messages, finished.context);
    yield { type: 'turn_end', ...turn };
    if (isFailedOrAborted(message) && (interruption === undefined || run.signal.aborted)) break;
    if (interruption !== undefined) {
      incoming = interruption.messages;
      continue;
    }
    // After an abort during tools, one more turn with an aborted answer follows; steering messages are before it.
    incoming = run.signal.aborted ? steeringNow(run, round) : nextMessages(run, round);
    const goesOn = round.wantsAnswer || (finished?.goesOn === true && !run.signal.aborted);
    if (incoming.length === 0 && !goesOn) break;
    const context = run.signal.aborted ? undefined : await run.betweenTurns?.(run.messages);
    if (context !== undefined) replaceContext(run.messages, context);
  }
  yield { type: 'agent_end', messages: added };
}

/** In place, because others refer to the list. */
function replaceContext(messages: AgentMessage[], context: readonly AgentMessage[]): void {
  messages.length = 0;
  for (const message of context) messages.push(message);
}

function promptChangeFor(run: Run): readonly AgentMessage[] {
  const change = run.requests.promptChange?.(run.messages);
  return change === undefined ? [] : [change];
}

/**
 * Messages that were queued before the first request, which answers them together with the prompts. A run that
 * continues after a finished answer only has queued messages to answer, so follow-ups count too.
 */
function waitingMessages(run: Run, isAnswered: boolean): readonly AgentMessage[] {
  if (run.signal.aborted) return [];
  const steering = run.steering.take();
  return steering.length === 0 && isAnswered ? run.followUps.take() : steering;
}

/** Steering messages first. Follow-ups only if the model would otherwise stop. */
function nextMessages(run: Run, round: Round): readonly AgentMessage[] {
  const steering = steeringNow(run, round);
  return steering.length > 0 || round.wantsAnswer ? steering : run.followUps.take();
}

function steeringNow(run: Run, { steering }: Round): readonly AgentMessage[] {
  return steering.length > 0 ? steering : run.steering.take();
}

interface Round {
  readonly results: readonly ToolResultMessage[];
  readonly steering: readonly AgentMessage[];
  /** The model continues with the results: there are some, and they do not end the run. */
  readonly wantsAnswer: boolean;
}

const NO_ROUND: Round = { results: [], steering: [], wantsAnswer: false };

async function* toolRound(
  run: Run,
  message: AssistantMessage,
  append: (messages: readonly AgentMessage[]) => Generator<AgentEvent, void>,
): AsyncGenerator<AgentEvent, Round> {
  const results: ToolResultMessage[] = [];
  let steering: readonly AgentMessage[] = [];
  const toolCalls = toolCallsOf(message);
  if (toolCalls.length === 0) return NO_ROUND;
  const calls = runToolCalls({
    calls: toolCalls,
    isCutOff: message.stopReason === 'length',
    tools: run.requests.tools(),
    signal: run.signal,
    order: run.callOrder(),
    interrupted: () => {
      if (steering.length === 0) steering = run.steering.take();
      return steering.length > 0;
    },
    nestedOf: run.nestedOf,
  });
  for (;;) {
    const step = await calls.next();
    if (step.done === true) return { results, steering, wantsAnswer: !step.value };
    if ('role' in step.value) {
      results.push(step.value);
      yield* append([step.value]);
    } else {
      yield step.value;
    }
  }
}

interface Answer {
  readonly message: AssistantMessage;
  readonly interruption?: Interruption;
}

/** Streams one answer; yields its `message_start` and updates and returns the final message, whatever happened. */
async function* streamAnswer(run: Run): AsyncGenerator<AgentEvent, Answer> {
  const { requests } = run;
  let settings = requests.settings();
  let started: AssistantMessage | undefined;
  const began = performance.now();
  const annotated = (message: LeveledAnswer, isOver: boolean): AssistantMessage => {
    // A virtual model without a target for the request does not think.
    if (settings.thinkingLevel !== undefined && !isVirtual(settings.model)) {
      message.thinkingLevel = settings.thinkingLevel;
    }
    if (isOver) message.durationMs ??= Math.round(performance.now() - began);
    return message;
  };
  try {
    run.signal.throwIfAborted();
    settings = (await requests.prepare?.(settings, run.messages, run.signal)) ?? settings;
    run.signal.throwIfAborted();
    const { model, options } = settings;
    const context = await contextFor(run, settings);
    const watch = run.watchAnswer?.();
    const stop = watch === undefined ? undefined : new AbortController();
    const signal = anySignal(run.signal, stop?.signal);
    const stream = await requests.stream(model, context, { ...options, signal });
    for await (const event of stream) {
      const message = annotated(messageIn(event), event.type === 'done' || event.type === 'error');
      if (started === undefined) {
        started = message;
        yield { type: 'message_start', message };
      }
      if (event.type === 'error') return { message };
      if (event.type !== 'start' && event.type !== 'done') {
        started = message;
        yield { type: 'message_update', message, assistantMessageEvent: event };
      }
      const interruption = run.signal.aborted ? undefined : watch?.(event);
      if (interruption !== undefined) {
        stop?.abort();
        return {
          message: annotated({ ...failedAnswer(model, message, true, ''), errorMessage: interruption.reason }, true),
          interruption,
        };
      }
      if (event.type === 'done') return { message };
    }
    throw new Error(`The stream of ${model.provider}/${model.id} ended without a final message.`);
  } catch (error) {
    const message = annotated(failedAnswer(settings.model, started, run.signal.aborted, messageOf(error)), true);
    if (started === undefined) yield { type: 'message_start', message };
    return { message };
  }
}

function messageIn(event: AssistantMessageEvent): AssistantMessage {
  if (event.type === 'done') return event.message;
  return event.type === 'error' ? event.error : event.partial;
}

/** What the next request sends: the prompt and the tools of the settings, unless hooks replaced them. */
async function contextFor(run: Run, { systemPrompt, tools }: TurnSettings): Promise<AskedContext> {
  const { messages, prompt, inPlace } = await run.requests.toContext(run.messages, run.signal);
  run.signal.throwIfAborted();
  const sent = prompt ?? { systemPrompt, tools };
  const declared = declarations(sent.tools, tools);
  return { systemPrompt: sent.systemPrompt, messages, tools: declared, ...defined({ inPlace }) };
}

/** Tools as a request declares them: without those that another tool describes. */
function declarations(
  declared: readonly ToolDeclaration[],
  tools: readonly KnownTool[],
): NonNullable<Context['tools']> {
  const byName = new Map(tools.map(tool => [tool.name, tool]));
  return declared.flatMap(({ name, description, parameters }) => {
    const { isUndeclared, constrainedSampling } = byName.get(name) ?? {};
    const sampling = defined({ constrainedSampling });
    return isUndeclared === true ? [] : [{ name, description, parameters, ...sampling }];
  });
}

/** The answer of a failed request. It keeps what arrived. */
function failedAnswer(
  model: Model<Api>,
  partial: AssistantMessage | undefined,
  aborted: boolean,
  text: string,
): AssistantMessage {
  const noCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  return {
    role: 'assistant',
    content: partial?.content ?? [],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: partial?.usage ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: noCost },
    stopReason: aborted ? 'aborted' : 'error',
    errorMessage: aborted ? 'Request was aborted' : text,
    timestamp: partial?.timestamp ?? Date.now(),
  };
}
