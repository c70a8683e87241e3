import { toDisposable, type Disposable } from '../../src/base/disposable';
import { failed, ok, type Result } from '../../src/base/result';
import type { HookEvent, HookResult } from '../../src/hook-contract/hook-event';
import type { HookFile } from '../../src/hook-load/files/discover';
import { HookHost } from '../../src/hook-run/host/host';
import type { HookHostOptions } from '../../src/hook-run/host/host-options';
import type { DialectId } from '../../src/hook-contract/dialect-id';
import type { HookRuntimeSettings } from '../../src/hook-run/host/hook-set';
import type { HookScope } from '../../src/hook-contract/loaded-hook';
import type { HookModule } from '../../src/hook-load/graph/hook-module';
import { HookSource } from '../../src/hook-load/graph/hook-source';
import type { DispatchRecord, HookError } from '../../src/hook-contract/record';
import { FakeConversation } from './fake-conversation';
import { hostDefaults } from './host-options';

// Hooks are foreign code and take whatever their dialect hands them.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Foreign = any;
export type Factory = (pi: Foreign) => unknown;

/** All that hooks can be written for. */
export const DIALECTS: readonly DialectId[] = ['v1', 'v2', 'tree', 'omp', 'ext'];

/** A hook written in the test itself. */
export interface InlineHook {
  readonly dialect?: DialectId;
  readonly path?: string;
  readonly group?: 'hooks' | 'extensions';
  /** Stands for the file's text in detection; the factory's own text when absent. */
  readonly text?: string;
  readonly factory: Factory;
}

/** A hook of one dialect. */
export function hook(dialect: DialectId, factory: Factory, path?: string): InlineHook {
  return { dialect, factory, ...(path === undefined ? {} : { path }) };
}

/** Remembers what a load opened, as `OwnershipScope` does. */
export class TestScope implements HookScope {
  readonly things = new Set<{ readonly what: string; close(): void | Promise<void> }>();
  isReleased = false;
  running = 0;
  get isIdle(): boolean {
    return this.running === 0;
  }
  begin(): Disposable {
    this.running++;
    return toDisposable(() => this.running--);
  }
  own(thing: { readonly what: string; close(): void | Promise<void> }): Disposable {
    this.things.add(thing);
    return toDisposable(() => this.things.delete(thing));
  }
  async release(): Promise<void> {
    this.isReleased = true;
    for (const thing of [...this.things]) await thing.close();
    this.things.clear();
  }
}

/** A host over inline hooks, with a conversation, and everything it tells collected. */
export class TestHost {
  readonly host: HookHost<TestScope>;
  readonly conversation = new FakeConversation();
  readonly errors: HookError[] = [];
  readonly records: DispatchRecord[] = [];
  private readonly attached: Disposable;
  readonly settings: { -readonly [K in keyof HookRuntimeSettings]: HookRuntimeSettings[K] } = {
    hookTimeout: 30_000,
    dialects: {},
    confirmWithoutGates: true,
    approveChanges: undefined,
  };

  constructor(
    public hooks: readonly InlineHook[],
    options: Partial<HookHostOptions<TestScope>> = {},
  ) {
    this.host = new HookHost<TestScope>({
      ...hostDefaults(),
      discover: () => ({ files: this.hooks.map((inline, at) => fileOf(inline, at)), problems: [] }),
      loader: {
        load: file => Promise.resolve(this.load(file.path)),
        loadStored: file => Promise.resolve(this.load(file.path)),
        read: () => Promise.resolve({ sources: [], packageFiles: [], imports: [] }),
        restart: module => Promise.resolve(ok(module)),
      },
      createScope: () => new TestScope(),
      settings: () => this.settings,
      ...options,
    });
    this.host.onError(error => {
      this.errors.push(error);
    });
    this.host.records.onDidDispatch(record => {
      this.records.push({ ...record });
    });
    this.attached = this.host.attach(this.conversation);
  }

  /** Closes the host's own conversation. */
  detach(): void {
    this.attached.dispose();
  }

  get runner(): HookHost['runner'] {
    return this.host.runner;
  }

  /** Emits for the host's one conversation. */
  emit<E extends HookEvent>(event: E, options?: { signal?: AbortSignal }): Promise<HookResult<E['type']>> {
    return this.runner.emit(event, this.conversation, options);
  }

  /** `hook: outcome` of each handler that ran, in order. */
  outcomes(): readonly string[] {
    return this.records.map(
      record => `${record.hookPath.split('/').at(-1) ?? ''} ${record.registeredAs}: ${record.outcome.type}`,
    );
  }

  private load(path: string): Result<HookModule> {
    const at = this.hooks.findIndex((inline, index) => fileOf(inline, index).path === path);
    const inline = this.hooks[at];
    return inline === undefined ? failed({ message: 'gone' }) : ok(moduleOf(inline, path));
  }
}

/** A loaded host. */
export async function hostWith(
  hooks: readonly InlineHook[],
  options: Partial<HookHostOptions<TestScope>> = {},
): Promise<TestHost> {
  const host = new TestHost(hooks, options);
  await host.host.reload();
  return host;
}

function fileOf(inline: InlineHook, at: number): HookFile {
  const path = inline.path ?? `/hooks/${String(at + 1)}.ts`;
  return { path, entry: path, origin: 'global', group: inline.group ?? 'hooks' };
}

function moduleOf(inline: InlineHook, file: string): HookModule {
  const body = inline.text ?? inline.factory.toString();
  const text = inline.dialect === undefined ? body : `// @pi-dialect ${inline.dialect}\n${body}`;
  return {
    file,
    group: inline.group ?? 'hooks',
    factory: inline.factory,
    exports: {},
    sources: [HookSource.of(file, text)],
    packageFiles: [],
    imports: [],
    mapPosition: (_file, at) => at,
    mapStack: stack => stack,
    placeIn: () => undefined,
  };
}

/** Waits until a condition holds; fails with its name after 5 s. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 5_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`Waited in vain for: ${what}`);
    await new Promise(resolve => setTimeout(resolve, 2));
  }
}

/** Scopes of a host's loads, in order of loading. */
export function scopesOf(host: TestHost): readonly TestScope[] {
  return host.runner.loaded.flatMap(({ identity: { scope } }) => (scope instanceof TestScope ? [scope] : []));
}
