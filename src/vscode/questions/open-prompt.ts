import type { Disposable } from '../../base/disposable';
import type { Quiet } from '../quiet';
import type { Arrival } from './prompt-rules';
import type { QuestionText } from './question-text';

/** Callbacks of a prompt. `hidden` may be called at any time, because VS Code can close a prompt. */
export interface PromptEvents {
  /** The user answered. */
  readonly answered: (value: string | boolean) => void;
  /** The user pressed the button that does the same as Escape. */
  readonly escaped: () => void;
  /** The prompt is no longer on the screen. */
  readonly hidden: () => void;
  /** The user wants to read the full question. Resolves when it is shown; rejects when it cannot be. */
  readonly showAll: (text: QuestionText) => Promise<void>;
  /** The user wants to see the write about which the question is. Resolves when it is shown; rejects when it cannot be. */
  readonly showChange: () => Promise<void>;
  /** The user wants to deny with a message. */
  readonly denies: () => void;
}

/** What the user typed to find an answer in a pick. The pick keeps it up to date, and the next one starts with it. */
export interface TypedText {
  typed: string;
}

/** How a prompt opens. */
export interface Opening {
  readonly opened: Arrival;
  /** Is told of keys that the user presses without looking at the prompt. */
  readonly quiet: Quiet;
}

/** A prompt on the screen; disposing it closes it. */
export interface OpenPrompt extends Disposable {
  /** Whether the user has shown that they see the prompt: only then does Escape cancel the question. */
  readonly isSeen: boolean;
  /** The user pressed Enter. Absent where VS Code handles the key. */
  enter?(): void;
}
