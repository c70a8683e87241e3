import { isAbsolute, relative } from 'node:path';
import * as l10n from '@vscode/l10n';
import { filesBelow } from '../../../agent/tools/search/files-below';
import { RipgrepUnavailableError, type RipgrepLocator } from '../../../agent/tools/search/ripgrep';
import { slashed } from '../../../base/files/slashed';
import { isAborted } from '../../../base/async/wait';
import { defined } from '../../../base/defined';
import type { Completion, ComposerToPage } from '../../../protocol/composer/composer';
import { namedBy } from '../../../session/attachments/attached-files';
import type { ContextSource } from '../../../session/attachments/context-source';
import { mentionText } from './mention-text';

/**
 * How well a typed text fits a path, the higher the better; undefined when its letters do not be in it in order.
 * Letters at the start of a word or of the name, in a row, and in the name rather than in its folders count more; small
 * letters fit capitals. Blanks in the typed text are skipped.
 */
export function fuzzyScore(typed: string, path: string): number | undefined {
  const wanted = typed.toLowerCase().replaceAll(/\s+/g, '');
  if (wanted === '') return 0;
  const name = path.replace(/\/$/, '').lastIndexOf('/') + 1;
  const inName = wanted.includes('/') ? undefined : scoreFrom(wanted, path, name);
  const score = inName === undefined ? scoreFrom(wanted, path, 0) : inName + IN_NAME;
  return score === undefined ? undefined : score - path.length / 100;
}

const IN_NAME = 40;
const WORD_START = 8;
const IN_A_ROW = 6;
const NAME_START = 12;
const SEPARATOR = /[-_./\\ ]/;

/** Takes a word's start before the next such letter, where there is one, so that initials find their words. */
function scoreFrom(wanted: string, path: string, from: number): number | undefined {
  const lower = path.toLowerCase();
  const exact = lower.indexOf(wanted, from);
  if (exact >= 0) {
    const begins = exact === from ? NAME_START : 0;
    return begins + wanted.length * IN_A_ROW + (startsWord(path, exact) ? WORD_START * 2 : 0);
  }
  let score = 0;
  let at = from - 1;
  for (const letter of wanted) {
    const next = lower.indexOf(letter, at + 1);
    if (next < 0) return undefined;
    if (next === at + 1) score += IN_A_ROW;
    if (startsWord(path, next)) score += WORD_START;
    at = next;
  }
  return score;
}

function startsWord(path: string, index: number): boolean {
  const before = path[index - 1];
  const here = path[index] ?? '';
  if (before === undefined || SEPARATOR.test(before)) return true;
  return here !== here.toLowerCase() && before === before.toLowerCase();
}

/** Most lines that are offered at once. */
const MOST_OFFERED = 40;
/** Most files of a folder that are looked through. */
const MOST_FILES = 30_000;
const MOST_SYMBOLS = 10;
/** Shorter names fit nearly every symbol. */
const SHORTEST_SYMBOL = 2;

export interface MentionParts {
  /** Absolute; paths are offered relative to it. */
  readonly cwd: string;
  readonly ripgrep: RipgrepLocator;
  readonly context: ContextSource | undefined;
}

/** Finds what may be behind `@`. The list of files is created again for each opening of the list, see {@link end}. */
export class Mentions {
  private listing: Promise<Listing> | undefined;
  private abort = new AbortController();

  constructor(private readonly parts: MentionParts) {}

  /** Tells the best so far, then all; `tell` is not called again once the signal fires or {@link end} is called. */
  async find(
    typed: string,
    signal: AbortSignal,
    onFound: (found: readonly Completion[], final: boolean) => void,
  ): Promise<void> {
    const { context } = this.parts;
    const ended = AbortSignal.any([signal, this.abort.signal]);
    const asked = typed.length >= SHORTEST_SYMBOL ? context?.symbols(typed, ended) : undefined;
    const listing = await this.files();
    if (ended.aborted) return;
    const found = rank(typed, this.candidates(typed, listing));
    const note = noteOn(listing, found);
    if (asked === undefined) {
      onFound([...found, ...note], true);
      return;
    }
    onFound([...found, ...note], false);
    const symbols = (await asked).slice(0, MOST_SYMBOLS);
    if (isAborted(ended)) return;
    onFound([...found.slice(0, MOST_OFFERED - symbols.length), ...symbols, ...note], true);
  }

