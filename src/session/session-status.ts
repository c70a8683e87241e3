import { estimateContext } from '../agent/compaction/tokens';
import { answeringModel } from '../agent/models/virtual-models';
import type { ContextUsage } from '../hook-contract/conversation-port';
import type { CompactionFlow } from './compaction/compaction-flow';
import type { ConversationPorts } from './ports/ports';
import type { RunControl } from './run/run-control';
import type { SessionState } from './state/session-state';

export interface SessionStatusParts {
  readonly ports: Pick<ConversationPorts, 'models'>;
  readonly state: SessionState;
  readonly compaction: Pick<CompactionFlow, 'isFresh'>;
  readonly control: Pick<RunControl, 'agent'>;
}

/** Which model answers in a conversation, and how full its context is. */
export class SessionStatus {
  constructor(private readonly parts: SessionStatusParts) {}

  /** The chosen model, or the one that a virtual model chose last; undefined while none is chosen. */
  get answering(): ReturnType<typeof answeringModel> | undefined {
    const { ports, state, control } = this.parts;
    if (state.model === undefined) return undefined;
    return answeringModel(state.model, control.agent.messages, (provider, id) => ports.models.find(provider, id));
  }

  /** Undefined while no model is chosen. */
  get contextUsage(): ContextUsage | undefined {
    const { compaction, control } = this.parts;
    const { answering } = this;
    if (answering === undefined) return undefined;
    const tokens = compaction.isFresh ? null : estimateContext(control.agent.messages).tokens;
    const { contextWindow } = answering;
    const percent = tokens === null || contextWindow <= 0 ? null : (tokens / contextWindow) * 100;
    return { tokens, contextWindow, percent };
  }
}
