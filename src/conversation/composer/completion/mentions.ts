import { isAbsolute, relative, sep } from 'node:path';
import * as l10n from '@vscode/l10n';
import { filesBelow } from '../../../agent/tools/search/files-below';
import type { RipgrepLocator } from '../../../agent/tools/search/ripgrep';
import type { Completion } from '../../../protocol/composer';
import type { ContextSource } from '../context-source';
import { fuzzyScore } from './fuzzy';
import { mentionText } from './mention-text';

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

/** Finds what may stand behind `@`. The list of files is made anew for each opening of the list, see {@link end}. */
export class Mentions {
  private listing: Promise<Listing> | undefined;
  private abort = new AbortController();

  constructor(private readonly parts: MentionParts) {}

  /** Tells the best so far, then all; `tell` is not called again once the signal fires or {@link end} is called. */
  async find(
    typed: string,
    signal: AbortSignal,
    tell: (found: readonly Completion[], final: boolean) => void,
  ): Promise<void> {
    const { context } = this.parts;
    const ended = AbortSignal.any([signal, this.abort.signal]);
    const asked = typed.length >= SHORTEST_SYMBOL ? context?.symbols(typed, ended) : undefined;
    const listing = await this.files();
    if (ended.aborted) return;
    const found = rank(typed, this.candidates(typed, listing));
    const note = listing.hasMore && found.length === 0 ? [tooMany()] : [];
    if (asked === undefined) {
      tell([...found, ...note], true);
      return;
    }
    tell([...found, ...note], false);
    const symbols = (await asked).slice(0, MOST_SYMBOLS);
    if (isAborted(ended)) return;
    tell([...found.slice(0, MOST_OFFERED - symbols.length), ...symbols, ...note], true);
  }

  /** The list was closed: what is under way ends, and the next one sees the files that are there then. */
  end(): void {
    this.abort.abort();
    this.abort = new AbortController();
    this.listing = undefined;
  }

  private files(): Promise<Listing> {
    const { cwd, ripgrep } = this.parts;
    this.listing ??= filesBelow(cwd, ripgrep, { limit: MOST_FILES, signal: this.abort.signal }).then(
      ({ paths, hasMore }) => ({ files: paths, folders: foldersOf(paths), hasMore }),
      () => NO_FILES, // The list was closed, or the folder cannot be read: other sources are offered all the same.
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
}

const NO_FILES: Listing = { files: [], folders: [], hasMore: false };

interface Candidate {
  readonly offer: Completion | undefined;
  readonly path: string;
  readonly bonus: number;
}

const SOURCE_BONUS = 60;
const OPEN_BONUS = 30;

/** What is open comes before what only fits as well, the latest first. */
function bonusOf(place: number | undefined): number {
  return place === undefined ? 0 : OPEN_BONUS - Math.min(place, OPEN_BONUS - 10);
}

function rank(typed: string, candidates: readonly Candidate[]): Completion[] {
  const scored = candidates.flatMap(({ offer, path, bonus }) => {
    const score = fuzzyScore(typed, path);
    // Without a query what is near the root is likelier than what lies deep.
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
  return below === '' || below.startsWith('..') || isAbsolute(below) ? undefined : below.split(sep).join('/');
}

/** A call, so that the compiler does not take an earlier answer for the current one. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function tooMany(): Completion {
  const label = l10n.t('Only {0} files are looked through here', MOST_FILES);
  return { kind: 'note', label, detail: l10n.t('Type the whole path to attach another'), insert: '' };
}
