import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cachedFolder, npmInstall } from './cached.ts';
import { ROOT } from './paths.ts';

const EARLIER = '@mariozechner/pi-coding-agent';
/** Each version has a format or a protocol that we promise to understand; the tests say which. */
const EARLIER_VERSIONS = ['0.27.9', '0.31.1', '0.57.1', '0.73.1'];

const TODAY = '@earendil-works/pi-coding-agent';

/** Folder with the package.json and lock file of today's pi and of `pi-acp`. Its subfolders have their own. */
const LOCKED = join(ROOT, 'scripts', 'peers');

/**
 * Downloads the real peers into the cache, never into the project's own dependencies. Resolves with absolute paths by name:
 * the package folders of the earlier versions of pi, of `today`, the pi that we follow, and of `pi-acp`; `packages`, `mcp` and
 * `acp`, whose node_modules contain packages for pi, the MCP project's test programs, and clients of the Agent Client Protocol.
 * @throws {UserError} when npm fails
 */
export async function bringPeers(): Promise<Record<string, string>> {
  const peers: Record<string, string> = {};
  for (const version of EARLIER_VERSIONS) peers[version] = await installed(version);
  peers['today'] = await bringTodaysPi();
  peers['pi-acp'] = join(await bringTodaysModules(), 'pi-acp');
  peers['packages'] = await installedAsLocked(join(LOCKED, 'packages'), 'packages of pi');
  peers['acp'] = await installedAsLocked(join(LOCKED, 'acp'), 'clients of the Agent Client Protocol');
  peers['mcp'] = await installedAsLocked(join(LOCKED, 'mcp'), 'the server and the tests of MCP');
  return peers;
}

/**
 * Installs the pi that we follow into the cache. Resolves with its package folder.
 * @throws {UserError} when npm fails
 */
export async function bringTodaysPi(): Promise<string> {
  return join(await bringTodaysModules(), ...TODAY.split('/'));
}

async function bringTodaysModules(): Promise<string> {
  return join(await installedAsLocked(LOCKED, "today's pi and pi-acp"), 'node_modules');
}

async function installed(version: string): Promise<string> {
  const folder = await cachedFolder(['peers', `pi-coding-agent-${version}`], draft => {
    tell(`${EARLIER} ${version}`);
    writeFileSync(join(draft, 'package.json'), '{ "private": true }');
    npmInstall(draft, [`${EARLIER}@${version}`]);
  });
  return join(folder, 'node_modules', ...EARLIER.split('/'));
}

/**
 * Installs the locked packages of a folder into the cache, with the settings for npm in that folder. Resolves with the folder.
 * @throws {UserError} when npm fails
 */
export function installedAsLocked(from: string, what: string): Promise<string> {
  const files = ['package.json', 'package-lock.json', '.npmrc'].filter(file => existsSync(join(from, file)));
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(join(from, file)));
  return cachedFolder(['peers', `locked-${hash.digest('hex').slice(0, 16)}`], draft => {
    tell(what);
    for (const file of files) copyFileSync(join(from, file), join(draft, file));
    npmInstall(draft, []);
  });
}

function tell(what: string): void {
  console.log(`hookline: getting ${what} from npm, once`);
}
