import { discoverHooks, type DiscoverOptions, type Discovery, type HookFile } from '../../hook-load/files/discover';

/** The hook files to load, and those that load only after the user trusts the folder or approves their package. */
export type Discovered = Discovery & { readonly heldBack: readonly HookFile[] };

/**
 * Finds hook files. In a folder that is not trusted (Restricted Mode), its hooks are held back: they are listed so that
 * they can be shown, but never run. Files of packages that the user did not approve are held back as well.
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
