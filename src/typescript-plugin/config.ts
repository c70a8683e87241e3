import { isRecord } from '../base/json/is-record';

/** What the extension tells the plugin; all paths are absolute with forward slashes. */
export interface PluginConfig {
  /** Files that were loaded as hooks, wherever they lie. */
  readonly hooks: readonly string[];
  /** The dialects that the user set, for these and other files. */
  readonly dialects: Readonly<Record<string, string>>;
}

/** Reads what came from the extension, which may be of another version; what cannot be read is left out. */
export function readConfig(given: unknown): PluginConfig {
  const { hooks, dialects } = isRecord(given) ? given : {};
  return {
    hooks: Array.isArray(hooks) ? hooks.filter(each => typeof each === 'string') : [],
    dialects: Object.fromEntries(
      Object.entries(isRecord(dialects) ? dialects : {}).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      ),
    ),
  };
}
