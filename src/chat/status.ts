import type { Api, Model } from '@mariozechner/pi-ai';
import { compactionFor } from '../agent/settings/model-settings';
import { supportedLevels } from '../agent/thinking-levels';
import { defined } from '../base/defined';
import { Emitter } from '../base/event';
import { rememberLast } from '../base/remember-last';
import { singleLine } from '../base/text/single-line';
import type { ChatItem } from '../protocol/items/chat-item';
import type { RunStatus } from '../protocol/messages';
import type { Conversation } from '../session/conversation';
import { DEMO_PROVIDER } from '../session/models/model-choice';
import { isContextEstimated } from '../session/state/spending';
import type { ChatModel } from './model/chat-model';
import type { ConversationUi } from './questions/hook-ui';

/** Maximum length of the title of a conversation without a name, in characters. */
const TITLE_LENGTH = 60;

/** Characters of a message that are read for the title. */
const LOOKED_AT = 400;

/** The first half of a character that was cut in two. */
const LONE_HIGH_SURROGATE = /[\uD800-\uDBFF]$/;

export interface ChatStatusParts {
  readonly conversation: Conversation;
  readonly hookCounts: () => RunStatus['hooks'];
  readonly chat: ChatModel;
  readonly ui: ConversationUi;
}

/** What the header and the composer show of a conversation. */
export class ChatStatus {
  private readonly changeEmitter = new Emitter<void>();
  /** Fires whenever the status may have changed; {@link current} is the present one. */
  readonly onDidChange = this.changeEmitter.event;

  constructor(private readonly parts: ChatStatusParts) {}

  /** Name of the session, or how its first message begins; empty for a new one. */
  get title(): string {
    const { conversation, chat } = this.parts;
    const name = conversation.store.getSessionName() ?? '';
    return name === '' ? openingWords(chat.inOrder()) : name;
  }

  get current(): RunStatus {
    const { conversation, hookCounts, ui } = this.parts;
    const { state, approvals } = conversation;
    const { model, effectiveLevel: thinkingLevel, spending } = state;
    const context = this.context;
    const usage = spending.current;
    return {
      phase: this.phase,
      ...defined({
        indicator: ui.workingIndicator,
        thinkingLabel: ui.thinkingLabel,
        completes: ui.completions.triggers,
      }),
      model: model === undefined ? '' : this.modelName(model),
      demo: model?.provider === DEMO_PROVIDER,
      thinkingLevel,
      approvals: approvals && { mode: approvals.mode, locked: approvals.isLocked },
      thinkingLevels: model === undefined ? ['off'] : supportedLevels(model),
      title: this.title,
      ...defined({ hookTitle: ui.title, context }),
      ...(usage !== undefined && usage.cost.total > 0 ? { cost: usage.cost.total } : {}),
      ...defined({ usage }),
      hooks: hookCounts(),
      hookStatus: ui.statusTexts,
    };
  }

  /** A hook or a component waits for the user. */
  get isAsking(): boolean {
    const { conversation, ui } = this.parts;
    return conversation.questions.openCount > 0 || ui.components.isWaiting;
  }

  private get phase(): RunStatus['phase'] {
    const { conversation, ui } = this.parts;
    const { phase } = conversation.run;
    const { awaited } = ui;
    if (phase.type !== 'running' || (awaited === undefined && !this.isAsking)) return phase;
    return { type: 'asking', message: awaited ?? '' };
  }

  /** To be called when something that it tells of has changed. */
  fire(): void {
    this.changeEmitter.fire();
  }

  dispose(): void {
    this.changeEmitter.dispose();
  }

  /** A virtual model with the one that it chose last. */
  private modelName(model: Model<Api>): string {
    const { answering = model } = this.parts.conversation.status;
    return answering === model ? model.name : `${model.name} → ${answering.name}`;
  }

  private get context(): RunStatus['context'] {
    const { run, state, ports, status } = this.parts.conversation;
    const usage = status.contextUsage;
    if (usage === undefined || usage.contextWindow <= 0) return undefined;
    const { enabled, reserveTokens } = compactionFor(ports.settings.current.compaction, state.model);
    const { tokens, contextWindow: window } = usage;
    const estimated = isContextEstimated(run.agent.messages);
    return { tokens, window, estimated, ...(enabled ? { compactsAt: Math.max(0, window - reserveTokens) } : {}) };
  }
}

/**
 * How the first message of a conversation begins, on one line, for a title; empty before there is one. Stops at that
 * message: a title is asked for with each change of the status.
 */
export function openingWords(items: Iterable<ChatItem>): string {
  for (const item of items) if (item.kind === 'user') return beginning(item.text);
  return '';
}

const beginning = rememberLast((text: string): string => {
  const words = singleLine(text.slice(0, LOOKED_AT));
  if (words.length <= TITLE_LENGTH) return words;
  const begin = words.slice(0, TITLE_LENGTH - 1).replace(LONE_HIGH_SURROGATE, '');
  return `${begin}…`;
});
