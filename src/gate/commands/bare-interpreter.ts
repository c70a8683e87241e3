/** How a program reads commands from its input. */
interface Interpreter {
  /** Options after which the program runs what the command line says. */
  readonly code: RegExp;
  /** Options after which it reads its input all the same. */
  readonly interactive?: RegExp;
  /** Options whose value is the next word. */
  readonly valued?: RegExp;
  /** The word after the options is a command line of a shell, where one of them is for code. */
  readonly takesCommands?: true;
}

const SHELL: Interpreter = {
  code: /^-[a-z]*c[a-z]*$/i,
  interactive: /^-[a-z]*[is][a-z]*$|^--interactive$/,
  valued: /^[-+][a-z]*o$|^[-+]O$|^--(?:rcfile|init-file)$/,
  takesCommands: true,
};
const PYTHON: Interpreter = { code: /^-[a-zA-Z]*[cm]/, interactive: /^-[a-zA-Z]*i[a-zA-Z]*$/, valued: /^-[WX]$/ };
const NODE: Interpreter = {
  code: /^-[a-z]*[ep][a-z]*$|^--(?:eval|print|run|test)\b/,
  interactive: /^(?:-i|--interactive)$/,
  valued: /^(?:-r|--require|--import|--loader)$/,
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
  ...['irb', 'pry', 'ghci', 'scala', 'jshell', 'julia', 'R', 'erl', 'iex', 'tclsh', 'gdb', 'lldb', 'deno'].map(
    name => [name, REPL] as const,
  ),
  ...['.', 'source'].map(name => [name, { code: /(?!)/ }] as const),
  ...['pwsh', 'powershell'].map(
    name => [name, { code: /^-(?:c|command|f|file|e|ec|encodedcommand)$/i, interactive: /^-noexit$/i }] as const,
  ),
]);

/** A program that runs the command that its arguments name. */
interface Wrapper {
  /** How many words that are no options come before the command. */
  readonly operands?: number;
  /** Without a command, it starts a shell: always, or after such an option. */
  readonly shell?: true | RegExp;
  /** Options after which it starts no program that reads its input. */
  readonly code?: RegExp;
}

const PLAIN = [
  ...['env', 'exec', 'builtin', 'time', 'nohup', 'nice', 'ionice', 'setsid', 'stdbuf', 'unbuffer', 'coproc'],
  ...['busybox', 'eval', 'then', 'do', 'else', 'elif', 'if', 'while', 'until', '!', '{', 'xargs', 'watch', 'strace'],
  ...['runuser', 'setpriv', 'pkexec', 'uvx', 'npx'],
];
const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ...PLAIN.map(name => [name, {}] as const),
  ['command', { code: /^-[vV]$/ }],
  ...['timeout', 'flock', 'gosu'].map(name => [name, { operands: 1 }] as const),
  ...['sudo', 'doas'].map(name => [name, { shell: /^-[a-zA-Z]*[is][a-zA-Z]*$|^--(?:login|shell)$/ }] as const),
  ...['unshare', 'nsenter', 'fakeroot', 'tmux', 'screen', 'login'].map(name => [name, { shell: true }] as const),
  ...['chroot', 'ssh'].map(name => [name, { operands: 1, shell: true }] as const),
  ...['su', 'script', 'newgrp'].map(
    name => [name, { operands: Infinity, shell: true, code: /^(?:-[a-z]*c|--command\b|--session-command\b)/ }] as const,
  ),
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
  /** The last program that runs what follows, and what may still come before that. */
  let around: { readonly name: string; readonly wrapper: Wrapper; operands: number; hasShell: boolean } | undefined;
  let mayBeValue = false;
  for (const [at, word] of words.entries()) {
    const name = word.replace(/^.*[\\/]/, '').replace(/\.exe$/i, '');
    const known = INTERPRETERS.get(name) ?? INTERPRETERS.get(name.replace(/[\d.]+$/, '')) ?? variable(name);
    if (known !== undefined) return readsInput(words.slice(at + 1), known, name);
    const wrapper = WRAPPERS.get(name);
    if (wrapper !== undefined) {
      around = { name, wrapper, operands: wrapper.operands ?? 0, hasShell: wrapper.shell === true };
      mayBeValue = false;
    } else if (around !== undefined && word.startsWith('-')) {
      if (around.wrapper.code?.test(word) === true || ABOUT.test(word)) return undefined;
      if (around.wrapper.shell instanceof RegExp && around.wrapper.shell.test(word)) around.hasShell = true;
      mayBeValue = true;
    } else if (around !== undefined && mayBeValue) mayBeValue = false;
    else if (around !== undefined && around.operands > 0) around.operands -= 1;
    else if (!/^[A-Za-z_]\w*=/.test(word)) return undefined;
  }
  return around?.hasShell === true ? around.name : undefined;
}

/** A program that a variable names may be a shell, as `$SHELL` is. */
function variable(name: string): Interpreter | undefined {
  return /^\$(?:\w+|\{\w+\})$/.test(name) ? SHELL : undefined;
}

/** The name of the interpreter that reads its input: this one, or one that its code starts. */
function readsInput(args: readonly string[], interpreter: Interpreter, name: string): string | undefined {
  const { code, interactive, valued, takesCommands } = interpreter;
  if (args.some(arg => ABOUT.test(arg))) return undefined;
  const isOption = (at: number): boolean => {
    const [arg = '', before = ''] = [args[at], args[at - 1]];
    return (/^[-+]./.test(arg) && arg !== '--') || valued?.test(before) === true;
  };
  let operand = 0;
  while (operand < args.length && isOption(operand)) operand += 1;
  const options = args.slice(0, operand);
  if (args[operand] === '--') operand += 1;
  if (interactive !== undefined && options.some(option => interactive.test(option))) return name;
  const first = args[operand];
  if (options.some(option => code.test(option))) {
    return takesCommands === true && first !== undefined ? bareInterpreter(first) : undefined;
  }
  return first === undefined || INPUT_FILE.test(first) ? name : undefined;
}

const INPUT_FILE = /^(?:-|\/dev\/(?:stdin|tty|fd\/0)|\/proc\/self\/fd\/0)$/;

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
