import { MARK } from '../../base/text/redact';
import type { DialogAnswer } from '../../hook-contract/ui/ui';

/** Parts of words that name a secret, in English and German. */
const ANYWHERE =
  /pass(?:w|phrase|code|key)|passwd|secret|token|credential|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|kennwort|schl(?:ü|ue)ssel|geheim|zugangs(?:code|daten)|(?:bestätigungs|sicherheits)code/i;
/** Complete words that name a secret; inside of others ("keyboard", "opinion") they mean something else. */
const WORDS =
  /(?<!\p{L})(?:keys?|pins?|puk|tans?|otps?|totp|pwd|mfa|2fa|cvc|cvv|bearer|authorization|cookie|one[- ]time|(?:verification|security|recovery|backup|auth|authentication|access|login) code)(?!\p{L})/iu;

/** Kinds of questions that are answered in the user's own words. */
const OPEN: ReadonlySet<DialogAnswer['kind']> = new Set(['input', 'editor', 'custom']);

/** Whether a dialog asks for a secret; true in case of doubt. */
export function asksForSecret(...texts: readonly (string | undefined)[]): boolean {
  return texts.some(text => {
    const words = (text ?? '').normalize('NFC').replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
    return ANYWHERE.test(text ?? '') || ANYWHERE.test(words) || WORDS.test(words.replaceAll('_', ' '));
  });
}

/**
 * An answer as it may be recorded: for an open question about a secret, only that there was an answer. Choices,
 * confirmations and missing answers are recorded as they are.
 */
export function recordedAnswer(
  { kind, title }: Pick<DialogAnswer, 'kind' | 'title'>,
  hint: string | undefined,
  answer: unknown,
): unknown {
  const isEmpty = answer === undefined || answer === null || answer === '';
  return !isEmpty && OPEN.has(kind) && asksForSecret(title, hint) ? MARK : answer;
}
