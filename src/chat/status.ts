import type { Api, Model } from '@mariozechner/pi-ai';
import { estimateContext } from '../agent/compaction/tokens';
import { answeringModel } from '../agent/models/virtual-models';
import { compactionFor } from '../agent/settings/model-settings';
import { supportedLevels } from '../agent/thinking-levels';
import { defined } from '../base/defined';
import { Emitter } from '../base/event';
import type { ContextUsage } from '../hook-contract/conversation-port';
import type { RunStatus } from '../protocol/messages';
import type { Approvals } from '../session/approvals/approvals';
import type { ChatModel } from './model/chat-model';
import type { ConversationPorts } from '../session/ports/ports';
import type { ConversationUi } from './questions/hook-ui';
import type { CompactionFlow } from '../session/compaction/compaction-flow';
import type { RunControl } from '../session/run/run-control';
import type { SessionState } from '../session/state/session-state';
import { openingWords } from './session-title';
import { isContextEstimated } from '../session/state/spending';

export interface ConversationStatusParts {
  readonly ports: ConversationPorts;
  readonly chat: ChatModel;
  readonly state: SessionState;
  readonly ui: ConversationUi;
  readonly compaction: CompactionFlow;
  readonly control: RunControl;
  readonly approvals: Approvals | undefined;
}

/** What the header and the composer show of a conversation. */
export class ConversationStatus {
  private readonly changeEmitter = new Emitter<void>();
  /** Fires whenever the status may have changed; {@link current} is the present one. */
  readonly onDidChange = this.changeEmitter.event;

  constructor(private readonly parts: ConversationStatusParts) {}

  /** Name of the session, or how its first message begins; empty for a new one. */
  get title(): string {
    const { state, chat } = this.parts;
    const name = state.store.getSessionName() ?? '';
    return name === '' ? openingWords(chat.inOrder()) : name;
  }

  /** Undefined while no model is chosen. */
  get contextUsage(): ContextUsage | undefined {
    const { state, compaction, control } = this.parts;
    if (state.model === undefined) return undefined;
    const tokens = compaction.isFresh ? null : estimateContext(control.agent.messages).tokens;
    const { contextWindow } = this.answering(state.model);
    const percent = tokens === null || contextWindow <= 0 ? null : (tokens / contextWindow) * 100;
    return { tokens, contextWindow, percent };
  }

  get current(): RunStatus {
    const { ports, state, ui, control, approvals } = this.parts;
    const { model, effectiveLevel: thinkingLevel, spending } = state;
    const context = this.context;
    const usage = spending.current;
    return {
      phase: control.phase,
      ...defined({
        indicator: ui.workingIndicator,
        thinkingLabel: ui.thinkingLabel,
        completes: ui.completions.triggers,
      }),
      model: model === undefined ? '' : this.nameOf(model),
      demo: model?.provider === 'demo',
      thinkingLevel,
      approvals: approvals && { mode: approvals.mode, locked: approvals.isLocked },
      thinkingLevels: model === undefined ? ['off'] : supportedLevels(model),
      title: this.title,
      ...defined({ hookTitle: ui.title, context }),
      ...(usage !== undefined && usage.cost.total > 0 ? { cost: usage.cost.total } : {}),
      ...defined({ usage }),
      hooks: ports.hookCounts(),
      hookStatus: ui.statusTexts,
    };
  }

  /** To be called when something that it tells of has changed. */
  fire(): void {
    this.changeEmitter.fire();
  }

  dispose(): void {
    this.changeEmitter.dispose();
  }

  private answering(model: Model<Api>): Model<Api> {
    const { ports, control } = this.parts;
    return answeringModel(model, control.agent.messages, (provider, id) => ports.models.find(provider, id));
  }

  /** A virtual model with the one that it chose last. */
  private nameOf(model: Model<Api>): string {
    const answering = this.answering(model);
    return answering === model ? model.name : `${model.name} → ${answering.name}`;
  }

  private get context(): RunStatus['context'] {
    const usage = this.contextUsage;
    if (usage === undefined || usage.contextWindow <= 0) return undefined;
    const { ports, control, state } = this.parts;
    const { enabled, reserveTokens } = compactionFor(ports.settings.current.compaction, state.model);
    const { tokens, contextWindow: window } = usage;
    const estimated = isContextEstimated(control.agent.messages);
    return { tokens, window, estimated, ...(enabled ? { compactsAt: Math.max(0, window - reserveTokens) } : {}) };
  }
}
