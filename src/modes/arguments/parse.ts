import { UsageError } from './usage-error';
import { flagNamed, type Flag } from './flags';
import { emptyOptions, type CliOptions, type OptionsDraft } from './options';

/**
 * Parses a command line without the program's name, as today's pi does (docs/cli.md). `hookFlags` are the flags that
 * hooks registered. Other unknown flags are collected in `unknown` and treated as flags without a value; they are not
 * an error here, since hooks may not be loaded yet.
 * @throws {UsageError} that names the flag
 */
export function parseArguments(
  argv: readonly string[],
  hookFlags: ReadonlyMap<string, 'boolean' | 'string'> = new Map(),
): CliOptions {
  const draft = emptyOptions();
  const values = new Map<string, boolean | string>();
  const rest = [...argv];
  const take = (argument: string): void => {
    if (argument.startsWith('@') && argument.length > 1) draft.files.push(argument.slice(1));
    else draft.messages.push(argument);
  };
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === '--') rest.splice(0).forEach(take);
    else if (!argument.startsWith('-') || argument === '-') take(argument);
    else readFlag(argument, rest, { draft, values, hookFlags });
  }
  // In an editor there is somebody who can be asked.
  const approveTools = draft.approveTools ?? (draft.mode === 'acp' ? 'ask' : 'auto');
  const options: CliOptions = { ...draft, approveTools, hookFlags: values };
  refuseContradictions(options);
  if (options.mode === 'acp') refuseWithAcp(options);
  return options;
}

interface Reading {
  readonly draft: OptionsDraft;
  readonly values: Map<string, boolean | string>;
  readonly hookFlags: ReadonlyMap<string, 'boolean' | 'string'>;
}

function readFlag(argument: string, rest: string[], { draft, values, hookFlags }: Reading): void {
  const { written, inline } = splitFlag(argument);
  const flag = flagNamed(written);
  if (flag !== undefined) {
    applyFlag(flag, { draft, written, inline, rest });
    return;
  }
  if (!written.startsWith('--')) throw new UsageError(`Unknown option: ${written}`);
  const type = hookFlags.get(written.slice(2));
  if (type === undefined) draft.unknown.push(written);
  else if (type === 'string') values.set(written.slice(2), inline ?? textOf(written, rest));
  else values.set(written.slice(2), inline !== 'false');
}

interface Given {
  readonly draft: OptionsDraft;
  readonly written: string;
  readonly inline: string | undefined;
  /** The arguments after the flag; a value is removed from it. */
  readonly rest: string[];
}

function applyFlag(flag: Flag, { draft, written, inline, rest }: Given): void {
  switch (flag.takes) {
    case 'nothing':
      flag.apply(draft);
      return;
    case 'value':
      flag.apply(draft, inline ?? valueOf(written, rest), written);
      return;
    case 'maybe': {
      const [next] = rest;
      flag.apply(draft, inline ?? (next !== undefined && flag.fits(next) ? rest.shift() : undefined));
    }
  }
}

function splitFlag(argument: string): { readonly written: string; readonly inline?: string } {
  const equals = argument.indexOf('=');
  if (!argument.startsWith('--') || equals < 0) return { written: argument };
  return { written: argument.slice(0, equals), inline: argument.slice(equals + 1) };
}

/** The text of a hook's flag. As in pi, the next flag or file is not taken for it; after `=`, any text is. */
function textOf(flag: string, rest: string[]): string {
  const [next = ''] = rest;
  return valueOf(flag, /^[-@]/.test(next) ? [] : rest);
}

function valueOf(flag: string, rest: string[]): string {
  const value = rest.shift();
  if (value === undefined) throw new UsageError(`${flag} needs a value.`);
  return value;
}

function refuseContradictions({
  fork,
  sessionId,
  session,
  continueLatest,
  resume,
  noSession,
  mode,
  files,
}: CliOptions): void {
  const others = [
    ...(session === undefined ? [] : ['--session']),
    ...(continueLatest ? ['--continue'] : []),
    ...(resume ? ['--resume'] : []),
  ];
  const notWithFork = [...others, ...(noSession ? ['--no-session'] : [])];
  if (fork !== undefined && notWithFork.length > 0) {
    throw new UsageError(`--fork cannot be combined with ${notWithFork.join(', ')}.`);
  }
  if (sessionId !== undefined) {
    if (others.length > 0) throw new UsageError(`--session-id cannot be combined with ${others.join(', ')}.`);
    if (!/^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(sessionId)) {
      throw new UsageError(
        `--session-id: "${sessionId}" must consist of letters, digits, ".", "_" and "-", and begin and end with a letter or digit.`,
      );
    }
  }
  const [file] = files;
  if (mode === 'rpc' && file !== undefined) {
    throw new UsageError(`--mode rpc takes files with the prompts on stdin, not as arguments: @${file}`);
  }
}

/** The client of this mode opens, names and prompts the sessions. */
function refuseWithAcp(options: CliOptions): void {
  const { print, session, sessionId, fork, continueLatest, resume, noSession, name, messages, files } = options;
  const given = {
    '--print': print,
    '--session': session !== undefined,
    '--session-id': sessionId !== undefined,
    '--fork': fork !== undefined,
    '--continue': continueLatest,
    '--resume': resume,
    '--no-session': noSession,
    '--name': name !== undefined,
  };
  const flags = Object.entries(given).flatMap(([flag, isGiven]) => (isGiven ? [flag] : []));
  if (flags.length > 0) throw new UsageError(`"hookline acp" cannot be combined with ${flags.join(', ')}.`);
  const [prompt] = [...messages, ...files.map(file => `@${file}`)];
  if (prompt !== undefined) {
    throw new UsageError(`"hookline acp" takes prompts from its client, not as arguments: ${prompt}`);
  }
}
