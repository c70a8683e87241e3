import type { Disposable } from '../base/disposable';
import type { Log } from '../base/log';
import { failed, ok } from '../base/result';
import type { HookFile } from './files/discover';
import type { AskingFile } from './modules/modules-for-file';
import type { VirtualModules } from './modules/virtual-modules';
import type { OwnershipScope } from './ownership/scope';
import { BuiltInsReplaced, runLoading } from './built-ins';
import { Compiler, type CompilerOptions } from './compile/compiler';
import { evaluate, jitiFrom, type JitiFactory } from './evaluate';
import { contentOf, type HookModule, type LoadResult } from './graph/hook-module';
import type { HookFactory } from '../hook-contract/loaded-hook';
import { loadProblem, noFactoryProblem } from './graph/load-problem';
import { ModuleGraph, type ModuleGraphParts } from './graph/module-graph';
import type { ApprovedContent } from './graph/module-imports';
import { mayBeInstalled } from './graph/resolve';
import { evidenceOf } from './graph/text-evidence';
import { ScriptCache } from './compile/script-cache';

export interface HookLoaderOptions extends CompilerOptions {
  /** Returns the modules that ship with the extension, as this file gets them. It is called once per load. */
  readonly modules: (file: AskingFile) => VirtualModules;
  /** How long top-level code may take; 30 s when absent. */
  readonly loadTimeoutMs?: number;
  readonly log: Log;
}

/** More about a load. */
export type LoadDetails = Pick<ModuleGraphParts, 'reads' | 'earlier' | 'mayBeAgents'>;

export type LoadableFile = Pick<HookFile, 'path' | 'group' | 'unsupported'>;

const LOAD_TIMEOUT_MS = 30_000;

/**
 * Compiles and evaluates hook files. Never throws: what is wrong with a file becomes a problem that names the file.
 */
export class HookLoader implements Disposable {
  private readonly compiler: Compiler;
  private readonly graphs = new WeakMap<HookModule, ModuleGraph>();
  private readonly scripts: ScriptCache;
  private jiti: JitiFactory | undefined;

  constructor(private readonly options: HookLoaderOptions) {
    this.compiler = new Compiler(options);
    this.scripts = new ScriptCache(this.compiler.cache);
  }

  /**
   * Reads, compiles and runs the file and what it imports, with nothing left from an earlier load; its factory is not
   * called. What the code opens belongs to `scope`, which is released on failure.
   */
  async load(file: LoadableFile, scope: OwnershipScope, about: LoadDetails = {}): Promise<LoadResult<HookModule>> {
    if (file.unsupported !== undefined) return failed({ message: file.unsupported, file: file.path });
    return await this.loadGraph(this.graphFor(file, about), file.group, scope);
  }

  /**
   * Like {@link load}, but runs the approved texts instead of the files on disk. A package cannot be loaded from texts, so
   * an import of one fails if a file of a package was changed. Any other module counts as missing.
   */
  async loadStored(
    file: LoadableFile,
    approved: ApprovedContent,
    scope: OwnershipScope,
  ): Promise<LoadResult<HookModule>> {
    return await this.loadGraph(this.graphFor(file, { approved }), file.group, scope);
  }

  /** Reads the file and what it imports, as a load does before code runs. What cannot be read or compiled is left out. */
  async read(file: LoadableFile): Promise<Pick<HookModule, 'sources' | 'packageFiles' | 'imports'>> {
    const graph = this.graphFor(file, {});
    try {
      await graph.prepare();
    } catch {
      // A load reports it; what was read of it is what was there.
    }
    const { sources, packageFiles, imports } = graph;
    return { sources, packageFiles, imports };
  }

  /** Runs the code of an earlier load again, without reading the disk: to return to the last version that worked. */
  async restart(module: HookModule, scope: OwnershipScope): Promise<LoadResult<HookModule>> {
    const graph = this.graphs.get(module);
    if (graph === undefined) return failed({ message: 'This module was not loaded here.', file: module.file });
    return await this.evaluate(graph, module.group, scope);
  }

  dispose(): void {
    this.compiler.dispose();
  }

  private graphFor({ path, group }: LoadableFile, about: Omit<ModuleGraphParts, 'isShipped'>): ModuleGraph {
    // The names are the same for all files; which module is behind a name depends on the file.
    let shipped: VirtualModules | undefined;
    const isShipped = (specifier: string): boolean =>
      (shipped ??= this.options.modules({ path, group, sources: [] })).has(specifier);
    return new ModuleGraph(path, this.compiler, { ...about, isShipped });
  }

