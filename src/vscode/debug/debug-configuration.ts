import { join } from 'node:path';

/** Environment variable that makes a window start a new session. Its value is a `DebugStart`, as JSON. */
export const FRESH_SESSION_VARIABLE = 'HOOKLINE_FRESH_SESSION';

/** Where the debugger looks for hooks. All paths are absolute. */
export interface HookSources {
  /** Folder of this copy of Hookline, which the debugged process runs. */
  readonly extensionDir: string;
  readonly folder: string;
  readonly agentDir: string;
  /** Hook files and folders from settings. */
  readonly configured: readonly string[];
}

/** What a debug configuration for hooks is made from. */
export interface DebugPlace extends HookSources {
  /** What the debugged window opens: the folder, or a workspace file that names it. */
  readonly opens: string;
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
    ...sourceOptions(place),
    ...own,
    name: name ?? 'Hookline: Debug Hooks',
    type: 'extensionHost',
    request: 'launch',
    args: [place.opens, `--extensionDevelopmentPath=${place.extensionDir}`, ...textsOf(args)],
    env: { [FRESH_SESSION_VARIABLE]: JSON.stringify(place.start), ...(typeof env === 'object' ? env : {}) },
  };
}

/**
 * A configuration for js-debug that attaches to a process which waits for a debugger at a port of 127.0.0.1, and to those
 * that it starts: hooks of a test run in another process than the test.
 */
export function attachConfiguration(
  name: string,
  port: number,
  place: HookSources,
): Record<string, unknown> & { type: string; name: string; request: string } {
  return {
    ...sourceOptions(place),
    ...{ name, type: 'node', request: 'attach', address: '127.0.0.1', port },
    ...{ continueOnAttach: true, autoAttachChildProcesses: true },
  };
}

function sourceOptions(place: HookSources): Record<string, unknown> {
  return {
    outFiles: hookGlobs(place),
    // js-debug would report each missing source map of other code in the process, so it looks only for these.
    resolveSourceMapLocations: [`${slashes(place.folder)}/**`, ...hookGlobs(place)],
    skipFiles: ['<node_internals>/**', '**/node_modules/**', slashes(join(place.extensionDir, 'dist', '**'))],
  };
}

/** The text of a workspace file that opens one folder, given by its absolute path. */
export function workspaceFileText(folder: string): string {
  return `${JSON.stringify({ folders: [{ path: folder }] }, null, 2)}\n`;
}

function hookGlobs({ folder, agentDir, configured }: HookSources): string[] {
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
