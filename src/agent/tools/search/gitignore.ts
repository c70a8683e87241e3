import { compileWhole, type PathMatcher } from './glob';

interface IgnoreRule {
  readonly matches: PathMatcher;
  readonly negated: boolean;
  readonly directoriesOnly: boolean;
  /** Matched against the path from the file's folder. Otherwise, against the name alone. */
  readonly anchored: boolean;
}

/** What one `.gitignore` says about a path relative to its folder: ignored, explicitly not ignored, or nothing. */
export type IgnoreFile = (path: string, isDirectory: boolean) => boolean | undefined;

/** Reads the text of a `.gitignore`. Lines that are not a valid pattern are skipped, as in git. */
export function parseIgnoreFile(text: string): IgnoreFile {
  const rules = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .flatMap(parseRule)
    .reverse();
  return (path, isDirectory) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const rule = rules.find(
      ({ directoriesOnly, anchored, matches }) => (isDirectory || !directoriesOnly) && matches(anchored ? path : name),
    );
    return rule && !rule.negated;
  };
}

function parseRule(line: string): IgnoreRule[] {
  let pattern = line.replace(/(?<!\\)[ \t]+$/, '');
  if (pattern === '' || pattern.startsWith('#')) return [];
  const negated = pattern.startsWith('!');
  if (negated) pattern = pattern.slice(1);
  const directoriesOnly = pattern.endsWith('/');
  if (directoriesOnly) pattern = pattern.slice(0, -1);
  const anchored = pattern.includes('/');
  if (pattern.startsWith('/')) pattern = pattern.slice(1);
  if (pattern === '') return [];
  try {
    return [{ matches: compileWhole(pattern, { withBraces: false }), negated, directoriesOnly, anchored }];
  } catch {
    // An unclosed bracket: git ignores such a line.
    return [];
  }
}
