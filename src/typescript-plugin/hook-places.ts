import type { HookGroup } from '../hook-contract/hook-info';
import type { PluginConfig } from './config';

/** A file whose default export is called with `pi`. */
export interface HookEntry {
  readonly group: HookGroup;
}

/** Folders of hooks in workspaces and home folders, as `discoverHooks` looks for them. */
const PLACE = /\/\.(?:pi|omp)\/(?:agent\/)?(hooks|extensions)\//;
/** Below such a folder, the files that are loaded by themselves. */
const ENTRIES: Readonly<Record<HookGroup, RegExp>> = {
  hooks: /^(?:(?:pre|post)\/)?[^/]+\.[cm]?[jt]s$/,
  extensions: /^[^/]+(?:\/index)?\.[jt]s$/,
};
const DECLARATION = /\.d\.[cm]?ts$/;

/** Tells hook files by where they lie, and by what the extension loaded. */
export class HookPlaces {
  constructor(private readonly config: () => PluginConfig) {}

  /** Whether hooks, or modules of theirs, lie here. Paths have forward slashes, as everywhere in TypeScript. */
  has(fileName: string): boolean {
    if (fileName.includes('/node_modules/')) return false;
    return PLACE.test(fileName) || this.config().hooks.some(hook => isBeside(hook, fileName));
  }

  /** Undefined for modules that hooks import, and for all other files. */
  entryAt(fileName: string): HookEntry | undefined {
    if (DECLARATION.test(fileName) || fileName.includes('/node_modules/')) return undefined;
    const place = PLACE.exec(fileName);
    const group = place?.[1] === 'extensions' ? 'extensions' : 'hooks';
    if (this.config().hooks.includes(fileName)) return { group };
    const below = place === null ? undefined : fileName.slice(place.index + place[0].length);
    return below !== undefined && ENTRIES[group].test(below) ? { group } : undefined;
  }
}

/** Whether a file is a hook that was loaded, or is in its folder or below. */
function isBeside(hook: string, fileName: string): boolean {
  return fileName.startsWith(hook.slice(0, hook.lastIndexOf('/') + 1));
}
