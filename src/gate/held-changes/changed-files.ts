import type { HookImport } from '../../hook-load/graph/hook-module';
import type { HookSource } from '../../hook-load/graph/hook-source';
import { changedTarget } from '../../hook-load/graph/resolve';
import { SourceReads } from '../../hook-load/graph/source-reads';

/** What a check compares: a hook that runs, or the record of an approved one, whose sources include files of packages. */
export interface Compared {
  readonly sources: readonly FileContent[];
  readonly packageFiles?: readonly FileContent[];
  readonly imports: readonly HookImport[];
}

type FileContent = Pick<HookSource, 'path' | 'hash'>;

/**
 * The files in which the hook on disk differs: changed files, and for each import that now leads elsewhere what makes it do
 * so, a file that is found first or a `package.json`.
 */
export function changedFiles(
  { sources, packageFiles = [], imports }: Compared,
  reads = new SourceReads(),
): readonly string[] {
  const content = [...sources, ...packageFiles];
  const changed = content.filter(({ path, hash }) => reads.source(path)?.hash !== hash).map(({ path }) => path);
  const known = new Map(content.map(({ path, hash }) => [path, hash]));
  const isNew = (path: string): boolean => reads.source(path)?.hash !== known.get(path);
  const misled = imports.flatMap(each => {
    const now = changedTarget(each, reads.resolve);
    if (now === undefined) return [];
    const by = now.manifests.filter(isNew);
    return by.length > 0 ? by : (now.file ?? each.to ?? []);
  });
  return [...new Set([...changed, ...misled])];
}
