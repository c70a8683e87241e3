import type { McpServer } from '../../mcp/managed-server';

/** VS Code takes at most this many characters of a server's name into the names of its tools, and of those names themselves. */
const LABEL_LIMIT = 13;
const NAME_LIMIT = 64;

/**
 * Whether a tool of VS Code, by its name there, is the tool of a server that Hookline has under the same name as well: VS
 * Code calls it `mcp_<name of the server>_<tool>`, the server's name in small letters and cut.
 */
export function isOurMcpTool(name: string, servers: readonly Pick<McpServer, 'name' | 'offer'>[]): boolean {
  const given = plain(name);
  return servers.some(server => {
    const label = plain(server.name).slice(0, LABEL_LIMIT);
    return server.offer?.tools.some(tool => given === plain(`mcp_${label}_${tool.name}`).slice(0, NAME_LIMIT)) === true;
  });
}

/** `-` and `_` are not told apart, as in the names of our own tools. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '_');
}
