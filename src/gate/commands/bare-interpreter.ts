/** How a program reads commands from its input. */
interface Interpreter {
  /** Options after which the program runs what the command line says. */
  readonly code: RegExp;
  /** Options after which it reads its input all the same. */
  readonly interactive?: RegExp;
}

const SHELL: Interpreter = { code: /^-[a-z]*c[a-z]*$/i, interactive: /^-[a-z]*[is][a-z]*$|^--interactive$/ };
const PYTHON: Interpreter = { code: /^-[a-zA-Z]*[cm]/, interactive: /^-[a-zA-Z]*i[a-zA-Z]*$/ };
const NODE: Interpreter = {
  code: /^-[a-z]*[ep][a-z]*$|^--(?:eval|print|run|test)\b/,
  interactive: /^(?:-i|--interactive)$/,
};
const SCRIPT: Interpreter = { code: /^-[a-zA-Z]*[eErR]/ };
const REPL: Interpreter = { code: /^(?:-e|-c|--eval|--command)\b/ };

/** Programs that run what they read, by name; with a number of the version behind it, too. */
const INTERPRETERS: ReadonlyMap<string, Interpreter> = new Map([
  ...['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'mksh', 'fish', 'csh', 'tcsh', 'rbash'].map(
    name => [name, SHELL] as const,
  ),
  ...['python', 'pypy', 'ipython'].map(name => [name, PYTHON] as const),
  ...['node', 'nodejs', 'tsx', 'ts-node'].map(name => [name, NODE] as const),
  ...['perl', 'ruby', 'php', 'lua', 'luajit'].map(name => [name, SCRIPT] as const),
  ...['irb', 'pry', 'ghci', 'scala', 'jshell', 'julia', 'R', 'erl', 'iex', 'tclsh', 'gdb', 'lldb'].map(
    name => [name, REPL] as const,
  ),
  ...['pwsh', 'powershell'].map(
    name => [name, { code: /^-(?:c|command|f|file|e|ec|encodedcommand)$/i, interactive: /^-noexit$/i }] as const,
  ),
]);

/** Programs that run the command that their arguments name. */
const WRAPPERS: ReadonlySet<string> = new Set([
  ...['env', 'exec', 'command', 'builtin', 'time', 'nohup', 'nice', 'ionice', 'setsid', 'stdbuf', 'unbuffer'],
  ...['sudo', 'doas', 'timeout', 'busybox', 'chroot', 'unshare', 'eval', 'then', 'do', 'else', 'if', 'while', '!', '{'],
]);

const ABOUT = /^(?:--version|--help|-V|-h|-\?)$/;

/** A part of a word: in quotes, after a backslash, or neither. */
const PART = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\([\s\S])|([^\s'"\\;&|()`<>]+)/y;
const SEPARATOR = /\$\(|&&|\|\||[;&|()`\n]/y;
const REDIRECTION = /(?:\d*|&)>{1,2}[&|]?\s*[^\s;&|()<>]*/y;
const INPUT = /<(?!\()/y;

/**
 * The name of an interpreter that a command line for a POSIX shell starts without anything to run, so that it takes commands
 * from whoever writes to its input later; undefined where none is seen. It errs towards a name.
 */
export function bareInterpreter(line: string): string | undefined {
  for (const { words, hasInput } of commandsIn(line)) {
    if (hasInput) continue;
    const name = interpreterIn(words);
    if (name !== undefined) return name;
  }
  return undefined;
}

function interpreterIn(words: readonly string[]): string | undefined {
  for (const [at, word] of words.entries()) {
    const name = word.replace(/^.*[\\/]/, '').replace(/\.exe$/i, '');
    const known = INTERPRETERS.get(name) ?? INTERPRETERS.get(name.replace(/[\d.]+$/, ''));
    if (known !== undefined) return readsInput(words.slice(at + 1), known) ? name : undefined;
    const isBefore = WRAPPERS.has(name) || /^[A-Za-z_]\w*=/.test(word) || word.startsWith('-') || /^\d/.test(word);
    if (!isBefore) return undefined;
  }
  return undefined;
}

function readsInput(args: readonly string[], { code, interactive }: Interpreter): boolean {
  if (args.some(arg => ABOUT.test(arg))) return false;
  const operand = args.findIndex(arg => !arg.startsWith('-') || arg === '-');
  const options = operand < 0 ? args : args.slice(0, operand);
  if (interactive !== undefined && options.some(option => interactive.test(option))) return true;
  if (options.some(option => code.test(option))) return false;
  const first = args[operand];
  return first === undefined || first === '-' || first === '/dev/stdin';
}

interface CommandWords {
  readonly words: readonly string[];
  /** Its input is a file or a text of the line. */
  readonly hasInput: boolean;
}

/** The words of each command of a line, without quotes; what is not understood separates commands. */
function commandsIn(line: string): readonly CommandWords[] {
  const commands: CommandWords[] = [];
  let words: string[] = [];
  let hasInput = false;
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  for (let at = 0; at < line.length;) {
    const take = (pattern: RegExp): RegExpExecArray | null => {
      pattern.lastIndex = at;
      const found = pattern.exec(line);
      if (found !== null) at = pattern.lastIndex;
      return found;
    };
    if (take(SEPARATOR) !== null) {
      endWord();
      commands.push({ words, hasInput });
      words = [];
      hasInput = false;
      continue;
    }
    if (take(REDIRECTION) !== null) continue;
    if (take(INPUT) !== null) {
      hasInput = true;
      continue;
    }
    const part = take(PART);
    if (part !== null) {
      word = `${word ?? ''}${part[1] ?? part[2] ?? part[3] ?? part[4] ?? ''}`;
      continue;
    }
    endWord();
    at += 1;
  }
  endWord();
  return [...commands, { words, hasInput }];
}
