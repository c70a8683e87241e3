import { accessSync, constants, lstatSync, realpathSync } from 'node:fs';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readRegularText } from '../../base/files/regular-file';
import { isCode } from '../../base/errors';
import { exists } from '../../base/files/on-disk';
import { errorCode } from '../tools/result';
import { ABSENT, MOST_FILE_BYTES, type FileState } from './file-state';
import type { BlobStore } from './blob-store';
import { fields, git, type GitOptions, type GitResult } from './git';
import { keepBlobs, type KeptBlob } from './git-blobs';

/** Above these limits, a folder is too large for snapshots, and the user gets a notice. */
export interface SnapshotLimits {
  readonly files: number;
  readonly bytes: number;
}

export const SNAPSHOT_LIMITS: SnapshotLimits = { files: 40_000, bytes: 1024 * 1024 * 1024 };

/** Age from which a lock counts as left behind by a killed git process of ours, in ms. */
const STALE_LOCK_MS = 2 * 60_000;

/** Files are kept as the bytes they are: no line ends are changed, no filter runs. */
const ATTRIBUTES = '* -text !eol !ident !filter !working-tree-encoding\n';

/** For commands that read the user's repository: none of its programs is started. */
const READING = ['-c', 'core.fsmonitor=false'];

const EXECUTABLE = '100755';
const LINK = '120000';
const REGULAR = '100644';

/** One path that differs between two snapshots. Its states are read when they are needed. */
export interface TreeChange {
  /** Absolute. */
  readonly path: string;
  readonly before: TreeFile | undefined;
  readonly after: TreeFile | undefined;
}

export interface TreeFile {
  readonly object: string;
  readonly mode: string;
}

/** Why there are no snapshots here. */
export class SnapshotProblem extends Error {
  override readonly name = 'SnapshotProblem';

  /** `isLasting`: a retry would fail the same way. */
  constructor(
    message: string,
    readonly isLasting = false,
  ) {
    super(message);
  }
}

/**
 * Snapshots of a git work tree in a repository of our own, kept in the extension's storage: its own index, objects and
 * settings. Of the user's repository only the ignore rules and the list of files are read. Ignored files stay out.
 */
export class GitSnapshots {
  /** Names of files that are too large to be kept, relative to the root. */
  readonly tooLarge = new Set<string>();
  private tree: string | undefined;

  private constructor(
    /** Absolute, without symbolic links. */
    readonly root: string,
    private readonly gitDir: string,
    private readonly limits: SnapshotLimits,
  ) {}

  /** Undefined when the folder is in no git work tree; rejects with a {@link SnapshotProblem} when it cannot work. */
  static async open(cwd: string, dir: string, limits = SNAPSHOT_LIMITS): Promise<GitSnapshots | undefined> {
    // One command for each, because a path may contain a line end.
    const [top, excluded] = await Promise.all([
      git(['rev-parse', '--show-toplevel'], { cwd }),
      git(['rev-parse', '--git-path', 'info/exclude'], { cwd }),
    ]);
    if (top.code === 127) throw new SnapshotProblem('git cannot be started', true);
    if (/dubious ownership/.test(top.stderr)) throw new SnapshotProblem('the repository belongs to another user', true);
    const root = pathIn(top);
    if (root === undefined) return undefined;
    const exclude = pathIn(excluded);
    const known = await git([...READING, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
    });
    const count = fields(known.stdout).length;
    if (known.code !== 0) throw new SnapshotProblem(known.stderr);
    if (count > limits.files) throw new SnapshotProblem(tooMany(count, limits.files), true);
    const snapshots = new GitSnapshots(root, join(dir, 'snapshots.git'), limits);
    const isNew = await snapshots.prepare(exclude === undefined ? undefined : resolve(cwd, exclude));
    await snapshots.take();
    await snapshots.add(await snapshots.trackedThoughIgnored());
    // Journals keep copies of what they need, so only the current snapshot is needed here.
    if (!isNew) await snapshots.run(['prune', '--expire=1.hour.ago']);
    return snapshots;
  }

  /** The work tree as it is now. Costs one git process when nothing changed since the last one. */
  async take(): Promise<string> {
    const listed = await this.run(['ls-files', '-z', '-m', '-o', '-d', '--exclude-standard']);
    if (listed.code !== 0) throw new SnapshotProblem(listed.stderr);
    const names = [...new Set(fields(listed.stdout))];
    if (names.length === 0 && this.tree !== undefined) return this.tree;
    await this.add(names);
    const written = await this.run(['write-tree']);
    if (written.code !== 0) throw new SnapshotProblem(written.stderr);
    this.tree = written.stdout.toString('utf8').trim();
    return this.tree;
  }

