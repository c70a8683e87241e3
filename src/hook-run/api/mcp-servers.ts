import { isRecord } from '../../base/json/is-record';
import { Emitter } from '../../base/event';
import type { McpServerConfig, RegisteredMcpServer } from '../../hook-typings/registered/mcp';

/** Says why a configuration cannot be used, in words that follow the server's name; undefined when it can. */
export type McpConfigCheck = (name: string, config: unknown) => string | undefined;

/** The MCP servers that hooks registered, in order; the part that connects servers follows this list. */
export class RegisteredMcpServers {
  private servers: readonly RegisteredMcpServer[] = [];
  private readonly changeEmitter = new Emitter<void>();
  readonly onDidChange = this.changeEmitter.event;

  constructor(private readonly check: McpConfigCheck) {}

  /**
   * Keeps a server; a second server with its name replaces it.
   * @throws Error for an invalid name, the name of a server of another hook, and an invalid configuration
   */
  register(name: string, config: unknown, extensionPath: string): void {
    if (!/^[\w-]+$/.test(name)) throw new Error(`MCP server "${name}": a name has letters, digits, "_" and "-" only`);
    const same = this.servers.find(other => plain(other.name) === plain(name));
    if (same !== undefined && (same.extensionPath !== extensionPath || same.name !== name)) {
      throw new Error(`MCP server "${name}" is already registered as "${same.name}" by ${same.extensionPath}`);
    }
    const fault = isRecord(config) ? this.check(name, config) : 'must be an object';
    if (fault !== undefined) throw new Error(`MCP server "${name}": ${fault}`);
    // Its members were checked.
    const server = { name, config: structuredClone(config) as McpServerConfig, extensionPath };
    this.servers = [...this.servers.filter(other => other !== same), server];
    this.changeEmitter.fire();
  }

  /** Removes a server of this hook; false when it has none of that name. */
  unregister(name: string, extensionPath: string): boolean {
    const left = this.servers.filter(other => other.name !== name || other.extensionPath !== extensionPath);
    const isGone = left.length < this.servers.length;
    this.servers = left;
    if (isGone) this.changeEmitter.fire();
    return isGone;
  }

  /** Copies, in order of registration. */
  list(): RegisteredMcpServer[] {
    return structuredClone([...this.servers]);
  }
}

/** Names of tools have no `-`, so both names would be the same there. */
function plain(name: string): string {
  return name.replaceAll('-', '_');
}
