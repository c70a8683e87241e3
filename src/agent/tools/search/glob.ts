import { GlobAutomaton, type CharacterTest } from './glob-automaton';

/** A glob as a test of `/`-separated relative paths. */
export type PathMatcher = (path: string) => boolean;

/** How a glob is read. */
export interface GlobReading {
  readonly ignoreCase?: boolean;
  /** `{a,b}` is a choice; true when absent. Patterns of ignore files have none. */
  readonly withBraces?: boolean;
  /** `[id]` also stands for a name with these brackets, as web frameworks use them; false when absent. */
  readonly withBracketNames?: boolean;
  /** What errors name when the glob is a part of it. */
  readonly whole?: string;
}

const isSlash: CharacterTest = character => character === '/';
const isNoSlash: CharacterTest = character => character !== '/';
const isAny: CharacterTest = () => true;

/**
 * Compiles a glob: `*`, `?` and `[a-z]`/`[!a-z]` within one name, `**` over folders, `{a,b}`, `\` before a character
 * taken as itself. Without a slash it is matched against the last name of a path, with one against the whole path.
 * Throws an error that names the pattern when brackets or braces are not closed.
 */
export function compileGlob(
  glob: string,
  options: Pick<GlobReading, 'ignoreCase' | 'withBracketNames'> = {},
): PathMatcher {
  const trimmed = glob.replace(/^(\.\/)+/, '');
  const anchored = trimmed.startsWith('/') ? trimmed.slice(1) : trimmed;
  const matches = compileWhole(anchored, { ...options, whole: glob });
  if (trimmed.includes('/')) return matches;
  return path => matches(path.slice(path.lastIndexOf('/') + 1));
}

/** The last part of a glob if it alone limits the name of a file, also for programs that know no names with brackets. */
export function nameGlobOf(glob: string): string | undefined {
  const name = glob.slice(glob.lastIndexOf('/') + 1);
  // A slash inside braces makes the text after it a part of an alternative.
  return name === '' || name.includes('**') || /[{}\\[]/.test(glob) ? undefined : name;
}

/** Compiles a glob that must match a whole text. The time to match grows with the text, whatever the glob is. */
export function compileWhole(glob: string, reading: GlobReading = {}): PathMatcher {
  const automaton = new GlobAutomaton();
  for (let i = 0; i < glob.length;) i += addPiece(automaton, glob, i, reading);
  if (automaton.depth > 0) throw new Error(`Invalid glob pattern '${reading.whole ?? glob}': a brace is not closed`);
  return text => automaton.matches(text);
}

/** Adds the piece that begins at a place of the glob; returns how long it is. */
function addPiece(automaton: GlobAutomaton, glob: string, at: number, reading: GlobReading): number {
  const character = characterAt(glob, at);
  switch (character) {
    case '*':
      return addStars(automaton, glob, at);
    case '?':
      automaton.one(isNoSlash);
      return 1;
    case '[':
      return addClass(automaton, glob, at, reading);
    case '{':
    case '}':
    case ',':
      if (!addBrace(automaton, character, reading)) automaton.one(literal(character, reading));
      return 1;
    case '\\': {
      const escaped = at + 1 < glob.length ? characterAt(glob, at + 1) : '';
      automaton.one(literal(escaped === '' ? '\\' : escaped, reading));
      return 1 + escaped.length;
    }
    default:
      automaton.one(literal(character, reading));
      return character.length;
  }
}

/** False when the character stands for itself here. */
function addBrace(automaton: GlobAutomaton, character: '{' | '}' | ',', { withBraces = true }: GlobReading): boolean {
  if (!withBraces || (character !== '{' && automaton.depth === 0)) return false;
  if (character === '{') automaton.openAlternatives();
  else if (character === ',') automaton.nextAlternative();
  else automaton.closeAlternatives();
  return true;
}

function addStars(automaton: GlobAutomaton, glob: string, at: number): number {
  const run = /^\*+/.exec(glob.slice(at))?.[0].length ?? 1;
  const before = at === 0 ? '/' : glob[at - 1];
  const after = glob[at + run];
  if (run !== 2 || before !== '/' || (after !== undefined && after !== '/')) {
    automaton.many(isNoSlash);
    return run;
  }
  if (after === '/') {
    automaton.manyEnded(isNoSlash, isSlash);
    return run + 1;
  }
  automaton.one(isAny);
  automaton.many(isAny);
  return run;
}

function addClass(automaton: GlobAutomaton, glob: string, at: number, reading: GlobReading): number {
  const whole = reading.whole ?? glob;
  const negated = glob[at + 1] === '!' || glob[at + 1] === '^';
  const first = at + (negated ? 2 : 1);
  // A bracket that comes first is a member, not the end.
  const end = glob.indexOf(']', first + 1);
  if (end === -1) throw new Error(`Invalid glob pattern '${whole}': a bracket is not closed`);
  const members = glob.slice(first, end).replace(/[\\[\]^&]/g, '\\$&');
  const expression = classOf(`^[${negated ? '^' : ''}${members}]$`, reading);
  if (expression === undefined && reading.withBracketNames !== true) {
    throw new Error(`Invalid glob pattern '${whole}': a range is out of order`);
  }
  automaton.openAlternatives();
  // The slash never belongs to a class: it separates names.
  automaton.one(character => character !== '/' && expression?.test(character) === true);
  if (reading.withBracketNames === true) {
    automaton.nextAlternative();
    for (const character of glob.slice(at, end + 1)) automaton.one(literal(character, reading));
  }
  automaton.closeAlternatives();
  return end + 1 - at;
}

/** Undefined for a range that is out of order. */
function classOf(source: string, { ignoreCase = false }: GlobReading): RegExp | undefined {
  try {
    return new RegExp(source, ignoreCase ? 'iu' : 'u');
  } catch {
    return undefined; // Everything else is escaped.
  }
}

function characterAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

function literal(wanted: string, { ignoreCase = false }: GlobReading): CharacterTest {
  if (!ignoreCase || wanted === '/') return character => character === wanted;
  const expression = new RegExp(`^${wanted.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')}$`, 'iu');
  return character => expression.test(character);
}
