import { readAncestors } from '../../src/base/ending/ancestors';
import { agentAmong, callingAgent } from '../../src/startup/agents/calling-agent';

/**
 * Sets to undefined each environment variable by which a program would know that an agent runs it, for when an agent runs
 * the tests.
 */
export function withoutAgentMarks(): Record<string, undefined> {
  const { env } = process;
  const marks = Object.keys(env).filter(name => callingAgent({ env: { [name]: env[name] }, ppid: 0 }) !== undefined);
  return Object.fromEntries(marks.map(name => [name, undefined]));
}

/** Options of Node with which our command line does not look at its parents; none where no agent runs the tests. */
export const WITHOUT_PARENTS: readonly string[] =
  agentAmong(readAncestors(process.ppid)) === undefined
    ? []
    : ['--import', 'data:text/javascript,Object.defineProperty(process,"ppid",{value:0})'];
