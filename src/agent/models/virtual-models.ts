import type { Api, Model } from '@mariozechner/pi-ai';
import { isRecord } from '../../base/json/is-record';
import { unlessAborted, withTimeout } from '../../base/async/wait';
import { isFailedOrAborted, type AgentMessage, type AssistantMessage, type Message } from '../messages';
import { clampLevel, THINKING_LEVELS, type ThinkingLevel } from '../thinking-levels';

/** API of models that no provider serves: each request of theirs goes to another model. */
const VIRTUAL_API = 'pi-virtual';

/** `customType` of the entries with the state of a virtual model. */
export const VIRTUAL_STATE_ENTRY = 'pi.virtual-model-state';

/** Why a request is made; `direct`: outside of runs, for a summary or by a hook. */
export type RouteReason = 'user' | 'continuation' | 'retry' | 'direct';

/** A physical model, and how much it thinks. */
export interface RoutedModel {
  readonly model: Model<Api>;
  readonly thinkingLevel?: ThinkingLevel | undefined;
}

/** What a virtual model is asked before each request. */
export interface RouteRequest {
  /** The virtual one. */
  readonly model: Model<Api>;
  readonly thinkingLevel: string;
  readonly reason: RouteReason;
  /** The route of the latest answer among the messages. */
  readonly previous?: RoutedModel | undefined;
  /** The request that failed, when this is a retry; its answer is not among the messages. */
  readonly failed?: (RoutedModel & { readonly message: AssistantMessage }) | undefined;
  /** As the virtual model last requested on this branch of the session. */
  readonly state?: unknown;
  readonly messages: readonly Message[];
  readonly signal?: AbortSignal | undefined;
}

/** Where a request goes; `state`: the new state to store, if it changed. */
export interface Route {
  readonly model: Model<Api>;
  readonly thinkingLevel: ThinkingLevel;
  readonly state?: unknown;
}

/** The facts about a request before it is routed. */
export type RouteQuestion = Pick<RouteRequest, 'thinkingLevel' | 'reason' | 'state' | 'signal'> & {
  readonly failed?: AssistantMessage | undefined;
};

/** The checked argument of `pi.registerVirtualModel`. */
export interface VirtualModelDefinition {
  readonly provider: string;
  readonly id: string;
  readonly name: string;
  readonly thinkingLevels?: readonly ThinkingLevel[];
  readonly contextWindow?: number;
  readonly maxTokens?: number;
  readonly input?: readonly ('text' | 'image')[];
  /** Rejects with a text that names whose code failed. */
  readonly route: (request: RouteRequest) => unknown;
}

/** A virtual model that code registered, and who did. */
export interface VirtualRegistration {
  readonly model: Model<Api>;
  readonly route: VirtualModelDefinition['route'];
  readonly sourceId: string;
}

/**
 * An answer with the level of the model that gave it and how long it took, in whole ms; pi-ai's type does not know the
 * members.
 */
export type LeveledAnswer = AssistantMessage & { thinkingLevel?: ThinkingLevel; durationMs?: number };

/** Whether it only chooses models. Messages of requests that could not be routed also name such a model. */
export function isVirtual({ api }: Pick<Model<Api>, 'api'>): boolean {
  return api === VIRTUAL_API;
}

/** The latest answer. Its model is a physical one. */
function latestAnswer(messages: readonly AgentMessage[]): LeveledAnswer | undefined {
  return messages.findLast(
    (message): message is AssistantMessage => message.role === 'assistant' && !isFailedOrAborted(message),
  );
}

/** The model whose limits count: for a virtual one, the model that answered last, if it is known. */
export function answeringModel(
  model: Model<Api>,
  messages: readonly AgentMessage[],
  find: (provider: string, id: string) => Model<Api> | undefined,
): Model<Api> {
  const answer = isVirtual(model) ? latestAnswer(messages) : undefined;
  return (answer && find(answer.provider, answer.model)) ?? model;
}

/**
 * Checks a model that foreign code registers.
 * @throws Error naming the model and the field
 */
export function checkVirtualModel(given: unknown): VirtualModelDefinition {
  const { provider, id, name, thinkingLevels, contextWindow, maxTokens, input, route } = isRecord(given) ? given : {};
  const called = `Virtual model ${String(provider)}/${String(id)}`;
  const check = (isRight: boolean, text: string): void => {
    if (!isRight) throw new Error(`${called}: ${text}.`);
  };
  for (const [field, value] of Object.entries({ provider, id, name })) {
    check(typeof value === 'string' && value.trim() !== '', `"${field}" must be a text`);
  }
  check(typeof route === 'function', '"route" must be a function');
  check(isListOf(thinkingLevels, THINKING_LEVELS), `"thinkingLevels" must be a list of ${THINKING_LEVELS.join(', ')}`);
  check(isListOf(input, ['text', 'image']), '"input" must be a list of text and image');
  for (const [field, value] of Object.entries({ contextWindow, maxTokens })) {
    check(value === undefined || (typeof value === 'number' && value >= 0), `"${field}" must be a number`);
  }
  return given as VirtualModelDefinition;
}

function isListOf(value: unknown, known: readonly string[]): boolean {
  return value === undefined || (Array.isArray(value) && value.every(item => known.includes(String(item))));
}

