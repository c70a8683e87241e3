import { UsageError } from './usage-error';

export type CliMode = 'text' | 'json' | 'rpc';

/** A hook file named by hand, with the flag that names it. */
export interface NamedHook {
  readonly path: string;
  readonly flag: '--hook' | '--extension';
}

/** What the command line says; nothing is looked up yet. Paths are as written. */
export interface CliOptions {
  readonly help: boolean;
  readonly version: boolean;
  readonly verbose: boolean;
  readonly mode: CliMode;
  /** `-p` was given. */
  readonly print: boolean;
  /** Prompts, in order. */
  readonly messages: readonly string[];
  /** Files named as `@path`. */
  readonly files: readonly string[];
  readonly provider?: string;
  readonly model?: string;
  readonly thinking?: ThinkingLevel;
  readonly apiKey?: string;
  /** Each a text or the path of a file. */
  readonly systemPrompt?: string;
  readonly appendSystemPrompt: readonly string[];
  readonly noSession: boolean;
  /** Path of a session file, or the beginning of a session's id. */
  readonly session?: string;
  readonly sessionDir?: string;
  readonly continueLatest: boolean;
  /** Session file, or the beginning of a session's id, to write as HTML or Markdown; nothing else is done then. */
  readonly export?: string;
  readonly hooks: readonly NamedHook[];
  /** False with `--no-hooks`: only named hooks are loaded. */
  readonly searchHooks: boolean;
  /** Names; empty with `--no-tools`. */
  readonly tools?: readonly string[];
  /** Values of flags that hooks registered. */
  readonly hookFlags: ReadonlyMap<string, boolean | string>;
  /** Flags that are neither ours nor registered by a hook, as written. */
  readonly unknown: readonly string[];
}

const MODES = ['text', 'json', 'rpc'] as const;
const LEVELS = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;
export type ThinkingLevel = (typeof LEVELS)[number];

type Draft = { -readonly [K in keyof CliOptions]: CliOptions[K] extends readonly (infer T)[] ? T[] : CliOptions[K] };

/** What a flag does to the options; a flag with `value` takes the next argument or what stands behind `=`. */
type Flag =
  | { readonly value?: false; readonly apply: (draft: Draft) => void }
  | { readonly value: true; readonly apply: (draft: Draft, value: string, flag: string) => void };

const FLAGS: Readonly<Record<string, Flag>> = {
  '--help': { apply: draft => (draft.help = true) },
  '--version': { apply: draft => (draft.version = true) },
  '--verbose': { apply: draft => (draft.verbose = true) },
  '--print': { apply: draft => (draft.print = true) },
  '--mode': { value: true, apply: (draft, value, flag) => (draft.mode = oneOf(MODES, value, flag)) },
  '--provider': { value: true, apply: (draft, value) => (draft.provider = value) },
  '--model': { value: true, apply: (draft, value) => (draft.model = value) },
  '--thinking': { value: true, apply: (draft, value, flag) => (draft.thinking = oneOf(LEVELS, value, flag)) },
  '--api-key': { value: true, apply: (draft, value) => (draft.apiKey = value) },
  '--system-prompt': { value: true, apply: (draft, value) => (draft.systemPrompt = value) },
  '--append-system-prompt': { value: true, apply: (draft, value) => draft.appendSystemPrompt.push(value) },
  '--no-session': { apply: draft => (draft.noSession = true) },
  '--session': { value: true, apply: (draft, value) => (draft.session = value) },
  '--session-dir': { value: true, apply: (draft, value) => (draft.sessionDir = value) },
  '--export': { value: true, apply: (draft, value) => (draft.export = value) },
  '--continue': { apply: draft => (draft.continueLatest = true) },
  '--hook': { value: true, apply: (draft, path) => draft.hooks.push({ path, flag: '--hook' }) },
  '--extension': { value: true, apply: (draft, path) => draft.hooks.push({ path, flag: '--extension' }) },
  '--no-hooks': { apply: draft => (draft.searchHooks = false) },
  '--no-tools': { apply: draft => (draft.tools = []) },
  '--tools': { value: true, apply: (draft, value) => (draft.tools = list(value)) },
};

const ALIASES: Readonly<Record<string, string>> = {
  '-h': '--help',
  '-v': '--version',
  '-p': '--print',
  '-c': '--continue',
  '-e': '--extension',
  '-t': '--tools',
  '-ne': '--no-hooks',
  '-nt': '--no-tools',
  '--no-extensions': '--no-hooks',
};

