import type { TurnSettings } from '../../../agent/loop';
import { providerEvents } from './provider-events';
import type { RunParts } from '../run-parts';

/** The longest that a timer can be set to, in ms: 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Model, tools and request options of the next turn. @throws Error when no model is chosen */
export function turnSettings(parts: RunParts, systemPrompt: string): TurnSettings {
  const { state, ports, toolset } = parts;
  if (state.model === undefined) throw new Error('No model is chosen.');
  const level = state.effectiveLevel;
  const { transport, thinkingBudgets, providerRetry, httpIdleTimeoutMs, websocketConnectTimeoutMs } =
    ports.settings.current;
  return {
    model: state.model,
    systemPrompt,
    tools: toolset.wrapped(),
    options: {
      sessionId: state.store.getSessionId(),
      maxRetries: providerRetry.maxRetries,
      maxRetryDelayMs: providerRetry.maxRetryDelayMs,
      // Clients do not accept 0 as "never".
      timeoutMs: providerRetry.timeoutMs ?? (httpIdleTimeoutMs || LONGEST_TIMER_MS),
      idleTimeoutMs: httpIdleTimeoutMs,
      ...(websocketConnectTimeoutMs === undefined ? {} : { websocketConnectTimeoutMs }),
      ...(transport === undefined ? {} : { transport }),
      ...(thinkingBudgets === undefined ? {} : { thinkingBudgets }),
      ...(level === 'off' ? {} : { reasoning: level }),
      ...providerEvents(ports.hooks.runner, parts.conversation),
    },
    thinkingLevel: level,
  };
}
