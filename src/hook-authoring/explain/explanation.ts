import type { DialectTag } from '../../hook-contract/dialect-id';

/** A line of a file. */
export interface SourcePlace {
  /** Absolute path. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
}

/** What a handler can do to the step that its event is about. */
export type Power = 'block' | 'cancel' | 'change' | 'handle' | 'inject' | 'summarize';

/** One handler, as its text shows it. */
export interface ExplainedHandler {
  readonly event: string;
  readonly place: SourcePlace;
  readonly powers: readonly Power[];
  /** Dialogs that it may open: `select`, `confirm`, … */
  readonly asks: readonly string[];
}

/** Something that a hook registers, imports or opens, or a call with an effect. */
export interface ExplainedThing {
  /** A name under which the user can find it in the source: `/stats`, `http.createServer`, `git`. */
  readonly name: string;
  readonly detail?: string;
  readonly place: SourcePlace;
}

/** A place where the effect of a hook is not known without running it. */
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

/** What a hook can register in addition to handlers. */
export type RegisteredKind = 'command' | 'tool' | 'shortcut' | 'flag' | 'renderer' | 'provider' | 'mcpServer';

/** A summary of a hook's text: its events, what it can do to them, what it opens, and what the text does not show. */
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

/** Places that can hide what a handler decides, or a whole handler. */
const HIDING: ReadonlySet<Unknown['type']> = new Set([
  'computedEvent',
  'handlerElsewhere',
  'codeFromText',
  'noFactory',
  'broken',
]);

/** Whether the text shows that no handler decides, asks or changes anything. */
export function onlyObserves({ handlers, unknown }: Pick<Explanation, 'handlers' | 'unknown'>): boolean {
  return (
    handlers.every(({ powers, asks }) => powers.length + asks.length === 0) &&
    !unknown.some(({ type }) => HIDING.has(type))
  );
}
