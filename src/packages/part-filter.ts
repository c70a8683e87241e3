import { basename, dirname, relative, sep } from 'node:path';
import { expandHome } from '../agent/resources/resource-file';
import { compileGlob, type PathMatcher } from '../agent/tools/search/glob';
import { messageOf } from '../base/errors';

/** What a package adds: extensions, skills, prompt templates, themes. */
export const PART_KINDS = ['extensions', 'skills', 'prompts', 'themes'] as const;
export type PartKind = (typeof PART_KINDS)[number];

/** Which files of a package are wanted; a kind that is absent: all of them. */
export type PartFilters = { readonly [K in PartKind]?: readonly string[] };

/** Whether a file below `root` is on; both absolute. Undefined: the list says nothing of it. */
export type PartChoice = (file: string, root: string) => boolean | undefined;

/** Tells a pattern that cannot be used. */
export type RefusePattern = (pattern: string, why: string) => void;

/** The sign that a pattern of a list starts with; none: it chooses what matches. */
type Sign = '!' | '+' | '-' | '';

interface Rule {
  readonly sign: Sign;
  readonly matches: PartChoice;
}

/**
 * What a list says about each file, as pi reads it: entries without a sign leave only files that match one of them;
 * `!glob` leaves files out, `+path` takes exactly this one anyway, `-path` leaves exactly this one out. An empty
 * list takes nothing. Globs are matched against the path in the package, the name and the absolute path of a file; a
 * skill is also known by its folder.
 */
export function readFilter(
  patterns: readonly string[],
  refuse: RefusePattern,
): (file: string, root: string) => boolean {
  if (patterns.length === 0) return () => false;
  const rules = patterns.flatMap(pattern => ruleOf(pattern, refuse));
  const says = (sign: Sign, file: string, root: string): boolean =>
    rules.some(rule => rule.sign === sign && rule.matches(file, root) === true);
  // Judged by what is written: a pattern that is refused must not turn a choice into everything.
  const chooses = patterns.some(pattern => signOf(pattern) === '');
  return (file, root) => {
    if (says('-', file, root)) return false;
    if (says('+', file, root)) return true;
    return (!chooses || says('', file, root)) && !says('!', file, root);
  };
}

/** What a list of a delta (`autoload: false`) says about each file: the last entry that matches it counts. */
export function readDelta(patterns: readonly string[], refuse: RefusePattern): PartChoice {
  const rules = patterns.flatMap(pattern => ruleOf(pattern, refuse)).reverse();
  return (file, root) => {
    const last = rules.find(rule => rule.matches(file, root));
    return last && (last.sign === '' || last.sign === '+');
  };
}

/** `!glob`, `+path` or `-path`. */
export function hasSign(entry: string): boolean {
  return signOf(entry) !== '';
}

export function isGlob(entry: string): boolean {
  return /[*?]/.test(entry);
}

/** A path with `/` between its names, whatever the system writes. */
export function slashed(path: string): string {
  return path.split(sep).join('/');
}

function signOf(pattern: string): Sign {
  const [first = ''] = pattern;
  return first === '!' || first === '+' || first === '-' ? first : '';
}

function ruleOf(pattern: string, refuse: RefusePattern): readonly Rule[] {
  const sign = signOf(pattern);
  const target = slashed(expandHome(pattern.slice(sign.length)));
  if (sign === '+' || sign === '-') {
    const exact = target.replace(/^\.[/\\]/, '');
    return [{ sign, matches: (file, root) => exactNames(file, root).includes(exact) }];
  }
  try {
    const glob = compileGlob(target);
    return [{ sign, matches: (file, root) => matchesGlob(glob, file, root) }];
  } catch (error) {
    refuse(pattern, messageOf(error));
    return [];
  }
}

function matchesGlob(glob: PathMatcher, file: string, root: string): boolean {
  return exactNames(file, root).some(name => glob(name.replace(/^\//, '')));
}

function exactNames(file: string, root: string): readonly string[] {
  const known = basename(file) === 'SKILL.md' ? [file, dirname(file)] : [file];
  return known.flatMap(name => [slashed(relative(root, name)), slashed(name)]);
}
