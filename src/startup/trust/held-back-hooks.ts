import { discoverHooks, type DiscoverOptions, type Discovery, type HookFile } from '../../hooks/host/discover';

/** The files to load, and those that only trust in the folder or a user's approval would let load. */
export type Discovered = Discovery & { readonly heldBack: readonly HookFile[] };

/**
 * Finds hook files. Without trust (Restricted Mode), hooks of the folder are held back: they are listed, so that they can
 * be shown, and nothing of them runs. Files of packages that nobody approved are, too.
 */
export function discoverByTrust(options: Omit<DiscoverOptions, 'includeProject'>, isTrusted: boolean): Discovered {
  const all = discoverHooks({ ...options, includeProject: isTrusted });
  const unapproved = all.files.filter(file => file.unapproved !== undefined);
  const found = { ...all, files: all.files.filter(file => file.unapproved === undefined) };
  return { ...found, heldBack: [...unapproved, ...(isTrusted ? [] : untrusted(options, all.files))] };
}

function untrusted(options: Omit<DiscoverOptions, 'includeProject'>, files: readonly HookFile[]): readonly HookFile[] {
  const known = new Set(files.map(file => file.path));
  const all = discoverHooks({ ...options, includeProject: true }).files;
  return all.filter(file => !known.has(file.path));
}
