import type { ComposerToHost, ComposerToPage } from '../../src/protocol/composer/composer';
import { mentionWords, type MentionWord } from '../../src/protocol/composer/mention-words';

/** Most words that are looked up. */
const MOST_WORDS = 50;

type Found = Extract<ComposerToPage, { type: 'mentioned' }>['found'];

/** Something that the text names, as the host found it. */
export type Mention = Found[number];

/** What the text of the composer names with `@`. The host knows it, because only there are files. */
export class Mentioned {
  private words: readonly MentionWord[] = [];
  private asked = '';
  private id = 0;
  private found: Found = [];

  constructor(private readonly ask: (message: ComposerToHost) => void) {}

  /** What is named now, each once and in order. */
  get list(): readonly Mention[] {
    const named = this.words.flatMap(word => this.found.find(({ name }) => word.candidates.includes(name)) ?? []);
    return [...new Set(named)];
  }

  /** Follows the text. `typedAt`: start of the word that the user is still typing, which is not looked up. */
  update(text: string, typedAt: number | undefined): void {
    this.words = mentionWords(text)
      .filter(({ start }) => start !== typedAt)
      .slice(0, MOST_WORDS);
    const words = this.words.map(({ candidates }) => candidates);
    const asked = JSON.stringify(words);
    if (asked === this.asked) return;
    this.asked = asked;
    this.id += 1;
    if (words.length > 0) this.ask({ type: 'mentioned', id: this.id, words });
  }

  /** Applies an answer of the host; only the newest counts. */
  answered({ id, found }: Extract<ComposerToPage, { type: 'mentioned' }>): void {
    if (id === this.id) this.found = found;
  }
}

/** A text without the words that name this, and without the blank behind each. */
export function withoutMention(text: string, { name }: Mention): string {
  return mentionWords(text)
    .filter(({ candidates }) => candidates.includes(name))
    .reduceRight((rest, { start, isQuoted }) => {
      const after = rest.slice(start + 1 + name.length + (isQuoted ? 2 : 0));
      return rest.slice(0, start) + after.replace(/^ /, '');
    }, text);
}
