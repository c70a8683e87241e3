import { reachesOf } from './config/exposure';
import type { McpServerEntry } from './config/read-config';
import { namespaceOf } from './config/server-config';
import type { McpOffer } from './connection/server-offer';

/** Name of the section of the system prompt about servers whose tools are not declared; the same as in pi. */
export const MCP_SECTION = 'mcp_servers';

/** How many characters the text about one server may have, and the whole section. */
const ABOUT_LIMIT = 250;
const SECTION_LIMIT = 4096;

const INTRODUCTION = 'MCP servers with tools that are not declared to you. `tool_search` finds and declares them.';

/** The section for these servers, which must be enabled; undefined when all of their tools are declared or hidden. */
export function mcpSection(
  servers: readonly { readonly entry: McpServerEntry; readonly offer: McpOffer | undefined }[],
): string | undefined {
  const listed = servers
    .filter(({ entry }) => reachesOf(entry.config).has('deferred'))
    .sort((a, b) => a.entry.name.localeCompare(b.entry.name));
  if (listed.length === 0) return undefined;
  const heads = listed.map(({ entry }) => `- ${namespaceOf(entry.name)} (tool_search)`);
  const left = (kept: number): readonly string[] => {
    const count = listed.length - kept;
    return count === 0 ? [] : [`- … and ${count} more, whose tools tool_search finds as well`];
  };
  const size = (kept: number): number => [INTRODUCTION, ...heads.slice(0, kept), ...left(kept)].join('\n').length;
  let kept = heads.length;
  while (kept > 0 && size(kept) > SECTION_LIMIT) kept -= 1;
  const room = kept === 0 ? 0 : Math.min(ABOUT_LIMIT, Math.floor((SECTION_LIMIT - size(kept)) / kept) - 2);
  const lines = listed.slice(0, kept).map((server, index) => {
    const about = room > 1 ? shortened(aboutOf(server), room) : '';
    return `${heads[index] ?? ''}${about === '' ? '' : `: ${about}`}`;
  });
  return [INTRODUCTION, ...lines, ...left(kept)].join('\n');
}

function aboutOf({ entry, offer }: { readonly entry: McpServerEntry; readonly offer: McpOffer | undefined }): string {
  const description = entry.config.description?.trim() ?? '';
  const text = description === '' ? (offer?.instructions ?? '') : description;
  return text.split('\n', 1)[0]?.trim() ?? '';
}

function shortened(text: string, limit: number): string {
  const characters = Array.from(text);
  return characters.length <= limit
    ? text
    : `${characters
        .slice(0, limit - 1)
        .join('')
        .trimEnd()}…`;
}
