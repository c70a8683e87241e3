import type { AssistantMessage } from '@mariozechner/pi-ai';
import { isRetryableAssistantError } from '@mariozechner/pi-ai/utils/retry';
import { defined } from '../../../base/defined';
import { isRecord } from '../../../base/json/is-record';
import { parseObject } from '../../../base/json/parse-object';

export type FailureCause =
  /** The context was too long for the model. */
  | 'overflow'
  | 'rate-limit'
  | 'overloaded'
  | 'server'
  /** The provider was not reached. */
  | 'network'
  /** The connection ended in the middle of the reply. */
  | 'cut'
  /** The provider was silent for long, and the user made the request again. */
  | 'silent'
  | 'missing-key'
  | 'key-refused'
  | 'forbidden'
  | 'not-found'
  /** The quota is used up or not paid. It does not come back within a few tries. */
  | 'quota'
  | 'bad-request'
  | 'unknown';

/** Why a request to a model failed. The code that notices the failure decides it. */
export interface RequestFailure {
  readonly cause: FailureCause;
  /** HTTP status; absent where there was no response, or its client does not tell. */
  readonly status?: number;
  /** The same request may succeed later. */
  readonly retryable: boolean;
  /** How long the server asks to wait before that, in ms. Absent if it does not say. */
  readonly retryAfterMs?: number;
}

const RETRYABLE: ReadonlySet<FailureCause> = new Set([
  'rate-limit',
  'overloaded',
  'server',
  'network',
  'cut',
  'silent',
]);

/** A failure of one cause. */
export function requestFailure(cause: FailureCause, status?: number): RequestFailure {
  return { cause, retryable: RETRYABLE.has(cause), ...defined({ status }) };
}

/** Kept next to the messages and not in them: hooks and session files see only what pi writes. */
const failures = new WeakMap<AssistantMessage, RequestFailure>();

/** Records why the request of a message failed. */
export function noteFailure(message: AssistantMessage, failure: RequestFailure): void {
  failures.set(message, failure);
}

/** What {@link noteFailure} recorded about a message. */
export function notedFailure(message: AssistantMessage): RequestFailure | undefined {
  return failures.get(message);
}

/**
 * Why a request failed. Undefined for a message that is not a failure. A message from a file, or from a stream that recorded
 * nothing, has only its text, from which the failure is read.
 */
export function failureOf(message: AssistantMessage, isOverflow?: OverflowTest): RequestFailure | undefined {
  if (message.stopReason !== 'error') return undefined;
  return failures.get(message) ?? readFailure({ text: message.errorMessage ?? '', isOverflow });
}

/** Raw stop reasons of providers that mean that the model, or a filter of the provider, declined to answer. */
const DECLINED: ReadonlySet<string> = new Set(['refusal', 'content_filter', 'sensitive']);

/** The provider has declined to answer: the same request would be declined again. */
export function isDeclined({ rawStopReason = '' }: AssistantMessage): boolean {
  return DECLINED.has(rawStopReason);
}

/** Whether a text says that the context was too long; pi-ai knows how each provider puts it. */
export type OverflowTest = (text: string) => boolean;

/** The text of an error, and other facts about the request. */
export interface SeenFailure {
  /** In the words of pi-ai's client, possibly with the sentence of `explainError` before or after them. */
  readonly text: string;
  /** The status of the HTTP response, where the client shows it. */
  readonly status?: number | undefined;
  /** The provider had begun to answer. */
  readonly started?: boolean;
  readonly isOverflow?: OverflowTest | undefined;
}

/**
 * Reads a failure from its text, because pi-ai's clients give nothing else. Numbers count only where a client puts the
 * status. A known status decides, except where a gateway gives it to the words of a busy server. Words count outside of
 * quotations and addresses; those that are not known here are left to pi-ai.
 */
export function readFailure({ text, status: seen, started, isOverflow }: SeenFailure): RequestFailure {
  const providerText = text.replace(OWN_SENTENCE, '');
  const body: FailureBody = jsonIn(providerText) ?? { words: providerText };
  const said = outsideQuotations(body.words);
  const words = said.replaceAll('_', ' ');
  const status = body.status ?? statusIn(providerText, words) ?? statusOfSentence(text) ?? seen;
  if (isOverflow?.(text) === true) return requestFailure('overflow', status);
  if (CHATGPT_LIMIT.test(providerText)) return requestFailure('quota', status);
  const forPi = `${said} "code":"${body.code ?? ''}"`;
  const cause = status === undefined ? causeOfWords(words, forPi) : causeOfStatus(status, words);
  if ((RETRYABLE.has(cause) || cause === 'unknown') && isUsedUp(forPi)) return requestFailure('quota', status);
  if (status !== undefined) return requestFailure(cause, status);
  return requestFailure(ENDED_EARLY.test(providerText) || (started === true && isCut(providerText)) ? 'cut' : cause);
}

