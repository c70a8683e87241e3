import { canonical, protectedParts, TrustFile } from '../../agent/settings/trust-file';
import type { Caller } from '../../startup/agents/calling-agent';
import { refuseAgents } from '../agents/refuse-agents';

/** A folder, and where and by whom is saved what is decided about it. Paths are absolute. */
export interface TrustPlace {
  readonly cwd: string;
  readonly agentDir: string;
  /** The folder of the approvals. */
  readonly stateDir: string;
  readonly caller: Caller;
}

/** @throws {StartError} when an agent started this program */
export function refuseAgentsToTrust({ caller, stateDir }: TrustPlace): void {
  refuseAgents('decide which folders are trusted', caller, stateDir);
}

/**
 * Saves in pi's trust.json that the folder is trusted. Nothing of the folder is read. Returns what to tell the user; `since`
 * says when what trust decides about is used.
 * @throws {StartError} when an agent started this program
 * @throws an error that names the file when it cannot be written
 */
export async function saveTrust(place: TrustPlace, since: 'now' | 'from the next start'): Promise<readonly string[]> {
  refuseAgentsToTrust(place);
  const file = new TrustFile(place.agentDir);
  const folder = await canonical(place.cwd);
  await file.save(folder, true);
  const parts = protectedParts(folder);
  return [
    `Trusted: ${folder} and the folders below it (saved in ${file.path})`,
    ...(parts.length === 0 ? [] : [`Used ${since}: ${parts.join(', ')}`]),
  ];
}
