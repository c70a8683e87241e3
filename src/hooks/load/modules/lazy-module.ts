/** True when the code that asks mentions the name anywhere. */
export type NameCheck = (name: string) => boolean;

export type ModuleMembers = Readonly<Record<string, unknown>>;

/** Some exports of a module, loaded together and once. */
export interface ModulePart {
  /** What it exports, when that is known beforehand: then it is loaded only for code that mentions one of the names. */
  readonly names?: readonly string[];
  load(): Promise<object>;
}

export interface LazyModuleOptions {
  /** As hooks import it, for messages. */
  readonly specifier: string;
  /** Members that cost nothing. */
  readonly values?: ModuleMembers;
  readonly parts?: readonly ModulePart[];
  /** What a name that nobody exports gives; undefined when absent, as in any module. */
  readonly unknown?: (name: string) => unknown;
  /** Some of its members are made for each load (`bound-members.ts`). */
  readonly hasBoundMembers?: true;
}

/**
 * A module object whose members are there without loading what is behind them. Reading a member whose part is not
 * loaded throws and says what to do; code that names the member has had it loaded before it runs.
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

  /** False while it is not even known what the module exports. */
  get isReady(): boolean {
    return this.parts.every(part => part.names !== undefined || this.ready.has(part));
  }

  /** See {@link LazyModuleOptions.hasBoundMembers}. */
  get hasBoundMembers(): boolean {
    return this.options.hasBoundMembers === true;
  }

  /** The module as `require` gives it; the same object for all. */
  get exports(): object {
    return this.object;
  }

  /** Loads the parts that the asking code mentions. */
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
        // Whoever awaits the module looks for `then`.
        typeof name === 'string' && !(name in members) && name !== 'then'
          ? unknown(name)
          : (Reflect.get(members, name) as unknown),
    });
  }
}
