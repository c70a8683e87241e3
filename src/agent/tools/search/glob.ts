/** A glob as a test of `/`-separated relative paths. */
export type PathMatcher = (path: string) => boolean;

/**
 * Compiles a glob: `*`, `?` and `[a-z]`/`[!a-z]` within one name, `**` over folders, `{a,b}`, `\` before a character
 * taken as itself. Without a slash it is matched against the last name of a path, with one against the whole path.
 * Throws an error that names the pattern when brackets or braces are not closed. Our own: the search with and without
 * ripgrep must find the same files.
 */
export function compileGlob(glob: string, options: { readonly ignoreCase?: boolean } = {}): PathMatcher {
  const trimmed = glob.replace(/^(\.\/)+/, '');
  const anchored = trimmed.startsWith('/') ? trimmed.slice(1) : trimmed;
  const expression = compile(globSource(anchored, glob), glob, options.ignoreCase === true ? 'isu' : 'su');
  if (trimmed.includes('/')) return path => expression.test(path);
  return path => expression.test(path.slice(path.lastIndexOf('/') + 1));
}

function compile(source: string, glob: string, flags: string): RegExp {
  try {
    return new RegExp(`^(?:${source})$`, flags);
  } catch (error) {
    throw new Error(`Invalid glob pattern '${glob}': a range is out of order`, { cause: error });
  }
}

/** The last part of a glob, if it limits the name of a file by itself. */
export function nameGlobOf(glob: string): string | undefined {
  const name = glob.slice(glob.lastIndexOf('/') + 1);
  // A slash inside braces makes the text after it a part of an alternative.
  return name === '' || name.includes('**') || /[{}\\]/.test(glob) ? undefined : name;
}

/** The regular expression of a glob; `whole` is what errors name. */
export function globSource(glob: string, whole = glob, withBraces = true): string {
  let source = '';
  let depth = 0;
  for (let i = 0; i < glob.length;) {
    const [piece, length] = nextPiece(glob, i, whole, { inBraces: depth > 0, withBraces });
    if (withBraces && glob[i] === '{' && length === 1) depth++;
    if (withBraces && glob[i] === '}' && length === 1 && depth > 0) depth--;
    source += piece;
    i += length;
  }
  if (depth > 0) throw new Error(`Invalid glob pattern '${whole}': a brace is not closed`);
  return source;
}

interface BraceState {
  readonly inBraces: boolean;
  readonly withBraces: boolean;
}

function nextPiece(glob: string, at: number, whole: string, braces: BraceState): readonly [string, number] {
  const character = characterAt(glob, at);
  switch (character) {
    case '*':
      return stars(glob, at);
    case '?':
      return ['[^/]', 1];
    case '[':
      return characterClass(glob, at, whole);
    case '{':
    case '}':
    case ',':
      return [bracePiece(character, braces), 1];
    case '\\': {
      const escaped = at + 1 < glob.length ? characterAt(glob, at + 1) : '';
      return [literal(escaped === '' ? '\\' : escaped), 1 + escaped.length];
    }
    default:
      return [literal(character), character.length];
  }
}

function bracePiece(character: '{' | '}' | ',', { inBraces, withBraces }: BraceState): string {
  if (character === '{') return withBraces ? '(?:' : '\\{';
  if (character === '}') return inBraces ? ')' : '\\}';
  return inBraces ? '|' : ',';
}

function stars(glob: string, at: number): readonly [string, number] {
  const run = /^\*+/.exec(glob.slice(at))?.[0].length ?? 1;
  const before = at === 0 ? '/' : glob[at - 1];
  const after = glob[at + run];
  if (run !== 2 || before !== '/' || (after !== undefined && after !== '/')) return ['[^/]*', run];
  return after === '/' ? ['(?:[^/]+/)*', run + 1] : ['.+', run];
}

function characterClass(glob: string, at: number, whole: string): readonly [string, number] {
  const negated = glob[at + 1] === '!' || glob[at + 1] === '^';
  const first = at + (negated ? 2 : 1);
  // A bracket that comes first is a member, not the end.
  const end = glob.indexOf(']', first + 1);
  if (end === -1) throw new Error(`Invalid glob pattern '${whole}': a bracket is not closed`);
  const members = glob.slice(first, end).replace(/[\\[\]^&]/g, '\\$&');
  // The slash never belongs to a class: it separates names.
  return [`(?!/)[${negated ? '^' : ''}${members}]`, end + 1 - at];
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

function literal(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
}
