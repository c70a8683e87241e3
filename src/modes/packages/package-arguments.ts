import { UsageError } from '../arguments/usage-error';

/** The commands for packages: how each is used, and what it decides, after "only you can"; agents may run the others. */
export const PACKAGE_COMMANDS = {
  install: {
    usage: 'hookline install <source> [-l] [--approve-packages] [--allow-scripts] [--approve|--no-approve]',
    decides: 'install packages',
  },
  remove: { usage: 'hookline remove <source> [-l] [--approve|--no-approve]', decides: 'remove packages' },
  update: {
    usage:
      'hookline update [source|self] [--self|--extensions|--models|--all] [--extension <source>] [--approve-packages] [--allow-scripts] [--approve|--no-approve]',
    decides: 'update packages',
  },
  list: { usage: 'hookline list [--approve|--no-approve]', decides: undefined },
  config: {
    usage: 'hookline config [source] [-l] [--on <part>] [--off <part>] [--approve|--no-approve]',
    decides: 'turn parts of packages on or off',
  },
} as const;

type CommandName = keyof typeof PACKAGE_COMMANDS;

/** What `update` updates. */
export type UpdateTarget =
  { readonly type: 'self' | 'models' | 'all' } | { readonly type: 'packages'; readonly source: string | undefined };

/** A part that `config` turns on or off, as written. */
export interface PartRequest {
  readonly part: string;
  readonly to: 'on' | 'off';
}

/** The options of all commands. */
interface Common {
  readonly help: boolean;
  /** What `--approve` (true) or `--no-approve` decides about the folder. */
  readonly approve?: boolean;
}

/** What the user approves in advance. */
interface Consents {
  /** `--allow-scripts`. */
  readonly allowScripts: boolean;
  /** `--approve-packages`. */
  readonly approvePackages: boolean;
}

/** The parsed command line of a package command; nothing is looked up yet. */
export type PackageArguments = Common &
  (
    | ({ readonly command: 'install'; readonly source: string; readonly local: boolean } & Consents)
    | { readonly command: 'remove'; readonly source: string; readonly local: boolean }
    | ({ readonly command: 'update'; readonly target: UpdateTarget } & Consents)
    | { readonly command: 'list' }
    | {
        readonly command: 'config';
        readonly source: string | undefined;
        readonly local: boolean;
        readonly parts: readonly PartRequest[];
      }
  );

/** The package command that the first argument names; undefined if it names none. */
export function packageCommand(name: string | undefined): CommandName | undefined {
  if (name === 'uninstall') return 'remove';
  return name !== undefined && Object.hasOwn(PACKAGE_COMMANDS, name) ? (name as CommandName) : undefined;
}

const FLAGS: Readonly<Record<CommandName, readonly string[]>> = {
  install: ['--local', '--approve-packages', '--allow-scripts'],
  remove: ['--local'],
  update: ['--self', '--extensions', '--models', '--all', '--force', '--approve-packages', '--allow-scripts'],
  list: [],
  config: ['--local'],
};
const ALIASES: Readonly<Record<string, string>> = {
  '-l': '--local',
  '-a': '--approve',
  '-na': '--no-approve',
  '-h': '--help',
};
const COMMON = ['--approve', '--no-approve', '--help'];
const TAKES_VALUE: Readonly<Partial<Record<CommandName, readonly string[]>>> = {
  update: ['--extension'],
  config: ['--on', '--off'],
};

interface Read {
  readonly flags: ReadonlySet<string>;
  readonly values: readonly { readonly flag: string; readonly value: string }[];
  readonly source: string | undefined;
}

/**
 * Reads the arguments after the name of a command, as today's pi does.
 * @throws {UsageError} that names the argument and says how the command is used
 */
export function readPackageArguments(command: CommandName, argv: readonly string[]): PackageArguments {
  const read = split(command, argv);
  const { flags, values, source } = read;
  const common: Common = {
    help: flags.has('--help'),
    ...(flags.has('--no-approve') ? { approve: false } : flags.has('--approve') ? { approve: true } : {}),
  };
  const local = flags.has('--local');
  const consents = { allowScripts: flags.has('--allow-scripts'), approvePackages: flags.has('--approve-packages') };
  switch (command) {
    case 'install':
    case 'remove':
      if (source === undefined && !common.help) throw misuse(command, `Missing ${command} source.`);
      return { ...common, command, source: source ?? '', local, ...consents };
    case 'update':
      return { ...common, command, target: updateTarget(read), ...consents };
    case 'list':
      if (source !== undefined) throw misuse(command, `Unexpected argument ${source}.`);
      return { ...common, command };
    case 'config': {
      const parts = values.map(({ flag, value }): PartRequest => ({ part: value, to: flag === '--on' ? 'on' : 'off' }));
      return { ...common, command, source, local, parts };
    }
  }
}

function split(command: CommandName, argv: readonly string[]): Read {
  const rest = [...argv];
  const flags = new Set<string>();
  const values: { flag: string; value: string }[] = [];
  let source: string | undefined;
  for (let written = rest.shift(); written !== undefined; written = rest.shift()) {
    const flag = ALIASES[written] ?? written;
    if (TAKES_VALUE[command]?.includes(flag) === true) {
      const value = rest.shift();
      if (value === undefined || value.startsWith('--')) throw misuse(command, `Missing value for ${written}.`);
      values.push({ flag, value });
    } else if (COMMON.includes(flag) || FLAGS[command].includes(flag)) flags.add(flag);
    else if (written.startsWith('-')) throw misuse(command, `Unknown option ${written} for "${command}".`);
    else if (source === undefined) source = written;
    else throw misuse(command, `Unexpected argument ${written}.`);
  }
  return { flags, values, source };
}

function updateTarget({ flags, values, source }: Read): UpdateTarget {
  const chosen = ['--self', '--extensions', '--models', '--all'].filter(flag => flags.has(flag));
  const named = [...values.map(({ value }) => value), ...(source === undefined ? [] : [source])];
  if (named.length > 1) throw misuse('update', `One package at a time: ${named.join(', ')}.`);
  const [only] = named;
  const isSelf = source === 'self' || source === 'pi';
  const has = (flag: string): boolean => chosen.includes(flag);
  if (only !== undefined && !isSelf && chosen.length > 0) {
    throw misuse('update', `${chosen.join(', ')} cannot be combined with ${only}.`);
  }
  if ((has('--all') || has('--models')) && chosen.length + named.length > 1) {
    throw misuse('update', `${has('--all') ? '--all' : '--models'} cannot be combined with others.`);
  }
  if (has('--models')) return { type: 'models' };
  if (has('--all') || (has('--extensions') && (has('--self') || isSelf))) return { type: 'all' };
  if (only !== undefined && !isSelf) return { type: 'packages', source: only };
  return has('--extensions') ? { type: 'packages', source: undefined } : { type: 'self' };
}

function misuse(command: CommandName, message: string): UsageError {
  return new UsageError(`${message}\nUsage: ${PACKAGE_COMMANDS[command].usage}`);
}