/** Flags of pi that ask for what Hookline does not have, with what to do instead. */
const NOT_OFFERED: Readonly<Record<string, string>> = {
  '--resume': 'there is no list to choose from here; use --continue or --session <file or id>',
  '-r': 'there is no list to choose from here; use --continue or --session <file or id>',
};

/**
 * Reads a command line without the program's own name. `hookFlags` are the flags that hooks registered; without them
 * (before hooks are loaded) unknown flags are taken to have no value and are listed, which is no error yet.
 * @throws {UsageError} naming the flag
 */
export function parseArguments(
  argv: readonly string[],
  hookFlags: ReadonlyMap<string, 'boolean' | 'string'> = new Map(),
): CliOptions {
  const draft = emptyOptions();
  const values = new Map<string, boolean | string>();
  const rest = [...argv];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === '--') draft.messages.push(...rest.splice(0));
    else if (argument.startsWith('@') && argument.length > 1) draft.files.push(argument.slice(1));
    else if (!argument.startsWith('-') || argument === '-') draft.messages.push(argument);
    else readFlag(argument, rest, { draft, values, hookFlags });
  }
  const options: CliOptions = { ...draft, hookFlags: values };
  refuseContradictions(options);
  return options;
}

interface Reading {
  readonly draft: Draft;
  readonly values: Map<string, boolean | string>;
  readonly hookFlags: ReadonlyMap<string, 'boolean' | 'string'>;
}

function readFlag(argument: string, rest: string[], { draft, values, hookFlags }: Reading): void {
  const { written, inline } = splitFlag(argument);
  const instead = NOT_OFFERED[written];
  if (instead !== undefined) throw new UsageError(`${written} is not offered: ${instead}.`);
  const name = ALIASES[written] ?? written;
  const flag = Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined;
  if (flag?.value === true) flag.apply(draft, inline ?? valueOf(written, rest), written);
  else if (flag !== undefined) flag.apply(draft);
  else if (!written.startsWith('--')) throw new UsageError(`Unknown option: ${written}`);
  else {
    const type = hookFlags.get(written.slice(2));
    if (type === undefined) draft.unknown.push(written);
    else if (type === 'string') values.set(written.slice(2), inline ?? valueOf(written, rest));
    else values.set(written.slice(2), inline !== 'false');
  }
}

function splitFlag(argument: string): { readonly written: string; readonly inline?: string } {
  const equals = argument.indexOf('=');
  if (!argument.startsWith('--') || equals < 0) return { written: argument };
  return { written: argument.slice(0, equals), inline: argument.slice(equals + 1) };
}

function valueOf(flag: string, rest: string[]): string {
  const value = rest.shift();
  if (value === undefined) throw new UsageError(`${flag} needs a value.`);
  return value;
}

function oneOf<T extends string>(allowed: readonly T[], value: string, flag: string): T {
  const found = allowed.find(candidate => candidate === value);
  if (found === undefined) throw new UsageError(`${flag} must be one of ${allowed.join(', ')}, not "${value}".`);
  return found;
}

function list(value: string): string[] {
  return value
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '');
}

function refuseContradictions(options: CliOptions): void {
  const { noSession, session, continueLatest, mode, print, messages, files } = options;
  const given = [
    ...(noSession ? ['--no-session'] : []),
    ...(session === undefined ? [] : ['--session']),
    ...(continueLatest ? ['--continue'] : []),
  ];
  if (given.length > 1) throw new UsageError(`${given.join(' and ')} exclude each other.`);
  if (mode !== 'rpc') return;
  if (print) throw new UsageError('--print and --mode rpc exclude each other.');
  const [extra] = [...files.map(file => `@${file}`), ...messages];
  if (extra !== undefined) throw new UsageError(`--mode rpc takes prompts on stdin, not as arguments: ${extra}`);
}

function emptyOptions(): Draft {
  return {
    help: false,
    version: false,
    verbose: false,
    mode: 'text',
    print: false,
    messages: [],
    files: [],
    appendSystemPrompt: [],
    noSession: false,
    continueLatest: false,
    hooks: [],
    searchHooks: true,
    hookFlags: new Map(),
    unknown: [],
  };
}
