import { StartError } from '../usage-error';
import { callingAgent, type Caller, type IsHost } from './calling-agent';

/**
 * Refuses what only a person may decide when an agent runs this program. `deed` says what, after "only you can": call this
 * before the command reads or changes anything.
 * @throws {StartError} that says who was recognized, by what, and how a person goes on
 */
export function refuseAgents(deed: string, caller: Caller, isHost?: IsHost): void {
  const agent = callingAgent(caller, isHost);
  if (agent === undefined) return;
  throw new StartError(
    `${agent.name} runs this command (${agent.trace}), and only you can ${deed}. ` +
      'Run it in a terminal that you opened yourself, or do it in the window of VS Code.',
  );
}
