import * as l10n from '@vscode/l10n';
import type { AgentMessage, AssistantMessage } from '../../agent/messages';
import { isRecord } from '../../base/json/is-record';

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

/**
 * What the user should know of earlier reasoning that a provider dropped for an answer; undefined for nothing new.
 * Providers report it with each later request again: only more than for the answer before among `messages` is news.
 */
export function droppedReasoningText(answer: AssistantMessage, messages: readonly AgentMessage[]): string | undefined {
  const now = droppedReasoning(answer);
  if (now === undefined) return undefined;
  const others = messages.filter(message => message !== answer);
  const last = others.findLast(message => message.role === 'assistant');
  const before = last && droppedReasoning(last);
  if (before?.provider === now.provider && now.reasons.length <= before.reasons.length) return undefined;
  const { provider, reasons } = now;
  const why = [...new Set(reasons.filter(reason => reason !== ''))].join(', ') || l10n.t('no reason given');
  return reasons.length === 1
    ? l10n.t('{0} dropped one part of the earlier reasoning: {1}', provider, why)
    : l10n.t('{0} dropped {1} parts of the earlier reasoning: {2}', provider, reasons.length, why);
}

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
