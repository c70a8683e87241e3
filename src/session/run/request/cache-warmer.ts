import type { Api, AssistantMessage, CacheWarmingDecision, Model } from '@mariozechner/pi-ai';
import type { StreamFn } from '../../../agent/run/loop';
import type { AgentMessage } from '../../../agent/messages';
import { loadPiAi, type PiAi } from '../../../agent/models/pi-ai';
import type { RequestOptions } from '../../../agent/models/requests/stream';
import type { Disposable } from '../../../base/disposable';
import { messageOf } from '../../../base/errors';
import type { RunParts } from '../run-parts';

/** A request whose prompt the provider has cached. */
export interface CachedRequest {
  readonly model: Model<Api>;
  readonly context: Parameters<StreamFn>[1];
  readonly options: RequestOptions;
}

/** One cache that is kept warm. */
interface Warming extends CachedRequest {
  readonly piAi: PiAi;
  readonly isCurrent: () => boolean;
  readonly ttlMs: number;
  readonly delayMs: number;
  readonly startedAt: number;
  readonly end: AbortController;
  phase: CacheWarmingDecision['phase'];
  timer: NodeJS.Timeout | undefined;
  /** When the request is repeated, and after which time that would come too late; in ms since 1970. */
  dueAt: number;
  tooLateAt: number;
}

/**
 * Keeps what a provider cached of the last request, as pi does: repeats the request with one token of output
 * before the cache expires, for an hour within a run and for half an hour after it, while that is expected to save money.
 * pi-ai decides that; hooks can decide otherwise. Ends when the conversation is another one.
 */
export class CacheWarmer implements Disposable {
  private current: Warming | undefined;

  /** `messages`: the context of the agent. */
  constructor(
    private readonly parts: RunParts,
    private readonly messages: () => readonly AgentMessage[],
    private readonly load: () => Promise<PiAi> = loadPiAi,
  ) {}

  /** Keeps the cache of this request warm in place of the one before it. */
  follow(request: CachedRequest): void {
    this.end();
    if (this.mode === 'off' || !this.isChosen(request.model)) return;
    const isCurrent = this.untilOther(request.model);
    const end = new AbortController();
    this.begin(request, isCurrent, end).catch((error: unknown) => this.failed(error));
    this.stopBeginning = () => end.abort();
  }

  /** The run is over, and nothing follows it. */
  noteSettled(): void {
    const { current } = this;
    if (current === undefined) return;
    current.phase = 'idle';
    if (this.mode !== 'idle' || current.dueAt > this.deadlineOf(current)) this.end();
  }

  dispose(): void {
    this.end();
  }

  private stopBeginning = (): void => undefined;

  private end(): void {
    this.stopBeginning();
    const { current } = this;
    this.current = undefined;
    clearTimeout(current?.timer);
    current?.end.abort();
  }

  private get mode(): 'off' | 'streaming' | 'idle' {
    return this.parts.ports.settings.current.cacheWarming;
  }

  /** What a virtual model or a hook chose for one request may be another model in the next. */
  private isChosen({ provider, id }: Model<Api>): boolean {
    const { model } = this.parts.state;
    return model?.provider === provider && model.id === id;
  }

  private untilOther(model: Model<Api>): () => boolean {
    const { state } = this.parts;
    const { store } = state;
    const asked = [...this.messages()];
    return () => {
      const now = this.messages();
      return state.store === store && this.isChosen(model) && asked.every((message, at) => message === now[at]);
    };
  }

  private async begin(request: CachedRequest, isCurrent: () => boolean, end: AbortController): Promise<void> {
    const piAi = await this.load();
    if (end.signal.aborted || !piAi.isCacheWarmingReplayable(request.model, request.options)) return;
    const ttlMs = piAi.getPromptCacheTtlMs(request.model, request.options);
    const delayMs = ttlMs === undefined ? undefined : piAi.getCacheWarmingDelayMs(ttlMs);
    if (ttlMs === undefined || delayMs === undefined) return;
    const times = { ttlMs, delayMs, startedAt: Date.now(), dueAt: 0, tooLateAt: 0 };
    this.current = { ...request, ...times, piAi, isCurrent, end, phase: 'streaming', timer: undefined };
    this.schedule(this.current);
  }

