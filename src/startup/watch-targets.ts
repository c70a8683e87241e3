import { homedir } from 'node:os';
import { join } from 'node:path';
import { CONTEXT_FILE_NAMES } from '../agent/prompt/context-files';
import { readResourceList } from '../agent/resources/resource-list';
import type { PiSettings } from '../agent/settings/pi-settings';
import type { HookInfo } from '../hook-contract/hook-info';
import { resolveHookPath } from '../hook-load/files/discover';

/** Absolute paths to watch. They need not exist yet. */
export interface WatchTargets {
  /** Folders that are watched with everything in them, such as `~/.pi/agent/hooks`. */
  readonly folders: readonly string[];
  /** Single files: hooks named in settings, targets of symbolic links, modules that hooks import. */
  readonly files: readonly string[];
}

/** The paths of hooks and resources that settings name, as the user wrote them. */
export function configuredPaths({ hooks, extensions, prompts, skills }: PiSettings): readonly string[] {
  const listed = [...extensions, ...prompts, ...skills.lists].flatMap(list => readResourceList(list, []).named);
  return [...hooks, ...listed].map(({ path }) => path);
}

/** What decides which files hooks, settings and instructions are read from. */
export interface WatchInput {
  readonly agentDir: string;
  readonly cwd: string;
  /** Paths from settings, as the user wrote them. */
  readonly configured: readonly string[];
  readonly hooks: readonly HookInfo[];
  readonly isFolder: (path: string) => boolean;
}

/** Files and folders that may change the hooks, settings, system prompt or commands, apart from other parts of `.pi`. */
export function watchTargets(facts: WatchInput): WatchTargets {
  const { agentDir, cwd, hooks, isFolder } = facts;
  const home = homedir();
  const configured = facts.configured.map(path => resolveHookPath(path, cwd, home));
  const folders = [
    // VS Code's own watch of the open folder once missed that a link was removed, and takes longer.
    ...['hooks', 'extensions'].map(name => join(cwd, '.pi', name)),
    join(agentDir, 'hooks'),
    join(agentDir, 'extensions'),
    ...['commands', 'prompts', 'skills', 'rules'].map(name => join(agentDir, name)),
    join(home, '.omp', 'agent', 'hooks'),
    join(home, '.claude', 'hooks'),
    ...configured.filter(isFolder),
  ];
  // A hook behind a symbolic link is outside of the watched folders, so its real path is watched as a file.
  const files = [
    ...['settings.json', 'mcp.json', 'SYSTEM.md', 'APPEND_SYSTEM.md'].map(name => join(agentDir, name)),
    ...[agentDir, cwd].flatMap(folder => CONTEXT_FILE_NAMES.map(name => join(folder, name))),
    ...configured.filter(path => !isFolder(path)),
    ...hooks.flatMap(hook => [hook.path, ...(hook.files ?? []), ...problemFiles(hook)]),
  ];
  return { folders, files: [...new Set(files)] };
}

/** Other files that a hook imports may also be settings. */
const CODE = /\.[cm]?[jt]sx?$/;

/** Whether these paths are code of hooks and of no package's hook, so that nothing else has to be read again. */
export function areOnlyHooks(
  paths: ReadonlySet<string>,
  hooks: readonly Pick<HookInfo, 'path' | 'files' | 'package'>[],
): boolean {
  const filesOf = (some: typeof hooks): Set<string> =>
    new Set(some.flatMap(({ path, files = [] }) => [path, ...files]));
  const ofHooks = filesOf(hooks);
  const ofPackages = filesOf(hooks.filter(hook => hook.package !== undefined));
  return [...paths].every(path => ofHooks.has(path) && !ofPackages.has(path) && CODE.test(path));
}

function problemFiles({ state }: HookInfo): string[] {
  return 'problems' in state ? state.problems.flatMap(problem => problem.file ?? []) : [];
}
