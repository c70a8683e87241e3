import type { Api, Model } from '@mariozechner/pi-ai';
import { convertToLlm } from '../../../agent/convert';
import type { TurnSettings } from '../../../agent/loop';
import type { AgentMessage, AssistantMessage, Message } from '../../../agent/messages';
import { isVirtual, VIRTUAL_STATE_ENTRY, type Route, type RouteQuestion } from '../../../agent/models/virtual-models';
import { isSessionEntry } from '../../../agent/session/entry';
import type { SessionStore } from '../../../agent/session/store';
import { isRecord } from '../../../base/json/is-record';
import type { Emitter } from '../../../base/event';
import type { ConversationPorts } from '../../ports';
import type { SessionEvent } from '../../session/session-events';
import type { SessionState } from '../../session/session-state';

type Routed = { readonly ports: Pick<ConversationPorts, 'models'>; readonly state: SessionState };

export interface ModelRoutingParts extends Routed {
  /** Notifies clients that follow the conversation. */
  readonly events: Emitter<SessionEvent>;
}

/** Routes each request of a virtual model to the model that it chooses; the conversation's choice stays. */
export class ModelRouting {
  private failed: AssistantMessage | undefined;

  constructor(private readonly parts: ModelRoutingParts) {}

  /** Notes that the next request repeats the one of this answer; undefined: it does not. */
  noteFailed(answer: AssistantMessage | undefined): void {
    this.failed = answer;
  }

  /** The settings of one request for a physical model. Rejects with a text for the user when there is none. */
  async prepare(settings: TurnSettings, messages: readonly AgentMessage[], signal: AbortSignal): Promise<TurnSettings> {
    const { failed } = this;
    this.failed = undefined;
    const { model, options } = settings;
    if (!isVirtual(model)) return settings;
    const { ports, state: session } = this.parts;
    const state = storedState(session.store, model);
    const question = {
      reason: reasonOf(messages, failed),
      thinkingLevel: session.effectiveLevel,
      failed,
      state,
      signal,
    };
    const route = await routeOf(ports.models, model, messages, question);
    if (route.state !== undefined && route.state !== state) this.keep(model, route.state);
    const { thinkingLevel } = route;
    return {
      ...settings,
      model: route.model,
      options: { ...options, reasoning: thinkingLevel === 'off' ? undefined : thinkingLevel },
      thinkingLevel,
    };
  }

  private keep({ provider, id: modelId }: TurnSettings['model'], state: unknown): void {
    const { state: session, events } = this.parts;
    const { store } = session;
    const entry = store.getEntry(store.appendCustomEntry(VIRTUAL_STATE_ENTRY, { provider, modelId, state }));
    if (entry !== undefined) events.fire({ type: 'entry_appended', entry });
  }
}

/**
 * The model and thinking level for a summary: the chosen model, or the one that a virtual model chooses. Rejects as
 * {@link ModelRouting.prepare}.
 */
export async function modelForSummary(
  { ports, state }: Routed,
  model: Model<Api>,
  signal: AbortSignal,
): Promise<Pick<Route, 'model' | 'thinkingLevel'>> {
  if (!isVirtual(model)) return { model, thinkingLevel: state.effectiveLevel };
  const { messages } = state.store.buildSessionContext();
  const question = { reason: 'direct', thinkingLevel: state.effectiveLevel, signal } as const;
  return routeOf(ports.models, model, messages, question);
}

async function routeOf(
  models: ConversationPorts['models'],
  model: Model<Api>,
  messages: readonly AgentMessage[],
  question: RouteQuestion,
): Promise<Route> {
  // Providers get the system prompt, but not as a message.
  const told = messages.flatMap(message =>
    message.role === 'system' ? [message as Message] : convertToLlm([message]),
  );
  const route = await models.route?.(model, told, question);
  if (route === undefined) throw new Error(`Virtual model ${model.provider}/${model.id} cannot be routed here.`);
  return route;
}

function reasonOf(
  messages: readonly AgentMessage[],
  failed: AssistantMessage | undefined,
): 'user' | 'continuation' | 'retry' {
  if (failed !== undefined) return 'retry';
  const answered = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.slice(answered + 1).some(({ role }) => role === 'user') ? 'user' : 'continuation';
}

/** What the virtual model last wished to remember, on the path to the leaf. */
function storedState(store: SessionStore, { provider, id }: TurnSettings['model']): unknown {
  for (const node of store.getPathIds().toReversed()) {
    const entry = node.type === 'custom' ? store.getEntry(node.id) : undefined;
    if (entry === undefined || !isSessionEntry(entry) || entry.type !== 'custom') continue;
    const data = entry.customType === VIRTUAL_STATE_ENTRY && isRecord(entry.data) ? entry.data : {};
    if (data['provider'] === provider && data['modelId'] === id) return data['state'];
  }
  return undefined;
}