/** The entry of a virtual model in lists of models. Unknown limits are 0. */
function virtualModel(definition: VirtualModelDefinition): Model<Api> {
  const { provider, id, name, thinkingLevels = ['off'], contextWindow = 0, maxTokens = 0, input } = definition;
  return {
    id,
    name,
    api: VIRTUAL_API,
    provider,
    baseUrl: '',
    reasoning: thinkingLevels.some(level => level !== 'off'),
    thinkingLevelMap: Object.fromEntries(
      THINKING_LEVELS.map(level => [level, thinkingLevels.includes(level) ? level : null]),
    ),
    input: [...(input ?? (['text', 'image'] as const))],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow,
    maxTokens,
  };
}

/** How models are looked up for a route. */
export interface RouteLookup {
  findPhysical(provider: string, id: string): Model<Api> | undefined;
  hasConfiguredAuth(model: Model<Api>): boolean;
}

/**
 * Asks a virtual model where to send one request.
 * @throws Error for people: what its code threw, or what is wrong with its answer
 */
async function askRoute(
  { model, route, sourceId }: VirtualRegistration,
  messages: readonly Message[],
  question: RouteQuestion,
  lookup: RouteLookup,
): Promise<Route> {
  const { failed, ...request } = question;
  const routed = (answer: LeveledAnswer | undefined): RoutedModel | undefined => {
    const found = answer && lookup.findPhysical(answer.provider, answer.model);
    return found && { model: found, thinkingLevel: answer.thinkingLevel };
  };
  const before = routed(failed);
  const answer = await route({
    ...request,
    model,
    previous: routed(latestAnswer(messages)),
    failed: before && failed && { ...before, message: failed },
    messages,
  });
  return checkedRoute(answer, { model, sourceId }, lookup);
}

function checkedRoute(
  answer: unknown,
  { model: virtual, sourceId }: Pick<VirtualRegistration, 'model' | 'sourceId'>,
  lookup: RouteLookup,
): Route {
  const name = `Virtual model ${virtual.provider}/${virtual.id}`;
  const { model, thinkingLevel, state } = isRecord(answer) ? answer : {};
  if (!isRecord(model) || typeof model['provider'] !== 'string' || typeof model['id'] !== 'string') {
    throw new Error(`${name}: its route (${sourceId}) gave no "model".`);
  }
  const wanted = `${name} routed to ${model['provider']}/${model['id']}`;
  const physical = lookup.findPhysical(model['provider'], model['id']);
  if (physical === undefined) throw new Error(`${wanted}, which is not a physical model.`);
  if (!lookup.hasConfiguredAuth(physical)) throw new Error(`${wanted}, which has no credentials.`);
  if (!THINKING_LEVELS.some(level => level === thinkingLevel)) {
    throw new Error(`${name}: its route (${sourceId}) gave no "thinkingLevel" that exists.`);
  }
  return { model: physical, thinkingLevel: clampLevel(physical, String(thinkingLevel)), state };
}

/** How long a route may take: it may ask a model itself. */
const ROUTE_LIMIT_MS = 120_000;

/** The virtual models that code registered, in order. */
export class VirtualModels {
  private registrations: readonly VirtualRegistration[] = [];

  constructor(private readonly limitMs: number = ROUTE_LIMIT_MS) {}

  get models(): readonly Model<Api>[] {
    return this.registrations.map(({ model }) => model);
  }

  has(provider: string): boolean {
    return this.registrations.some(({ model }) => model.provider === provider);
  }

  /**
   * Adds a model, in place of one of the same name.
   * @throws Error naming the model, when it is wrong or the provider has one of its own of that name
   */
  register(given: unknown, sourceId: string, isPhysical: (provider: string, id: string) => boolean): void {
    const definition = checkVirtualModel(given);
    const { provider, id } = definition;
    if (isPhysical(provider, id)) throw new Error(`Virtual model ${provider}/${id} conflicts with a physical model.`);
    this.unregister(provider, id);
    const registration = { model: virtualModel(definition), route: definition.route, sourceId };
    this.registrations = [...this.registrations, registration];
  }

  /** Removes a model, of one source or (if none is given) of any source; false if there is none. */
  unregister(provider: string, id: string, sourceId?: string): boolean {
    const isMeant = ({ model, sourceId: own }: VirtualRegistration): boolean =>
      model.provider === provider && model.id === id && (sourceId === undefined || own === sourceId);
    const left = this.registrations.filter(registration => !isMeant(registration));
    const isGone = left.length < this.registrations.length;
    this.registrations = left;
    return isGone;
  }

  unregisterSource(sourceId: string): void {
    this.registrations = this.registrations.filter(registration => registration.sourceId !== sourceId);
  }

  /** See {@link askRoute}. Gives up if the route does not answer in time, or if the request is aborted. */
  route(model: Model<Api>, messages: readonly Message[], question: RouteQuestion, lookup: RouteLookup): Promise<Route> {
    const { provider, id } = model;
    const known = this.registrations.find(({ model: own }) => own.provider === provider && own.id === id);
    if (known === undefined) throw new Error(`Virtual model ${provider}/${id} is not registered.`);
    const late = (): never => {
      const seconds = this.limitMs / 1000;
      throw new Error(
        `Virtual model ${provider}/${id}: its route (${known.sourceId}) gave no answer within ${seconds} s.`,
      );
    };
    const aborted = (): never => {
      throw new Error('Request was aborted');
    };
    const asked = askRoute(known, messages, question, lookup);
    const { signal } = question;
    return withTimeout(signal === undefined ? asked : unlessAborted(asked, signal, aborted), this.limitMs, late);
  }
}
