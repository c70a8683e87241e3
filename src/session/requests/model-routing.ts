import type { Api, Model } from '@mariozechner/pi-ai';
import { convertInPlace } from '../../agent/llm-messages';
import type { TurnSettings } from '../../agent/run/loop';
import type { AgentMessage, AssistantMessage } from '../../agent/messages';
import { isVirtual, VIRTUAL_STATE_ENTRY, type Route } from '../../agent/models/virtual-models';
import { isSessionEntry } from '../../agent/session/entry';
import type { SessionStore } from '../../agent/session/store';
import { isRecord } from '../../base/json/is-record';
import type { ConversationPorts } from '../ports/ports';
import type { SessionEvents } from '../ports/session-events';
import type { SessionState } from '../state/session-state';

type Routed = { readonly ports: Pick<ConversationPorts, 'models'>; readonly state: SessionState };

interface RequestToRoute {
  readonly settings: TurnSettings;
  readonly messages: readonly AgentMessage[];
  /** The answer whose request is repeated; undefined: none is. */
  readonly failed: AssistantMessage | undefined;
  readonly signal: AbortSignal;
}

/**
 * The settings of a request for the model that a virtual model chooses; the conversation's choice stays. Rejects with a
 * text for the user when there is none.
 */
export async function routed(
  { settings, messages, failed, signal }: RequestToRoute,
  parts: Routed & { readonly events: SessionEvents },
): Promise<TurnSettings> {
  const { model, options } = settings;
  const { ports, state: session } = parts;
  const state = storedState(session.store, model);
  const thinkingLevel = session.effectiveLevel;
  const question = { reason: reasonOf(messages, failed), thinkingLevel, failed, state, signal };
  const route = await ports.models.route(model, convertInPlace(messages), question);
  if (route.state !== undefined && route.state !== state) keep(model, route.state, parts);
  return {
    ...settings,
    model: route.model,
    options: { ...options, reasoning: route.thinkingLevel === 'off' ? undefined : route.thinkingLevel },
    thinkingLevel: route.thinkingLevel,
  };
}

function keep(
  { provider, id: modelId }: TurnSettings['model'],
  state: unknown,
  { state: { store }, events }: Parameters<typeof routed>[1],
): void {
  const entry = store.getEntry(store.appendCustomEntry(VIRTUAL_STATE_ENTRY, { provider, modelId, state }));
  if (entry !== undefined) events.fire({ type: 'entry_appended', entry });
}

/**
 * The model and thinking level for a summary: the chosen model, or the one that a virtual model chooses. Rejects as
 * {@link routed}.
 */
export async function modelForSummary(
  { ports, state }: Routed,
  model: Model<Api>,
  signal: AbortSignal,
): Promise<Pick<Route, 'model' | 'thinkingLevel'>> {
  if (!isVirtual(model)) return { model, thinkingLevel: state.effectiveLevel };
  const { messages } = state.store.buildSessionContext();
  const question = { reason: 'direct', thinkingLevel: state.effectiveLevel, signal } as const;
  return ports.models.route(model, convertInPlace(messages), question);
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
