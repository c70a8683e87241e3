import type { DialogKind } from './chat-item';

/**
 * Typing goes on for a moment after a question appeared; until then a key counts as meant for something else, ms.
 */
export const STRAY_TYPING_MS = 400;

const REFUSALS = [
  ...['no', 'cancel', 'deny', 'block', 'abort', 'keep', 'refuse', 'reject', 'decline', 'disallow'],
  ...['nein', 'abbrechen', 'ablehnen', 'verweigern', 'blockieren', 'behalten'],
].join('|');

/** The word alone, with "it" or the like, or with an explanation behind a sign: `No, keep it`, `Deny (recommended)`. */
const PLAIN_REFUSAL = new RegExp(
  `^(?:${REFUSALS})(?:\\s+(?:it|this|that|them))?(?:\\s*[.,;:!(].*|\\s+[–—-]\\s.*)?$`,
  'isu',
);

function isPlainRefusal(option: string): boolean {
  // Pictures and numbers in front of an option say nothing.
  return PLAIN_REFUSAL.test(option.replace(/^[^\p{L}]+/u, '').trim());
}

/**
 * The answer that a question starts on, so that Enter alone never lets something happen: No, or the one option of a
 * `select` that plainly refuses. Undefined when no option does or several do: then nothing is active.
 */
export function safeAnswer(dialog: DialogKind): string | false | undefined {
  if (dialog.type === 'confirm') return false;
  if (dialog.type !== 'select') return undefined;
  const [first, second] = dialog.options.filter(isPlainRefusal);
  return second === undefined ? first : undefined;
}