  /** The differences between two snapshots. Repositories within the folder are skipped. */
  async compare(before: string, after: string): Promise<TreeChange[]> {
    if (before === after) return [];
    const compared = await this.run(['diff-tree', '-r', '-z', '--no-renames', '--raw', before, after]);
    if (compared.code !== 0) throw new SnapshotProblem(compared.stderr);
    const parts = fields(compared.stdout);
    const changes: TreeChange[] = [];
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const [oldMode = '', newMode = '', oldObject = '', newObject = ''] = (parts[at] ?? '').slice(1).split(' ');
      const change = {
        path: join(this.root, parts[at + 1] ?? ''),
        before: treeFile(oldMode, oldObject),
        after: treeFile(newMode, newObject),
      };
      if (change.before !== undefined || change.after !== undefined) changes.push(change);
    }
    return changes;
  }

  /** Copies the contents of files into a store. Rejects when that is not possible or the signal fires. */
  keep(
    files: readonly (TreeFile | undefined)[],
    blobs: BlobStore,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, KeptBlob>> {
    const objects = files.flatMap(file => (file === undefined ? [] : [file.object]));
    return keepBlobs((args, more) => this.run(args, { ...more, signal }), objects, blobs, signal);
  }

  /** Resolves with true when it made the repository. */
  private async prepare(exclude: string | undefined): Promise<boolean> {
    const isNew = !(await exists(join(this.gitDir, 'HEAD')));
    if (isNew) {
      await rm(this.gitDir, { recursive: true, force: true });
      await mkdir(this.gitDir, { recursive: true });
      // No template: it could bring hooks.
      const made = await git(['init', '--quiet', '--bare', '--template=', this.gitDir], { cwd: this.root });
      if (made.code !== 0) throw new SnapshotProblem(made.stderr);
    }
    await mkdir(join(this.gitDir, 'info'), { recursive: true });
    await writeFile(join(this.gitDir, 'info', 'attributes'), ATTRIBUTES);
    const rules = exclude === undefined ? '' : await readRegularText(exclude).catch(() => ''); // Usually there is none.
    await writeFile(join(this.gitDir, 'info', 'exclude'), rules);
    await removeStaleLock(join(this.gitDir, 'index.lock'));
    return isNew;
  }

  /** Puts the present files into our index. Files that are too large or cannot be read stay as they were in it. */
  private async add(names: readonly string[]): Promise<void> {
    const look = new Look(this.root);
    const gone: string[] = [];
    const wanted: string[] = [];
    for (const name of names) {
      await look.breathe();
      const found = look.at(name);
      if (found.type === 'gone') gone.push(name);
      if (found.type === 'file') wanted.push(name);
      if (found.type === 'tooLarge') this.tooLarge.add(name);
      if (look.bytes > this.limits.bytes) throw new SnapshotProblem(tooHeavy(this.limits.bytes), true);
    }
    if (wanted.length > this.limits.files) throw new SnapshotProblem(tooMany(wanted.length, this.limits.files), true);
    // Removals come first: a link may be where a folder was.
    await this.updateIndex(['--force-remove'], gone);
    await this.updateIndex(['--add', '--remove', '--replace'], wanted);
  }

  private async updateIndex(how: readonly string[], names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const args = ['update-index', ...how, '-z', '--stdin'];
    const run = (some: readonly string[]): Promise<GitResult> =>
      this.run(args, { input: `${some.join('\0')}\0`, timeoutMs: 120_000 });
    const first = await run(names);
    // A file may be deleted or locked between listing and reading, or be denied to us by more than its mode. One more try is
    // enough then.
    const last = first.code === 0 ? first : await run(names.filter(name => !isDenied(join(this.root, name))));
    if (last.code !== 0) throw new SnapshotProblem(last.stderr);
  }

  private async trackedThoughIgnored(): Promise<string[]> {
    const listed = await git([...READING, 'ls-files', '-z', '--cached', '--ignored', '--exclude-standard'], {
      cwd: this.root,
    });
    return listed.code === 0 ? fields(listed.stdout) : [];
  }

  private run(
    args: readonly string[],
    more: Pick<GitOptions, 'input' | 'timeoutMs' | 'signal'> = {},
  ): Promise<GitResult> {
    const settings = [
      'core.bare=false',
      'core.autocrlf=false',
      'core.safecrlf=false',
      'core.fsmonitor=false',
      `core.hooksPath=${join(this.gitDir, 'no-hooks')}`,
      'core.looseCompression=1',
      'core.untrackedCache=false',
      'core.splitIndex=false',
      'gc.auto=0',
      'core.quotePath=false',
    ].flatMap(setting => ['-c', setting]);
    const env = { GIT_DIR: this.gitDir, GIT_WORK_TREE: this.root };
    return git([...settings, ...args], { cwd: this.root, env, ...more });
  }
}

