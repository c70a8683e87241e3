import { basename, dirname, isAbsolute, relative } from 'node:path';
import { homedir } from 'node:os';
import { messageOf } from '../../base/errors';
import type { Problem } from '../../base/result';
import { slashed } from '../../base/files/slashed';
import type { ResourceList } from '../settings/pi-settings';
import { compileGlob, type PathMatcher } from '../tools/search/glob';
import { expandHome } from '../settings/configured-path';
import { resourcePath } from '../settings/configured-path';

/** A path of a list, absolute and as written. */
export interface NamedPath {
  readonly path: string;
  readonly written: string;
}

/** A list of resources taken apart: paths to look at, and rules about the files found there (docs/settings.md). */
export interface ResourceChoice {
  readonly named: readonly NamedPath[];
  /** Whether a file at this absolute path is used, which a path of the list led to. */
  readonly takes: (file: string) => boolean;
  /** Whether a file that was found without being named stays; `base` is where relative rules start from. */
  readonly keeps: (file: string, base: string) => boolean;
}

/**
 * Reads a list as pi does: plain entries are paths; one with `*` or `?` leaves only files that match; `!pattern` leaves files
 * out, `+path` takes exactly this one anyway, `-path` leaves exactly this one out. An invalid pattern is a problem and is
 * ignored.
 */
export function readResourceList(list: ResourceList, problems: Problem[], home: string = homedir()): ResourceChoice {
  const { entries, from, base } = list;
  const starting = (sign: string): readonly string[] =>
    entries.filter(entry => entry.startsWith(sign)).map(entry => expandHome(entry.slice(1), home));
  const plain = entries.filter(entry => signOf(entry) === '');
  const globs = (patterns: readonly string[]): readonly Pattern[] =>
    patterns.flatMap(pattern => {
      try {
        return [{ matches: compileGlob(slashed(pattern)), absolute: isAbsolute(pattern) }];
      } catch (error) {
        problems.push({ file: from, message: messageOf(error) });
        return [];
      }
    });
  const included = plain.filter(isGlob);
  const wanted = globs(included.map(entry => expandHome(entry, home)));
  const unwanted = globs(starting('!'));
  const [added, removed] = [starting('+'), starting('-')];
  const keeps = (file: string, start: string): boolean => {
    if (isExactly(removed, file, start)) return false;
    return isExactly(added, file, start) || !matchesAny(unwanted, file, start);
  };
  return {
    named: plain.filter(entry => !isGlob(entry)).map(written => ({ written, path: resourcePath(written, base, home) })),
    keeps,
    takes: file => {
      const chosen = included.length === 0 || matchesAny(wanted, file, base) || isExactly(added, file, base);
      return chosen && keeps(file, base);
    },
  };
}

interface Pattern {
  readonly matches: PathMatcher;
  readonly absolute: boolean;
}

/** Whether an entry of a list in the settings is a glob, and not a path. */
export function isGlob(entry: string): boolean {
  return /[*?]/.test(entry);
}

/** The sign at the start of an entry of a list. An entry without a sign names a path or chooses files. */
export type ListSign = '!' | '+' | '-' | '';

/** See {@link ListSign}. */
export function signOf(entry: string): ListSign {
  const [first = ''] = entry;
  return first === '!' || first === '+' || first === '-' ? first : '';
}

/** The names under which rules know a file; a skill is also known by its folder. */
function namesOf(file: string): readonly string[] {
  return basename(file) === 'SKILL.md' ? [file, dirname(file)] : [file];
}

function matchesAny(patterns: readonly Pattern[], file: string, base: string): boolean {
  return patterns.some(({ matches, absolute }) =>
    namesOf(file).some(name => matches(absolute ? slashed(name).replace(/^\//, '') : slashed(relative(base, name)))),
  );
}

function isExactly(paths: readonly string[], file: string, base: string): boolean {
  return paths.some(path => namesExactly(path, file, base));
}

/** Whether a path of a list, absolute or relative to `base`, is exactly this file, or the folder of this skill. */
export function namesExactly(path: string, file: string, base: string): boolean {
  return exactNames(file, base).includes(slashed(path).replace(/^\.[/\\]/, ''));
}

/** The absolute paths that name a file in a list, and those relative to `base`, with `/`. */
export function exactNames(file: string, base: string): readonly string[] {
  return namesOf(file).flatMap(name => [slashed(relative(base, name)), slashed(name)]);
}
