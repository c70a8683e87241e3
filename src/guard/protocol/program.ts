import { resolve } from 'node:path';
import { Type } from '@sinclair/typebox';
import { noteOwnText } from '../../base/files/counted-text';
import { parse } from '../../base/json/schema';
import { replaceOwnFile } from './own-file';
import { linesOf, membersIn } from './own-lines';
import type { GuardPlace } from './place';

/** One line, because the file consists of lines `key value`. */
const Line = Type.String({ minLength: 1, pattern: '^[^\\r\\n\\0]+$' });

const ProgramSchema = Type.Object({ node: Line, cli: Line });

/** The program that a client starts when no host runs. */
export interface GuardProgram {
  /** Absolute path of Node, or of a program that is Node with `ELECTRON_RUN_AS_NODE=1`. */
  readonly node: string;
  /** Absolute path of the script of the command line. */
  readonly cli: string;
  /** Values of {@link KEPT_VARIABLES} in a host; one with an empty value is not set there. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Variables that say where files and programs of the user are. A host has those of whoever added the guard and not those of
 * the call that starts it, since a repository may set variables for what its agent runs.
 */
const KEPT_VARIABLES = [
  ...['HOME', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'PATH', 'LD_LIBRARY_PATH', 'NODE_EXTRA_CA_CERTS'],
  ...['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'PI_CODING_AGENT_DIR'],
  ...['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'COPILOT_HOME', 'GEMINI_CLI_HOME', 'QWEN_HOME'],
] as const;

/** Variables that make a program load other code. */
const LOADS_CODE = /^(?:NODE_|LD_|DYLD_|ELECTRON_)/;

/** The host of whoever adds the guard, with their environment. `agentDir`: pi's agent folder. */
export function programOf(
  { node, cli }: Pick<GuardProgram, 'node' | 'cli'>,
  env: NodeJS.ProcessEnv,
  agentDir: string,
): GuardProgram {
  const known: NodeJS.ProcessEnv = { ...env, PI_CODING_AGENT_DIR: resolve(agentDir) };
  const variables = KEPT_VARIABLES.map(name => {
    const value = known[name] ?? '';
    return [name, /[\r\n]/.test(value) ? '' : value] as const;
  });
  return { node, cli, variables: Object.fromEntries(variables) };
}

/** The environment of a host, made of that of whoever starts it. The clients do the same. */
export function environmentOf(
  { variables }: Pick<GuardProgram, 'variables'>,
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const others = Object.entries(env).filter(([name]) => !LOADS_CODE.test(name));
  const all = { ...Object.fromEntries(others), ...variables };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

/** Replaces the file as a whole. Rejects when the disk does. */
export async function writeProgram(place: Pick<GuardPlace, 'program'>, program: GuardProgram): Promise<void> {
  const text = textOf(program);
  await replaceOwnFile(place.program, text, 0o600);
  noteOwnText(place.program, text);
}

/** Whether the file names this program. */
export function isWritten(place: Pick<GuardPlace, 'program'>, program: GuardProgram): boolean {
  const current = readProgram(place);
  return current !== undefined && textOf(current) === textOf(program);
}

/** Undefined when there is none, when it is not complete, and when another user could have written it. */
export function readProgram(place: Pick<GuardPlace, 'program'>): GuardProgram | undefined {
  const members = membersIn(place.program);
  const read = parse(ProgramSchema, members);
  if (!read.ok) return undefined;
  return { ...read.value, variables: Object.fromEntries(KEPT_VARIABLES.flatMap(name => memberOf(members, name))) };
}

function textOf({ node, cli, variables }: GuardProgram): string {
  return linesOf({ node, cli, ...variables });
}

function memberOf(members: Readonly<Record<string, string>>, name: string): readonly (readonly [string, string])[] {
  const value = members[name];
  return value === undefined ? [] : [[name, value]];
}
