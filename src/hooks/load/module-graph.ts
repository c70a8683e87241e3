import { isBuiltin } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { defined } from '../../base/defined';
import type { Compiled, Compiler } from './compile/compiler';
import { KnownRequests } from './known-requests';
import { MentionedNames } from './mentioned-names';
import type { ModuleRequest } from './module-requests';
import type { LoadDetails } from '../host/hook-set';
import type { CompileRequest, SyntaxProblem } from './compile/compile';
import type { HookImport, HookPlace } from './hook-module';
import { HookSource } from './hook-source';
import { isOwnFile, namesPath, pathsFor, resolvePath } from './resolve';
import { PositionMap, type SourcePosition } from './compile/source-map';

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
  private readonly ran = new Map<string, CompileRequest>();
  private readonly maps = new Map<string, PositionMap>();
  /** Of the texts read so far. */
  private mentioned: MentionedNames | undefined;
  private readonly resolved = new Map<string, string | undefined>();
  private readonly packages = new Set<string>();
  private readonly required = new Map<string, string[]>();
  private open = false;

  private readonly stored: readonly HookSource[] | undefined;
  /** Undefined once code may run, which sees the files as they are then. */
  private reads: LoadDetails['reads'];

  /**
   * `stored`: the stored texts of all of the hook's own files; if given, none of them is read from disk. `reads`: what
   * {@link prepare} reads files with.
   */
  constructor(
    readonly entry: string,
    private readonly compiler: Compiler,
    { stored, reads }: { readonly stored?: readonly HookSource[] } & Pick<LoadDetails, 'reads'> = {},
  ) {
    this.stored = stored;
    this.reads = reads;
    for (const source of stored ?? []) this.known.set(source.path, source);
  }

  get sources(): readonly HookSource[] {
    return [...this.known.values()];
  }

  get imports(): readonly HookImport[] {
    return [...this.resolved].map(([key, to]) => {
      const [from = '', specifier = ''] = key.split('\n');
      return { from, specifier, ...defined({ to }) };
    });
  }

  get packageRequests(): PackageRequests {
    return { packages: this.packages, required: this.required, open: this.open };
  }

  /** Reads and compiles the entry and all files it imports by path. Throws {@link SyntaxFailure} or read errors. */
  async prepare(): Promise<void> {
    const entry = await this.request(this.entry, true);
    const known = new KnownRequests(entry, this.compiler.cache);
    const pending: CompileRequest[] = [entry];
    const seen = new Set(pending.map(keyOf));
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const requests = known.of(next) ?? this.accept(next, await this.compiler.compile(next)).requests;
      known.add(next, requests);
      for (const { file, async } of this.follow(next.file, requests)) {
        const key = keyOf({ file, async });
        if (seen.has(key)) continue;
        seen.add(key);
        const request = await this.request(file, async);
        if (!file.endsWith('.json')) pending.push(request);
      }
    }
    known.keep();
    this.reads = undefined;
    this.mentioned = new MentionedNames(this.sources, this.compiler.cache);
  }

  /** The hook's own file that a path specifier names; undefined if there is none. The answer never changes. */
  ownFile(specifier: string, importer: string): string | undefined {
    if (!namesPath(specifier)) return undefined;
    const key = `${importer}\n${specifier}`;
    if (!this.resolved.has(key)) {
      const file = this.stored === undefined ? this.resolve(specifier, importer) : this.storedPath(specifier, importer);
      this.resolved.set(key, file !== undefined && isOwnFile(file, this.entry) && isRunnable(file) ? file : undefined);
    }
    return this.resolved.get(key);
  }

  /** A file of the hook; it is read now if it was not read before. Throws if it cannot be read. */
  sourceOf(file: string): HookSource {
    return this.known.get(file) ?? this.remember(this.readNow(file));
  }

  private resolve(specifier: string, importer: string): string | undefined {
    return this.reads === undefined ? resolvePath(specifier, importer) : this.reads.resolve(specifier, importer);
  }

  private readOnce(file: string): HookSource {
    return this.reads?.source(file) ?? this.readNow(file);
  }

  private readNow(path: string): HookSource {
    if (this.stored !== undefined) throw new Error(`${path} is not among the files of this hook that were approved.`);
    return HookSource.read(path);
  }

  /** Texts are stored under real paths. A symbolic link that now leads to another file leads to nothing here. */
  private storedPath(specifier: string, importer: string): string | undefined {
    const paths = [...pathsFor(specifier, importer)];
    const found = paths.find(path => this.known.has(path)) ?? resolvePath(specifier, importer);
    return found !== undefined && this.known.has(found) ? found : undefined;
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
    this.ran.set(key, request);
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

  holdsCode(text: string): boolean {
    for (const code of this.compiled.values()) if (code.includes(text)) return true;
    for (const request of this.ran.values()) {
      const result = this.compiler.compileSync(request);
      if (result.ok && result.code.includes(text)) return true;
    }
    return false;
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
      const file = specifier === undefined ? undefined : this.ownFile(specifier, importer);
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

function isRunnable(file: string): boolean {
  return /\.([cm]?[jt]sx?|json)$/.test(file);
}