/** The mode of a file that everybody may read. The system need not be asked about it. */
const READ_BY_ALL = 0o444;

function isDenied(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return false;
  } catch (error) {
    return isCode(error, 'EACCES') || isCode(error, 'EPERM');
  }
}

/** How long files are looked at in one go, ms. */
const LOOK_MS = 4;

/**
 * Checks files before git does, and adds up how much git would have to read. Works in slices of synchronous calls:
 * through the thread pool, each call would cost this thread many times more, and the first check is of tens of
 * thousands of files.
 */
class Look {
  bytes = 0;
  private readonly folders = new Map<string, boolean>();
  private since = performance.now();

  constructor(private readonly root: string) {}

  /** Lets others run once a slice is over. */
  async breathe(): Promise<void> {
    if (performance.now() - this.since < LOOK_MS) return;
    await nextTurn();
    this.since = performance.now();
  }

  at(name: string): { readonly type: 'file' | 'gone' | 'tooLarge' | 'other' } {
    if (name.endsWith('/')) return { type: 'other' }; // Another repository.
    const path = `${this.root}/${name}`;
    try {
      const info = lstatSync(path);
      if (!this.isPlain(name.slice(0, Math.max(0, name.lastIndexOf('/'))))) return { type: 'other' };
      if (info.isSymbolicLink()) return { type: 'file' };
      if (!info.isFile()) return { type: info.isDirectory() ? 'gone' : 'other' };
      if (info.size > MOST_FILE_BYTES) return { type: 'tooLarge' };
      if ((info.mode & READ_BY_ALL) !== READ_BY_ALL && isDenied(path)) return { type: 'other' };
      this.bytes += info.size;
      return { type: 'file' };
    } catch (error) {
      const code = errorCode(error);
      return { type: code === 'ENOENT' || code === 'ENOTDIR' ? 'gone' : 'other' };
    }
  }

  /** False when the folder (below the root) is reached through a link: its files then belong to another place. */
  private isPlain(folder: string): boolean {
    const known = this.folders.get(folder);
    if (known !== undefined) return known;
    const path = join(this.root, folder);
    const isPlain = realpathSync.native(path) === path;
    this.folders.set(folder, isPlain);
    return isPlain;
  }
}

/** The state of a file in a snapshot whose bytes are kept. */
export function snapshotState(file: TreeFile | undefined, kept: ReadonlyMap<string, KeptBlob>): FileState {
  if (file === undefined) return ABSENT;
  const found = kept.get(file.object);
  if (found === undefined) return { kind: 'lost', why: 'unreadable' };
  if (file.mode === LINK) return { kind: 'link', blob: found.blob };
  return { kind: 'file', ...found, mode: file.mode === EXECUTABLE ? 0o755 : 0o644 };
}

function treeFile(mode: string, object: string): TreeFile | undefined {
  return mode === REGULAR || mode === EXECUTABLE || mode === LINK ? { mode, object } : undefined;
}

function tooMany(count: number, most: number): string {
  return `the folder has ${count} files that git does not ignore, more than ${most}`;
}

function tooHeavy(bytes: number): string {
  return `the files that git does not ignore are larger than ${Math.round(bytes / 1024 / 1024)} MB together`;
}

async function removeStaleLock(lock: string): Promise<void> {
  const info = await stat(lock).catch(() => undefined); // Usually there is none.
  if (info !== undefined && Date.now() - info.mtimeMs > STALE_LOCK_MS) await rm(lock, { force: true });
}

/** The path that git printed on a line of its own; undefined where it printed none. */
function pathIn({ code, stdout }: GitResult): string | undefined {
  const path = stdout.toString('utf8').replace(/\r?\n$/, '');
  return code === 0 && path !== '' ? path : undefined;
}
