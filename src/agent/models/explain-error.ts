import type { Api, Model } from '@mariozechner/pi-ai';
import { EDITOR_ADVICE, type KeyAdvice } from './missing-key';

/** What is known about a failed request when its error text is put into words. */
export interface FailedRequest {
  readonly model: Model<Api>;
  /** The provider had begun to answer. */
  readonly started: boolean;
  /** pi-ai's text; the patterns for retry and overflow (reference section 13) match on it. */
  readonly text: string;
  /** Tells whether a text means that the context was too long. */
  readonly isOverflow: (text: string) => boolean;
  /** How people set keys here; VS Code's way when absent. */
  readonly advice?: KeyAdvice | undefined;
}

/**
 * The text people read: a sentence that names provider, status and what to do, then the provider's own words.
 * Where a sentence in front would hide an overflow from patterns that are anchored at the start, it comes behind.
 */
export function explainError(failed: FailedRequest): string {
  const sentence = sentenceFor(failed);
  const texts = [`${sentence}\n${failed.text}`, `${failed.text}\n${sentence}`];
  const overflow = failed.isOverflow(failed.text);
  return texts.find(text => failed.isOverflow(text) === overflow) ?? failed.text;
}

/** The HTTP status in the error text of any of pi-ai's clients. */
export function statusOf(text: string): number | undefined {
  const match =
    /^\s*([45]\d\d)\b/.exec(text) ??
    /\b(?:error|status|code)\b\D{0,12}([45]\d\d)\b/i.exec(text) ??
    /"(?:code|status)"\s*:\s*([45]\d\d)\b/.exec(text);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}

function sentenceFor({ model, started, text, advice = EDITOR_ADVICE }: FailedRequest): string {
  const who = `Provider "${model.provider}"`;
  const status = statusOf(text);
  if (status !== undefined) return statusSentence(who, status, model, advice);
  // "Connection error" makes both of these retryable in every dialect's pattern: trying again is what helps.
  if (started && !reportsItself(text)) return `Connection error: the reply of ${lower(who)} was cut in the middle.`;
  if (isNetwork(text)) return `Connection error: ${lower(who)} could not be reached at ${model.baseUrl}.`;
  return `${who} reported an error for model "${model.id}".`;
}

function statusSentence(who: string, status: number, model: Model<Api>, { setKey }: KeyAdvice): string {
  if (status === 401) return `${who} refused the API key (401). To set another one, ${setKey}.`;
  if (status === 403) return `${who} does not allow this request with this key (403).`;
  if (status === 404) return `${who} knows no model "${model.id}" at ${model.baseUrl} (404).`;
  if (status === 429) return `${who} asks to slow down (429).`;
  if (status >= 500) return `${who} failed on its own side (${status}).`;
  return `${who} did not accept the request for model "${model.id}" (${status}).`;
}

function reportsItself(text: string): boolean {
  return /"(?:error|type)"\s*:|finish_reason|Error Code|^\w+: /.test(text);
}

function isNetwork(text: string): boolean {
  return /connection error|connect|fetch failed|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|socket|terminated|closed|timed? ?out|network/i.test(
    text,
  );
}

function lower(who: string): string {
  return who.charAt(0).toLowerCase() + who.slice(1);
}
