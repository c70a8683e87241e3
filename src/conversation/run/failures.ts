import type { AssistantMessage } from '../../agent/messages';
import type { PiSettings } from '../../agent/settings';

const RETRYABLE =
  /overloaded|rate limit|too many requests|429|500|502|503|504|service unavailable|server error|internal error|connection error|connection refused|other side closed|fetch failed|upstream connect|reset before headers|terminated|retry delay/i;

/** The next try after a failed answer. */
export interface RetryPlan {
  /** 1-based. */
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly delayMs: number;
}

/**
 * When a failed answer is tried again (reference section 13): it failed for a passing reason, was not too long for
 * the context, and attempts are left. The wait doubles from `baseDelayMs`.
 */
export function planRetry(
  message: AssistantMessage,
  attemptsSoFar: number,
  settings: PiSettings['retry'],
  isOverflow: boolean,
): RetryPlan | undefined {
  if (!settings.enabled || isOverflow || message.stopReason !== 'error') return undefined;
  if (attemptsSoFar >= settings.maxRetries || !RETRYABLE.test(message.errorMessage ?? '')) return undefined;
  const attempt = attemptsSoFar + 1;
  const delayMs = Math.min(settings.baseDelayMs * 2 ** (attempt - 1), settings.maxDelayMs);
  return { attempt, maxAttempts: settings.maxRetries, delayMs };
}