  /** What words name when they are sent, each once; a word is given by what it may stand for, likeliest first. */
  async named(words: readonly (readonly string[])[]): Promise<Extract<ComposerToPage, { type: 'mentioned' }>['found']> {
    const { cwd, context } = this.parts;
    const all = (await namedBy(words, { cwd, context })).filter(each => each !== undefined);
    return all
      .filter(({ key }, at) => all.findIndex(other => other.key === key) === at)
      .map(({ name, kind, path, line }) => ({ name, kind, ...defined({ path, line }) }));
  }

  /** To be called when the list was closed: ends running searches. The next list reads the files again. */
  end(): void {
    this.abort.abort();
    this.abort = new AbortController();
    this.listing = undefined;
  }

  private files(): Promise<Listing> {
    const { cwd, ripgrep } = this.parts;
    this.listing ??= filesBelow(cwd, ripgrep, { limit: MOST_FILES, signal: this.abort.signal }).then(
      ({ paths, hasMore }) => ({ files: paths, folders: foldersOf(paths), hasMore, lacksRipgrep: false }),
      // Or the list was closed, or the folder cannot be read: other sources are offered anyway.
      (error: unknown) => ({ ...NO_FILES, lacksRipgrep: error instanceof RipgrepUnavailableError }),
    );
    return this.listing;
  }

  private candidates(typed: string, { files, folders }: Listing): Candidate[] {
    const { context, cwd } = this.parts;
    const open = (context?.openFiles() ?? []).flatMap(path => pathBelow(cwd, path) ?? []);
    const places = new Map(open.map((path, index) => [path, index]));
    const isWalk = typed.endsWith('/');
    return [
      ...(context?.offers() ?? []).map(offer => ({ offer, path: offer.insert.slice(1), bonus: SOURCE_BONUS })),
      ...files.map(path => ({ offer: undefined, path, bonus: bonusOf(places.get(path)) })),
      ...folders.filter(path => !isWalk || path !== typed).map(path => ({ offer: undefined, path, bonus: 0 })),
    ];
  }
}

interface Listing {
  readonly files: readonly string[];
  /** With `/` at the end. */
  readonly folders: readonly string[];
  readonly hasMore: boolean;
  /** There are no files because ripgrep cannot be started. */
  readonly lacksRipgrep: boolean;
}

const NO_FILES: Omit<Listing, 'lacksRipgrep'> = { files: [], folders: [], hasMore: false };

interface Candidate {
  readonly offer: Completion | undefined;
  readonly path: string;
  readonly bonus: number;
}

const SOURCE_BONUS = 60;
const OPEN_BONUS = 30;

/** Open files come before others that match equally, the latest first. */
function bonusOf(place: number | undefined): number {
  return place === undefined ? 0 : OPEN_BONUS - Math.min(place, OPEN_BONUS - 10);
}

function rank(typed: string, candidates: readonly Candidate[]): Completion[] {
  const scored = candidates.flatMap(({ offer, path, bonus }) => {
    const score = fuzzyScore(typed, path);
    // Without a query, files near the root are likelier.
    const depth = typed === '' && bonus === 0 ? path.split('/').length * 4 : 0;
    return score === undefined ? [] : [{ offer, path, score: score + bonus - depth }];
  });
  scored.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
  return scored.slice(0, MOST_OFFERED).map(({ offer, path }) => offer ?? ofPath(path));
}

function ofPath(path: string): Completion {
  const bare = path.replace(/\/$/, '');
  const slash = bare.lastIndexOf('/');
  const isFolder = bare !== path;
  return {
    kind: isFolder ? 'folder' : 'file',
    label: bare.slice(slash + 1) + (isFolder ? '/' : ''),
    detail: slash < 0 ? '' : bare.slice(0, slash),
    insert: mentionText(path),
  };
}

function foldersOf(files: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const file of files) {
    for (let slash = file.lastIndexOf('/'); slash > 0; slash = file.lastIndexOf('/', slash - 1)) {
      const folder = file.slice(0, slash + 1);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return [...folders];
}

function pathBelow(cwd: string, path: string): string | undefined {
  const below = relative(cwd, path);
  return below === '' || below.startsWith('..') || isAbsolute(below) ? undefined : slashed(below);
}

/** Says why files are missing in what is offered. */
function noteOn({ hasMore, lacksRipgrep }: Listing, found: readonly Completion[]): Completion[] {
  if (lacksRipgrep) {
    const label = l10n.t('No files are listed, because ripgrep was not found');
    return [{ kind: 'note', label, detail: l10n.t('Install ripgrep so that rg is on PATH'), insert: '' }];
  }
  if (!hasMore || found.length > 0) return [];
  const label = l10n.t('Only the first {0} files are searched here', MOST_FILES);
  return [{ kind: 'note', label, detail: l10n.t('Type the full path to attach another file'), insert: '' }];
}
