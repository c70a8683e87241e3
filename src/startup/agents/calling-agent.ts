import { basename, posix, win32 } from 'node:path';
import { readAncestors, type Ancestor } from '../../base/ending/ancestors';
import { withoutMarks } from '../../base/ending/mark';
import { KNOWN_AGENTS, type KnownAgent } from './known-agents';

/** Who started this program: the environment that it got, before it changed it, and the pid of its parent. */
export type Caller = Pick<NodeJS.Process, 'env' | 'ppid'>;

/** An agent that started this program, and by what it was recognized; both for texts. */
export interface CallingAgent {
  readonly name: string;
  readonly trace: string;
}

/** What shows that an agent's host is among the parents. */
export type IsHost = (ancestor: Ancestor) => boolean;

/** Programs that run a script. Shells are not here: a person's own script may have the name of an agent. */
const INTERPRETERS = /^(node|bun|deno|electron|python[\d.]*)$/;
/** Options of these with a value of their own, and those after which there is no script. */
const WITH_VALUE = new Set(['-r', '--require', '--import', '--loader', '--experimental-loader', '-C', '--conditions']);
const WITHOUT_SCRIPT = new Set(['-e', '--eval', '-p', '--print', '-c']);

/**
 * The agent that started this program: by its marks in the environment, or in that of a process above, by its program
 * among these, or as a host that `isHost` knows. Undefined where there is no trace of one.
 */
export function callingAgent({ env, ppid }: Caller, isHost: IsHost = () => false): CallingAgent | undefined {
  const variables = Object.keys(env).filter(name => (env[name] ?? '') !== '');
  const own = markedBy(variables);
  if (own !== undefined) return { name: own.agent.name, trace: `${own.mark} is set` };
  return agentAmong(readAncestors(ppid), isHost);
}

/** The agent among the processes above a program, the nearest first. */
export function agentAmong(ancestors: readonly Ancestor[], isHost: IsHost = () => false): CallingAgent | undefined {
  for (const ancestor of ancestors) {
    const process = shown(ancestor);
    const marked = markedBy(ancestor.variables);
    if (marked !== undefined) return { name: marked.agent.name, trace: `${marked.mark} is set in ${process} above it` };
    const agent = KNOWN_AGENTS.find(each => isProgramOf(each, ancestor.words));
    if (agent !== undefined) return { name: agent.name, trace: `${process} is above it` };
    if (isHost(ancestor)) return { name: 'Hookline', trace: `${process}, which runs its tools, is above it` };
  }
  return undefined;
}

/** A copy of an environment without what shows that an agent started the program. */
export function withoutTraces(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(withoutMarks(env)).filter(([name]) => markedBy([name]) === undefined));
}

/** A process for texts: its program and its pid. */
export function shown({ words: [program = ''], pid }: Pick<Ancestor, 'words' | 'pid'>): string {
  return `${basename(program)} (${pid})`;
}

function markedBy(variables: readonly string[]): { readonly agent: KnownAgent; readonly mark: string } | undefined {
  for (const agent of KNOWN_AGENTS) {
    const mark = variables.find(name => agent.marks.some(each => fits(each, name)));
    if (mark !== undefined) return { agent, mark };
  }
  return undefined;
}

function fits(mark: string, name: string): boolean {
  return mark.endsWith('*') ? name.startsWith(mark.slice(0, -1)) : name === mark;
}

function isProgramOf({ programs, packages }: KnownAgent, words: readonly string[]): boolean {
  const program = nameOf(words[0] ?? '');
  if (programs.includes(program)) return true;
  const script = INTERPRETERS.test(program) ? scriptIn(words.slice(1)) : undefined;
  if (script === undefined) return false;
  const path = script.replaceAll(win32.sep, posix.sep);
  return programs.includes(nameOf(path)) || packages.some(name => path.includes(`/node_modules/${name}/`));
}

/** The file that an interpreter runs, by its arguments, or the module after `-m`. */
function scriptIn(words: readonly string[]): string | undefined {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (WITHOUT_SCRIPT.has(word)) return undefined;
    if (WITH_VALUE.has(word)) at++;
    else if (!word.startsWith('-') && word !== 'run') return word;
  }
  return undefined;
}

/** A path's last part, as programs are named: without `.js` and the like, and without the dash of a login shell. */
function nameOf(path: string): string {
  return posix
    .basename(path.replaceAll(win32.sep, posix.sep))
    .replace(/\.(?:[cm]?js|exe|cmd|py)$/, '')
    .replace(/^-/, '');
}
