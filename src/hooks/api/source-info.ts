import { dirname } from 'node:path';
import type { HookOrigin, SourceInfo } from '../hook';

const SCOPES = { global: 'user', workspace: 'project', settings: 'user', explicit: 'temporary' } as const;
const SOURCES = { global: 'auto', workspace: 'auto', settings: 'local', explicit: 'cli' } as const;

/** `group`: the folder that extensions or hooks are looked for in. */
export function sourceOfHook({
  path,
  origin,
  group,
}: {
  readonly path: string;
  readonly origin: HookOrigin;
  readonly group: string;
}): SourceInfo {
  return sourceOf(path, SOURCES[origin], SCOPES[origin], group);
}

/** `location`: `path` is one that a setting, a hook or the command line named. */
export function sourceOfResource(path: string, location: 'user' | 'project' | 'path'): SourceInfo {
  const isFound = location !== 'path';
  return sourceOf(path, isFound ? 'auto' : 'local', isFound ? location : 'temporary', 'skills|prompts|commands');
}

function sourceOf(path: string, source: SourceInfo['source'], scope: SourceInfo['scope'], folder: string): SourceInfo {
  const found = source === 'auto' ? new RegExp(`^(.+)[\\\\/](?:${folder})[\\\\/]`).exec(path)?.[1] : undefined;
  return { path, source, scope, origin: 'top-level', baseDir: found ?? dirname(path) };
}
