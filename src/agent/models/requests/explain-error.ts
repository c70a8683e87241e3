import type { Api, Model } from '@mariozechner/pi-ai';
import { isOnThisMachine } from '../../../base/loopback';
import { EDITOR_ADVICE, type KeyAdvice } from '../keys/missing-key';
import type { FailureCause, OverflowTest, RequestFailure } from './request-failure';

/** What is known about a failed request when its error text is put into words. */
export interface FailedRequest {
  readonly model: Model<Api>;
  readonly failure: RequestFailure;
  /** pi-ai's text. */
  readonly text: string;
  readonly isOverflow: OverflowTest;
  /** How people set keys here; VS Code's way when absent. */
  readonly advice?: KeyAdvice | undefined;
}

/**
 * The text people read: a sentence that names provider, status and what to do, then the provider's own words where they say more.
 * Hooks tell an overflow by pi-ai's patterns, some of which are anchored at the start. If a sentence in front would hide such a
 * pattern, the sentence comes after the words.
 */
export function explainError({ model, failure, text, isOverflow, advice = EDITOR_ADVICE }: FailedRequest): string {
  const sentence = sentenceFor(model, failure, advice);
  const isSaid = sentence.includes(text.replace(/\.$/, ''));
  const texts = [...(isSaid ? [sentence] : []), `${sentence}\n${text}`, `${text}\n${sentence}`];
  const overflow = isOverflow(text);
  return texts.find(candidate => isOverflow(candidate) === overflow) ?? text;
}

function sentenceFor(model: Model<Api>, failure: RequestFailure, advice: KeyAdvice): string {
  const status = failure.status === undefined ? '' : ` (${failure.status})`;
  return SENTENCES[failure.cause]({ who: `Provider "${model.provider}"`, status, model, advice });
}

interface Subject {
  readonly who: string;
  /** With a space before it; empty when not known. */
  readonly status: string;
  readonly model: Model<Api>;
  readonly advice: KeyAdvice;
}

const unexplained = ({ who, status, model }: Subject): string =>
  status === ''
    ? `${who} reported an error for model "${model.id}".`
    : `${who} did not accept the request for model "${model.id}"${status}.`;
const broken = ({ who, status }: Subject): string => `${who} failed on its own side${status}.`;

/** The words "Connection error" tell hooks that another try helps. */
const SENTENCES: Readonly<Record<FailureCause, (subject: Subject) => string>> = {
  'key-refused': ({ who, status, advice }) =>
    `${who} refused the API key${status}. To set another one, ${advice.setKey}.`,
  forbidden: ({ who, status }) => `${who} does not allow this request with this key${status}.`,
  'not-found': ({ who, status, model }) => `${who} knows no model "${model.id}" at ${model.baseUrl}${status}.`,
  'rate-limit': ({ who, status }) => `${who} asks to slow down${status}.`,
  overloaded: broken,
  server: broken,
  cut: ({ model }) => `Connection error: the reply of provider "${model.provider}" was cut in the middle.`,
  network: ({ model }) =>
    isOnThisMachine(model.baseUrl)
      ? `Connection error: provider "${model.provider}" could not be reached at ${model.baseUrl}. Start the server, or check the address.`
      : `Connection error: provider "${model.provider}" could not be reached at ${model.baseUrl}. Check the network, the proxy and the address.`,
  silent: ({ who }) => `${who} said nothing for a long time.`,
  'bad-request': unexplained,
  overflow: unexplained,
  quota: unexplained,
  'missing-key': unexplained,
  unknown: unexplained,
};
