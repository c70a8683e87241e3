import type { Image } from './chat-item';
import { flag, list, number, object, oneOf, optional, text, type MessageOf, type Of } from './shape';

/** What the composer and the host say to each other beyond sending: completion, what is attached, what is queued. */

/** A text that is sent along as a file of its own: dropped from outside, or taken from a terminal. */
export const TextFile = object({
  /** Name for people and for the model; not a path that can be opened. */
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
  /** A hook offers it; which text comes of it the host says, see `takeCompletion`. */
  'hook',
);
export type CompletionKind = Of<typeof CompletionKind>;

/** One line of the list that the composer offers. */
export const Completion = object({
  kind: CompletionKind,
  label: text,
  /** Where it is, or how much it is. */
  detail: text,
  /** Takes the place of what was typed; empty for a note, which cannot be taken. */
  insert: text,
});
export type Completion = Of<typeof Completion>;

/** How a message is delivered while the agent is running: with the next step of the run, or after its end. */
export const Delivery = oneOf('steer', 'followUp');
export type Delivery = Of<typeof Delivery>;

/** Page to host. */
export const ComposerToHost = {
  /**
   * Asks what may follow `@` (`text` is what was typed behind it), or what arguments a command takes (`name typed`); where
   * hooks complete too, what may be at the caret of the whole text.
   */
  complete: { id: number, what: oneOf('mention', 'arguments', 'text'), text, caret: optional(number) },
  /** Takes a line of an answer to `complete`, by its place in the list. */
  takeCompletion: { id: number, index: number },
  /** The list was closed: nothing that is still being looked for matters. */
  endComplete: {},
  /** Resources dropped from VS Code itself, as URIs. */
  dropped: { uris: list(text) },
  /** Opens the tour. */
  getStarted: {},
  /** Takes a waiting message back into the composer. */
  editQueued: { id: text },
  removeQueued: { id: text },
  deliverQueued: { id: text, delivery: Delivery },
};
export type ComposerToHost = MessageOf<typeof ComposerToHost>;

/** Host to page, beside the numbered messages of the conversation. */
export const ComposerToPage = {
  /** Answers `complete`; of several answers to one question the last is `final`, and each replaces the one before. */
  completions: { id: number, items: list(Completion), final: flag },
  /** Answers `takeCompletion`: the composer's text, and where the caret goes. */
  completed: { id: number, text, caret: number },
};
export type ComposerToPage = MessageOf<typeof ComposerToPage>;

/** Most images and files that one message takes. */
export const MOST_ATTACHMENTS = 20;

/** Largest text file that is taken from outside, in UTF-8 bytes. */
export const LARGEST_TEXT_FILE = 256 * 1024;

/** Largest text that the composer takes, in UTF-16 code units. */
export const LARGEST_MESSAGE = 1_000_000;
