import type { Asker, DialogKind } from '../../hook-contract/ui/ui';

/** How the prompt of a question (a pick, a box or an editor tab) may come up. */
export type ComingUp =
  /** When the user asks for it. */
  | 'onRequest'
  /** By itself, when the user does not type. */
  | 'whenQuiet'
  /** At once, because the user waits for it. */
  | 'atOnce';

/** What is known about the user when a question comes. */
export interface Expectation {
  /** The user gave the last answer to the same asker in a prompt, and not on a card. */
  readonly answeredInPrompt: boolean;
  /** When the user last pressed a key, edited or moved a cursor, as far as Hookline sees it, on the clock of `actedAt`. */
  readonly lastActivity: number;
}

/** Decides how the prompt of a question may come up. */
export function comingUp(
  asker: Asker,
  dialog: DialogKind['type'],
  { answeredInPrompt, lastActivity }: Expectation,
): ComingUp {
  switch (asker.type) {
    case 'gate':
      return asker.follows === true && answeredInPrompt ? 'atOnce' : 'onRequest';
    case 'deciding':
      return dialog === 'input' || dialog === 'editor' ? 'onRequest' : 'whenQuiet';
    case 'listening':
      return 'whenQuiet';
    case 'command':
      return lastActivity <= asker.actedAt ? 'atOnce' : 'whenQuiet';
  }
}

/** Whether the user waits for the prompt that opens: they asked for it, or it follows at once from what they did. */
export type Arrival = 'expected' | 'byItself';

/** How long users wait for the dialog of a command that they started, or for its next one, in ms. */
const WAITED_MS = 5_000;

/** Whether the user waits for a prompt that comes up `atOnce`. `now` is on the clock of `actedAt`. */
export function openedAtOnce(asker: Asker, now: number): Arrival {
  return asker.type === 'command' && now - asker.actedAt > WAITED_MS ? 'byItself' : 'expected';
}

/**
 * What typing does in a prompt. `nothing`: the text stays in the box, and only arrow keys and the mouse choose.
 * `wholeAnswer`: an answer that is typed in full counts as well. `filter`: it filters the list, as usual in VS Code. `text`:
 * the text is the answer.
 */
export type Typing = 'nothing' | 'wholeAnswer' | 'filter' | 'text';

/** Decides what typing does in the prompt of a question. */
export function typingIn(asker: Asker, dialog: DialogKind['type'], opened: Arrival): Typing {
  if (dialog === 'input' || dialog === 'editor') return 'text';
  if (opened === 'byItself') return 'nothing';
  return asker.type === 'command' && dialog === 'select' ? 'filter' : 'wholeAnswer';
}
