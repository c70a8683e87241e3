import { join, resolve } from 'node:path';
import { silentLog } from '../../src/base/log';
import { ThemeSwitch } from '../../src/hook-contract/ui/theme';
import type { HookError } from '../../src/hook-contract/record';
import { discoverHooks } from '../../src/hook-load/files/discover';
import { HookHost } from '../../src/hook-run/host/host';
import type { HookHostOptions } from '../../src/hook-run/host/host-options';
import { HookLoader } from '../../src/hook-load/hook-loader';
import { shippedModules } from '../../src/hook-load/modules/shipped-modules';
import { OwnershipScope, type OwnershipOptions } from '../../src/hook-load/ownership/scope';
import { TempFiles } from '../hook-load/support/temp-files';
import { FakeConversation } from './fake-conversation';
import { RUNTIME_EXPORTS } from '../../src/hook-run/tool-call/runtime-exports';
import { hostDefaults } from './host-options';

/** A host over real files below `.pi/hooks` of a folder of its own, with a conversation, and the errors it told. */
export class RealHooks {
  readonly files: TempFiles;
  readonly conversation = new FakeConversation();
  readonly errors: HookError[] = [];
  readonly loader: HookLoader;
  readonly host: HookHost<OwnershipScope>;

  /** `hooks`: texts by name below `.pi/hooks`. */
  constructor(
    hooks: Readonly<Record<string, string>>,
    scope: Partial<OwnershipOptions> = {},
    options: Partial<HookHostOptions<OwnershipScope>> = {},
  ) {
    this.files = new TempFiles(
      Object.fromEntries(Object.entries(hooks).map(([name, text]) => [join('.pi', 'hooks', name), text])),
    );
    const theme = new ThemeSwitch();
    const modules = shippedModules({
      runtime: RUNTIME_EXPORTS,
      agentDir: () => this.files.path('agent'),
      theme: () => theme.current,
    });
    this.loader = new HookLoader({
      cacheDir: this.files.path('.cache'),
      jitiDir: resolve('node_modules/jiti/dist'),
      extensionVersion: '0.0.0',
      modules: () => modules,
      log: silentLog,
    });
    const { root: cwd } = this.files;
    this.host = new HookHost<OwnershipScope>({
      ...hostDefaults(),
      discover: () => discoverHooks({ agentDir: join(cwd, 'agent'), cwd, includeProject: true, home: cwd }),
      loader: this.loader,
      createScope: (owner, onDidThrow) => new OwnershipScope({ owner, onDidThrow, ...scope }),
      cwd,
      theme,
      ...options,
    });
    this.host.onError(error => this.errors.push(error));
    this.host.attach(this.conversation);
  }

  /** Absolute path of a hook. */
  path(name: string): string {
    return this.files.path('.pi', 'hooks', name);
  }

  async end(): Promise<void> {
    await this.host.dispose();
    this.loader.dispose();
    this.files.remove();
  }
}
