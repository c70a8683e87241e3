import { randomUUID } from 'node:crypto';
import { constants, readFileSync } from 'node:fs';
import { cp, lstat, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { isRecord } from '../../base/json/is-record';
import { realPathIfThere } from '../../base/files/on-disk';
import { dependencyFolders } from './dependency-folders';
import { packageContent } from './package-content';

/** A package whose files are copied. */
export interface CopiedPackage {
  /** Absolute. */
  readonly folder: string;
  /** The names of the dependencies in its package.json. */
  readonly dependencies: readonly string[];
}

/** What stands beside a copy: where the package is in it, and what its package.json names. */
interface About {
  /** Path below the copy. */
  readonly root: string;
  readonly dependencies: readonly string[];
}

/** A copy that no approval names is kept this long, in ms: another process may be about to name it. */
const KEPT_UNNAMED_MS = 3_600_000;

/**
 * Copies of approved packages with their dependencies, by the hash of their content. They are outside of the packages'
 * folders, in the state folder that all windows and command lines of the user share. A copy whose content is not that of
 * its hash counts as missing.
 */
export class ApprovedCopies {
  /** The hash of each copy that was read in this process, by the signature that it had then. */
  private readonly known = new Map<string, string>();

  /** `dir` is absolute; it is made when something is kept. */
  constructor(private readonly dir: string) {}

  /** Whether there is a copy, of any content. */
  async has(hash: string): Promise<boolean> {
    return exists(join(this.dir, hash));
  }

  /**
   * Keeps a copy of a package whose content has this hash; does nothing when there is one. Rejects when it cannot be
   * written, and when the content of the copy has another hash, since the files were changed meanwhile or use links that
   * lead elsewhere.
   */
  async keep(hash: string, { folder, dependencies }: CopiedPackage): Promise<void> {
    if (await this.has(hash)) return;
    await mkdir(this.dir, { recursive: true, mode: 0o700 });
    const fresh = join(this.dir, `.new-${randomUUID()}`);
    try {
      const about = await copyInto(join(fresh, 'tree'), { folder, dependencies });
      await writeFile(join(fresh, 'about.json'), JSON.stringify(about));
      const copied = await packageContent(join(fresh, 'tree', about.root), dependencies);
      if ((await copied.hash()) !== hash) throw new Error(`The files of ${folder} changed while they were copied.`);
      await rename(fresh, join(this.dir, hash)).catch(async (error: unknown) => {
        if (!(await this.has(hash))) throw error; // Another process kept it meanwhile.
      });
    } finally {
      await rm(fresh, { recursive: true, force: true });
    }
  }

  /** The package's folder in the copy, absolute; undefined when there is no copy or its content has another hash. */
  async folderOf(hash: string): Promise<string | undefined> {
    const copy = join(this.dir, hash);
    try {
      const { root, dependencies } = aboutIn(copy);
      const folder = join(copy, 'tree', root);
      const content = await packageContent(folder, dependencies);
      const found = this.known.get(content.signature) ?? (await content.hash());
      this.known.set(content.signature, found);
      return found === hash ? folder : undefined;
    } catch {
      return undefined; // Without a copy that can be read, the package counts as not approved.
    }
  }

  /**
   * Puts the copy in the place of a package's folder and of the folders of its dependencies, all below `base`.
   * @throws Error when there is no such copy, a folder on the way is a link, or a folder cannot be replaced
   */
  async putBack(hash: string, folder: string, base: string): Promise<void> {
    const kept = await this.folderOf(hash);
    if (kept === undefined) throw new Error(`The approved copy of ${folder} is missing.`);
    const root = realPathIfThere(base);
    const target = join(root, relative(base, folder));
    const { dependencies } = aboutIn(join(this.dir, hash));
    const places = (await placesOf({ folder: kept, dependencies })).map(each => ({
      each,
      place: join(target, relative(realPathIfThere(kept), each)),
    }));
    for (const { place } of places) await refuseLinks(root, dirname(place));
    for (const { each, place } of places) {
      const beside = `${place}.hookline-new-${randomUUID()}`;
      await mkdir(dirname(place), { recursive: true });
      await copyFolder(each, beside, each !== realPathIfThere(kept));
      await rm(place, { recursive: true, force: true });
      await rename(beside, place);
    }
  }

  /** Removes copies that `named` does not contain, except new ones. */
  async prune(named: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.dir).catch(() => []);
    for (const name of names.filter(each => /^(?:[0-9a-f]{64}|\.new-.*)$/.test(each))) {
      const path = join(this.dir, name);
      const age =
        Date.now() -
        (await stat(path).then(
          ({ mtimeMs }) => mtimeMs,
          () => Infinity,
        ));
      if (!named.has(name) && age > KEPT_UNNAMED_MS) await rm(path, { recursive: true, force: true });
    }
  }
}

/** If an agent replaced a folder of the path by a link, something elsewhere would be replaced. */
async function refuseLinks(root: string, folder: string): Promise<void> {
  if (folder === root) return;
  if (!folder.startsWith(root + sep)) throw new Error(`${folder} is outside of ${root}, so nothing was restored.`);
  const isLink = await lstat(folder).then(
    info => info.isSymbolicLink(),
    () => false, // It does not exist and will be made.
  );
  if (isLink) throw new Error(`${folder} is now a link, so nothing was restored.`);
  await refuseLinks(root, dirname(folder));
}

function aboutIn(copy: string): About {
  const about: unknown = JSON.parse(readFileSync(join(copy, 'about.json'), 'utf8'));
  if (!isRecord(about) || typeof about['root'] !== 'string' || !Array.isArray(about['dependencies'])) {
    throw new Error(`${copy} has no description.`);
  }
  return { root: about['root'], dependencies: about['dependencies'].filter(each => typeof each === 'string') };
}

/** The real folders that the content of a package consists of, the package's own first. */
async function placesOf({ folder, dependencies }: CopiedPackage): Promise<readonly string[]> {
  const root = realPathIfThere(folder);
  const needed = await dependencyFolders(root, dependencies);
  return [root, ...needed.map(each => each.folder).filter(place => !place.startsWith(root + sep))];
}

/** Copies what `packageContent` reads, so that Node finds each package from the others as before. */
async function copyInto(tree: string, { folder, dependencies }: CopiedPackage): Promise<About> {
  const places = await placesOf({ folder, dependencies });
  const base = baseOf(places);
  for (const [index, place] of places.entries()) await copyFolder(place, join(tree, relative(base, place)), index > 0);
  return { root: relative(base, places[0] ?? ''), dependencies };
}

/** The folder below which all places are, and that itself is in no `node_modules`, or only in one that all are in. */
function baseOf(places: readonly string[]): string {
  let base = dirname(places[0] ?? '');
  while (!places.every(place => place.startsWith(base.endsWith(sep) ? base : base + sep))) base = dirname(base);
  const names = base.split(sep);
  const modules = names.lastIndexOf('node_modules');
  return modules === -1 ? base : names.slice(0, modules).join(sep) || sep;
}

/** `isDependency`: packages in its `node_modules` are copied by themselves, if they are needed. */
async function copyFolder(from: string, to: string, isDependency: boolean): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  const isLeftOut = (path: string): boolean =>
    path !== from && (basename(path) === '.git' || (isDependency && basename(path) === 'node_modules'));
  await cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
    filter: path => !isLeftOut(path),
  });
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
