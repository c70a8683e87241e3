import { compareVersions } from '../../packages/install/version-order';

/**
 * How the version of an agent stands to the newest one that the tests ran. `newer`: it is guarded, but no test ran it. `other`:
 * an earlier one, or one that cannot be compared. `unknown`: its version could not be learned. `untried`: the tests ran no
 * version of this agent.
 */
export type VersionTested = 'tested' | 'newer' | 'other' | 'unknown' | 'untried';

/** Compares by the rules of semantic versions; `tested` is that of the agent's contract. */
export function versionTested(version: string | undefined, tested: string | undefined): VersionTested {
  if (tested === undefined) return 'untried';
  if (version === undefined) return 'unknown';
  const difference = compareVersions(version, tested);
  if (difference > 0) return 'newer';
  return difference === 0 ? 'tested' : 'other';
}
