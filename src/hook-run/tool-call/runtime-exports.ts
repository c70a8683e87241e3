import type { ModulePart } from '../../hook-load/modules/lazy-module';

/** What `pi-coding-agent` exports of the code that calls hooks. */
export const RUNTIME_EXPORTS: ModulePart = {
  names: ['HookRunner', 'wrapToolsWithHooks', 'wrapToolWithHooks', 'HookToolWrapper'],
  load: async () => {
    const [{ HookRunner }, { wrapToolWithHooks, wrapToolsWithHooks }] = await Promise.all([
      import('../dispatch/runner'),
      import('./wrap-tools'),
    ]);
    return { HookRunner, wrapToolsWithHooks, wrapToolWithHooks, HookToolWrapper: wrapToolWithHooks };
  },
};
