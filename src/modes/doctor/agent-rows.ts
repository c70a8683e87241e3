import { CONTRACTS } from '../../guard/agents';
import { findAgents } from '../../guard/config/find-agents';
import { guardStatus } from '../../guard/config/guard-status';
import { readGuarded } from '../../guard/config/guarded-agents';
import { machineOf } from '../../guard/config/this-machine';
import { guardPlace } from '../../guard/protocol/place';
import { foundText, problemsOf } from '../guard/status/status-text';
import type { DoctorPlaces } from './machine-rows';
import type { DoctorRow } from './report';

/** The other agents of this machine, and whether hooks guard them. `hookline guard status` tells more. */
export async function agentRows(
  { stateDir, cwd }: Pick<DoctorPlaces, 'stateDir' | 'cwd'>,
  process: Pick<NodeJS.Process, 'env' | 'platform'>,
): Promise<readonly DoctorRow[]> {
  const place = guardPlace(stateDir);
  const machine = machineOf(process);
  const [all, guarded] = await Promise.all([findAgents(CONTRACTS, machine), readGuarded(place)]);
  const rows = await Promise.all(
    CONTRACTS.map(async (contract): Promise<readonly DoctorRow[]> => {
      const found = all.find(({ id }) => id === contract.id);
      const status = await guardStatus({ contract, place, machine, project: cwd });
      const name = foundText(contract, found);
      if (guarded[contract.id] === undefined && status.configured.type === 'no') {
        return found === undefined ? [] : [{ name, value: 'not guarded' }];
      }
      const problems = problemsOf({ contract, untrusted: undefined, status });
      if (problems.length === 0) return [{ name, value: 'guarded' }];
      return [{ name, value: 'not guarded as it should be', problem: `${problems.join('. ')}.` }];
    }),
  );
  return rows.flat();
}
