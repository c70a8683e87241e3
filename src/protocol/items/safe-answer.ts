import type { DialogKind } from './chat-item';

const REFUSALS = [
  ...['no', 'cancel', 'deny', 'block', 'abort', 'keep', 'refuse', 'reject', 'decline', 'disallow'],
  ...['nein', 'abbrechen', 'ablehnen', 'verweigern', 'blockieren', 'behalten'],
].join('|');

/** A refusing word alone, with "it" or the like, or with an explanation: `No, keep it`, `Deny (recommended)`. */
const PLAIN_REFUSAL = new RegExp(
  `^(?:${REFUSALS})(?:\\s+(?:it|this|that|them))?(?:\\s*[.,;:!(].*|\\s+[–—-]\\s.*)?$`,
  'isu',
);

/** Whether an option of a hook clearly refuses, as far as its words say. */
export function isPlainRefusal(option: string): boolean {
  // Emojis and numbers before the text of an option do not matter.
  return PLAIN_REFUSAL.test(option.replace(/^[^\p{L}]+/u, '').trim());
}

/**
 * Returns the answer that allows nothing, which is active when the user opens a question: false for
 * `confirm`, for `select` the option that the question names, else the only one that clearly refuses. Undefined when none
 * or several refuse: then no answer is active.
 */
export function safeAnswer(dialog: DialogKind): string | false | undefined {
  if (dialog.type === 'confirm') return false;
  if (dialog.type !== 'select') return undefined;
  if (dialog.usual !== undefined) return dialog.usual;
  const [first, second] = dialog.options.filter(isPlainRefusal);
  return second === undefined ? first : undefined;
}
