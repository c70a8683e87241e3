import type { ImageRef } from './chat-item';

/** What the composer and the host say to each other beyond sending: completion, what is attached, what is queued. */

/** A text that is sent along as a file of its own: dropped from outside, or taken from a terminal. */
export interface TextFile {
  /** Name for people and for the model; not a path that can be opened. */
  readonly name: string;
  readonly text: string;
}

/** What is attached to the draft. */
export interface Attachments {
  readonly images: readonly ImageRef[];
  readonly files: readonly TextFile[];
}

export type CompletionKind =
  'file' | 'folder' | 'symbol' | 'problems' | 'selection' | 'terminal' | 'diff' | 'argument' | 'note';

/** One line of the list that the composer offers. */
export interface Completion {
  readonly kind: CompletionKind;
  readonly label: string;
  /** Where it is, or how much it is. */
  readonly detail: string;
  /** Takes the place of what was typed; empty for a note, which cannot be taken. */
  readonly insert: string;
}

/** How a waiting message is delivered: with the next step of the run, or after its end. */
export type QueueDelivery = 'steer' | 'followUp';

/** Page to host. */
export type ComposerToHost =
  /** Asks what may follow `@` (`text` is what was typed behind it), or what arguments a command takes (`name typed`). */
  | { readonly type: 'complete'; readonly id: number; readonly what: 'mention' | 'arguments'; readonly text: string }
  /** The list was closed: nothing that is still being looked for matters. */
  | { readonly type: 'endComplete' }
  /** Resources dropped from VS Code itself, as URIs. */
  | { readonly type: 'dropped'; readonly uris: readonly string[] }
  /** Opens the tour. */
  | { readonly type: 'getStarted' }
  /** Takes a waiting message back into the composer. */
  | { readonly type: 'editQueued'; readonly id: string }
  | { readonly type: 'removeQueued'; readonly id: string }
  | { readonly type: 'deliverQueued'; readonly id: string; readonly delivery: QueueDelivery };

/** Host to page, beside the numbered messages of the conversation. */
export type ComposerToPage =
  /** Answers `complete`; of several answers to one question the last is `final`, and each replaces the one before. */
  {
    readonly type: 'completions';
    readonly id: number;
    readonly items: readonly Completion[];
    readonly final: boolean;
  };

/** Most images and files that one message takes. */
export const MOST_ATTACHMENTS = 20;

/** Largest text file that is taken from outside, in UTF-8 bytes. */
export const LARGEST_TEXT_FILE = 256 * 1024;

/** Largest text that the composer takes, in UTF-16 code units. */
export const LARGEST_MESSAGE = 1_000_000;
