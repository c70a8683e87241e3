import type { HookScope } from '../../hook-contract/loaded-hook';
import { exportsFor } from './bound-members';
import type { LazyModule, NameCheck } from './lazy-module';
import { isNotOffered } from './not-offered';

/**
 * The modules that ship with the extension and that hooks import by name. A module is loaded when a hook first asks for
 * it; all hooks get the same instance.
 */
export class VirtualModules {
  private readonly views = new Map<LazyModule, object>();

  /**
   * `modules`: specifier to module; aliases share one module. `scope`: the load whose code gets them, if there is one.
   */
  constructor(
    private readonly modules: ReadonlyMap<string, LazyModule>,
    private readonly scope?: HookScope,
  ) {}

  /** The same modules for the code of one load. */
  for(scope: HookScope): VirtualModules {
    return new VirtualModules(this.modules, scope);
  }

  /** The same modules, some also under other names. `names`: other name -> specifier of the module that it leads to. */
  renamed(names: Readonly<Record<string, string>>): VirtualModules {
    const others = Object.entries(names).map(([name, target]) => [name, this.named(target)] as const);
    return new VirtualModules(new Map([...this.modules, ...others]));
  }

  get specifiers(): readonly string[] {
    return [...this.modules.keys()];
  }

  has(specifier: string): boolean {
    return this.modules.has(specifier);
  }

  /** For `require`, which cannot wait: throws, here or when a member is read, if the module was not loaded before. */
  get(specifier: string): object {
    const module = this.named(specifier);
    if (module.isReady) return this.viewOf(module);
    throw new Error(`'${specifier}' cannot be required by a computed name; name it, or use import.`);
  }

  /** For `import`: loads what the importing code mentions. Rejects for a specifier that is not in this collection. */
  async load(specifier: string, mentions: NameCheck): Promise<object> {
    const module = this.named(specifier);
    await module.load(mentions);
    return this.viewOf(module);
  }

  /** Whether a module has an export of this name; `refuses` means that it exists and throws when it is used. */
  async offers(specifier: string, name: string): Promise<'yes' | 'refuses' | 'absent'> {
    if (!this.has(specifier)) return 'absent';
    const members = await this.load(specifier, each => each === name);
    if (!(name in members) && Reflect.get(members, name) === undefined) return 'absent';
    return isNotOffered(Reflect.get(members, name)) ? 'refuses' : 'yes';
  }

  /** For code whose imports cannot be known before it runs. */
  async loadAll(mentions: NameCheck): Promise<void> {
    await Promise.all([...new Set(this.modules.values())].map(module => module.load(mentions)));
  }

  private viewOf(module: LazyModule): object {
    if (this.scope === undefined || !module.hasBoundMembers) return module.exports;
    const view = this.views.get(module) ?? exportsFor(module.exports, this.scope);
    this.views.set(module, view);
    return view;
  }

  private named(specifier: string): LazyModule {
    const module = this.modules.get(specifier);
    if (module === undefined) throw new Error(`'${specifier}' does not ship with the extension.`);
    return module;
  }
}
