import type { ContextUsage } from '../hooks/conversation-port';
import type { RunStatus } from '../protocol/messages';
import { supportedLevels } from '../agent/thinking-levels';
import type { ConversationPorts } from './ports';
import type { SessionState } from './session/session-state';
import type { Spending } from './session/spending';

export interface StatusFacts {
  readonly phase: RunStatus['phase'];
  readonly title: string;
  readonly state: SessionState;
  readonly usage: ContextUsage | undefined;
  /** The size of the context is a guess, at least in part. */
  readonly estimated: boolean;
  readonly spending: Spending | undefined;
  readonly hookStatus: readonly string[];
}

/** What the header and the composer show of a conversation. */
export function statusOf(
  ports: ConversationPorts,
  { phase, title, state, usage, estimated, spending, hookStatus }: StatusFacts,
): RunStatus {
  const { model, effectiveLevel: thinkingLevel } = state;
  const blocked = ports.blocked();
  return {
    phase,
    model: model?.name ?? '',
    demo: model?.provider === 'demo',
    thinkingLevel,
    thinkingLevels: model === undefined ? ['off'] : supportedLevels(model),
    title,
    ...(usage === undefined ? {} : { context: contextOf(usage, estimated, ports) }),
    ...(spending !== undefined && spending.cost.total > 0 ? { cost: spending.cost.total } : {}),
    ...(spending === undefined ? {} : { usage: spending }),
    hooks: ports.hookCounts(),
    hookStatus,
    ...(blocked === undefined ? {} : { blocked }),
  };
}

function contextOf(
  { tokens, contextWindow: window }: ContextUsage,
  estimated: boolean,
  { settings }: ConversationPorts,
): NonNullable<RunStatus['context']> {
  const { enabled, reserveTokens } = settings.current.compaction;
  return { tokens, window, estimated, ...(enabled ? { compactsAt: Math.max(0, window - reserveTokens) } : {}) };
}
