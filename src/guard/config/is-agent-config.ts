import { dirname, join, relative } from 'node:path';
import { isWithin } from '../../base/files/is-within';
import { slashed } from '../../base/files/slashed';
import { AGENT_IDS } from '../protocol/agent-call';
import type { GuardPlace } from '../protocol/place';
import { agentFolder, filesOfGuard } from './agent-files';
import type { Machine } from './this-machine';
import { ALL_SETUPS, setupOf } from './agents';

/** Where the files of agents and of the guard are. */
export interface GuardedPlaces {
  readonly machine: Machine;
  readonly place: Pick<GuardPlace, 'folder'>;
}

/** Whether a file says which hooks an agent calls, or is one of the guard's own. `path`: absolute, with links resolved. */
export function isAgentConfig(path: string, { machine, place }: GuardedPlaces): boolean {
  if (isWithin(path, place.folder) || CONFIG.test(slashed(path))) return true;
  return AGENT_IDS.some(agent => {
    if (filesOfGuard(agent, 'system', machine).some(({ file }) => isWithin(path, dirname(file)))) return true;
    const folder = agentFolder(agent, machine);
    const name = setupOf(agent).folder.name;
    return isWithin(path, folder) && CONFIG.test(slashed(join(name, relative(folder, path))));
  });
}

/** Of a project, or of the user in a folder with the usual name. */
const CONFIG = new RegExp(`(?:^|/)(?:${ALL_SETUPS.map(({ configFiles }) => configFiles).join('|')})$`);
