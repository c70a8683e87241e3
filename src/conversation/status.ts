import type { ContextUsage } from '../hooks/conversation-port';
import type { RunStatus } from '../protocol/messages';
import { THINKING_LEVELS } from './model-choice';
import type { ConversationPorts } from './ports';
import type { SessionState } from './session-state';

export interface StatusFacts {
  readonly phase: RunStatus['phase'];
  readonly state: SessionState;
  readonly usage: ContextUsage | undefined;
  /** US dollars; 0 when nothing was spent or nothing is known. */
  readonly cost: number;
  readonly hookStatus: readonly string[];
}

/** What the header and the composer show of a conversation. */
export function statusOf(ports: ConversationPorts, { phase, state, usage, cost, hookStatus }: StatusFacts): RunStatus {
  const { model, thinkingLevel, store } = state;
  const blocked = ports.blocked();
  return {
    phase,
    model: model?.name ?? '',
    demo: model?.provider === 'demo',
    thinkingLevel,
    thinkingLevels: model?.reasoning === true ? THINKING_LEVELS : ['off'],
    sessionName: store.getSessionName() ?? '',
    ...(usage === undefined
      ? {}
      : { context: { tokens: usage.tokens, window: usage.contextWindow, estimated: false } }),
    ...(cost > 0 ? { cost } : {}),
    hooks: ports.hookCounts(),
    hookStatus,
    ...(blocked === undefined ? {} : { blocked }),
  };
}
