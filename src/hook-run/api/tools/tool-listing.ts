import type { KnownTool } from '../../../agent/tools/tool';
import type { LoadedHook, RegisteredTool } from '../../../hook-contract/loaded-hook';
import { sourceOfHook } from '../../../hook-contract/source-info';

/** Members of a definition that are copied unchanged. */
const COPIED = ['namespace', 'annotations', 'reachesTools'] as const;

/** What `getAllTools` lists of a hook's tool, besides its declaration for the model; in the words of today's pi. */
export function listingOf(hook: LoadedHook, { definition }: RegisteredTool): Readonly<Record<string, unknown>> {
  const listed = COPIED.filter(member => definition[member] !== undefined);
  return {
    ...Object.fromEntries(listed.map(member => [member, definition[member]])),
    sourceInfo: sourceOfHook(hook.identity),
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
}: KnownTool): object {
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
