import type * as PiAi from '@mariozechner/pi-ai';
import * as l10n from '@vscode/l10n';
import type { Api, AssistantMessage, Model, Usage } from '@mariozechner/pi-ai';
import { shouldCompact } from '../../agent/compaction/plan';
import { estimateContext } from '../../agent/compaction/tokens';
import type { Complete } from '../../agent/compaction/summarize';
import type { AgentMessage } from '../../agent/messages';
import { addedUsage } from '../../agent/run/nested-record';
import { failureOf } from '../../agent/models/requests/request-failure';
import type { ThinkingLevel } from '../../agent/thinking-levels';
import type { PiSettings } from '../../agent/settings/pi-settings';
import { defined } from '../../base/defined';
import { sleep } from '../../base/async/wait';
import type { HookConversation } from '../../hook-contract/conversation-port';
import type { ConversationPorts } from '../ports/ports';
import type { SessionEvents, SummaryPurpose } from '../ports/session-events';
import { headerEvents } from '../requests/provider-events';
import { planRetry } from '../requests/retry-plan';

export interface SummaryParts {
  readonly ports: Pick<ConversationPorts, 'stream' | 'settings' | 'hooks'>;
  readonly conversation: HookConversation;
  readonly events: SessionEvents;
}

/** Who writes a summary. */
export interface SummaryWriter {
  readonly model: Model<Api>;
  readonly thinkingLevel: ThinkingLevel;
}

/** How a summary is asked for: again after failures that may pass, and with what all of its answers used. */
export function summarizer(
  parts: SummaryParts,
  writer: SummaryWriter,
  purpose: SummaryPurpose,
): ReturnType<typeof metered> {
  return metered(askingAgain(completeWith(parts, writer), parts, purpose));
}

/** As given, retried as often as the settings allow for a run; each retry is reported. A stop in between gives an aborted answer. */
function askingAgain(complete: Complete, { ports, events }: SummaryParts, purpose: SummaryPurpose): Complete {
  const never = new AbortController().signal;
  return async request => {
    const { signal = never } = request;
    let attempts = 0;
    try {
      for (;;) {
        const answer = await complete(request);
        const plan = signal.aborted ? undefined : planRetry(answer, attempts, ports.settings.current);
        if (plan === undefined) return answer;
        attempts = plan.attempt;
        const { errorMessage = '' } = answer;
        events.fire({ type: 'summarization_retry_scheduled', ...plan, errorMessage });
        events.notice('warning', l10n.t('The summary failed. Retrying ({0} of {1})', plan.attempt, plan.maxAttempts), {
          detail: errorMessage,
        });
        if (!(await sleep(plan.delayMs, signal))) return { ...answer, stopReason: 'aborted' };
        events.fire({ type: 'summarization_retry_attempt_start', ...purpose });
      }
    } finally {
      if (attempts > 0) events.fire({ type: 'summarization_retry_finished' });
    }
  };
}

/** Asks a model one question over the same stream function that runs use. */
function completeWith(
  { ports: { stream, settings, hooks }, conversation }: SummaryParts,
  { model, thinkingLevel }: SummaryWriter,
): Complete {
  return async ({ systemPrompt, messages, signal }) => {
    const options = {
      ...headerEvents(hooks.runner, conversation),
      // The same request is never sent again.
      cacheRetention: 'none',
      idleTimeoutMs: settings.current.httpIdleTimeoutMs,
      ...defined({ signal }),
      ...(model.reasoning && thinkingLevel !== 'off' ? { reasoning: thinkingLevel } : {}),
    } as const;
    let last: AssistantMessage | undefined;
    for await (const event of await stream(model, { systemPrompt, messages }, options)) {
      if (event.type === 'done') last = event.message;
      if (event.type === 'error') last = event.error;
    }
    if (last === undefined) throw new Error(`The stream of ${model.provider}/${model.id} ended without a result.`);
    return last;
  };
}

/** As given, with what all of its questions used so far. */
function metered(complete: Complete): {
  readonly complete: Complete;
  readonly used: () => Usage | undefined;
} {
  let used: Usage | undefined;
  return {
    complete: async request => {
      const answer = await complete(request);
      used = addedUsage(used, answer.usage);
      return answer;
    },
    used: () => used,
  };
}

/** What a context shows that must shrink at once. */
export type AnswerFault = 'did not fit' | 'was cut short';

/** Why a context must shrink; `willRetry`: its last answer is then asked for once more. */
export type CompactionNeed =
  | { readonly reason: 'threshold'; readonly willRetry: false }
  | { readonly reason: 'overflow'; readonly willRetry: boolean; readonly answer: AnswerFault };

/** Kept, as even a module that is loaded is resolved at each import, and each turn asks. */
let piAi: Promise<typeof PiAi> | undefined;

/**
 * Whether the context must shrink after an answer: it did not fit, ended before it was as long as the model can answer,
 * or little room is left. An answer of another model says nothing about this one's window.
 */
export async function compactionNeed(
  answer: AssistantMessage,
  messages: readonly AgentMessage[],
  model: Model<Api>,
  settings: PiSettings['compaction'],
): Promise<CompactionNeed | undefined> {
  if (!settings.enabled || model.contextWindow <= 0) return undefined;
  piAi ??= import('@mariozechner/pi-ai');
  const { isContextOverflow, isRecoverableLength } = await piAi;
  const sameModel = answer.provider === model.provider && answer.model === model.id;
  const says = (errorMessage: string): boolean => isContextOverflow({ ...answer, errorMessage });
  const overflows =
    answer.stopReason === 'error'
      ? failureOf(answer, says)?.cause === 'overflow'
      : isContextOverflow(answer, model.contextWindow);
  if (sameModel && (overflows || isRecoverableLength(answer, model.maxTokens))) {
    // A complete answer stays as it is.
    const willRetry = answer.stopReason !== 'stop';
    return { reason: 'overflow', willRetry, answer: overflows ? 'did not fit' : 'was cut short' };
  }
  const { tokens, lastUsageIndex } = estimateContext(messages);
  // Requests that keep failing must not keep a full context from shrinking; without any count there is nothing to go
  // by.
  if (answer.stopReason === 'error' && lastUsageIndex === null) return undefined;
  return shouldCompact(tokens, model.contextWindow, settings) ? { reason: 'threshold', willRetry: false } : undefined;
}
