import { isRecord } from '../../base/is-record';
import type { McpServerConfig, RegisteredMcpServer } from '../../hook-typings/mcp';

/** The MCP servers that hooks registered, in order. They are kept and told of, and not connected. */
export class McpServers {
  private servers: readonly RegisteredMcpServer[] = [];

  /**
   * Keeps a server; the same name again replaces it.
   * @throws Error for a name that is no name or another hook's, and for what is no configuration
   */
  register(name: string, config: unknown, extensionPath: string): void {
    if (!/^[\w-]+$/.test(name)) throw new Error(`MCP server "${name}": a name has letters, digits, "_" and "-" only`);
    const same = this.servers.find(other => plain(other.name) === plain(name));
    if (same !== undefined && (same.extensionPath !== extensionPath || same.name !== name)) {
      throw new Error(`MCP server "${name}" is already registered as "${same.name}" by ${same.extensionPath}`);
    }
    if (!isServer(config)) throw new Error(`MCP server "${name}": it needs a "command" or a "url"`);
    const server = { name, config: structuredClone(config), extensionPath, state: 'not connected' } as const;
    this.servers = [...this.servers.filter(other => other !== same), server];
  }

  /** Forgets a server of this hook; false when it has none of that name. */
  unregister(name: string, extensionPath: string): boolean {
    const left = this.servers.filter(other => other.name !== name || other.extensionPath !== extensionPath);
    const isGone = left.length < this.servers.length;
    this.servers = left;
    return isGone;
  }

  /** Copies, in order of registration. */
  list(): RegisteredMcpServer[] {
    return structuredClone([...this.servers]);
  }
}

/** Names of tools have no `-`, so that both would be the same there. */
function plain(name: string): string {
  return name.replaceAll('-', '_');
}

function isServer(value: unknown): value is McpServerConfig {
  if (!isRecord(value)) return false;
  const { command, url } = value;
  return (typeof command === 'string' && command !== '') !== (typeof url === 'string' && url !== '');
}
