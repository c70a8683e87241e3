import { join } from 'node:path';
import { agentFolder, filesOfGuard, type GuardedFile } from '../agent-files';
import type { Machine } from '../this-machine';

/** The file of the user with our entries in Codex. */
export function codexHooksFile(machine: Machine): GuardedFile {
  const [file] = filesOfGuard('codex', 'user', machine);
  if (file === undefined) throw new Error('Codex has no file of the user.');
  return file;
}

/** Absolute path of the file in which Codex says which hooks it trusts. */
export function codexConfigFile(machine: Machine): string {
  return join(agentFolder('codex', machine), 'config.toml');
}
