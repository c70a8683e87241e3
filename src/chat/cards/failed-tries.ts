import * as l10n from '@vscode/l10n';
import type { AgentMessage, AssistantMessage } from '../../agent/messages';
import type { NoticeItem } from '../../protocol/items/chat-item';
import type { TranscriptPart } from '../../session/ports/session-events';

/** The notice for failed answers in a row that were retried: their number and their errors. */
export function triesNotice(id: string, failed: readonly AssistantMessage[]): NoticeItem {
  const errors = failed.map(({ errorMessage = '' }) => errorMessage);
  // The other lines are what the provider sent.
  const [last = ''] = (errors.at(-1) ?? '').split('\n');
  const text =
    failed.length === 1
      ? l10n.t('Retried after a failure: {0}', last)
      : l10n.t('Retried after {0} failures: {1}', failed.length, last);
  const detail = errors.map((error, index) => `${index + 1}. ${error}`).join('\n');
  const saysAll = errors.length === 1 && errors[0] === last;
  return { kind: 'notice', id, level: 'info', text, ...(saysAll ? {} : { detail }) };
}

/** One thing to be drawn of a session, or failed answers in a row behind which the same was asked again. */
export type FoldedPart = TranscriptPart | { readonly type: 'tries'; readonly failed: readonly AssistantMessage[] };

/** Folds answers that failed and were retried; a failed answer without a retry stays. */
export function foldTries(parts: readonly TranscriptPart[]): readonly FoldedPart[] {
  const folded: FoldedPart[] = [];
  parts.forEach((part, index) => {
    const failed = failedAnswer(part);
    const next = failed && parts.slice(index + 1).find(({ type }) => type === 'message');
    if (failed === undefined || next?.type !== 'message' || next.message.role !== 'assistant') {
      folded.push(part);
      return;
    }
    const before = folded.at(-1);
    if (before?.type === 'tries') folded[folded.length - 1] = { type: 'tries', failed: [...before.failed, failed] };
    else folded.push({ type: 'tries', failed: [failed] });
  });
  return folded;
}

function failedAnswer(part: TranscriptPart): AssistantMessage | undefined {
  if (part.type !== 'message') return undefined;
  const { message }: { readonly message: AgentMessage } = part;
  return message.role === 'assistant' && message.stopReason === 'error' ? message : undefined;
}
