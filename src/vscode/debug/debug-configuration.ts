import { join } from 'node:path';

/** Environment variable that makes a window start a new session. Its value is a `DebugStart`, as JSON. */
export const FRESH_SESSION_VARIABLE = 'HOOKLINE_FRESH_SESSION';

/** What a debug configuration for hooks is made from. All paths are absolute. */
export interface DebugPlace {
  /** Folder of this copy of Hookline, which the debugged window runs. */
  readonly extensionDir: string;
  /** What the debugged window opens: the folder, or a workspace file that names it. */
  readonly opens: string;
  readonly folder: string;
  readonly agentDir: string;
  /** Hook files and folders from settings. */
  readonly configured: readonly string[];
  /** What the new session starts with. It is passed as JSON, and `debug-start.ts` reads it in the debugged window. */
  readonly start: object;
}

/** A debug configuration as launch.json or VS Code gives it. */
export interface DebugRequest {
  readonly name?: string;
  readonly [option: string]: unknown;
}

const HOOK_FOLDERS = ['.pi', '.omp', '.claude'];
const HOOK_FILES = '**/*.{ts,mts,cts,js,mjs,cjs}';

/**
 * A configuration for js-debug, the JavaScript debugger of VS Code. It opens a second window whose extension host runs
 * Hookline and its hooks under the debugger, because a window cannot stop its own extension host. Most options that the
 * user wrote in launch.json replace ours.
 */
export function debugConfiguration(
  request: DebugRequest,
  place: DebugPlace,
): Record<string, unknown> & { type: string } {
  const { name, args, env, ...own } = request;
  return {
    outFiles: hookGlobs(place),
    // js-debug would report each missing source map of other code in the extension host, so it looks only for these.
    resolveSourceMapLocations: [`${slashes(place.folder)}/**`, ...hookGlobs(place)],
    skipFiles: ['<node_internals>/**', '**/node_modules/**', slashes(join(place.extensionDir, 'dist', '**'))],
    ...own,
    name: name ?? 'Hookline: Debug Hooks',
    type: 'extensionHost',
    request: 'launch',
    args: [place.opens, `--extensionDevelopmentPath=${place.extensionDir}`, ...textsOf(args)],
    env: { [FRESH_SESSION_VARIABLE]: JSON.stringify(place.start), ...(typeof env === 'object' ? env : {}) },
  };
}

/** The text of a workspace file that opens one folder, given by its absolute path. */
export function workspaceFileText(folder: string): string {
  return `${JSON.stringify({ folders: [{ path: folder }] }, null, 2)}\n`;
}

function hookGlobs({ folder, agentDir, configured }: DebugPlace): string[] {
  const folders = [
    ...HOOK_FOLDERS.map(name => join(folder, name)),
    join(agentDir, 'hooks'),
    join(agentDir, 'extensions'),
  ];
  const globs = folders.map(path => `${path}/${HOOK_FILES}`);
  const named = configured.flatMap(path => (/\.[cm]?[jt]s$/.test(path) ? [path] : [`${path}/${HOOK_FILES}`]));
  return [...globs, ...named, '!**/node_modules/**'].map(slashes);
}

function slashes(path: string): string {
  return path.replaceAll('\\', '/');
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(each => typeof each === 'string') : [];
}
