import * as l10n from '@vscode/l10n';
import type { AgentMessage, AssistantMessage } from '../../agent/messages';
import { isSessionEntry, type StoredEntry } from '../../agent/session/entry';
import { isRecord } from '../../base/json/is-record';
import type { NoticeItem } from '../../protocol/chat-item';
import type { SessionEvent } from '../../session/ports/session-events';
import type { ChatModel } from '../model/chat-model';

/** What a notice needs to know of its conversation. */
export interface ProviderNoticeFacts {
  /** The user wants these notices. */
  readonly isWanted: () => boolean;
  /** The context, with the answer that ended last. */
  readonly messages: () => readonly AgentMessage[];
}

/** Says in the chat what providers made of the context: reasoning that they dropped, and caches that were kept warm. */
export class ProviderNotices {
  /** The last notice about a cache, and what it cost so far, in US dollars. */
  private warmed: { readonly id: string; readonly cost: number; readonly note: unknown } | undefined;

  constructor(
    private readonly chat: ChatModel,
    private readonly facts: ProviderNoticeFacts,
  ) {}

  follow(event: SessionEvent): void {
    if (!this.facts.isWanted()) return;
    if (event.type === 'message_end' && event.message.role === 'assistant') this.showDropped(event.message);
    if (event.type === 'entry_appended') this.showWarmed(event.entry);
  }

  /** Providers report what they dropped with each later request again: only more than before is news. */
  private showDropped(answer: AssistantMessage): void {
    const now = droppedReasoning(answer);
    if (now === undefined) return;
    const others = this.facts.messages().filter(message => message !== answer);
    const last = others.findLast(message => message.role === 'assistant');
    const before = last && droppedReasoning(last);
    if (before?.provider === now.provider && now.reasons.length <= before.reasons.length) return;
    const { provider, reasons } = now;
    const why = [...new Set(reasons.filter(reason => reason !== ''))].join(', ') || l10n.t('no reason given');
    this.chat.notice(
      'warning',
      reasons.length === 1
        ? l10n.t('{0} dropped one part of the earlier reasoning: {1}', provider, why)
        : l10n.t('{0} dropped {1} parts of the earlier reasoning: {2}', provider, reasons.length, why),
    );
  }

  private showWarmed(entry: StoredEntry): void {
    if (!isSessionEntry(entry) || entry.type !== 'usage' || entry.kind !== 'cache_warm') return;
    const note = (entry as { readonly note?: unknown }).note;
    const last = this.warmed;
    const known = last?.id === this.chat.items.at(-1)?.id && last?.note === note ? last : undefined;
    const cost = (known?.cost ?? 0) + (entry.usage.cost?.total ?? 0);
    const id = known?.id ?? this.chat.nextId('notice');
    this.warmed = { id, cost, note };
    const text = l10n.t('The prompt cache was kept warm: ${0}', cost.toFixed(4));
    const item: NoticeItem = { kind: 'notice', id, level: 'info', text };
    this.chat.apply({ type: 'item', item });
  }
}

interface DroppedReasoning {
  readonly provider: string;
  /** Of each part; empty where there is none. */
  readonly reasons: readonly string[];
}

/** How pi-ai reports it, by type of the diagnostic. */
const REPORTS: ReadonlyMap<string, { readonly provider: string; readonly type: string }> = new Map([
  ['anthropic_input_transformations', { provider: 'Anthropic', type: 'thinking_dropped' }],
  ['openai_input_transformations', { provider: 'OpenAI', type: 'reasoning' }],
]);

/** The parts of earlier reasoning that the model did not get with the request; sessions may hold anything. */
function droppedReasoning({ diagnostics }: AssistantMessage): DroppedReasoning | undefined {
  if (!Array.isArray(diagnostics)) return undefined;
  for (const { type, details } of diagnostics) {
    const report = REPORTS.get(type);
    const parts: unknown = details?.['transformations'];
    if (report === undefined || !Array.isArray(parts)) continue;
    const dropped = parts.filter(isRecord).filter(part => part['type'] === report.type);
    const reasons = dropped.map(({ reason }) => (typeof reason === 'string' ? reason : ''));
    if (reasons.length > 0) return { provider: report.provider, reasons };
  }
  return undefined;
}
