import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmCommand } from '../install.mjs';
import { cachedFolder, npmInstall } from './cached.ts';
import { UserError } from './fail.mjs';
import { ROOT } from './paths.ts';

const EARLIER = '@mariozechner/pi-coding-agent';
/** Each version has a format or a protocol that we promise to understand; the tests say which. */
const EARLIER_VERSIONS = ['0.27.9', '0.31.1', '0.57.1', '0.73.1'];

const TODAY = '@earendil-works/pi-coding-agent';
/** This version is only unpacked, because some of its dependencies are not published. Its bundle runs without them. */
const UNPACKED = {
  version: '1.6.0',
  integrity: 'sha512-zX1BVEsshx7A2MRuQ6jfr3RJGWw4Wn+vLq5ZfmlvS1RskhRmByaSZVXH/zcwRrWHO7qPgs98pNCbPOEti/t0fQ==',
};

/** Folder with the package.json and lock file of the peers that are installed completely. Its subfolders have their own. */
const LOCKED = join(ROOT, 'scripts', 'peers');

/**
 * Downloads the real peers into the cache, never into the project's own dependencies. Resolves with absolute paths by name:
 * the package folders of the versions of pi and of `pi-acp`; `modules`, the node_modules of 0.87.1; `packages` and `mcp`,
 * whose node_modules contain packages for pi and the MCP project's test programs.
 * @throws {UserError} when npm fails, or a download is not the pinned one
 */
export async function bringPeers(): Promise<Record<string, string>> {
  const peers: Record<string, string> = {};
  for (const version of EARLIER_VERSIONS) peers[version] = await installed(version);
  const modules = join(await installedAsLocked(LOCKED, '0.87.1 and pi-acp'), 'node_modules');
  peers['modules'] = modules;
  peers['0.87.1'] = join(modules, ...TODAY.split('/'));
  peers['pi-acp'] = join(modules, 'pi-acp');
  peers['packages'] = await installedAsLocked(join(LOCKED, 'packages'), 'packages of pi');
  peers['mcp'] = await installedAsLocked(join(LOCKED, 'mcp'), 'the server and the tests of MCP');
  peers[UNPACKED.version] = await bringTodaysPi();
  return peers;
}

async function installed(version: string): Promise<string> {
  const folder = await cachedFolder(['peers', `pi-coding-agent-${version}`], draft => {
    tell(`${EARLIER} ${version}`);
    writeFileSync(join(draft, 'package.json'), '{ "private": true }');
    npmInstall(draft, [`${EARLIER}@${version}`]);
  });
  return join(folder, 'node_modules', ...EARLIER.split('/'));
}

/** Installs the locked packages of a folder, with the settings for npm in that folder. */
function installedAsLocked(from: string, what: string): Promise<string> {
  const files = ['package.json', 'package-lock.json', '.npmrc'].filter(file => existsSync(join(from, file)));
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(join(from, file)));
  return cachedFolder(['peers', `locked-${hash.digest('hex').slice(0, 16)}`], draft => {
    tell(what);
    for (const file of files) copyFileSync(join(from, file), join(draft, file));
    npmInstall(draft, []);
  });
}

/**
 * Downloads pi 1.6.0, whose bundle and examples need no other packages, into the cache. Resolves with its package folder.
 * @throws {UserError} as {@link bringPeers}
 */
export function bringTodaysPi(): Promise<string> {
  const { version, integrity } = UNPACKED;
  return cachedFolder(['peers', `pi-coding-agent-${version}`], draft => {
    tell(`${TODAY} ${version}`);
    const packed = join(draft, 'packed');
    mkdirSync(packed);
    const npm = npmCommand();
    start(npm.file, [...npm.args, 'pack', `${TODAY}@${version}`, '--silent'], packed);
    const [name = ''] = readdirSync(packed);
    const found = `sha512-${createHash('sha512')
      .update(readFileSync(join(packed, name)))
      .digest('base64')}`;
    if (found !== integrity) {
      throw new UserError(`${TODAY} ${version} is not what is pinned: its integrity is ${found}`);
    }
    start('tar', ['-xzf', join('packed', name), '--strip-components=1'], draft);
    rmSync(packed, { recursive: true });
  });
}

function start(file: string, args: readonly string[], cwd: string): void {
  const { status, error } = spawnSync(file, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) {
    throw new UserError(`${file} ${args.join(' ')}: ${error?.message ?? `exit code ${String(status)}`}`);
  }
}

function tell(what: string): void {
  console.log(`hookline: getting ${what} from npm, once`);
}
