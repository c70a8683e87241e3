import type { ComposerToHost, ComposerToPage } from '../../src/protocol/composer/composer';
import type { SlashCommand } from '../../src/protocol/messages';
import { queryAt, type Query } from '../../src/protocol/composer-query';
import { commandList, hostList, listKey, withOffered, type ListStep, type SuggestionList } from './suggestions';

/** Callbacks of the list. */
export interface SuggestingParts {
  /** Sends a message to the host. */
  readonly ask: (message: ComposerToHost) => void;
  /** Called when the list or its active line has changed. */
  readonly changed: () => void;
}

/** The list of suggestions. The page knows the commands; for the rest it asks the host and uses only the newest answer. */
export class Suggesting {
  private current: SuggestionList | undefined;
  private query: Query | undefined;
  private id = 0;
  /** The host was asked and may still be searching. */
  private hasAsked = false;
  /** The host has not answered yet, so the list is still the previous one. */
  private waiting = false;
  /** The key that the user pressed before the answer came; it takes a line of that answer. */
  private takesNext: 'Tab' | 'Enter' | undefined;
  /** Start of the word for which the user closed the list; the list stays closed for that word. */
  private closedAt: number | undefined;

  constructor(private readonly parts: SuggestingParts) {}

  get list(): SuggestionList | undefined {
    return this.current;
  }

  /** The part of the text that a suggestion would replace. */
  get target(): Query | undefined {
    return this.query;
  }

  /** Updates the list after a change of text or cursor. `triggers`: hooks complete too, see `RunStatus.completes`. */
  update(text: string, caret: number, commands: readonly SlashCommand[], triggers?: string): void {
    const query = queryAt(text, caret, commands, triggers);
    if (query?.start !== this.closedAt) this.closedAt = undefined;
    const before = this.query;
    if (query === undefined || query.start === this.closedAt) {
      this.close();
      return;
    }
    this.query = query;
    this.takesNext = undefined;
    if (query.kind === 'command') {
      this.current = commandList(commands, query.typed);
      this.waiting = false;
      if (triggers !== undefined && !isSame(before, query)) this.ask({ what: 'text', text, caret });
    } else if (!isSame(before, query)) {
      if (before?.kind !== query.kind) this.current = undefined;
      this.waiting = true;
      this.ask(triggers === undefined ? questionOf(query) : { what: 'text', text, caret });
    }
    this.parts.changed();
  }

  /** Applies an answer of the host. Returns the step of a key that the user pressed before the answer came, if any. */
  answered({ id, items, final }: Extract<ComposerToPage, { type: 'completions' }>): ListStep | undefined {
    const { query } = this;
    if (id !== this.id || query === undefined) return undefined;
    if (query.kind === 'command') {
      this.current = withOffered(this.current, items, id);
      this.parts.changed();
      return undefined;
    }
    this.current = hostList(query.kind, items, this.current, id);
    this.waiting = false;
    const key = this.takesNext;
    if (key !== undefined && (this.current !== undefined || final)) {
      this.takesNext = undefined;
      if (this.current !== undefined) return listKey(this.current, key);
    }
    this.parts.changed();
    return undefined;
  }

  /** Handles a key. A key that takes a line waits for the answer of the host. */
  key(key: string): ListStep {
    if (
      this.waiting &&
      !this.activeStillFits &&
      this.query?.kind === 'mention' &&
      (key === 'Tab' || key === 'Enter') &&
      this.query.typed !== ''
    ) {
      this.takesNext = key;
      return { type: 'list', list: this.current };
    }
    if (this.current === undefined) return { type: 'pass' };
    const step = listKey(this.current, key);
    if (step.type === 'list') {
      if (step.list === undefined) {
        this.closedAt = this.query?.kind === 'command' ? undefined : this.query?.start;
        this.close();
      } else this.current = step.list;
      this.parts.changed();
    }
    return step;
  }

  close(): void {
    if (this.query !== undefined && this.hasAsked) this.parts.ask({ type: 'endComplete' });
    this.hasAsked = false;
    this.query = undefined;
    this.current = undefined;
    this.waiting = false;
    this.takesNext = undefined;
    this.id += 1;
    this.parts.changed();
  }

  /** Whether the active line still matches the typed text, so that a key can take it without waiting for the host. */
  private get activeStillFits(): boolean {
    const insert = this.current?.items[this.current.active]?.insert.toLowerCase();
    if (insert === undefined) return false;
    let at = -1;
    for (const letter of this.query?.typed.toLowerCase() ?? '') {
      at = insert.indexOf(letter, at + 1);
      if (at < 0) return false;
    }
    return true;
  }

  private ask(question: Question): void {
    this.id += 1;
    this.hasAsked = true;
    this.parts.ask({ type: 'complete', id: this.id, ...question });
  }
}

type Question = Omit<Extract<ComposerToHost, { type: 'complete' }>, 'type' | 'id'>;

function questionOf({ kind, typed, command = '' }: Query): Question {
  return kind === 'arguments' ? { what: kind, text: `${command} ${typed}` } : { what: 'mention', text: typed };
}

function isSame(a: Query | undefined, b: Query): boolean {
  return a?.kind === b.kind && a.typed === b.typed && a.start === b.start && a.command === b.command;
}
