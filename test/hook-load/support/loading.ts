import assert from 'node:assert/strict';
import { join } from 'node:path';
import { silentLog } from '../../../src/base/log';
import type { Problem } from '../../../src/base/result';
import type { HookGroup } from '../../../src/hook-contract/hook-info';
import { HookLoader, type HookLoaderOptions } from '../../../src/hook-load/hook-loader';
import type { HookModule } from '../../../src/hook-load/graph/hook-module';
import { VirtualModules } from '../../../src/hook-load/modules/virtual-modules';
import { OwnershipScope } from '../../../src/hook-load/ownership/scope';
import type { TempFiles } from './temp-files';

export const ROOT = join(import.meta.dirname, '..', '..', '..');
export const JITI_DIR = join(ROOT, 'node_modules', 'jiti', 'dist');

/** A failure that a scope reported. */
export interface Reported {
  readonly error: unknown;
  readonly where: string;
}

/** A loader with the hooks below a temp folder, and the scopes it gave to them. */
export class Loading {
  readonly loader: HookLoader;
  readonly scopes: OwnershipScope[] = [];
  readonly reports: Reported[] = [];

  constructor(
    readonly files: TempFiles,
    options: Partial<HookLoaderOptions> = {},
  ) {
    this.loader = new HookLoader({
      cacheDir: files.path('.cache'),
      jitiDir: JITI_DIR,
      extensionVersion: '0.0.0',
      modules: () => new VirtualModules(new Map()),
      log: silentLog,
      ...options,
    });
  }

  scope(owner = 'a hook'): OwnershipScope {
    const onDidThrow = (error: unknown, where: string): void => {
      this.reports.push({ error, where });
    };
    const scope = new OwnershipScope({ owner, onDidThrow });
    this.scopes.push(scope);
    return scope;
  }

  /** The loaded module; fails the test with the problems otherwise. */
  async load(name: string, group: HookGroup = 'hooks'): Promise<HookModule> {
    const path = this.files.path(name);
    const result = await this.loader.load({ path, group }, this.scope(path));
    assert.ok(result.ok, result.ok ? '' : JSON.stringify(result.problems));
    return result.value;
  }

  /** What the default export returns. */
  async run(name: string, argument?: unknown): Promise<unknown> {
    return await (await this.load(name)).factory(argument);
  }

  /** The only problem of a file that does not load. */
  async problem(name: string, group: HookGroup = 'hooks'): Promise<Problem> {
    const result = await this.loader.load({ path: this.files.path(name), group }, this.scope(name));
    assert.ok(!result.ok, 'it loaded');
    assert.equal(result.problems.length, 1);
    return result.problems[0]!;
  }

  async end(): Promise<void> {
    await Promise.all(this.scopes.map(scope => scope.release()));
    this.loader.dispose();
    this.files.remove();
  }
}

/** Waits until something is true; gives up after 30 s. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000;
  while (!(await condition())) {
    assert.ok(Date.now() < end, `waited in vain for: ${what}`);
    await new Promise(resolve => setTimeout(resolve, 5));
  }
}
