import { dirname } from 'node:path';
import type { AnyTool } from '../../agent/tools/tool';
import type { LoadedHook, RegisteredTool } from '../loaded-hook';

/** Members of a definition that are told as they are. */
const TOLD = ['namespace', 'annotations', 'reachesTools'] as const;
const SCOPES = { global: 'user', workspace: 'project', settings: 'user', explicit: 'temporary' } as const;
const SOURCES = { global: 'auto', workspace: 'auto', settings: 'local', explicit: 'cli' } as const;

/** What `getAllTools` tells of a tool of a hook, beside what the model knows; in the words of today's pi. */
export function listingOf(hook: LoadedHook, { definition }: RegisteredTool): Readonly<Record<string, unknown>> {
  const told = TOLD.filter(member => definition[member] !== undefined);
  return { ...Object.fromEntries(told.map(member => [member, definition[member]])), sourceInfo: sourceOf(hook) };
}

function sourceOf({ identity: { path, origin, group } }: LoadedHook): object {
  const found = SOURCES[origin] === 'auto' ? new RegExp(`^(.+)[\\\\/]${group}[\\\\/]`).exec(path)?.[1] : undefined;
  return {
    path,
    source: SOURCES[origin],
    scope: SCOPES[origin],
    origin: 'top-level',
    baseDir: found ?? dirname(path),
  };
}

/** A tool as `getAllTools` lists it. */
export function listedTool({
  name,
  description,
  parameters,
  promptGuidelines,
  exposure = 'direct',
  listing = shippedListing(name),
}: AnyTool): object {
  return {
    name,
    description,
    parameters: parameters as unknown,
    promptGuidelines: promptGuidelines === undefined ? undefined : [...promptGuidelines],
    exposure,
    ...listing,
  };
}

function shippedListing(name: string): Readonly<Record<string, unknown>> {
  return { sourceInfo: { path: `builtin:${name}`, source: 'builtin', scope: 'temporary', origin: 'top-level' } };
}
