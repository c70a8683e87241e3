import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { GitSnapshots } from '../../src/agent/changes/git-snapshots';
import { bench, benchCase, type Figures } from '../support/bench';
import { textOf } from '../support/bench-data';
import { cost } from '../support/bench-measure';

const FILES = 20_000;
const FILES_PER_FOLDER = 100;
const BYTES = 2_000;

const run = promisify(execFile);

/** Git as it is asked in a repository whose index and objects must stay as they are. */
async function git(cwd: string, place: string | undefined, ...args: readonly string[]): Promise<string> {
  const own =
    place === undefined
      ? {}
      : { GIT_INDEX_FILE: join(place, 'index'), GIT_OBJECT_DIRECTORY: join(place, 'objects'), GIT_OPTIONAL_LOCKS: '0' };
  const { stdout } = await run('git', args, { cwd, env: { ...process.env, ...own } });
  return stdout.trim();
}

/** A repository in which everything is committed. */
async function repository(folder: string): Promise<string> {
  const cwd = join(folder, 'work');
  for (let at = 0; at < FILES; at++) {
    const inside = join(cwd, `part-${Math.floor(at / FILES_PER_FOLDER)}`);
    if (at % FILES_PER_FOLDER === 0) mkdirSync(inside, { recursive: true });
    writeFileSync(join(inside, `file-${at}.ts`), textOf(BYTES, at));
  }
  await git(cwd, undefined, 'init', '--quiet');
  await git(cwd, undefined, 'add', '--all');
  const author = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', '-c', 'gc.auto=0'];
  await git(cwd, undefined, ...author, 'commit', '--quiet', '--message=all');
  return cwd;
}

async function figures(first: () => Promise<unknown>, next: () => Promise<unknown>): Promise<Figures> {
  const { ms, cpu, stall } = await cost(first);
  const again = await cost(next);
  return { ms, cpu, stall, nextMs: again.ms, nextCpu: again.cpu };
}

const HEAD = 'first checkpoint of a repository with 20,000 files (40 MB)';
const NEXT = 'next checkpoint of it, nothing changed';

const first = benchCase<string>({
  rows: [
    { name: `${HEAD}: time`, figure: 'ms', unit: 'ms', aim: { ratio: 2 } },
    { name: `${HEAD}: host thread`, figure: 'cpu', unit: 'ms' },
    { name: `${HEAD}: longest stall`, figure: 'stall', unit: 'ms', aim: { figure: 50 } },
    { name: `${NEXT}: time`, figure: 'nextMs', unit: 'ms', aim: { ratio: 1.5 } },
    { name: `${NEXT}: host thread`, figure: 'nextCpu', unit: 'ms' },
  ],
  setUp: repository,
  rounds: 3,
  measure: {
    async raw(cwd) {
      const place = mkdtempSync(join(cwd, '..', 'raw-'));
      mkdirSync(join(place, 'objects'));
      const take = async (): Promise<void> => {
        await git(cwd, place, 'add', '--all');
        if ((await git(cwd, place, 'write-tree')).length !== 40) throw new Error('git wrote no tree');
      };
      return figures(take, take);
    },
    async ours(cwd) {
      const place = mkdtempSync(join(cwd, '..', 'ours-'));
      let snapshots: GitSnapshots | undefined;
      return figures(
        async () => {
          snapshots = await GitSnapshots.open(cwd, place);
          if (snapshots === undefined) throw new Error('the repository was not seen');
        },
        async () => {
          if ((await snapshots?.take())?.length !== 40) throw new Error('there is no tree');
        },
      );
    },
  },
});

await bench(first);
