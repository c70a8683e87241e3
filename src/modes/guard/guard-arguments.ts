import { parseArgs } from 'node:util';
import { messageOf } from '../../base/errors';
import { AGENT_IDS, GUARD_GATES, type AgentId, type GuardGate } from '../../guard/protocol/agent-call';
import { UsageError } from '../arguments/usage-error';

const OPTIONS = {
  yes: { type: 'boolean', short: 'y' },
  system: { type: 'boolean' },
  tools: { type: 'boolean' },
  gate: { type: 'string' },
  fire: { type: 'boolean' },
  lines: { type: 'string', short: 'n' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;
type OptionName = keyof typeof OPTIONS;

interface CommandRow {
  readonly usage: string;
  readonly help: string;
  /** Agents may not run it: what it decides, after "only you can". */
  readonly decides?: string;
  /** `named`: at least one. */
  readonly agents: 'named' | 'any' | 'none';
  readonly options: readonly OptionName[];
}

/** The commands, in the order of the help. */
export const GUARD_COMMANDS = {
  add: {
    usage: 'add <agent...|all> [--gate <mode>] [--tools] [--system] [--yes]',
    help: 'show the change of their configuration, ask, and guard these agents',
    decides: 'guard other agents',
    agents: 'named',
    options: ['gate', 'tools', 'system', 'yes'],
  },
  remove: {
    usage: 'remove <agent...|all> [--tools] [--system] [--yes]',
    help: 'show the change, ask, and take out what "add" wrote',
    decides: 'stop guarding other agents',
    agents: 'named',
    options: ['tools', 'system', 'yes'],
  },
  status: {
    usage: 'status [--json] [agent...]',
    help: 'show which agents are guarded and what is wrong; exit code 1 if something is',
    agents: 'any',
    options: ['json'],
  },
  check: {
    usage: 'check [--fire] [agent...]',
    help: 'the same, and try the client; --fire runs the real agents and says BLOCKED or RAN',
    agents: 'any',
    options: ['fire'],
  },
  log: {
    usage: 'log [-n <lines>] [--json] [agent...]',
    help: 'print the guarded calls, the newest last',
    agents: 'any',
    options: ['lines', 'json'],
  },
  watch: {
    usage: 'watch',
    help: 'show guarded calls as they come, and answer the questions of hooks here',
    decides: 'answer the questions of hooks',
    agents: 'none',
    options: [],
  },
  serve: {
    usage: 'serve',
    help: 'run the host here; you do not need it, since it starts by itself',
    agents: 'none',
    options: [],
  },
} as const satisfies Readonly<Record<string, CommandRow>>;

/** `start`, which only the client uses, begins `serve` in the background. */
export type GuardCommandName = keyof typeof GUARD_COMMANDS | 'start';

/** The parsed command line of a guard command. */
export interface GuardArguments {
  readonly command: GuardCommandName;
  /** What it decides, after "only you can"; agents may run the others. */
  readonly decides: string | undefined;
  /** Without repetitions; empty for all that matter to the command. */
  readonly agents: readonly AgentId[];
  /** Whether `all` stands for the agents. */
  readonly isAll: boolean;
  readonly yes: boolean;
  readonly system: boolean;
  readonly tools: boolean;
  readonly gate: GuardGate | undefined;
  readonly fire: boolean;
  /** How many lines of the log are printed at most. */
  readonly lines: number;
  readonly json: boolean;
}

const USUAL_LINES = 50;

/** The output of `hookline guard help`. */
export function guardHelp(): string {
  const lines = Object.values(GUARD_COMMANDS).map(({ usage, help }) => `  hookline guard ${usage}\n      ${help}`);
  return `Your hooks guard other agents: ${AGENT_IDS.join(', ')}.

Usage:
${lines.join('\n')}

  --gate <mode>   whether the built-in gate decides, too: ${GUARD_GATES.join(', ')} (off at first)
  --tools         also add Hookline's MCP server to them, with the tools of your hooks; with "remove", take out only that
  --system        write the managed file of the whole machine, which no repository can turn off, instead of yours
  -y, --yes       without a question, for scripts
  -n <lines>      how many lines of the log (${USUAL_LINES} at first)
  --json          one JSON object a line: the agents, or the records of the log as they are
`;
}

/**
 * Reads the arguments after `guard`; undefined when they ask for the help.
 * @throws {UsageError} that names the argument and says how the command is used
 */
export function readGuardArguments([word = 'help', ...rest]: readonly string[]): GuardArguments | undefined {
  if (['help', '--help', '-h'].includes(word)) return undefined;
  const row = rowOf(word);
  if (row === undefined) throw new UsageError(`There is no command "guard ${word}". Try "hookline guard help".`);
  const misuse = (message: string): UsageError => new UsageError(`${message}\nUsage: hookline guard ${row.usage}`);
  const { values, positionals } = parsed(rest, row.options, misuse);
  if (values.help === true) return undefined;
  if (values.tools === true && values.system === true) {
    throw misuse('--tools is about your own configuration, and --system about that of the machine.');
  }
  return {
    command: word as GuardCommandName,
    decides: row.decides,
    agents: agentsIn(positionals, { word, takes: row.agents, misuse }),
    isAll: positionals.includes('all'),
    yes: values.yes === true,
    system: values.system === true,
    tools: values.tools === true,
    gate: oneOf(GUARD_GATES, values.gate, '--gate', misuse),
    fire: values.fire === true,
    lines: linesIn(values.lines, misuse),
    json: values.json === true,
  };
}

type Misuse = (message: string) => UsageError;

function rowOf(word: string): CommandRow | undefined {
  if (word === 'start') return { usage: 'start', help: '', agents: 'none', options: [] };
  return Object.hasOwn(GUARD_COMMANDS, word) ? GUARD_COMMANDS[word as keyof typeof GUARD_COMMANDS] : undefined;
}

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

function parsed(
  args: readonly string[],
  names: readonly OptionName[],
  misuse: Misuse,
): { readonly values: Values; readonly positionals: readonly string[] } {
  const options = Object.fromEntries([...names, 'help' as const].map(name => [name, OPTIONS[name]]));
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    // Node goes on with advice that does not apply here.
    throw misuse(messageOf(error).replace(/(?<=\.) To specify .*$/s, ''));
  }
}

function agentsIn(
  words: readonly string[],
  { word, takes, misuse }: { readonly word: string; readonly takes: CommandRow['agents']; readonly misuse: Misuse },
): readonly AgentId[] {
  const [first] = words;
  if (takes === 'none' && first !== undefined) throw misuse(`"guard ${word}" takes no "${first}".`);
  if (takes === 'named' && first === undefined) {
    throw misuse(`"guard ${word}" needs the name of an agent (${AGENT_IDS.join(', ')}), or "all".`);
  }
  if (words.includes('all')) return AGENT_IDS;
  return [
    ...new Set(
      words.map(name => {
        const agent = AGENT_IDS.find(id => id === name);
        if (agent === undefined) throw misuse(`Hookline guards no agent "${name}", only ${AGENT_IDS.join(', ')}.`);
        return agent;
      }),
    ),
  ];
}

function oneOf<T extends string>(
  allowed: readonly T[],
  value: string | undefined,
  name: string,
  misuse: Misuse,
): T | undefined {
  if (value === undefined) return undefined;
  const found = allowed.find(each => each === value);
  if (found === undefined) throw misuse(`${name} takes ${allowed.join(', ')}, not "${value}".`);
  return found;
}

function linesIn(value: string | undefined, misuse: Misuse): number {
  if (value === undefined) return USUAL_LINES;
  if (!/^[1-9]\d*$/.test(value)) throw misuse(`-n takes a number of lines, not "${value}".`);
  return Number(value);
}
