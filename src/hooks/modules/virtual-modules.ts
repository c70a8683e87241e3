/** Loads a module that ships with the extension. */
export type ModuleSource = () => Promise<object>;

/**
 * The modules that hooks import by name and that ship with the extension. Nothing is loaded until a hook asks for it;
 * all hooks get the same instances.
 */
export class VirtualModules {
  private readonly ready = new Map<ModuleSource, object>();
  private readonly loading = new Map<ModuleSource, Promise<object>>();

  /** `sources`: specifier to module; aliases of one module share their source. */
  constructor(private readonly sources: ReadonlyMap<string, ModuleSource>) {}

  get specifiers(): readonly string[] {
    return [...this.sources.keys()];
  }

  has(specifier: string): boolean {
    return this.sources.has(specifier);
  }

  /** For `require`. Throws when the module is unknown, or was not loaded before: then only `import` can answer. */
  get(specifier: string): object {
    const source = this.sources.get(specifier);
    const module = source === undefined ? undefined : this.ready.get(source);
    if (module === undefined) throw new Error(`'${specifier}' cannot be required here; use import instead.`);
    return module;
  }

  /** For `import`. */
  async load(specifier: string): Promise<object> {
    const source = this.sources.get(specifier);
    if (source === undefined) throw new Error(`'${specifier}' does not ship with the extension.`);
    const loading = this.loading.get(source) ?? this.start(source);
    return await loading;
  }

  /** For code whose demands cannot be known before it runs. */
  async loadAll(): Promise<void> {
    await Promise.all(
      [...new Set(this.sources.values())].map(source => this.loading.get(source) ?? this.start(source)),
    );
  }

  private start(source: ModuleSource): Promise<object> {
    const loading = source().then(module => {
      this.ready.set(source, module);
      return module;
    });
    this.loading.set(source, loading);
    return loading;
  }
}
