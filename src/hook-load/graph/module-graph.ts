import { isBuiltin } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { defined } from '../../base/defined';
import type { Compiled, Compiler } from '../compile/compiler';
import { MentionedNames } from './mentioned-names';
import type { ModuleRequest } from '../compile/module-requests';
import type { CompileRequest, SyntaxProblem } from '../compile/compile';
import type { HookImport } from './hook-module';
import type { HookPlace, SourcePosition } from '../../hook-contract/source-place';
import { HookSource } from './hook-source';
import { ModuleImports, type ApprovedContent, type ModuleImportsParts } from './module-imports';
import { isOwnFile, namesPath, type RequestKind } from './resolve';
import { SourceReads } from './source-reads';
import { PositionMap } from '../compile/source-map';

/** A file of the hook that cannot be compiled. */
export class SyntaxFailure extends Error {
  override readonly name = 'SyntaxError';

  constructor(
    readonly file: string,
    readonly problem: SyntaxProblem,
  ) {
    super(problem.line === undefined ? problem.message : `${problem.message} (${problem.line}:${problem.column ?? 1})`);
  }
}

/** Which packages the compiled code of a hook's files asks for. */
export interface PackageRequests {
  readonly packages: ReadonlySet<string>;
  /**
   * Those of them that are requested by `require`, which cannot wait, each with the files that request it, apart from those
   * whose `require` Node made.
   */
  readonly required: ReadonlyMap<string, readonly string[]>;
  /** True when a computed name is required. */
  readonly open: boolean;
}

/** Asks for the code of a hook's file, whose text is made when the compiler reads it. */
class SourceRequest implements CompileRequest {
  constructor(
    private readonly of: HookSource,
    readonly async: boolean,
  ) {}

  get file(): string {
    return this.of.path;
  }

  get hash(): string {
    return this.of.hash;
  }

  get source(): string {
    return this.of.text;
  }
}

export interface ModuleGraphParts extends Pick<ModuleImportsParts, 'isShipped'> {
  /** What the same reload read before; all is read from disk when absent. */
  readonly reads?: SourceReads;
  /** What the earlier version of the hook imported. */
  readonly earlier?: readonly HookImport[];
  /** Whether the agent may have changed a file since this load began; asked while the code runs. */
  readonly mayBeAgents?: (path: string) => boolean;
  /** The version that runs in place of the files on disk; none of the hook's own files is then read. */
  readonly approved?: ApprovedContent;
}

/** How many files are read before other work in the process gets a turn. */
const FILES_AT_ONCE = 50;

/**
 * The files of one load of one hook: sources, compiled code, position maps. All files are read and compiled once, before
 * any code runs. So a broken file is found before anything runs, and the hook can be started again from exactly the
 * same code even if the files on disk have changed.
 */
export class ModuleGraph {
  private readonly known = new Map<string, HookSource>();
  /** Code that was compiled or read and has not run yet. V8 keeps the code that runs; a second copy would be as large. */
  private readonly compiled = new Map<string, string>();
  private readonly maps = new Map<string, PositionMap>();
  /** Of the texts read so far. */
  private mentioned: MentionedNames | undefined;
  private readonly where: ModuleImports;
  private readonly packages = new Set<string>();
  private readonly required = new Map<string, string[]>();
  private open = false;

  private readonly approved: ApprovedContent | undefined;
  /** Set while {@link prepare} reads; code that runs sees the files as they are then. */
  private reads: SourceReads | undefined;

  constructor(
    readonly entry: string,
    private readonly compiler: Compiler,
    private readonly about: ModuleGraphParts,
  ) {
    const { approved, isShipped, mayBeAgents = () => false } = about;
    this.approved = approved;
    this.where = new ModuleImports({ entry, approved, isShipped, mayBeAgents });
    for (const source of approved?.sources ?? []) {
      if (isOwnFile(source.path, entry)) this.known.set(source.path, source);
    }
  }

  get sources(): readonly HookSource[] {
    return [...this.known.values()];
  }

  get imports(): readonly HookImport[] {
    return this.where.all;
  }

  /** See {@link HookModule.packageFiles}. */
  get packageFiles(): readonly HookSource[] {
    return this.where.packageFiles;
  }

  get packageRequests(): PackageRequests {
    return { packages: this.packages, required: this.required, open: this.open };
  }

