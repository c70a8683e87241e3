import { approvedOf, type Slot } from '../host/hook-slot';
import { changedTarget } from '../load/resolve';
import { SourceReads } from '../load/source-reads';
import { changedFiles } from './hold-changes';

/** A file of a hook that waits for approval. */
export interface HeldSource {
  /** Absolute. */
  readonly path: string;
  /** The text that runs in place of the file; undefined when none does. */
  readonly running: string | undefined;
}

/** The files of a slot that wait for approval: those that differ from what was loaded, or the entry of a new hook. */
export function heldSourcesOf(slot: Slot): readonly HeldSource[] {
  const { file, live, waiting } = slot;
  const approved = approvedOf(slot);
  if (approved === undefined) return [{ path: file.path, running: undefined }];
  const reads = new SourceReads();
  const textOf = (path: string): string | undefined =>
    live === undefined ? undefined : approved.sources.find(source => source.path === path)?.text;
  const changed = waiting === 'vanished' ? [file.path] : changedFiles(approved, reads);
  return changed.map(path => {
    // If an import now resolves to another file, the text of the file that it resolved to before runs.
    const stood = approved.imports.find(
      each => each.to !== undefined && changedTarget(each, reads.resolve)?.file === path,
    )?.to;
    return { path, running: textOf(path) ?? (stood === undefined ? undefined : textOf(stood)) };
  });
}
