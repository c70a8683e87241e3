/** Says whether the importing code contains the name anywhere. */
export type NameCheck = (name: string) => boolean;

export type ModuleMembers = Readonly<Record<string, unknown>>;

/** Some exports of a module that are loaded together, once. */
export interface ModulePart {
  /** The names of the exports: the part is loaded only for code that mentions one. When absent, for any code. */
  readonly names?: readonly string[];
  load(): Promise<object>;
}

export interface LazyModuleOptions {
  /** The name by which hooks import the module; used in messages. */
  readonly specifier: string;
  /** Members that need no loading. */
  readonly values?: ModuleMembers;
  readonly parts?: readonly ModulePart[];
  /**
   * Returns the value of a name that the module does not export; when absent, the value is undefined, as in any module.
   */
  readonly unknown?: (name: string) => unknown;
  /** Some members are made separately for each load (`bound-members.ts`). */
  readonly hasBoundMembers?: true;
}

/**
 * A module object that has its members before their code is loaded. Reading a member whose part is not loaded throws an
 * error that says what to do. The parts that a hook's code mentions are loaded before that code runs.
 */
export class LazyModule {
  private readonly loading = new Map<ModulePart, Promise<void>>();
  private readonly ready = new Set<ModulePart>();
  private readonly members = new Map<string, unknown>();
  private readonly object: object;

  constructor(private readonly options: LazyModuleOptions) {
    const target: object = Object.create(null) as object;
    const names = [...Object.keys(options.values ?? {}), ...this.parts.flatMap(part => part.names ?? [])];
    for (const [name, value] of Object.entries(options.values ?? {})) this.members.set(name, value);
    this.object = this.withUnknown(target);
    Object.defineProperty(target, '__esModule', { value: true });
    Object.defineProperty(target, 'default', { get: () => this.members.get('default') ?? this.object });
    for (const name of names) this.define(target, name);
    this.expose = name => this.define(target, name);
  }

  /** False until all parts without `names` are loaded, since the names of the exports are not known until then. */
  get isReady(): boolean {
    return this.parts.every(part => part.names !== undefined || this.ready.has(part));
  }

  /** See {@link LazyModuleOptions.hasBoundMembers}. */
  get hasBoundMembers(): boolean {
    return this.options.hasBoundMembers === true;
  }

  /** The module as `require` returns it; always the same object. */
  get exports(): object {
    return this.object;
  }

  /** Loads the parts that the importing code mentions, and resolves with {@link exports}. Rejects if that fails. */
  async load(mentions: NameCheck): Promise<object> {
    const wanted = this.parts.filter(part => !this.ready.has(part) && (part.names?.some(mentions) ?? true));
    await Promise.all(wanted.map(part => this.loading.get(part) ?? this.start(part)));
    return this.object;
  }

  private readonly expose: (name: string) => void;

  private get parts(): readonly ModulePart[] {
    return this.options.parts ?? [];
  }

  private start(part: ModulePart): Promise<void> {
    const loading = part.load().then(
      exported => {
        for (const [name, value] of Object.entries(exported)) {
          this.members.set(name, value);
          this.expose(name);
        }
        this.ready.add(part);
      },
      (error: unknown) => {
        this.loading.delete(part);
        throw error;
      },
    );
    this.loading.set(part, loading);
    return loading;
  }

  private define(target: object, name: string): void {
    if (Object.hasOwn(target, name)) return;
    const get = (): unknown => {
      if (this.members.has(name)) return this.members.get(name);
      throw new Error(`'${name}' of '${this.options.specifier}' is not loaded: name it in the hook's own files.`);
    };
    Object.defineProperty(target, name, { get, enumerable: true });
  }

  private withUnknown(target: object): object {
    const { unknown } = this.options;
    if (unknown === undefined) return target;
    return new Proxy(target, {
      get: (members, name) =>
        // `await` on the module reads `then`.
        typeof name === 'string' && !(name in members) && name !== 'then'
          ? unknown(name)
          : (Reflect.get(members, name) as unknown),
    });
  }
}