  /** Reads and compiles the entry and all own files it imports. Throws {@link SyntaxFailure} or read errors. */
  async prepare(): Promise<void> {
    const { reads = new SourceReads(), earlier = [] } = this.about;
    this.reads = reads;
    const entry = await this.request(this.entry, true);
    const pending: CompileRequest[] = [entry];
    const seen = new Set(pending.map(keyOf));
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { requests } = this.accept(next, await this.compiler.compile(next));
      for (const { file, async } of this.follow(next.file, requests)) {
        const key = keyOf({ file, async });
        if (seen.has(key)) continue;
        seen.add(key);
        const request = await this.request(file, async);
        if (!file.endsWith('.json')) pending.push(request);
      }
    }
    const read = (file: string): void => {
      if (!this.known.has(file)) this.remember(this.readOnce(file));
    };
    this.where.keepLate(earlier, reads, read, file => this.known.has(file));
    await this.where.begin(reads);
    this.reads = undefined;
    this.mentioned = new MentionedNames(this.sources, this.compiler.cache);
  }

  /** See {@link ModuleImports.ownFile}. */
  ownFile(specifier: string, importer: string, kind: RequestKind): string | undefined {
    return this.where.ownFile(specifier, importer, kind, this.reads);
  }

  /** See {@link ModuleImports.check}. */
  check(specifier: string, importer: string, kind: RequestKind): void {
    this.where.check(specifier, importer, kind);
  }

  /** A file of the hook; it is read now if it was not read before. Throws if it cannot be read. */
  sourceOf(file: string): HookSource {
    return this.known.get(file) ?? this.remember(this.readNow(file));
  }

  private readOnce(file: string): HookSource {
    return this.reads?.source(file) ?? this.readNow(file);
  }

  private readNow(path: string): HookSource {
    if (this.approved !== undefined) throw new Error(`${path} is not among the files of this hook that were approved.`);
    return HookSource.read(path);
  }

  /** The compile request for a file that is about to run: one of the hook's own, or `text` of a package beside it. */
  requestFor(file: string, text: string, async: boolean): CompileRequest {
    return new SourceRequest(this.known.get(file) ?? HookSource.of(file, text), async);
  }

  /** The code of a file that runs now; it is compiled now if it was not compiled before. Throws {@link SyntaxFailure}. */
  codeOf(request: CompileRequest): string {
    const key = keyOf(request);
    const code = this.compiled.get(key) ?? this.accept(request, this.compiler.compileSync(request)).code;
    this.compiled.delete(key);
    return code;
  }

  mapPosition(file: string, at: SourcePosition): SourcePosition {
    return this.maps.get(file)?.original(at) ?? at;
  }

  mapStack(stack: string): string {
    return stack.replaceAll(FRAME, (frame, ...[before, file, line, column]: [string, string, string, string]) => {
      const path = pathOf(file);
      if (!this.maps.has(path)) return frame;
      const at = this.mapPosition(path, { line: Number(line), column: Number(column) });
      return `${before}${path}:${at.line}:${at.column}`;
    });
  }

  placeIn(stack: string): HookPlace | undefined {
    for (const [, , file = '', line, column] of stack.matchAll(FRAME)) {
      const path = pathOf(file);
      if (!this.maps.has(path)) continue;
      return { file: path, ...this.mapPosition(path, { line: Number(line), column: Number(column) }) };
    }
    return undefined;
  }

  /** See {@link MentionedNames}. */
  readonly mentions = (name: string): boolean => {
    this.mentioned ??= new MentionedNames(this.sources);
    return this.mentioned.has(name);
  };

  /** Stores what {@link mentions} found, for the next load of the same texts. */
  keepMentions(): void {
    this.mentioned?.keep();
  }

  /** Where the specifier is written in `importer`; the start of the file when the specifier is computed. */
  placeOfSpecifier(importer: string, specifier: string): HookPlace {
    const text = this.known.get(importer)?.text ?? '';
    const quoted = ['"', "'", '`'].map(quote => text.indexOf(quote + specifier + quote)).filter(index => index !== -1);
    const before = text.slice(0, Math.min(...quoted, text.length));
    if (quoted.length === 0) return { file: importer, line: 1, column: 1 };
    return { file: importer, line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
  }

  private async request(file: string, async: boolean): Promise<CompileRequest> {
    // Files are read synchronously, since that takes some ten µs and promises take ten times as long. Now and then
    // other work gets a turn.
    if (this.known.size % FILES_AT_ONCE === FILES_AT_ONCE - 1) await setImmediate();
    return new SourceRequest(this.known.get(file) ?? this.remember(this.readOnce(file)), async);
  }

  private remember(source: HookSource): HookSource {
    this.known.set(source.path, source);
    this.mentioned = undefined;
    return source;
  }

  private accept(request: CompileRequest, result: Compiled): Extract<Compiled, { readonly ok: true }> {
    if (!result.ok) throw new SyntaxFailure(request.file, result.problem);
    this.compiled.set(keyOf(request), result.code);
    this.maps.set(request.file, new PositionMap(result.map));
    return result;
  }

  /**
   * Returns the hook's own files that a module asks for, and records the packages and computed names that it asks for.
   */
  private follow(
    importer: string,
    requests: readonly ModuleRequest[],
  ): readonly { readonly file: string; readonly async: boolean }[] {
    const files: { file: string; async: boolean }[] = [];
    for (const { async, specifier, byNode } of requests) {
      const file =
        specifier === undefined ? undefined : this.ownFile(specifier, importer, async ? 'import' : 'require');
      if (file !== undefined) files.push({ file, async });
      else if (specifier !== undefined) this.demand({ specifier, async, ...defined({ byNode }) }, importer);
      else this.open = true;
    }
    return files;
  }

  private demand({ specifier, async, byNode }: ModuleRequest & { specifier: string }, importer: string): void {
    if (namesPath(specifier) || specifier.startsWith('hookline:') || isBuiltin(specifier)) return;
    this.packages.add(specifier);
    if (async) return;
    const importers = this.required.get(specifier) ?? [];
    this.required.set(specifier, byNode === true ? importers : [...importers, importer]);
  }
}

const FRAME = /^(\s+at (?:.* \()?(?:async )?)(.+?):(\d+):(\d+)(?=\)?$)/gm;

function pathOf(file: string): string {
  return file.startsWith('file://') ? decodeURI(file.slice('file://'.length)) : file;
}

function keyOf(module: { readonly file: string; readonly async: boolean }): string {
  return `${module.async ? 'import' : 'require'} ${module.file}`;
}
