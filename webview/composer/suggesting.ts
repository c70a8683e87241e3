import type { ComposerToHost, ComposerToPage } from '../../src/protocol/composer';
import type { SlashCommand } from '../../src/protocol/messages';
import { queryAt, type Query } from '../../src/protocol/composer-query';
import { commandList, hostList, listKey, withOffered, type ListStep, type SuggestionList } from './suggestions';

/** What the list depends on. */
export interface SuggestingParts {
  readonly ask: (message: ComposerToHost) => void;
  /** The list, or what is active in it, changed. */
  readonly changed: () => void;
}

/** The list of suggestions: commands are known here, the rest is asked of the host, and only the newest answer counts. */
export class Suggesting {
  private current: SuggestionList | undefined;
  private query: Query | undefined;
  private id = 0;
  /** The host may be looking for something. */
  private hasAsked = false;
  /** A question is with the host, and the list is still that of the one before. */
  private waiting = false;
  /** A key was pressed that takes what the host is about to offer. */
  private takesNext: 'Tab' | 'Enter' | undefined;
  /** Where the user closed the list: it stays closed for the same word. */
  private closedAt: number | undefined;

  constructor(private readonly parts: SuggestingParts) {}

  get list(): SuggestionList | undefined {
    return this.current;
  }

  /** Place and kind of what a suggestion takes the place of. */
  get target(): Query | undefined {
    return this.query;
  }

  /** The text, or the caret, is another. `triggers`: hooks complete too, see `RunStatus.completes`. */
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

  /** An answer of the host; undefined unless it brings what a key pressed before wanted. */
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

  /** What a key does. A key that takes a line waits for the answer that is under way. */
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

  /** The line that is seen as active goes with what was typed since: whoever takes it means it. */
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