/** The line that `explainError` puts in front. */
const OWN_SENTENCE = /^Provider "[^"\n]*" [^\n]*\n/;
const CHATGPT_LIMIT = /^You have hit your ChatGPT usage limit/;

/** Whether pi-ai makes a request again after an error of these words. */
function isTriedByPi(words: string): boolean {
  const errorMessage = words.replace(/\b[45]\d\d\b/g, ' ');
  return isRetryableAssistantError({ stopReason: 'error', errorMessage } as AssistantMessage);
}

/** A limit that does not end within a few tries, although many gateways report it with status 429, too. */
function isUsedUp(words: string): boolean {
  // Words after which pi-ai does not try again, although another word says that it should. It does not export the list.
  return !isTriedByPi(`${words} overloaded`);
}

function causeOfWords(words: string, forPi: string): FailureCause {
  return WORDS.find(([, pattern]) => pattern.test(words))?.[0] ?? (isTriedByPi(forPi) ? 'server' : 'unknown');
}

/** Gateways report them with other statuses, too, and pi tries those again. */
const BUSY =
  /\boverloaded\b|\bbusy\b|\bhigh demand\b|\bat capacity\b|\btemporarily unavailable\b|\bprovider returned (?:an )?error\b|\bresource ?exhausted\b/;

const WORDS: readonly (readonly [FailureCause, RegExp])[] = [
  ['overloaded', BUSY],
  ['rate-limit', /\brate limit|\btoo many requests\b|\bthrottling\b|\bretry delay\b/],
  [
    'network',
    /\bconnect|\benotfound\b|\beai again\b|\be(?:timedout|pipe|conn\w+|(?:host|net)unreach)\b|\bsocket\b|\bterminated\b|\bclosed\b/,
  ],
  ['network', /\btimed? ?out\b|\bnetwork\b|\bfetch failed\b|\breset before headers\b/],
];

function causeOfStatus(status: number, words: string): FailureCause {
  if (status === 401) return 'key-refused';
  if (status === 402) return 'quota';
  if (status === 408) return 'server';
  if (status === 413) return 'overflow';
  if (status === 429) return 'rate-limit';
  if (status === 529) return 'overloaded';
  if (status >= 500) return 'server';
  if (BUSY.test(words)) return 'overloaded';
  if (status === 403) return 'forbidden';
  return status === 404 ? 'not-found' : 'bad-request';
}

/** `404 words`, `Mistral API error (404): …`, `status code 404`, `HTTP 404`, `502 Bad Gateway`. */
function statusIn(text: string, words: string): number | undefined {
  const match =
    /^\s*([45]\d\d)(?=[\s:]|$)/.exec(text) ??
    /\b(?:error|status|code|http)(?: code)?[ \t]?[:=(]?[ \t]?([45]\d\d)\b(?![.:/-]\w)/.exec(words) ??
    /\b([45]\d\d) (?:bad gateway|gateway timeout|internal server error|service unavailable|too many)/.exec(words);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}

function statusOfSentence(text: string): number | undefined {
  const match = /^Provider "[^"\n]*" [^\n]*\(([45]\d\d)\)\./.exec(text);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}

interface FailureBody {
  readonly status?: number | undefined;
  /** Of the provider's own numbering, or a status. */
  readonly code?: string;
  readonly words: string;
}

/** What a JSON body says, as Google's client and errors within a stream give it. */
function jsonIn(text: string): FailureBody | undefined {
  const start = text.indexOf('{');
  if (start < 0) return undefined;
  const body = parseObject(text.slice(start));
  if (body === undefined) return undefined;
  const { error = body } = body;
  const { code, status, type, message } = isRecord(error) ? error : { ...body, message: error };
  const number = [code, status].map(Number).find(value => value >= 400 && value < 600);
  const words = [type, code, status, message].filter(value => typeof value === 'string');
  const own = typeof code === 'string' || typeof code === 'number' ? { code: String(code) } : {};
  return { status: number, ...own, words: [text.slice(0, start), ...words].join(' ; ') };
}

/** The text in lower case, without addresses and quotations: their content is not about the failure. */
function outsideQuotations(text: string): string {
  return text
    .replace(/\b[a-z][a-z\d+.-]*:\/\/[^\s"'`]+/gi, ' ')
    .replace(/(?:\[[\da-f:]+\]|\blocalhost|\b[\w-]+(?:\.[\w-]+)+):\d+/gi, ' ')
    .replace(/"[^"]*"|`[^`]*`|(?<!\w)'[^']*'(?!\w)/g, ' ')
    .toLowerCase();
}

/** The words of pi-ai's clients for a reply that ended before its last mark. */
const ENDED_EARLY = /\bstream (?:ended (?:without|before)|closed before)\b|^terminated\b/i;

/** The connection ended: the provider and its client state no reason within the stream. */
function isCut(text: string): boolean {
  return !/"(?:error|type)"\s*:|finish_reason|Error Code|^\w+: /.test(text);
}
