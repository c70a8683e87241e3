import type { AgentId } from '../protocol/agent-call';
import type { GuardPlace } from '../protocol/place';
import type { Machine } from './this-machine';
import { setupOf } from './agents';
import type { SetupEvent } from './agents/agent-setup';
import { clientCommand } from './client-command';
import type { GuardEntry } from './formats/guard-format';

/** What is needed of a contract to write its entries. */
export interface GuardedContract {
  readonly id: AgentId;
  readonly events: readonly SetupEvent[];
}

/** What is written to an agent's configuration, one entry for each event of its contract. */
export function guardEntries(
  { id, events }: GuardedContract,
  place: Pick<GuardPlace, 'client' | 'nodeClient'>,
  machine: Pick<Machine, 'env' | 'platform'>,
): readonly GuardEntry[] {
  const setup = setupOf(id);
  return events.map(event => {
    const command = clientCommand(place, id, event.name, machine);
    return { event: event.name, group: setup.entry(event, command, machine.platform) };
  });
}

/** The entries of a file: of the one event that it is for, or of all. */
export function entriesIn(event: string | undefined, entries: readonly GuardEntry[]): readonly GuardEntry[] {
  return event === undefined ? entries : entries.filter(entry => entry.event === event);
}
