import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withoutRepository } from '../../src/base/git-environment.ts';
import { cacheFolder, ROOT } from '../support/paths.ts';
import { isAlive } from '../support/processes.ts';

const SAMPLE = join(ROOT, 'examples', 'workspace');

export interface Place {
  readonly workspace: string;
  readonly serverDataDir: string;
  readonly extensionsDir: string;
  /** Lets another run use the place. */
  release(): void;
}

/**
 * The folders of one `npm start`: a copy of the sample workspace and the user data of a VS Code. They are in the cache, and
 * runs at the same time have different ones. With `keep`, the workspace and settings of an earlier run are used again.
 */
export async function claimPlace({ keep }: { readonly keep: boolean }): Promise<Place> {
  const root = await claimSlot();
  const place = {
    workspace: join(root, 'hookline-sample'),
    serverDataDir: join(root, 'server'),
    extensionsDir: join(root, 'extensions'),
  };
  if (!keep) for (const folder of Object.values(place)) rmSync(folder, { recursive: true, force: true });
  if (!existsSync(place.workspace)) {
    cpSync(SAMPLE, place.workspace, { recursive: true });
    makeRepository(place.workspace);
  }
  for (const folder of Object.values(place)) mkdirSync(folder, { recursive: true });
  return { ...place, release: () => rmSync(ownerFile(root), { force: true }) };
}

/** Makes the folder a git repository, so that changes by commands can be reverted. Without git it stays a plain folder. */
function makeRepository(folder: string): void {
  const own = [
    'user.name=Hookline',
    'user.email=sample@hookline.invalid',
    'commit.gpgsign=false',
    'core.hooksPath=/dev/null',
  ];
  const settings = own.flatMap(setting => ['-c', setting]);
  const steps = [
    ['init', '--quiet'],
    ['add', '--all'],
    ['commit', '--quiet', '--message', 'The sample'],
  ];
  const env = withoutRepository(process.env);
  for (const step of steps) {
    const { status } = spawnSync('git', [...settings, ...step], { cwd: folder, env, stdio: 'ignore' });
    if (status !== 0) return;
  }
}

async function claimSlot(): Promise<string> {
  for (let number = 1; ; number++) {
    const root = join(cacheFolder(), 'start', String(number));
    mkdirSync(root, { recursive: true });
    if (await claim(root)) return root;
  }
}

async function claim(root: string): Promise<boolean> {
  const file = ownerFile(root);
  // The file is empty while its owner is writing it.
  const owner = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (owner !== '' && !(await isAlive(Number(owner)))) rmSync(file, { force: true });
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function ownerFile(root: string): string {
  return join(root, 'owner.pid');
}
