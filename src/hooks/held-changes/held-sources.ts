import type { Slot } from '../host/hook-slot';
import { changedTarget } from '../load/resolve';
import { changedFiles } from './hold-changes';

/** A file of a hook that waits for approval. */
export interface HeldSource {
  /** Absolute. */
  readonly path: string;
  /** The text that runs in place of the file; undefined when none does. */
  readonly running: string | undefined;
}

/** The files of a slot that wait for approval: those that differ from what was loaded, or the entry of a new hook. */
export function heldSourcesOf({ file, live, waiting }: Slot): readonly HeldSource[] {
  if (live === undefined) return [{ path: file.path, running: undefined }];
  const { sources, imports } = live.module;
  const textOf = (path: string): string | undefined => sources.find(source => source.path === path)?.text;
  const changed = waiting === 'vanished' ? [file.path] : changedFiles(live.module);
  return changed.map(path => {
    // If an import now resolves to another file, the text of the file that it resolved to before runs.
    const stood = imports.find(each => each.to !== undefined && changedTarget(each, file.path) === path)?.to;
    return { path, running: textOf(path) ?? (stood === undefined ? undefined : textOf(stood)) };
  });
}
