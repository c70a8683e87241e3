import type { AgentContract } from '../agents/agent';
import type { AgentId } from '../protocol/agent-call';
import type { GuardPlace } from '../protocol/place';
import type { Machine } from './agent-files';
import { clientCommand } from './client-command';

/** How long an agent waits for the client, s. The client gives up before. */
const TIMEOUT_S = 3600;
/** Events for which an agent waits no longer than this, s. Codex warns at each start about an entry that asks for more. */
const SHORTER_S: Readonly<Partial<Record<AgentId, Readonly<Record<string, number>>>>> = { codex: { SessionEnd: 3 } };

/** An entry for an event in an agent's configuration. */
export interface GuardEntry {
  readonly event: string;
  /** The item in the list of the event. */
  readonly group: Readonly<Record<string, unknown>>;
}

/** What is written to an agent's configuration, one entry for each event of its contract. */
export function guardEntries(
  { id, events }: Pick<AgentContract, 'id' | 'events'>,
  place: Pick<GuardPlace, 'client' | 'nodeClient'>,
  machine: Pick<Machine, 'env' | 'platform'>,
): readonly GuardEntry[] {
  return events.map(({ name, gates }) => {
    const command = clientCommand(place, id, name, machine);
    const timeout = SHORTER_S[id]?.[name] ?? TIMEOUT_S;
    switch (id) {
      case 'claude': {
        const closes = gates ? { onFailure: 'block' } : {};
        return { event: name, group: { hooks: [{ type: 'command', command, timeout, ...closes }] } };
      }
      case 'copilot': {
        const shell = machine.platform === 'win32' ? { powershell: command } : { bash: command };
        return { event: name, group: { type: 'command', ...shell, timeoutSec: timeout } };
      }
      case 'codex':
        return { event: name, group: { hooks: [{ type: 'command', command, timeout }] } };
    }
  });
}
