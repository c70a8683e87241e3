import type { Disposable } from '../../base/disposable';
import type { QuestionText } from './question-text';

/** Callbacks of a prompt. `hidden` may be called at any time, because VS Code can close a prompt. */
export interface PromptEvents {
  /** The user answered. */
  readonly answered: (value: string | boolean) => void;
  /** The user declined to answer. */
  readonly dismissed: () => void;
  /** The prompt is no longer on the screen. */
  readonly hidden: () => void;
  /** The user wants to read the full question. Resolves when it is shown; rejects when it cannot be. */
  readonly showAll: (text: QuestionText) => Promise<void>;
  /** The user wants to deny with a message. */
  readonly denies: () => void;
}

/** What the user typed in an input box. The input box keeps it up to date and starts with it. */
export interface TypedText {
  typed: string;
}

/** A prompt on the screen; disposing it closes it. */
export type OpenPrompt = Disposable;
