import { hostname } from 'node:os';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { besideState, linesIn, replaceLines } from './second-place';

/** That a place was used on a machine. */
const UseSchema = Type.Object({ about: Type.String(), host: Type.String() });

/**
 * Remembers in two other places than the record of approvals which places were used: beside its folder, and in the agent
 * folder. So that somebody removed the record is no first use.
 */
export class UsedPlaces {
  private readonly dirs: readonly string[];

  /** Both folders are absolute, as in `ApprovalPlace`. */
  constructor(stateDir: string, agentDir: string) {
    this.dirs = [besideState(stateDir), join(agentDir, 'hookline', 'past-use')];
  }

  /** Whether a place was used before on this machine. `key` is the name of its record. */
  has(key: string): boolean {
    return this.dirs.some(dir => isNoted(fileIn(dir, key)));
  }

  /** Remembers that a place was used. `about` is its path. Throws when writing fails. */
  add(key: string, about: string): void {
    const files = this.dirs.map(dir => fileIn(dir, key)).filter(file => !isNoted(file));
    for (const file of files) replaceLines(file, [{ about, host: hostname() }]);
  }
}

/** The files of another machine do not count: some people keep them in their home folder on several. */
function isNoted(file: string): boolean {
  return linesIn(file, UseSchema).some(({ host }) => host === hostname());
}

function fileIn(dir: string, key: string): string {
  return join(dir, `${key}.json`);
}
