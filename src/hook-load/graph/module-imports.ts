import { isBuiltin } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { defined } from '../../base/defined';
import type { HookImport } from './hook-module';
import type { HookSource } from './hook-source';
import { ImportedPackages } from './imported-packages';
import type { Resolution } from './package-scope';
import { isOwnFile, namesPath, pathsFor, resolvePath, type RequestKind } from './resolve';
import { SourceReads } from './source-reads';

/** The version of a hook that was approved. */
export interface ApprovedContent {
  /** Its own files, the entry first, and those of packages. */
  readonly sources: readonly HookSource[];
  readonly imports: readonly HookImport[];
}

export interface ModuleImportsParts {
  /** Absolute path of the hook. */
  readonly entry: string;
  /** If given, imports lead where they led in this version. */
  readonly approved: ApprovedContent | undefined;
  /** Whether a module of this name ships with the extension. */
  readonly isShipped: (specifier: string) => boolean;
  /** Whether the agent may have changed a file since the hook was loaded. */
  readonly mayBeAgents: (path: string) => boolean;
}

/** How many files of packages are read before other work in the process gets a turn. */
const FILES_AT_ONCE = 50;

/** Where the imports of one load of a hook lead. An answer never changes. */
export class ModuleImports {
  private readonly known = new Map<string, HookImport>();
  private readonly packages: ImportedPackages;
  /** What is still to be read of packages. */
  private readonly unread: Resolution[] = [];
  /** False for what older versions of the extension stored: it has no names of packages. */
  private readonly hasNames: boolean;
  private isLate = false;
  private isChecked = false;

  constructor(private readonly parts: ModuleImportsParts) {
    const { approved, entry } = parts;
    this.packages = new ImportedPackages(approved?.sources.filter(({ path }) => !isOwnFile(path, entry)));
    this.hasNames = approved?.imports.some(({ specifier }) => !namesPath(specifier)) === true;
    for (const each of approved?.imports ?? []) this.known.set(keyOf(each), each);
  }

  get all(): readonly HookImport[] {
    return [...this.known.values()];
  }

  /** See {@link HookModule.packageFiles}. */
  get packageFiles(): readonly HookSource[] {
    return this.packages.all;
  }

  /**
   * The hook's own file that a specifier names; undefined if it names another module, or none. Throws if running code asks
   * for a file for the first time, and the agent may have changed that file since the hook was loaded.
   */
  ownFile(specifier: string, from: string, kind: RequestKind, reads = new SourceReads()): string | undefined {
    if (!this.isFile(specifier)) return undefined;
    const asked = { from, specifier, ...asRequired(kind, specifier) };
    const known = this.known.get(keyOf(asked));
    // What led to no file is looked up again while the code runs: something may have been put there.
    const isOpen = known === undefined || (known.to === undefined && this.isLate && this.parts.approved === undefined);
    return this.ownOf((isOpen ? this.find(asked, reads) : known).to);
  }

  /**
   * What an earlier version of the hook imported only while it ran, and where that leads now. It counts as imported by this
   * version; `read` gets each of the hook's own files, and says whether a file is one of this version.
   */
  keepLate(
    earlier: readonly HookImport[],
    reads: SourceReads,
    read: (file: string) => void,
    has: (file: string) => boolean,
  ): void {
    for (const { from, specifier, required, late } of earlier) {
      if (late !== true || !has(from) || this.known.has(keyOf({ from, specifier, ...defined({ required }) }))) continue;
      const now = reads.resolve(specifier, from, requestKind({ required }));
      if (now.file === undefined) continue;
      const own = this.ownOf(this.add({ from, specifier, ...defined({ required }), late }, now));
      if (own !== undefined) read(own);
    }
  }

  /** Reads the files of the packages that were asked for so far. From now on, the code runs that imports. */
  async begin(reads: SourceReads): Promise<void> {
    let count = 0;
    const reading = this.readPackages(reads);
    while (reading.next().done !== true) if (++count % FILES_AT_ONCE === 0) await setImmediate();
    this.isLate = true;
  }

