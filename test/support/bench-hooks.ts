import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { silentLog } from '../../src/base/log';
import { RUNTIME_EXPORTS } from '../../src/hook-run/tool-call/runtime-exports';
import type { HookHost } from '../../src/hook-run/host/host';
import type { OwnershipScope } from '../../src/hook-load/ownership/scope';
import { hostDefaults } from './host-options';

/** The worker that `scripts/bench.ts` builds beside the benches. */
export const WORKER_FILE = join(dirname(process.argv[1] ?? ''), 'transform-worker.js');

/** A window's hooks over the files of a folder, wired as in the product. */
export interface OpenHooks {
  readonly host: HookHost<OwnershipScope>;
  close(): Promise<void>;
}

/** Writes hooks into `.pi/hooks` of a workspace. */
export function writeHooks(cwd: string, texts: readonly string[]): string[] {
  const folder = join(cwd, '.pi', 'hooks');
  mkdirSync(folder, { recursive: true });
  // Node, which runs the same files for comparison, must not have to guess what they are.
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  return texts.map((text, at) => {
    const file = join(folder, `hook-${String(at).padStart(3, '0')}.ts`);
    writeFileSync(file, text);
    return file;
  });
}

/** Loads the runtime and the hooks of a workspace; the import is part of what a start costs, so it happens here. */
export async function openHooks(place: { cwd: string; cacheDir: string; workerFile?: string }): Promise<OpenHooks> {
  const { cwd, cacheDir, workerFile } = place;
  const [{ discoverHooks }, { HookHost: Host }, { HookLoader }, { shippedModules }, { OwnershipScope: Scope }, theme] =
    await runtime();
  const modules = shippedModules({
    runtime: RUNTIME_EXPORTS,
    agentDir: () => join(cwd, 'agent'),
    theme: () => new theme.ThemeSwitch().current,
  });
  const loader = new HookLoader({
    cacheDir,
    jitiDir: resolve('node_modules/jiti/dist'),
    extensionVersion: 'bench',
    ...(workerFile === undefined ? {} : { workerFile }),
    modules: () => modules,
    log: silentLog,
  });
  const host = new Host<OwnershipScope>({
    ...hostDefaults(),
    discover: () => discoverHooks({ agentDir: join(cwd, 'agent'), cwd, includeProject: true }),
    loader,
    createScope: (owner, onDidThrow) => new Scope({ owner, onDidThrow }),
  });
  await host.reload();
  const broken = host.infos().find(info => info.state.type !== 'live');
  if (broken !== undefined) throw new Error(`a hook of the bench does not load: ${JSON.stringify(broken)}`);
  return {
    host,
    close: async () => {
      await host.dispose();
      loader.dispose();
    },
  };
}

/** Everything a start loads of the runtime. */
export function runtime() {
  return Promise.all([
    import('../../src/hook-load/files/discover'),
    import('../../src/hook-run/host/host'),
    import('../../src/hook-load/hook-loader'),
    import('../../src/hook-load/modules/shipped-modules'),
    import('../../src/hook-load/ownership/scope'),
    import('../../src/hook-contract/ui/theme'),
  ]);
}
