import type { AssistantMessage } from '../../agent/messages';
import { failureOf } from '../../agent/models/requests/request-failure';
import type { PiSettings } from '../../agent/settings/pi-settings';

/** The next retry after a failed answer. */
export interface RetryPlan {
  /** 1-based. */
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly delayMs: number;
}

/**
 * Plans a retry of a failed answer: when the user asked for it, or when it failed for a temporary reason and attempts
 * are left. The wait doubles from `baseDelayMs`. It is longer where the server asks for that, unless it asks for more than
 * `maxRetryDelayMs`.
 */
export function planRetry(
  message: AssistantMessage,
  attemptsSoFar: number,
  { retry: settings, providerRetry: { maxRetryDelayMs } }: Pick<PiSettings, 'retry' | 'providerRetry'>,
): RetryPlan | undefined {
  const failure = failureOf(message);
  const attempt = attemptsSoFar + 1;
  // The user asked for this retry, so there is no delay, whatever the settings say.
  if (failure?.cause === 'silent') return { attempt, maxAttempts: Math.max(attempt, settings.maxRetries), delayMs: 0 };
  if (!settings.enabled || attemptsSoFar >= settings.maxRetries) return undefined;
  if (failure?.retryable !== true) return undefined;
  const { retryAfterMs = 0 } = failure;
  const asked = maxRetryDelayMs === 0 || retryAfterMs <= maxRetryDelayMs ? retryAfterMs : 0;
  const delayMs = Math.max(asked, Math.min(settings.baseDelayMs * 2 ** (attempt - 1), settings.maxAgentDelayMs));
  return { attempt, maxAttempts: settings.maxRetries, delayMs };
}