  private schedule(warming: Warming): void {
    const { delayMs, ttlMs } = warming;
    warming.dueAt = Date.now() + delayMs;
    // After a sleep of the computer, the timer comes late: the cache is gone then, and would be paid in full.
    warming.tooLateAt = warming.dueAt + Math.floor((ttlMs - delayMs) / 2);
    if (warming.dueAt > this.deadlineOf(warming)) {
      this.end();
      return;
    }
    warming.timer = setTimeout(() => {
      this.refresh(warming).catch((error: unknown) => this.failed(error));
    }, delayMs).unref();
  }

  private deadlineOf({ phase, startedAt, piAi }: Warming): number {
    return startedAt + (phase === 'idle' ? piAi.CACHE_WARMING_MAX_IDLE_AGE_MS : piAi.CACHE_WARMING_MAX_AGE_MS);
  }

  private async refresh(warming: Warming): Promise<void> {
    if (!this.stays(warming)) return;
    const { model, phase, context, options, end, piAi } = warming;
    const decision = piAi.evaluateCacheWarming(model, promptTokens(this.messages()), phase);
    const action = await this.ask(decision);
    if (!this.stays(warming)) return;
    if (action === 'stop') {
      this.end();
      return;
    }
    const again = piAi.getCacheWarmingRequestOptions(options, end.signal);
    const answer = await answerOf(this.parts.ports.stream(model, context, again));
    if (!this.stays(warming)) return;
    if (answer !== undefined && answer.stopReason !== 'error' && answer.stopReason !== 'aborted') {
      this.record(answer, action === decision.action ? undefined : 'extension override');
    }
    this.schedule(warming);
  }

  private async ask({
    warmCost,
    missCost,
    continuationProbability,
    action,
  }: CacheWarmingDecision): Promise<'warm' | 'stop'> {
    const { ports, conversation } = this.parts;
    if (!ports.hooks.runner.hasHandlers('cache_warming_decision')) return action;
    const event = { type: 'cache_warming_decision', warmCost, missCost, continuationProbability, action } as const;
    return (await ports.hooks.runner.emit(event, conversation)).action;
  }

  /** Whether it still makes sense; ends it otherwise. */
  private stays(warming: Warming): boolean {
    if (this.current !== warming) return false;
    const isWanted = this.mode === 'idle' || (this.mode === 'streaming' && warming.phase === 'streaming');
    const isWritable = this.parts.state.store.access.kind !== 'read';
    if (isWanted && isWritable && warming.isCurrent() && Date.now() <= warming.tooLateAt) return true;
    this.end();
    return false;
  }

  private record(answer: AssistantMessage, note: string | undefined): void {
    const { state, events } = this.parts;
    const { provider, model, responseModel = model, usage } = answer;
    state.spending.use(usage);
    const entry = state.store.appendUsage('cache_warm', provider, responseModel, usage, note);
    if (entry !== undefined) events.fire({ type: 'entry_appended', entry });
  }

  private failed(error: unknown): void {
    this.parts.ports.log.warn(`The prompt cache was not kept warm: ${messageOf(error)}`);
    this.end();
  }
}

/** Of the last request, as its provider counted them. */
function promptTokens(messages: readonly AgentMessage[]): number {
  const answer = messages.findLast(message => message.role === 'assistant');
  if (answer === undefined) return 0;
  const { input, cacheRead, cacheWrite } = answer.usage;
  return input + cacheRead + cacheWrite;
}

async function answerOf(reply: ReturnType<StreamFn>): Promise<AssistantMessage | undefined> {
  for await (const event of await reply) {
    if (event.type === 'done') return event.message;
    if (event.type === 'error') return event.error;
  }
  return undefined;
}
