import type { DialectTag } from '../../hooks/hook';

/** Where something stands. */
export interface SourcePlace {
  /** Absolute. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
}

/** What a handler may do to the step that it hears of. */
export type Power = 'block' | 'cancel' | 'change' | 'handle' | 'inject' | 'summarize';

/** One handler, told from its text. */
export interface ExplainedHandler {
  readonly event: string;
  readonly place: SourcePlace;
  readonly powers: readonly Power[];
  /** Dialogs that it may open: `select`, `confirm`, … */
  readonly asks: readonly string[];
}

/** Something that a hook registers or opens, or a call that reaches outside. */
export interface ExplainedThing {
  /** As a user would look for it in the source: `/stats`, `http.createServer`, `git`. */
  readonly name: string;
  readonly detail?: string;
  readonly place: SourcePlace;
}

/** What is not known without running the hook. */
export type Unknown =
  | { readonly type: 'computedEvent'; readonly place: SourcePlace }
  | { readonly type: 'handlerElsewhere'; readonly event: string; readonly place: SourcePlace }
  | { readonly type: 'computedImport'; readonly place: SourcePlace }
  | { readonly type: 'codeFromText'; readonly place: SourcePlace }
  | { readonly type: 'package'; readonly name: string; readonly place: SourcePlace }
  | { readonly type: 'unread'; readonly name: string; readonly place: SourcePlace }
  | { readonly type: 'noFactory'; readonly place: SourcePlace }
  | { readonly type: 'broken'; readonly message: string; readonly place: SourcePlace };

export const OPENED = ['timers', 'watchers', 'servers', 'network', 'processes', 'filesWritten', 'filesRead'] as const;
export type Opened = (typeof OPENED)[number];

/** What a hook may register beside handlers. */
export type RegisteredKind = 'command' | 'tool' | 'shortcut' | 'flag' | 'renderer' | 'provider' | 'mcpServer';

/** A static summary of a hook: what it sees, what it may do about it, what it opens, and what its text does not tell. */
export interface Explanation {
  readonly dialect: DialectTag;
  readonly handlers: readonly ExplainedHandler[];
  readonly registers: readonly (ExplainedThing & { readonly kind: RegisteredKind })[];
  /** Calls that act on the conversation: messages sent, entries stored, model or tools changed. */
  readonly acts: readonly ExplainedThing[];
  readonly opens: { readonly [O in Opened]: readonly ExplainedThing[] };
  readonly imports: readonly ExplainedThing[];
  readonly unknown: readonly Unknown[];
}
