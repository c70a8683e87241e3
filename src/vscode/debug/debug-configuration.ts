import { join } from 'node:path';

/** Environment variable that makes a window start a new session, as its value says, instead of going on with the latest. */
export const FRESH_SESSION_VARIABLE = 'HOOKLINE_FRESH_SESSION';

/** What a debug configuration for hooks is made from. All paths absolute. */
export interface DebugPlace {
  /** This copy of Hookline: the window that is debugged runs it from here. */
  readonly extensionDir: string;
  /** What the window opens: the folder, or a workspace file that names it. */
  readonly opens: string;
  readonly folder: string;
  readonly agentDir: string;
  /** Further hook files and folders, named in settings. */
  readonly configured: readonly string[];
  /** What the new session starts with, as JSON; `debug-start.ts` reads it in that window. */
  readonly start: object;
}

/** A configuration as it is in launch.json, or as VS Code hands it over. */
export interface DebugRequest {
  readonly name?: string;
  readonly [option: string]: unknown;
}

const HOOK_FOLDERS = ['.pi', '.omp', '.claude'];
const HOOK_FILES = '**/*.{ts,mts,cts,js,mjs,cjs}';

/**
 * What js-debug is asked for: a second window whose extension host runs Hookline with its hooks
 * under the debugger, since a window cannot stop its own. What the user wrote in launch.json goes before ours.
 */
export function debugConfiguration(
  request: DebugRequest,
  place: DebugPlace,
): Record<string, unknown> & { type: string } {
  const { name, args, env, ...own } = request;
  return {
    outFiles: hookGlobs(place),
    // Maps of everything else in the extension host are of no use here, and js-debug complains of each that is missing.
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

/** The text of a workspace file that opens one folder (absolute). */
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
