import { singleLine } from '../../base/text/single-line';
import type { CallTarget } from './call-targets';

/** So many characters of a longer command are enough: a dialog may cut it after these. */
const ENOUGH = 40;
/** What follows in a dialog is compared up to here. */
const COMPARED = 1_000;
/** Nobody reads more of a dialog. */
const READ = 100_000;

/** What may not be next to a name: it would be a part of a longer one, such as another path or another host. */
const LETTER = String.raw`[\p{Lu}\p{Ll}\p{Lt}\p{Lm}\p{M}\p{N}_]`;
const GOES_BEFORE = new RegExp(String.raw`(?:${LETTER}|[~/\\.-])$`, 'u');
const GOES_ON = new RegExp(String.raw`^[/\\.-]*${LETTER}`, 'u');
/** Languages without spaces between words are no reason to doubt, except for very short names. */
const SHORT = 4;
const ANY_LETTER_BEFORE = /\p{L}$/u;
const ANY_LETTER_AFTER = /^\p{L}/u;

/**
 * Whether a dialog names everything that a call acts on. A name counts in one of its spellings, with white space folded:
 * whole, or at least its first 40 characters. It does not count as a part of another word, path or host.
 *
 * @param texts - title, message and options of the dialog
 */
export function isNamedInDialog(targets: readonly CallTarget[], texts: readonly string[]): boolean {
  if (targets.length === 0) return false;
  const shown = texts.map(text => singleLine(text.slice(0, READ)));
  return targets.every(spellings =>
    spellings.map(singleLine).some(name => name !== '' && shown.some(text => isNamedIn(text, name))),
  );
}

function isNamedIn(text: string, name: string): boolean {
  const head = name.slice(0, ENOUGH);
  for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, at + 1)) {
    const end = endOfMatch(text, at, name);
    if (isWhole(text.slice(Math.max(0, at - 2), at), text.slice(end, end + COMPARED), name)) return true;
  }
  return false;
}

/** Where the text ends to be equal to the name. */
function endOfMatch(text: string, at: number, name: string): number {
  const most = Math.min(name.length, COMPARED, text.length - at);
  let length = Math.min(ENOUGH, name.length);
  while (length < most && text[at + length] === name[length]) length += 1;
  return at + length;
}

function isWhole(before: string, after: string, name: string): boolean {
  if (GOES_BEFORE.test(before) || GOES_ON.test(after)) return false;
  return name.length >= SHORT || !(ANY_LETTER_BEFORE.test(before) || ANY_LETTER_AFTER.test(after));
}
