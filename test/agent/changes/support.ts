import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { changesOfSession, filesOf, since, targetsFor, type Moment } from '../../../src/agent/changes/net-changes';
import type { ChangeRecord } from '../../../src/agent/changes/record';
import { performRevert, planRevert, type RevertOutcome } from '../../../src/agent/changes/revert';
import { ChangeTracker, type TrackerOptions } from '../../../src/agent/changes/tracker';
import { silentLog } from '../../../src/base/log';

export const SESSION = 'session-1';

let time = 0;

/** Never says the same twice. */
function clock(): number {
  time += 1;
  return time;
}

/** A folder with, or without, a git repository, and a tracker that looks after it. */
export class Ground {
  private calls: string[] = [];

  private constructor(
    readonly root: string,
    readonly work: string,
    public tracker: ChangeTracker,
  ) {}

  static async open(
    files: Readonly<Record<string, string | Buffer>>,
    options: {
      readonly git?: boolean;
      /** Name of the folder; `work` when absent. */
      readonly folder?: string;
      readonly limits?: TrackerOptions['limits'];
      readonly prepare?: (work: string) => void;
    } = {},
  ): Promise<Ground> {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'hookline changes ä ')));
    const work = join(root, options.folder ?? 'work');
    mkdirSync(work);
    for (const [name, text] of Object.entries(files)) put(work, name, text);
    if (options.git !== false) {
      run(work, 'init', '--quiet');
      run(work, 'add', '-A');
      run(work, 'commit', '--quiet', '-m', 'first');
    }
    options.prepare?.(work);
    return new Ground(root, work, await openTracker(root, work, options.limits));
  }

  /** The tracker of another window on the same place. */
  async reopen(limits?: TrackerOptions['limits']): Promise<void> {
    await this.tracker.flush();
    this.tracker = await openTracker(this.root, this.work, limits);
  }

  /** A call of `edit` or `write`. */
  async edit(name: string, text: string | Buffer): Promise<void> {
    return this.call('write', () => put(this.work, name, text), name);
  }

  /** A call of `bash`. */
  bash(change: () => void): Promise<void> {
    return this.call('bash', change);
  }

  get records(): readonly ChangeRecord[] {
    return changesOfSession(this.tracker.journal.records, SESSION, new Set());
  }

  /** Names of the files that differ from what they were, `back` marked. */
  get files(): string[] {
    return filesOf(this.records).map(
      net => `${relative(this.work, net.path).replaceAll(sep, '/')}${net.isBack ? ' back' : ''}`,
    );
  }

  /** This moment, to come back to. */
  get now(): Moment {
    return { at: clock(), before: new Set(this.calls) };
  }

  /** Back to a moment, whatever stands there now. */
  async revertTo(moment: Moment): Promise<RevertOutcome> {
    return this.revert(since(this.records, moment));
  }

  async revert(undone: readonly ChangeRecord[]): Promise<RevertOutcome> {
    const plan = await planRevert(this.tracker, SESSION, targetsFor(undone, this.records), () => false);
    return performRevert(this.tracker, SESSION, plan);
  }

  path(name: string): string {
    return join(this.work, name);
  }

  text(name: string): string | undefined {
    return existsSync(this.path(name)) ? readFileSync(this.path(name), 'utf8') : undefined;
  }

  put(name: string, text: string | Buffer): void {
    put(this.work, name, text);
  }

  async close(): Promise<void> {
    await this.tracker.flush();
    this.tracker.dispose();
    rmSync(this.root, { recursive: true, force: true });
  }

  private async call(tool: string, change: () => void, path?: string): Promise<void> {
    const id = `call-${this.calls.length}`;
    this.calls.push(id);
    const end = await this.tracker.begin({ session: SESSION, id, tool, ...(path === undefined ? {} : { path }) });
    change();
    await end();
  }
}

function openTracker(root: string, cwd: string, limits: TrackerOptions['limits']): Promise<ChangeTracker> {
  const dir = join(root, 'storage', 'changes');
  return ChangeTracker.open({ dir, cwd, log: silentLog, now: clock, ...(limits === undefined ? {} : { limits }) });
}

function put(work: string, name: string, text: string | Buffer): void {
  const file = join(work, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Git as the person uses it, with nothing of this machine's settings. */
export function run(work: string, ...args: string[]): string {
  return execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '--no-optional-locks', ...args], {
    cwd: work,
    encoding: 'utf8',
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** All that must never change in the person's repository: every file of `.git`, by name and bytes. */
export function repository(work: string): Readonly<Record<string, string>> {
  return tree(join(work, '.git'));
}

/** Every file below a folder: `x` marks what can be run, `->` a link. Of `.git` nothing. */
export function tree(folder: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const walk = (dir: string): void => {
    for (const name of readdirSync(dir)) {
      const file = join(dir, name);
      const info = lstatSync(file);
      const shown = relative(folder, file);
      if (info.isSymbolicLink()) found[shown] = `-> ${readlinkSync(file)}`;
      else if (info.isDirectory()) {
        if (name !== '.git') walk(file);
      } else found[shown] = `${(info.mode & 0o100) === 0 ? '' : 'x '}${readFileSync(file).toString('latin1')}`;
    }
  };
  walk(folder);
  return found;
}

export function makeExecutable(file: string): void {
  chmodSync(file, 0o755);
}
