import type { LeftoverProcess } from '../../agent/tools/shell/leftover-processes';
import { readAncestors } from '../../base/ending/ancestors';
import { PastCalls } from '../../gate/approval-store/past-calls';
import { StartError } from '../arguments/usage-error';
import { callingAgent, shown, type Caller } from '../../startup/agents/calling-agent';

const GO_ON = 'do it in the window of VS Code';

/**
 * Refuses what only a person may decide when an agent runs this program. `deed` says what, after "only you can": call this
 * before the command reads or changes anything. `stateDir` is the folder of the approvals.
 * @throws {StartError} that says who was recognized, by what, and how a person goes on
 */
export function refuseAgents(deed: string, caller: Caller, stateDir: string): void {
  const pastCalls = new PastCalls(stateDir);
  const agent = callingAgent(caller, ancestor => pastCalls.isHost(ancestor));
  if (agent === undefined) return;
  throw new StartError(
    `${agent.name} runs this command (${agent.trace}), and only you can ${deed}. ` +
      `Run it in a terminal that you opened yourself, or ${GO_ON}.`,
  );
}

/** Whether a person may have started this program: no agent is above it, as far as marks, times and parents show it. */
export function mayBePerson(caller: Caller, stateDir: string): boolean {
  const pastCalls = new PastCalls(stateDir);
  if (callingAgent(caller, ancestor => pastCalls.isHost(ancestor)) !== undefined) return false;
  return pastCalls.leftBehind(readAncestors(process.pid)) === undefined;
}

/**
 * Refuses a decision about hooks to a program that a tool call started, and that removed all that shows it, as far as times
 * and parents show it.
 * @throws {StartError} that names the process
 */
export function refuseLeftBehind(deed: string, stateDir: string): void {
  const found = new PastCalls(stateDir).leftBehind(readAncestors(process.pid));
  if (found === undefined) return;
  throw new StartError(
    `${shown(found)}, from which this command comes, started while a tool call was running, and its parent has ended. ` +
      `Only you can ${deed}: open another terminal and run it there, or ${GO_ON}.`,
  );
}

/**
 * Refuses a decision about hooks while tool calls run, or what they started: it may be theirs.
 * @throws {StartError} that names the processes
 */
export function refuseDuringCalls(deed: string, processes: readonly LeftoverProcess[]): void {
  if (processes.length === 0) return;
  const names = processes.map(({ pid, name }) => (name === undefined ? String(pid) : `${name} (${pid})`)).join(', ');
  throw new StartError(
    `a tool call of an agent, or what it started, is still running: ${names}. ` +
      `Only you can ${deed}: stop it or wait until it ends, or ${GO_ON}.`,
  );
}
