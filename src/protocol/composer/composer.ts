import type { Image } from '../items/chat-item';
import { boolean, list, number, object, oneOf, optional, text, type MessageOf, type Of } from '../base/shape';

/** Messages between the composer and the host about completion, attachments and queued messages. */

/** A text that is sent with a message as a file: the user dropped it on the composer or took it from a terminal. */
export const TextFile = object({
  /** Name that the user and the model see; not a path that can be opened. */
  name: text,
  text,
});
export type TextFile = Of<typeof TextFile>;

/** What is attached to the draft. */
export interface Attachments {
  readonly images: readonly Image[];
  readonly files: readonly TextFile[];
}

export const CompletionKind = oneOf(
  'file',
  'folder',
  'symbol',
  'problems',
  'selection',
  'terminal',
  'diff',
  'argument',
  'note',
  /** A hook offers it; the host computes the text that it inserts, see `takeCompletion`. */
  'hook',
);
export type CompletionKind = Of<typeof CompletionKind>;

/** One line of the list of suggestions in the composer. */
export const Completion = object({
  kind: CompletionKind,
  label: text,
  /** Where the suggested thing is, or its size. */
  detail: text,
  /** The text that replaces the typed one; empty for a note, which cannot be chosen. */
  insert: text,
});
export type Completion = Of<typeof Completion>;

/** How a message is delivered while the agent is running: with the next step of the run, or after its end. */
export const Delivery = oneOf('steer', 'followUp');
export type Delivery = Of<typeof Delivery>;

/** Page to host. */
export const ComposerToHost = {
  /**
   * Asks for suggestions. For `mention`, `text` is what was typed after `@`; for `arguments`, it is the command's name,
   * a space and the typed arguments. For `text`, which hooks complete, it is the whole text, and `caret` is set.
   */
  complete: { id: number, what: oneOf('mention', 'arguments', 'text'), text, caret: optional(number) },
  /** The user chose the suggestion at `index` in the answer to the `complete` message with this `id`. */
  takeCompletion: { id: number, index: number },
  /** The user closed the list: the host can stop looking for suggestions. */
  endComplete: {},
  /** Asks what words of the text name, each given by what it may stand for, likeliest first. */
  mentioned: { id: number, words: list(list(text)) },
  /** Resources dropped from VS Code itself, as URIs. */
  dropped: { uris: list(text) },
  /** Opens the tour. */
  getStarted: {},
  /** Moves a queued message back into the composer. */
  editQueued: { id: text },
  removeQueued: { id: text },
  deliverQueued: { id: text, delivery: Delivery },
};
export type ComposerToHost = MessageOf<typeof ComposerToHost>;

/** Host to page, beside the numbered messages of the conversation. */
export const ComposerToPage = {
  /** Answers `complete`. There can be several answers: each replaces the one before, and the last has `final`. */
  completions: { id: number, items: list(Completion), final: boolean },
  /** Answers `mentioned`: what is named, each once. `path` and `line` are of what can be opened. */
  mentioned: {
    id: number,
    found: list(object({ name: text, kind: CompletionKind, path: optional(text), line: optional(number) })),
  },
  /** Answers `takeCompletion`: the new text of the composer and the new place of the caret. */
  completed: { id: number, text, caret: number },
};
export type ComposerToPage = MessageOf<typeof ComposerToPage>;

/** How many images and files one message can have at most. */
export const MOST_ATTACHMENTS = 20;

/** Size of the largest text file that can be dropped on the composer, in UTF-8 bytes. */
export const LARGEST_TEXT_FILE = 256 * 1024;

/** Length of the longest text that the composer accepts, in UTF-16 code units. */
export const LARGEST_MESSAGE = 1_000_000;
