import type { Slot } from '../host/hook-slot';
import { misledBy } from '../load/resolve';
import { changedFiles } from './hold-changes';

/** A source of a hook that waits for approval. */
export interface HeldSource {
  /** Absolute. */
  readonly path: string;
  /** What runs; undefined when nothing of it does. */
  readonly running: string | undefined;
}

/** What waits for approval in a slot: the files that are not as they were loaded, or the entry of what is new. */
export function heldSourcesOf({ file, live, waiting }: Slot): readonly HeldSource[] {
  if (live === undefined) return [{ path: file.path, running: undefined }];
  const { sources, imports } = live.module;
  const textOf = (path: string): string | undefined => sources.find(source => source.path === path)?.text;
  const changed = waiting === 'vanished' ? [file.path] : changedFiles(live.module);
  return changed.map(path => {
    // A file that an import leads to by now is where another one was.
    const stood = imports.find(each => each.to !== undefined && misledBy(each, file.path) === path)?.to;
    return { path, running: textOf(path) ?? (stood === undefined ? undefined : textOf(stood)) };
  });
}
