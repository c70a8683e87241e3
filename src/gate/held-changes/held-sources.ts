import type { HookFile } from '../../hook-load/files/discover';
import { approvedOf, type Slot } from '../../hook-load/files/hook-slot';
import type { HookModule } from '../../hook-load/graph/hook-module';
import { HookSource } from '../../hook-load/graph/hook-source';
import { changedTarget } from '../../hook-load/graph/resolve';
import { SourceReads } from '../../hook-load/graph/source-reads';
import { changedFiles } from './changed-files';

/** A file of a hook that waits for approval. */
export interface HeldSource {
  /** Absolute. */
  readonly path: string;
  /** The text that runs in place of the file; undefined when none does. */
  readonly running: string | undefined;
}

/** The same if the approved copy of the hook's package runs: each of its files belongs to one in the package's folder. */
function copiedSourcesOf({ path, packaged }: HookFile, { file, sources }: HookModule): readonly HeldSource[] {
  const part = packaged?.part ?? '';
  const copy = file.slice(0, file.length - part.length);
  const folder = path.slice(0, path.length - part.length);
  return sources
    .filter(source => source.path.startsWith(copy))
    .map(source => ({ path: folder + source.path.slice(copy.length), running: source.text }))
    .filter(({ path: own, running }) => HookSource.readIfPossible(own)?.text !== running);
}

/** The files of a slot that wait for approval: those that differ from what was loaded, or the entry of a new hook. */
export function heldSourcesOf(slot: Slot): readonly HeldSource[] {
  const { file, live, waiting } = slot;
  const approved = approvedOf(slot);
  if (approved === undefined) return [{ path: file.path, running: undefined }];
  if (live !== undefined && live.module.file !== file.path) return copiedSourcesOf(file, live.module);
  const reads = new SourceReads();
  const approvedText = (path: string): string | undefined =>
    live === undefined ? undefined : approved.sources.find(source => source.path === path)?.text;
  const changed = waiting === 'vanished' ? [file.path] : changedFiles(approved, reads);
  return changed.map(path => {
    // If an import now resolves to another file, the text of the file that it resolved to before runs.
    const stood = approved.imports.find(
      each => each.to !== undefined && changedTarget(each, reads.resolve)?.file === path,
    )?.to;
    return { path, running: approvedText(path) ?? (stood === undefined ? undefined : approvedText(stood)) };
  });
}
