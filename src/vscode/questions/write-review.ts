import type { Disposable } from '../../base/disposable';
import type { Question } from '../../session/ports/dialogs';
import type { EditedText } from '../../hook-contract/ui/ui';

/** How a diff comes up. */
export interface DiffOpening {
  /** The keyboard focus stays where it is. */
  readonly keepsFocus: boolean;
}

export interface DiffEvents {
  /** The user approved or rejected what the diff shows. */
  readonly answered: (value: string | EditedText) => void;
}

/** The diff of a write about which a question is. Disposing it closes it without an answer; so does closing its tab, and `show` opens it again. */
export interface QuestionDiff extends Disposable {
  /** Resolves with false if the two texts cannot be compared. */
  show(opening: DiffOpening): Promise<boolean>;
  /** It is to be shown at once, without being asked for. */
  readonly opensByItself: boolean;
}

/** What shows a write that waits for an answer. */
export interface WriteReview {
  /** Undefined for a question that is not about a write. */
  review(question: Question, events: DiffEvents): QuestionDiff | undefined;
}
