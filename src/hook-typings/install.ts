import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf } from '../base/errors';
import type { Problem } from '../base/result';

export interface InstallTypingsOptions {
  /** Workspace folder, absolute. */
  readonly workspace: string;
  /** `~/.pi/agent`: give it to set up the global hooks, too. */
  readonly agentDir?: string;
  /** The extension's `dist/typings`, absolute. */
  readonly from: string;
}

/** What {@link installTypings} did and found; all paths are absolute. */
export interface TypingsInstallation {
  /**
   * Files that were made or changed. Empty when everything was in place. Of the declarations only their tsconfig.json is
   * listed.
   */
  readonly written: readonly string[];
  /** Files of the user that are in the way and were left alone, each with what to do about it. */
  readonly kept: readonly { readonly file: string; readonly advice: string }[];
  readonly problems: readonly Problem[];
}

/** How files begin that Hookline wrote, of whatever version. */
const OURS = '// Written by Hookline';

/** In the folder of declarations: what they were built from. */
const STAMP = '.stamp';
const IGNORE = '# Delete this file to have the types in git, where CI finds them.\n*\n';

/** A folder that holds hooks, and how its configuration finds the types. */
interface HookHome {
  readonly dir: string;
  readonly folders: readonly string[];
  /** `extends` of its tsconfig.json. */
  readonly base: string;
  /** Whether the types lie here. */
  readonly holdsTypes: boolean;
}

/**
 * Lets any editor and compiler find the types of everything a hook may import: the compiler's settings
 * (`.pi/tsconfig.json`, to be committed or not as the user likes), and beside them, ignored by git unless the user takes the
 * `.gitignore` away, a copy of the declarations in `types/`. No file names a place on this machine, and a file that is not ours is
 * never changed. May be called at any time, and again to get the declarations of a newer version. Never rejects.
 */
export async function installTypings(options: InstallTypingsOptions): Promise<TypingsInstallation> {
  const target = join(options.from, 'tsconfig.json');
  const installation = new Installation(options.from);
  if (!existsSync(target)) {
    installation.problems.push({ message: 'The types for hooks are missing from this installation.', file: target });
  } else {
    for (const home of homesIn(options)) await installation.setUp(home);
  }
  const { written, kept, problems } = installation;
  return { written, kept, problems };
}

function homesIn({ workspace, agentDir }: InstallTypingsOptions): readonly HookHome[] {
  const folders = ['hooks', 'extensions'];
  const project = join(workspace, '.pi');
  const homes: HookHome[] = [{ dir: project, folders, base: './types/tsconfig.json', holdsTypes: true }];
  const ofOmp = join(workspace, '.omp');
  if (existsSync(join(ofOmp, 'hooks'))) {
    homes.push({ dir: ofOmp, folders: ['hooks'], base: '../.pi/types/tsconfig.json', holdsTypes: false });
  }
  if (agentDir !== undefined && resolve(agentDir) !== resolve(project)) {
    homes.push({ dir: agentDir, folders, base: './types/tsconfig.json', holdsTypes: true });
  }
  return homes;
}

class Installation implements TypingsInstallation {
  readonly written: string[] = [];
  readonly kept: { readonly file: string; readonly advice: string }[] = [];
  readonly problems: Problem[] = [];

  constructor(private readonly from: string) {}

  async setUp(home: HookHome): Promise<void> {
    try {
      if (home.holdsTypes) await this.copy(join(home.dir, 'types'));
      await this.configure(home);
    } catch (error) {
      this.problems.push({ message: `The types could not be set up: ${messageOf(error)}`, file: home.dir });
    }
  }

  private async copy(folder: string): Promise<void> {
    const file = join(folder, 'tsconfig.json');
    const present = await textOf(file);
    if (present !== undefined && !present.startsWith(OURS)) {
      this.kept.push({
        file,
        advice: 'Hookline needs a file of this name: move your file and run the command again.',
      });
      return;
    }
    const settings = await readFile(join(this.from, 'tsconfig.json'), 'utf8');
    const text = `${OURS} (_Install Hook Types_), like all files beside it. Run the command again after an update.\n${settings}`;
    const stamp = await textOf(join(this.from, STAMP));
    if (present === text && stamp === (await textOf(join(folder, STAMP)))) return;
    // The settings come last: without them an interrupted copy does not pass for a whole one.
    await rm(file, { force: true });
    for (const name of await readdir(this.from)) {
      if (name === 'tsconfig.json') continue;
      await rm(join(folder, name), { recursive: true, force: true });
      await cp(join(this.from, name), join(folder, name), { recursive: true });
    }
    await this.write(file, text);
    const ignore = join(folder, '.gitignore');
    if (present === undefined && (await textOf(ignore)) === undefined) await this.write(ignore, IGNORE);
  }

  /** The compiler takes the nearest tsconfig.json above a file, so all that could be the nearest are looked at. */
  private async configure({ dir, folders, base }: HookHome): Promise<void> {
    for (const folder of folders) {
      await this.check(join(dir, folder, 'tsconfig.json'), `../${base.replace(/^\.\//, '')}`);
    }
    const file = join(dir, 'tsconfig.json');
    if (await this.check(file, base)) return;
    const config = { extends: base, include: folders };
    await this.write(
      file,
      `${OURS} (_Install Hook Types_). You can change this file.\n${JSON.stringify(config, null, 2)}\n`,
    );
  }

  /** Whether there is such a file; one that does not point to the types is reported. */
  private async check(file: string, base: string): Promise<boolean> {
    const text = await textOf(file);
    if (text === undefined) return false;
    if (!text.includes(`"${base}"`)) this.kept.push({ file, advice: `Add "extends": "${base}" to it.` });
    return true;
  }

  private async write(file: string, text: string): Promise<void> {
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, text);
    this.written.push(file);
  }
}

/** Undefined when there is no such file; any other failure is the caller's to tell. */
async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
