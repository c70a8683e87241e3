import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { UserError } from './fail.mjs';
import { ROOT } from './paths.ts';
import { installedAsLocked } from './peer-packages.ts';

/**
 * Downloads the agents of others into the cache. Resolves with the folder whose node_modules contain them.
 * @throws {UserError} when npm fails
 */
export async function bringAgents(): Promise<string> {
  const folder = await installedAsLocked(join(ROOT, 'scripts', 'agents'), 'Claude Code, Codex and Copilot');
  // Packages are installed without their scripts; this one puts the program for this system in its place, if it is not there.
  const script = join(folder, 'node_modules', '@anthropic-ai', 'claude-code', 'install.cjs');
  const { status } = spawnSync(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new UserError(`Claude Code could not be installed (exit code ${String(status)})`);
  return folder;
}
