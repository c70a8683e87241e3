import { detectDialect } from '../../dialects/detect';
import type { HookGroup } from '../../host/discover';
import type { HookSource } from '../hook-module';
import { evidenceOf } from '../text-evidence';
import type { VirtualModules } from './virtual-modules';

/** A file whose modules are asked for. */
export interface AskingFile {
  /** Absolute. */
  readonly path: string;
  readonly group: HookGroup;
  /** Its text first, then those that it imports by path. */
  readonly sources: readonly HookSource[];
}

/** pi 1.5.2 answers the older name of TypeBox with the newer one. */
const TODAY: Readonly<Record<string, string>> = {
  '@sinclair/typebox': 'typebox',
  '@sinclair/typebox/compile': 'typebox/compile',
  '@sinclair/typebox/type': 'typebox/type',
  '@sinclair/typebox/value': 'typebox/value',
};

/**
 * Gives each file the modules of its dialect, as far as its text and the settings tell that: nothing of it has run yet.
 * `settingOf` is the dialect that a user set for a file.
 */
export function modulesForFiles(
  modules: VirtualModules,
  settingOf: (path: string) => string | undefined,
): (file: AskingFile) => VirtualModules {
  const today = modules.renamed(TODAY);
  return ({ path, group, sources }) => {
    const nothing = new Set<string>();
    const { id } = detectDialect({
      text: evidenceOf(sources),
      events: nothing,
      methods: nothing,
      group,
      setting: settingOf(path),
    });
    return id === 'pi' ? today : modules;
  };
}
