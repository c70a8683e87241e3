import { expandHome } from '../agent/settings/configured-path';
import { exactNames, namesExactly, signOf, type ListSign } from '../agent/resources/resource-list';
import { compileGlob, type PathMatcher } from '../agent/tools/search/glob';
import { messageOf } from '../base/errors';
import { slashed } from '../base/files/slashed';

/** The kinds of parts that a package can have. */
export const PART_KINDS = ['extensions', 'skills', 'prompts', 'themes'] as const;
export type PartKind = (typeof PART_KINDS)[number];

/** Lists that choose files of a package by kind; if a kind is absent, all of its files are chosen. */
export type PartFilters = { readonly [K in PartKind]?: readonly string[] };

/**
 * Whether a list turns a file below `root` on; both are absolute. Undefined if no entry of the list matches the file.
 */
export type PartChoice = (file: string, root: string) => boolean | undefined;

/** Is called for a pattern that cannot be used. */
export type RefusePattern = (pattern: string, why: string) => void;

interface Rule {
  readonly sign: ListSign;
  readonly matches: PartChoice;
}

/**
 * Makes a function that says whether a list turns a file on, as in pi. If there are entries without a sign, only files
 * that match one of them are on. `!glob` turns matching files off, `+path` turns one file on anyway, and `-path` turns
 * one file off. An empty list turns all files off. Globs are matched against the path in the package, the name and the
 * absolute path of a file, and for a skill also against its folder.
 */
export function readFilter(
  patterns: readonly string[],
  refuse: RefusePattern,
): (file: string, root: string) => boolean {
  if (patterns.length === 0) return () => false;
  const rules = patterns.flatMap(pattern => ruleOf(pattern, refuse));
  const says = (sign: ListSign, file: string, root: string): boolean =>
    rules.some(rule => rule.sign === sign && rule.matches(file, root) === true);
  // Refused patterns count here too: if the only choosing pattern is refused, nothing must be chosen, and not
  // everything.
  const chooses = patterns.some(pattern => signOf(pattern) === '');
  return (file, root) => {
    if (says('-', file, root)) return false;
    if (says('+', file, root)) return true;
    return (!chooses || says('', file, root)) && !says('!', file, root);
  };
}

/** Makes the function for a list of a delta (`autoload: false`): the last entry that matches a file counts. */
export function readDelta(patterns: readonly string[], refuse: RefusePattern): PartChoice {
  const rules = patterns.flatMap(pattern => ruleOf(pattern, refuse)).reverse();
  return (file, root) => {
    const last = rules.find(rule => rule.matches(file, root));
    return last && (last.sign === '' || last.sign === '+');
  };
}

/** Whether an entry is `!glob`, `+path` or `-path`. */
export function hasSign(entry: string): boolean {
  return signOf(entry) !== '';
}

function ruleOf(pattern: string, refuse: RefusePattern): readonly Rule[] {
  const sign = signOf(pattern);
  const target = slashed(expandHome(pattern.slice(sign.length)));
  if (sign === '+' || sign === '-') return [{ sign, matches: (file, root) => namesExactly(target, file, root) }];
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
