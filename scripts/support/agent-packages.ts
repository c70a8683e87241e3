import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from './fail.mjs';
import { ROOT } from './paths.ts';
import { installedAsLocked } from './peer-packages.ts';

/** Folder with the package.json and the lock file of the agents. */
const LOCKED = join(ROOT, 'scripts', 'agents');

/** The packages of the agents with their versions, for the output. */
export function agentVersions(): string {
  const text = readFileSync(join(LOCKED, 'package.json'), 'utf8');
  const { dependencies } = JSON.parse(text) as { readonly dependencies: Readonly<Record<string, string>> };
  return Object.entries(dependencies)
    .map(parts => parts.join(' '))
    .join(', ');
}

/**
 * Downloads the agents of others into the cache. Resolves with the folder whose node_modules contain them.
 * @throws {UserError} when npm fails
 */
export async function bringAgents(): Promise<string> {
  const folder = await installedAsLocked(LOCKED, 'Claude Code, Codex and Copilot');
  // Packages are installed without their scripts; this one puts the program for this system in its place, if it is not there.
  const script = join(folder, 'node_modules', '@anthropic-ai', 'claude-code', 'install.cjs');
  const { status } = spawnSync(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new UserError(`Claude Code could not be installed (exit code ${String(status)})`);
  return folder;
}
