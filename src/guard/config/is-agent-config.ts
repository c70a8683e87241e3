import { dirname, join, relative } from 'node:path';
import { isWithin } from '../../base/files/is-within';
import { slashed } from '../../base/files/slashed';
import { AGENT_IDS } from '../protocol/agent-call';
import type { GuardPlace } from '../protocol/place';
import { agentFolder, guardedFile, type Machine } from './agent-files';

/** Where the files of agents and of the guard are. */
export interface GuardedPlaces {
  readonly machine: Machine;
  readonly place: Pick<GuardPlace, 'folder'>;
}

/** Whether a file says which hooks an agent calls, or is one of the guard's own. `path`: absolute, with links resolved. */
export function isAgentConfig(path: string, { machine, place }: GuardedPlaces): boolean {
  if (isWithin(path, place.folder) || CONFIG.test(slashed(path))) return true;
  return AGENT_IDS.some(agent => {
    if (isWithin(path, dirname(guardedFile(agent, 'system', machine)))) return true;
    const folder = agentFolder(agent, machine);
    return isWithin(path, folder) && CONFIG.test(slashed(join(`.${agent}`, relative(folder, path))));
  });
}

/** Of a project, or of the user in a folder with the usual name. */
const CONFIG = new RegExp(
  `(?:^|/)(?:${[
    String.raw`\.claude/settings(?:\.local)?\.json`,
    String.raw`\.codex/(?:hooks\.json|(?:[^/]+\.)?config\.toml)`,
    String.raw`\.copilot/(?:hooks/[^/]+|settings|config)\.json`,
    String.raw`\.github/hooks/[^/]+\.json`,
  ].join('|')})$`,
);
