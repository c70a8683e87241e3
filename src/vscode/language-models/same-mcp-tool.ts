import type { McpServer } from '../../mcp/managed-server';

/** VS Code uses at most this many characters of a server's name in the names of its tools. */
const LABEL_LIMIT = 13;
/** Names of tools in VS Code have at most this many characters. */
const NAME_LIMIT = 64;

type Server = Pick<McpServer, 'name' | 'offer'>;

/**
 * Whether a tool of VS Code, given by its name, belongs to an MCP server that Hookline has too. VS Code names such a tool
 * `mcp_<server>_<tool>`. `<server>` is the server's own name, or else the name of its entry, in lower case and shortened.
 * VS Code numbers further servers with the same name from 2.
 */
export function isOurMcpTool(name: string, servers: readonly Server[]): boolean {
  const given = plain(name);
  return servers.some(server =>
    labelsOf(server, servers).some(label =>
      server.offer?.tools.some(tool => given === plain(`mcp_${label}_${tool.name}`).slice(0, NAME_LIMIT)),
    ),
  );
}

/** The names that VS Code may use for a server. They include a number only up to how many servers Hookline has of that name. */
function labelsOf(server: Server, servers: readonly Server[]): readonly string[] {
  return cutNamesOf(server).flatMap(name => {
    const alike = servers.filter(other => cutNamesOf(other).includes(name)).length;
    return Array.from({ length: alike }, (_, before) => {
      const number = before === 0 ? '' : String(before + 1);
      return `${name.slice(0, LABEL_LIMIT - number.length)}${number}`;
    });
  });
}

function cutNamesOf({ name, offer }: Server): readonly string[] {
  const itself = offer?.serverInfo;
  return [...new Set([name, itself?.title ?? itself?.name ?? name].map(each => plain(each).slice(0, LABEL_LIMIT)))];
}

/** The name in lower case, with `_` for each other character, because names that differ only in these are the same tool. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '_');
}
