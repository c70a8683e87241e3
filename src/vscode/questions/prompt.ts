import type { Disposable } from '../../base/disposable';

/** What a prompt tells; all but `answered` may come from VS Code at any time. */
export interface PromptEvents {
  readonly answered: (value: string | boolean) => void;
  /** The user declined to answer. */
  readonly dismissed: () => void;
  /** The prompt is gone from the screen, for whatever reason. */
  readonly hidden: () => void;
  readonly showAll: (text: string) => void;
  /** The user wants to deny, and to say why. */
  readonly denies: () => void;
}

/** One question on the screen, until disposed. */
export type OpenPrompt = Disposable;
