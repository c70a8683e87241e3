import type { McpServer } from '../../mcp/managed-server';

/** VS Code takes at most this many characters of a server's name into the names of its tools, and of those names themselves. */
const LABEL_LIMIT = 13;
const NAME_LIMIT = 64;

type Server = Pick<McpServer, 'name' | 'offer'>;

/**
 * Whether a tool of VS Code, by its name there, is the tool of a server that Hookline has as well: VS Code calls it
 * `mcp_<server>_<tool>`. There the server has the name that it gives itself, or else that of its entry, in small letters and
 * cut; further servers of one name are numbered from 2.
 */
export function isOurMcpTool(name: string, servers: readonly Server[]): boolean {
  const given = plain(name);
  return servers.some(server =>
    labelsOf(server, servers).some(label =>
      server.offer?.tools.some(tool => given === plain(`mcp_${label}_${tool.name}`).slice(0, NAME_LIMIT)),
    ),
  );
}

/** What VS Code may call a server; a number only as far as Hookline has as many servers of that name. */
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

/** `-` and `_` are not told apart, as in the names of our own tools. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '_');
}
