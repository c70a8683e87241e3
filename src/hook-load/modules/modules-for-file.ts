import { detectDialect } from '../../hook-contract/dialects/detect';
import type { HookGroup } from '../../hook-contract/hook-info';
import type { HookSource } from '../graph/hook-source';
import { evidenceOf } from '../graph/text-evidence';
import type { VirtualModules } from './virtual-modules';

/** A hook file that is about to get its modules. */
export interface AskingFile {
  /** Absolute. */
  readonly path: string;
  readonly group: HookGroup;
  /** The file's own text first, then the texts of the files that it imports by path. */
  readonly sources: readonly HookSource[];
}

/** In today's pi, an import of the older name of TypeBox gets the newer module. */
const TODAY: Readonly<Record<string, string>> = {
  '@sinclair/typebox': 'typebox',
  '@sinclair/typebox/compile': 'typebox/compile',
  '@sinclair/typebox/type': 'typebox/type',
  '@sinclair/typebox/value': 'typebox/value',
};

/** What is known of a file beside its text. */
export interface KnownOfFiles {
  /** The dialect that the user set for it. */
  readonly settingOf: (path: string) => string | undefined;
  /** What its package needs. */
  readonly needsOf: (path: string) => readonly string[] | undefined;
}

/**
 * Gives each file the modules of its dialect, which is detected without what the factory does: the file has not run yet.
 */
export function modulesForFiles(
  modules: VirtualModules,
  { settingOf, needsOf }: KnownOfFiles,
): (file: AskingFile) => VirtualModules {
  const today = modules.renamed(TODAY);
  return ({ path, group, sources }) => {
    const nothing = new Set<string>();
    const { id } = detectDialect({
      text: evidenceOf(sources),
      events: nothing,
      methods: nothing,
      group,
      needs: needsOf(path),
      setting: settingOf(path),
    });
    return id === 'pi' ? today : modules;
  };
}
