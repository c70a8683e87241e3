import { boolean, list, number, object, oneOf, optional, text, type Of } from '../base/shape';

/** Messages between the composer and the host about the editor's selection and file, which can be sent with a message. */

export const EditorChipKind = oneOf('selection', 'file');
export type EditorChipKind = Of<typeof EditorChipKind>;

/**
 * Why a text is not sent by itself: its file is in no folder of the workspace, has a name that stands for secrets, is ignored by
 * git, or is hidden by `files.exclude`.
 */
export const Withheld = oneOf('outside', 'secret', 'gitignore', 'exclude');
export type Withheld = Of<typeof Withheld>;

/** Lines of a file, from 1; `last` is included. */
const SelectedLines = object({ first: number, last: number });
export type SelectedLines = Of<typeof SelectedLines>;

/** A part of the active editor that can be sent with the next message: its place, and never its text. */
export const EditorChip = object({
  kind: EditorChipKind,
  /** Name of the file, without folders. */
  name: text,
  /** Full path; the name again when no file has the text. */
  path: text,
  /** The selected lines, in order; empty for the file. */
  lines: list(SelectedLines),
  /** How many lines are sent, when it is too long to be sent whole; 0 when it is a part that is not counted in lines. */
  firstLines: optional(number),
  /** Whether it is sent with the next message. */
  isOn: boolean,
  /** When set, it is on only because the user said so for this one message. */
  withheld: optional(Withheld),
});
export type EditorChip = Of<typeof EditorChip>;

/** Page to host. */
export const EditorChipsToHost = {
  /** The user switched a chip; `path` is that of the chip, because another file may be active by now. */
  switchChip: { kind: EditorChipKind, path: text, isOn: boolean },
};

/** Host to page. */
export const EditorChipsToPage = {
  /** All chips, in the order in which they are shown. */
  editorChips: { chips: list(EditorChip) },
};
