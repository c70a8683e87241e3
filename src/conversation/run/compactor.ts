import type { Api, AssistantMessage, Model } from '@mariozechner/pi-ai';
import type { StreamFn } from '../../agent/loop';
import { shouldCompact } from '../../agent/compaction/plan';
import { estimateContext } from '../../agent/compaction/tokens';
import type { Complete } from '../../agent/compaction/summarize';
import type { AgentMessage } from '../../agent/messages';
import type { StoredUsage } from '../../agent/session/entry';
import { addUsage, NO_USAGE, type UsageTotals } from '../../agent/session/usage';
import { failureOf } from '../../agent/models/requests/request-failure';
import type { PiSettings } from '../../agent/settings/pi-settings';

/** Asks a model one question over the same stream function that runs use. */
export function completeWith(stream: StreamFn, model: Model<Api>): Complete {
  return async ({ systemPrompt, messages, maxTokens, signal }) => {
    const options = { maxTokens: Math.min(maxTokens, model.maxTokens), ...(signal === undefined ? {} : { signal }) };
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
export function metered(complete: Complete): {
  readonly complete: Complete;
  readonly used: () => StoredUsage | undefined;
} {
  let totals: UsageTotals | undefined;
  return {
    complete: async request => {
      const answer = await complete(request);
      totals = addUsage(totals ?? NO_USAGE, answer.usage);
      return answer;
    },
    used: () => {
      if (totals === undefined) return undefined;
      const { input, output, cacheRead, cacheWrite } = totals;
      return { ...totals, totalTokens: input + output + cacheRead + cacheWrite };
    },
  };
}

/**
 * Whether the context must shrink after an answer: it did not fit, or little room is left. An
 * answer of another model says nothing about this one's window.
 */
export async function compactionReason(
  answer: AssistantMessage,
  messages: readonly AgentMessage[],
  model: Model<Api>,
  settings: PiSettings['compaction'],
): Promise<'threshold' | 'overflow' | undefined> {
  if (!settings.enabled) return undefined;
  const { isContextOverflow } = await import('@mariozechner/pi-ai');
  const sameModel = answer.provider === model.provider && answer.model === model.id;
  const says = (errorMessage: string): boolean => isContextOverflow({ ...answer, errorMessage });
  const overflows =
    answer.stopReason === 'error'
      ? failureOf(answer, says)?.cause === 'overflow'
      : isContextOverflow(answer, model.contextWindow);
  if (sameModel && overflows) return 'overflow';
  const { tokens, lastUsageIndex } = estimateContext(messages);
  // Requests that keep failing must not keep a full context from shrinking; without any count there is nothing to go
  // by.
  if (answer.stopReason === 'error' && lastUsageIndex === null) return undefined;
  return shouldCompact(tokens, model.contextWindow, settings) ? 'threshold' : undefined;
}
