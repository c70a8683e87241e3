import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { UserError } from './fail.mjs';

/** What `npm run test:agents` is told to do. */
export interface AgentOptions {
  /** Only test files whose path contains this. */
  readonly file: string | undefined;
  /** Only tests whose title contains this. */
  readonly grep: string | undefined;
  /** Only what CI has time for. */
  readonly quick: boolean;
  /** Every agent, also those that take long. */
  readonly all: boolean;
  /** The newest versions on npm in place of the locked ones. */
  readonly latest: boolean;
  /** Names of the agents to test; empty for the usual ones. */
  readonly agents: readonly string[];
  /** Writes the table of effects. */
  readonly write: boolean;
}

/** The agents that are tested if none is named. */
const USUAL = ['claude', 'codex', 'copilot', 'copilot-sdk'];

/** Agents and titles of the tests that CI has time for. */
const QUICK = { agents: ['claude', 'codex'], grep: 'a hook blocks a call, and|none can be started' };

/** @throws {UserError} that names the option that is wrong, or those that exclude each other */
export function readAgentOptions(args: readonly string[]): AgentOptions {
  const { agent: agents = [], file, grep, ...flags } = parsed(args);
  const { quick = false, all = false, latest = false, write = false } = flags;
  const given = { '--file': file !== undefined, '--grep': grep !== undefined, '--agent': agents.length > 0 };
  const set = { ...given, '--quick': quick, '--all': all, '--latest': latest, '--write': write };
  for (const [one, other] of APART) {
    if (set[one] && set[other]) throw new UserError(`${one} and ${other} exclude each other`);
  }
  return { file, grep: quick ? (grep ?? QUICK.grep) : grep, quick, all, latest, agents, write };
}

/** Part of the tests shows only part of a column, which must not be written. */
const APART = [
  ['--write', '--grep'],
  ['--write', '--quick'],
  ['--quick', '--all'],
  ['--quick', '--agent'],
  ['--quick', '--latest'],
  ['--all', '--agent'],
  ['--all', '--file'],
] as const;

function parsed(args: readonly string[]): ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'] {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    throw new UserError(error instanceof Error ? error.message : String(error));
  }
}

const OPTIONS = {
  grep: { type: 'string' },
  file: { type: 'string' },
  agent: { type: 'string', multiple: true },
  quick: { type: 'boolean' },
  all: { type: 'boolean' },
  latest: { type: 'boolean' },
  write: { type: 'boolean' },
} as const;

/** The test files that are run, and the names of the agents that are left out. */
export interface ChosenTests {
  readonly tests: readonly string[];
  readonly left: readonly string[];
}

/**
 * Chooses among the test files of all agents, whose names are `<agent>.agent.<ending>`.
 * @throws {UserError} when an agent has no file, or nothing is left
 */
export function chooseTests(paths: readonly string[], options: AgentOptions): ChosenTests {
  const names = paths.map(nameOf);
  const unknown = options.agents.find(name => !names.includes(name));
  if (unknown !== undefined) throw new UserError(`no agent "${unknown}"; there are: ${names.join(', ')}`);
  const tests = paths.filter(path => isChosen(path, options));
  if (tests.length === 0) {
    throw new UserError(`no test file of the suite "agents" has "${options.file ?? ''}" in its path`);
  }
  return { tests, left: paths.filter(path => !tests.includes(path)).map(nameOf) };
}

function isChosen(path: string, { file, quick, all, agents }: AgentOptions): boolean {
  const name = nameOf(path);
  if (file !== undefined && !path.includes(file)) return false;
  if (quick) return QUICK.agents.includes(name);
  if (agents.length > 0) return agents.includes(name);
  // A file that is asked for is run, whosever it is.
  return all || file !== undefined || USUAL.includes(name);
}

function nameOf(path: string): string {
  return basename(path).replace(/\.agent\.\w+$/, '');
}
