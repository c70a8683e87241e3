import { discoverHooks, type DiscoverOptions, type Discovery, type HookFile } from '../../hooks/host/discover';

/** The files to load, and those that only trust in the folder would let load. */
export type Discovered = Discovery & { readonly heldBack: readonly HookFile[] };

/**
 * Finds hook files. Without trust (Restricted Mode), hooks of the folder are held back: they are listed, so that they can
 * be shown, and nothing of them runs.
 */
export function discoverByTrust(options: Omit<DiscoverOptions, 'includeProject'>, isTrusted: boolean): Discovered {
  const found = discoverHooks({ ...options, includeProject: isTrusted });
  if (isTrusted) return { ...found, heldBack: [] };
  const known = new Set(found.files.map(file => file.path));
  const all = discoverHooks({ ...options, includeProject: true }).files;
  return { ...found, heldBack: all.filter(file => !known.has(file.path)) };
}
