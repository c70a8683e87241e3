import { Type } from '@sinclair/typebox';
import { parse } from '../../base/json/schema';
import type { CompileCache } from '../compile/compile-cache';
import { hashOf } from '../../base/files/hash-of';
import type { HookSource } from './hook-source';

const STORED = Type.Record(Type.String(), Type.Boolean());

/** Size of all texts, in bytes, from which reading answers from disk is faster than searching the texts. */
const LEAST = 50_000;

/**
 * Which names the texts of a hook contain: as a whole word if it is a word, otherwise anywhere. Each import of a hook
 * asks for all names of a module. With a `cache`, the answers about long texts are stored.
 */
export class MentionedNames {
  private readonly answers: Map<string, boolean>;
  private readonly key: { readonly file: string; readonly hash: string };
  private readonly cache: CompileCache | undefined;
  private words: ReadonlySet<string> | undefined;
  private hasMore = false;

  constructor(
    private readonly sources: readonly HookSource[],
    cache?: CompileCache,
  ) {
    this.cache = sources.reduce((sum, { size }) => sum + size, 0) < LEAST ? undefined : cache;
    this.key = { file: sources[0]?.path ?? '', hash: hashOf(sources.map(({ hash }) => hash).join()) };
    this.answers = new Map(Object.entries(answersIn(this.cache?.readNote('names', this.key))));
  }

  has(name: string): boolean {
    const known = this.answers.get(name);
    if (known !== undefined) return known;
    const answer = this.isIn(name);
    this.answers.set(name, answer);
    this.hasMore = true;
    return answer;
  }

  /** Stores the answers if there are new ones. */
  keep(): void {
    if (!this.hasMore) return;
    this.hasMore = false;
    this.cache?.writeNote('names', this.key, JSON.stringify(Object.fromEntries(this.answers)));
  }

  private isIn(name: string): boolean {
    if (!/^[\w$]+$/.test(name)) return this.sources.some(({ text }) => text.includes(name));
    this.words ??= new Set(this.sources.flatMap(({ text }) => text.match(/[\w$]+/g) ?? []));
    return this.words.has(name);
  }
}

function answersIn(stored: string | undefined): Readonly<Record<string, boolean>> {
  if (stored === undefined) return {};
  try {
    const read = parse(STORED, JSON.parse(stored));
    return read.ok ? read.value : {};
  } catch {
    return {}; // The file is damaged, so the texts are searched again.
  }
}
