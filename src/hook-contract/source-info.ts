import { dirname } from 'node:path';
import { defined } from '../base/defined';
import type { PackageOrigin } from '../agent/resources/package-origin';
import type { HookOrigin, SourceInfo } from './hook-info';

const SCOPES = {
  global: 'user',
  workspace: 'project',
  settings: 'user',
  package: 'user',
  explicit: 'temporary',
  'built-in': 'user',
} as const;
const SOURCES = {
  global: 'auto',
  workspace: 'auto',
  settings: 'local',
  package: 'local',
  explicit: 'cli',
  'built-in': 'builtin',
} as const;

/** `group`: the folder that extensions or hooks are looked for in. */
export function sourceOfHook({
  path,
  origin,
  group,
  package: owner,
}: {
  readonly path: string;
  readonly origin: HookOrigin;
  readonly group: string;
  readonly package?: PackageOrigin;
}): SourceInfo {
  if (owner !== undefined) return sourceOfPackageFile(path, owner);
  return sourceOf(path, SOURCES[origin], SCOPES[origin], group);
}

/** `location`: where `path` was found or named. */
export function sourceOfResource({ path, location, package: owner }: ResourceFact): SourceInfo {
  if (owner !== undefined) return sourceOfPackageFile(path, owner);
  const isFound = location !== 'path';
  return sourceOf(path, isFound ? 'auto' : 'local', isFound ? location : 'temporary', 'skills|prompts|commands');
}

interface ResourceFact {
  readonly path: string;
  readonly location: 'user' | 'project' | 'path';
  readonly package?: PackageOrigin;
}

/** A package that only the command line names is described like a file named there. */
function sourceOfPackageFile(path: string, { source, scope, baseDir, changelogPath }: PackageOrigin): SourceInfo {
  if (scope === 'temporary') return { path, source: 'cli', scope, origin: 'top-level' };
  const changelog = defined({ changelogPath });
  return { path, source, scope, origin: 'package', baseDir, ...changelog };
}

function sourceOf(path: string, source: SourceInfo['source'], scope: SourceInfo['scope'], folder: string): SourceInfo {
  const found = source === 'auto' ? new RegExp(`^(.+)[\\\\/](?:${folder})[\\\\/]`, 's').exec(path)?.[1] : undefined;
  return { path, source, scope, origin: 'top-level', baseDir: found ?? dirname(path) };
}
