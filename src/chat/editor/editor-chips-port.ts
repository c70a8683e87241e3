import type { Disposable } from '../../base/disposable';
import type { EditorChip, EditorChipKind } from '../../protocol/composer/editor-chip';
import type { CapturedTexts } from '../../session/attachments/editor-texts';

/** What the editor offers to send with a message: its selection and its file. */
export interface EditorChipsPort {
  /** Tells the chips, now and after each change. While nobody follows them, the editor is not watched. */
  follow(listener: (chips: readonly EditorChip[]) => void): Disposable;
  /** Switches the chip of a file, given by the chip's path; does nothing when another file is active by now. */
  switchChip(kind: EditorChipKind, path: string, isOn: boolean): void;
  /** Captures what is on, as it is in the editor at this moment. */
  capture(): CapturedTexts;
}
