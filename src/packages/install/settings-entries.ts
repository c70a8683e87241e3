import { homedir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import * as l10n from '@vscode/l10n';
import { editSettings, type SettingsEdit } from '../../agent/settings/write-setting';
import { isRecord } from '../../base/json/is-record';
import type { DeclaredPackage } from '../declared';
import {
  ownFolder,
  packageIdentity,
  parsePackageSource,
  type PackagePlaces,
  type PackageSource,
} from '../package-source';
import { PART_KINDS, type PartKind } from '../part-filter';
import { InstallFailure } from './install-failure';

/** The settings files in which packages can be declared. */
export type SettingsScope = 'user' | 'project';

/** The settings file that declares the packages of a scope, absolute. */
function settingsFileOf(scope: SettingsScope, places: PackagePlaces): string {
  return join(ownFolder(scope, places), 'settings.json');
}

/** Keeps what the user decided about the entry of a package; undefined is no entry. */
export interface DecisionRecord {
  noteEntry(identity: string, scope: 'user' | 'project', entry: unknown): Promise<void>;
}

/** A package whose declaration is changed. */
export interface Declared {
  readonly identity: string;
  readonly scope: SettingsScope;
  readonly places: PackagePlaces;
  /** Where the user's decisions are kept; absent: this change is not one, or decisions are not kept. */
  readonly decisions?: DecisionRecord | undefined;
}

/**
 * Declares a package. If it has an entry, the entry gets the new source and keeps its filters; otherwise an entry is
 * added at the end. Everything else in the file stays unchanged. Throws as `editSettings` does.
 */
export async function declarePackage(about: Declared, source: PackageSource, written: string): Promise<void> {
  const text = textFor(about, source, written);
  await editEntries(about, (entries, index) => {
    const entry = entries[index];
    if (index === -1) {
      if (entries.length === 0) return [{ path: ['packages'], value: [text] }];
      return [{ path: ['packages', entries.length], value: text, inserts: true }];
    }
    if (sourceIn(entry) === text) return [];
    return [{ path: isRecord(entry) ? ['packages', index, 'source'] : ['packages', index], value: text }];
  });
}

/** Removes all entries of a package. Throws as `editSettings` does. */
export async function forgetPackage(about: Declared): Promise<void> {
  await editEntries(about, (entries, index) => {
    if (index === -1) return [];
    const rest = entries.flatMap((entry, at) => (isSame(entry, about) ? [at] : [])).reverse();
    return rest.map(at => ({ path: ['packages', at], value: undefined }));
  });
}

/** Gives a package the entry that it had, as JSON; empty for none. Throws as `editSettings` does. */
export async function restoreEntry(about: Declared, entry: string): Promise<void> {
  if (entry === '') {
    await forgetPackage(about);
    return;
  }
  const value: unknown = JSON.parse(entry);
  await editEntries(about, (entries, index) => {
    if (entries.length === 0) return [{ path: ['packages'], value: [value] }];
    if (index === -1) return [{ path: ['packages', entries.length], value, inserts: true }];
    return [{ path: ['packages', index], value }];
  });
}

/** A file of a package to turn on or off. */
export interface PartSwitch {
  readonly kind: PartKind;
  /** Its path in the package, with `/`. */
  readonly path: string;
  readonly to: 'on' | 'off';
}

/**
 * Turns one part of a declared package on or off by a filter in its entry, in pi's format. If the project does not
 * declare the package, an entry is added to the project that changes only this part of the user's package.
 * @throws InstallFailure when the package is not declared, and as `editSettings` does
 */
export async function switchPart(
  about: Declared,
  { source, written }: Pick<DeclaredPackage, 'source' | 'written'>,
  part: PartSwitch,
): Promise<void> {
  const sign = part.to === 'on' ? '+' : '-';
  await editEntries(about, (entries, index) => {
    const given = entries[index];
    if (given === undefined) {
      if (about.scope === 'user') throw new InstallFailure(l10n.t('{0} is not declared.', written));
      const entry = { source: textFor(about, source, written), autoload: false, [part.kind]: [`${sign}${part.path}`] };
      if (entries.length === 0) return [{ path: ['packages'], value: [entry] }];
      return [{ path: ['packages', entries.length], value: entry, inserts: true }];
    }
    const entry = isRecord(given) ? given : { source: given };
    return entryEdits(index, given, {
      ...entry,
      [part.kind]: listWith(entry[part.kind], part, entry['autoload'] === false),
    });
  });
}

/** The filter list with the part turned on or off; undefined when no list is needed. */
function listWith(given: unknown, { path, to }: PartSwitch, isDelta: boolean): readonly unknown[] | undefined {
  if (!Array.isArray(given)) return to === 'on' && !isDelta ? undefined : [`${to === 'on' ? '+' : '-'}${path}`];
  const list: readonly unknown[] = given;
  const others = list.filter(each => each !== `+${path}` && each !== `-${path}` && each !== `!${path}`);
  if (to === 'off') return [...others, `-${path}`];
  if (others.length > 0 || isDelta) return [...others, `+${path}`];
  // An empty list turns everything off, so it becomes a list with only this part. Otherwise only entries about this
  // part were in the list, and without them the part is on.
  return list.length === 0 ? [path] : undefined;
}

/** The edits for a changed entry; an entry without other members becomes a text with its source. */
function entryEdits(index: number, before: unknown, entry: Readonly<Record<string, unknown>>): readonly SettingsEdit[] {
  const hasMore = Object.entries(entry).some(([key, value]) => key !== 'source' && value !== undefined);
  if (!hasMore) return [{ path: ['packages', index], value: entry['source'] }];
  if (!isRecord(before)) return [{ path: ['packages', index], value: entry }];
  return PART_KINDS.filter(kind => entry[kind] !== before[kind]).map(kind => ({
    path: ['packages', index, kind],
    value: entry[kind],
  }));
}

async function editEntries(
  about: Declared,
  edits: (entries: readonly unknown[], index: number) => readonly SettingsEdit[],
): Promise<void> {
  const { decisions, identity, scope } = about;
  const file = settingsFileOf(scope, about.places);
  const entriesIn = ({ packages = [] }: Readonly<Record<string, unknown>>): readonly unknown[] => {
    if (!Array.isArray(packages)) throw new InstallFailure(l10n.t('{0}: "packages" is not a list.', file));
    return packages;
  };
  await editSettings(
    file,
    content => {
      const entries = entriesIn(content);
      return edits(
        entries,
        entries.findIndex(entry => isSame(entry, about)),
      );
    },
    decisions &&
      (content =>
        decisions.noteEntry(
          identity,
          scope,
          entriesIn(content).find(entry => isSame(entry, about)),
        )),
  );
}

function isSame(entry: unknown, { identity, scope, places }: Declared): boolean {
  const written = sourceIn(entry);
  if (written === undefined) return false;
  const parsed = parsePackageSource(written, ownFolder(scope, places), homedir());
  return parsed.ok && packageIdentity(parsed.value) === identity;
}

function sourceIn(entry: unknown): string | undefined {
  const source = isRecord(entry) ? entry['source'] : entry;
  return typeof source === 'string' ? source : undefined;
}

/** The source to write; a local path is written relative to the folder of the settings file, as in pi. */
function textFor({ scope, places }: Declared, source: PackageSource, written: string): string {
  if (source.type !== 'local') return written.trim();
  const way = relative(ownFolder(scope, places), source.path);
  return isAbsolute(way) ? way : way || '.';
}