  private async loadGraph(
    graph: ModuleGraph,
    group: HookFile['group'],
    scope: OwnershipScope,
  ): Promise<LoadResult<HookModule>> {
    try {
      await graph.prepare();
    } catch (error) {
      await scope.release();
      return failed(loadProblem(error, graph, group));
    }
    return await this.evaluate(graph, group, scope);
  }

  private async evaluate(
    graph: ModuleGraph,
    group: HookFile['group'],
    scope: OwnershipScope,
  ): Promise<LoadResult<HookModule>> {
    try {
      evidenceOf(graph.sources, this.compiler.cache); // Those who need it ask without the cache.
      const modules = this.options.modules({ path: graph.entry, group, sources: graph.sources }).for(scope);
      await preload(graph, modules);
      const jiti = (this.jiti ??= jitiFrom(this.options.jitiDir, this.scripts));
      const run = (): Promise<unknown> => {
        const work = scope.begin('load');
        const running = evaluate({ jiti, graph, scope, modules, scripts: this.scripts });
        work.dispose();
        return running;
      };
      const ms = this.options.loadTimeoutMs ?? LOAD_TIMEOUT_MS;
      const exported = await runLoading(run, { file: graph.entry, what: 'its top-level code', ms });
      void this.scripts.keep();
      graph.keepMentions();
      const factory = factoryOf(exported);
      if (factory !== undefined) return ok(this.moduleOf({ graph, group, factory, exported }));
      await scope.release();
      return failed(noFactoryProblem(graph.entry, group));
    } catch (error) {
      await scope.release();
      const problems = [loadProblem(error, graph, group)];
      return { ok: false, problems, ...(error instanceof BuiltInsReplaced ? { searched: contentOf(graph) } : {}) };
    }
  }

  private moduleOf(evaluated: {
    graph: ModuleGraph;
    group: HookFile['group'];
    factory: HookFactory;
    exported: unknown;
  }): HookModule {
    const { graph, group, factory, exported } = evaluated;
    const module: HookModule = {
      file: graph.entry,
      group,
      factory,
      // A module's exports are an object or a function; both have members by name.
      exports: exported as Readonly<Record<string, unknown>>,
      get sources() {
        return graph.sources;
      },
      get packageFiles() {
        return graph.packageFiles;
      },
      get imports() {
        return graph.imports;
      },
      mapPosition: (file, at) => graph.mapPosition(file, at),
      mapStack: stack => graph.mapStack(stack),
      placeIn: stack => graph.placeIn(stack),
    };
    this.graphs.set(module, graph);
    return module;
  }
}

/** Modules that oh-my-pi puts on the API object, and the texts that a hook's code must contain if it uses them. */
const INJECTED: readonly (readonly [specifier: string, ...mentions: readonly string[]])[] = [
  ['@oh-my-pi/pi-coding-agent', '.pi.'],
  ['@oh-my-pi/pi-coding-agent', '= pi.pi'],
  ['@oh-my-pi/pi-ai', '.pi', 'StringEnum'],
  ['@sinclair/typebox', '.typebox'],
  ['@oh-my-pi/omptype/zod', '.zod'],
];

/**
 * Loads the modules that `require` may ask for, because `require` cannot wait for them. `import` can wait, so a module
 * that is only imported is loaded at its import.
 */
async function preload(graph: ModuleGraph, modules: VirtualModules): Promise<void> {
  const { required, open } = graph.packageRequests;
  const foreign = [...required].filter(([name]) => !modules.has(name));
  // A package next to the hook may require anything, too, unless Node loads it. One that is imported is waited for, and so is
  // what it needs then.
  if (open || foreign.some(([name, importers]) => importers.some(importer => mayBeInstalled(name, importer)))) {
    await modules.loadAll(() => true);
    return;
  }
  const shipped = [...required.keys()].filter(name => modules.has(name));
  await Promise.all(shipped.map(name => modules.load(name, graph.mentions)));
  const injected = INJECTED.filter(([name, ...mentions]) => modules.has(name) && mentions.every(graph.mentions));
  await Promise.all(injected.map(([name]) => modules.load(name, graph.mentions)));
}

function factoryOf(exported: unknown): HookFactory | undefined {
  if (exported === null || (typeof exported !== 'object' && typeof exported !== 'function')) return undefined;
  const value: unknown = 'default' in exported ? exported.default : exported;
  return typeof value === 'function' ? (value as HookFactory) : undefined;
}