  /**
   * Call this before something else than this class decides what a specifier means. Throws if the approved version runs,
   * and that would not be what was approved.
   */
  check(specifier: string, from: string, kind: RequestKind): void {
    const { approved } = this.parts;
    if (approved === undefined || !this.isFile(specifier)) return;
    if (!this.hasNames && !namesPath(specifier)) return;
    const to = this.known.get(keyOf({ from, specifier, ...asRequired(kind, specifier) }))?.to;
    if (to === undefined) throw notApproved(`${specifier}, imported by ${from}, is`);
    const reads = new SourceReads();
    const now = reads.resolve(specifier, from, kind).file;
    if (now !== to) throw notApproved(`${now ?? specifier}, imported by ${from}, is`);
    if (this.isChecked) return;
    const changed = this.packageFiles.find(({ path, hash }) => reads.source(path)?.hash !== hash);
    if (changed !== undefined) throw notApproved(`${changed.path} was changed and is`);
    this.isChecked = true;
  }

  private isFile(specifier: string): boolean {
    if (namesPath(specifier)) return true;
    return !isBuiltin(specifier) && !/^[a-z][a-z+.-]+:/.test(specifier) && !this.parts.isShipped(specifier);
  }

  private find(asked: HookImport, reads: SourceReads): HookImport {
    const { approved } = this.parts;
    const { from, specifier } = asked;
    if (approved !== undefined && (this.hasNames || namesPath(specifier))) {
      const found = { ...asked, ...defined({ to: approvedPath(asked, approved) }) };
      this.known.set(keyOf(asked), found);
      return found;
    }
    const now = reads.resolve(specifier, from, requestKind(asked));
    if (!this.isLate) return { ...asked, ...defined({ to: this.add(asked, now) }) };
    const late = { ...asked, late: true } as const;
    const doubtful = [...now.manifests, ...(now.file === undefined ? [] : [now.file])].find(path =>
      this.parts.mayBeAgents(path),
    );
    if (doubtful !== undefined) {
      this.known.set(keyOf(asked), late);
      throw new Error(`${doubtful} changed after this hook was loaded, and before the hook first imported it.`);
    }
    return { ...late, ...defined({ to: this.add(late, now) }) };
  }

  /** Returns the file. */
  private add(asked: HookImport, now: Resolution): string | undefined {
    const { file } = now;
    this.known.set(keyOf(asked), { ...asked, ...defined({ to: file }) });
    this.unread.push(this.ownOf(file) === undefined ? now : { ...now, file: undefined });
    if (this.isLate) Array.from(this.readPackages(new SourceReads()));
    return file;
  }

  private *readPackages(reads: SourceReads): Generator<undefined, void> {
    for (const resolution of this.unread.splice(0)) yield* this.packages.add(resolution, reads);
  }

  private ownOf(file: string | undefined): string | undefined {
    return file !== undefined && isOwnFile(file, this.parts.entry) && isRunnable(file) ? file : undefined;
  }
}

function notApproved(what: string): Error {
  return Object.assign(new Error(`${what} not what was approved of this hook.`), { code: 'MODULE_NOT_FOUND' });
}

/** Texts are stored under real paths. A symbolic link that now leads to another file leads to nothing here. */
function approvedPath({ specifier, from }: HookImport, { sources }: ApprovedContent): string | undefined {
  if (!namesPath(specifier)) return undefined;
  const known = new Set(sources.map(({ path }) => path));
  const found = [...pathsFor(specifier, from)].find(path => known.has(path)) ?? resolvePath(specifier, from);
  return found !== undefined && known.has(found) ? found : undefined;
}

/** Paths lead to the same file however they are asked for. */
function asRequired(kind: RequestKind, specifier: string): Pick<HookImport, 'required'> {
  return kind === 'require' && !namesPath(specifier) ? { required: true } : {};
}

function requestKind({ required }: Pick<HookImport, 'required'>): RequestKind {
  return required === true ? 'require' : 'import';
}

function keyOf({ from, specifier, required }: HookImport): string {
  return `${required === true ? 'require' : 'import'}\n${from}\n${specifier}`;
}

function isRunnable(file: string): boolean {
  return /\.([cm]?[jt]sx?|json)$/.test(file);
}
