import { ok } from '../../base/result';
import type { InlineHook } from '../../hook-contract/child-session';
import type { HookFile } from '../../hook-load/files/discover';
import type { HookModuleLoader } from './hook-set';
import type { HookScope } from '../../hook-contract/loaded-hook';
import type { HookModule } from '../../hook-load/graph/hook-module';

/** The entry of an inline hook in the list of hook files. */
export function inlineFile({ path }: InlineHook): HookFile {
  return { path, entry: path, origin: 'explicit', group: 'extensions' };
}

/** A loader that uses the factories of inline hooks as they are, and loads everything else with `files`. */
export function withInlineHooks<S extends HookScope>(
  files: HookModuleLoader<S>,
  inline: readonly InlineHook[],
): HookModuleLoader<S> {
  const modules = new Map(inline.map(hook => [hook.path, inlineModule(hook)]));
  return {
    load: (file, ...more) => {
      const module = modules.get(file.path);
      return module === undefined ? files.load(file, ...more) : Promise.resolve(ok(module));
    },
    loadStored: (...kept) => files.loadStored(...kept),
    read: file => files.read(file),
    restart: (...again) => files.restart(...again),
  };
}

/**
 * Has no sources: its code is in files of the hook that passed the factory, and that hook's scope owns what it opens.
 */
function inlineModule({ path, factory }: InlineHook): HookModule {
  return {
    file: path,
    group: 'extensions',
    factory,
    exports: { default: factory },
    sources: [],
    packageFiles: [],
    imports: [],
    mapPosition: (_file, at) => at,
    mapStack: stack => stack,
    placeIn: () => undefined,
    dialect: 'pi',
  };
}
