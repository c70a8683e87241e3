import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../support/processes.mjs';
import { cacheFolder, ROOT } from '../support/paths.mjs';

const SAMPLE = join(ROOT, 'examples', 'workspace');

/**
 * The folders of one `npm start`: a copy of the sample workspace and a VS Code's user data, in the cache and outside of
 * git. Each run that is alive has its own.
 * @param {{ keep: boolean }} options `keep` takes what an earlier run left, copy and settings included
 * @returns {{ workspace: string, serverDataDir: string, extensionsDir: string, release: () => void }}
 */
export function claimPlace({ keep }) {
  const root = claimSlot();
  const place = {
    workspace: join(root, 'hookline-sample'),
    serverDataDir: join(root, 'server'),
    extensionsDir: join(root, 'extensions'),
  };
  if (!keep) for (const folder of Object.values(place)) rmSync(folder, { recursive: true, force: true });
  if (!existsSync(place.workspace)) cpSync(SAMPLE, place.workspace, { recursive: true });
  for (const folder of Object.values(place)) mkdirSync(folder, { recursive: true });
  return { ...place, release: () => rmSync(ownerFile(root), { force: true }) };
}

function claimSlot() {
  for (let number = 1; ; number++) {
    const root = join(cacheFolder(), 'start', String(number));
    mkdirSync(root, { recursive: true });
    if (claim(root)) return root;
  }
}

function claim(root) {
  const file = ownerFile(root);
  if (existsSync(file) && !isAlive(Number(readFileSync(file, 'utf8')))) rmSync(file, { force: true });
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function ownerFile(root) {
  return join(root, 'owner.pid');
}
