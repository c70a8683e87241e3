import type { AnyTool } from '../agent/tools/tool';
import { reachOf, serverReach, type ToolReach } from './config/exposure';
import { namespaceOf } from './config/server-config';
import type { McpTool } from './connection/offer';
import type { ServerRequestOptions } from './connection/server-connection';
import type { ManagedServer } from './managed-server';
import { createResourceTools, type ResourceServer } from './tools/resource-tools';
import { serverTool } from './tools/server-tool';
import { mcpNames } from './tools/tool-names';

export interface McpToolsParts {
  readonly servers: () => readonly ManagedServer[];
  readonly ready: (signal: AbortSignal | undefined) => Promise<void>;
  /** See `McpServersParts`. */
  readonly declares: (tool: string) => boolean;
}

/** A tool of a server, under the name that the model calls. */
export interface NamedTool {
  readonly server: ManagedServer;
  readonly tool: McpTool;
  readonly name: string;
  readonly reach: ToolReach;
}

/** The tools of all servers as tools of the agent; the same objects as long as nothing about them changes. */
export class McpTools {
  private last: { readonly key: readonly unknown[]; readonly tools: readonly AnyTool[] } | undefined;
  /** By name, with what each was made from. */
  private made = new Map<string, { readonly from: string; readonly tool: AnyTool }>();
  private resources: { readonly reach: ToolReach; readonly tools: readonly AnyTool[] } | undefined;

  constructor(private readonly parts: McpToolsParts) {}

  /** All there are now, hidden ones included. */
  all(): readonly AnyTool[] {
    const servers = this.parts.servers();
    const key = servers.flatMap(({ entry, offer }) => [entry, offer]);
    if (this.last === undefined || !isSame(this.last.key, key)) this.last = { key, tools: this.make() };
    return this.last.tools;
  }

  /** The tools of one server as the model calls them, or would. */
  of(server: string): readonly NamedTool[] {
    return this.named().filter(each => each.server.name === server);
  }

  private make(): readonly AnyTool[] {
    const before = this.made;
    this.made = new Map();
    const tools = this.named().map(named => {
      const from = JSON.stringify([named.server.name, named.tool, named.reach, namespaceFor(named.server)]);
      const known = before.get(named.name);
      const tool = known?.from === from ? known.tool : this.toolFor(named);
      this.made.set(named.name, { from, tool });
      return tool;
    });
    return [...tools, ...this.resourceTools()];
  }

  private named(): readonly NamedTool[] {
    const offered = this.parts.servers().flatMap(server => (server.offer?.tools ?? []).map(tool => ({ server, tool })));
    const names = mcpNames(offered.map(({ server, tool }) => ({ server: server.name, name: tool.name })));
    return offered.map(({ server, tool }, index) => {
      const name = names[index] ?? '';
      return { server, tool, name, reach: this.declared(reachOf(server.entry.config, tool.name), name) };
    });
  }

  private declared(reach: ToolReach, name: string): ToolReach {
    return reach === 'direct' && !this.parts.declares(name) ? 'deferred' : reach;
  }

  private toolFor({ server, tool, name, reach }: NamedTool): AnyTool {
    const call = (args: unknown, options: ServerRequestOptions): Promise<Readonly<Record<string, unknown>>> => {
      // Asked when it runs: a call may have waited for its gates while the server was turned off, or started again.
      const current = this.parts.servers().find(each => each.name === server.name);
      const { connection, offer } = current ?? {};
      if (connection === undefined) throw new Error(`MCP server "${server.name}" is disabled.`);
      if (offer?.tools.some(each => each.name === tool.name) !== true) {
        throw new Error(`MCP server "${server.name}" has no tool "${tool.name}" any more.`);
      }
      return connection.request('tools/call', { name: tool.name, arguments: args ?? {} }, options);
    };
    const readsResources = (): boolean => this.withResources().some(each => each.name === server.name);
    return serverTool({
      ...{ name, server: server.name, tool, reach, readsResources },
      namespace: namespaceFor(server),
      call: async (args, options) => call(args, options),
    });
  }

  private withResources(): readonly ManagedServer[] {
    return this.parts
      .servers()
      .filter(({ offer, entry }) => offer?.hasResources === true && serverReach(entry.config) !== 'hidden');
  }

  /** They are reached as the servers with resources are that are reached most easily. */
  private resourceTools(): readonly AnyTool[] {
    const reaches = this.withResources().map(({ entry }) => serverReach(entry.config));
    if (reaches.length === 0) return [];
    const reach = reaches.includes('direct') ? 'direct' : 'deferred';
    if (this.resources?.reach !== reach) this.resources = { reach, tools: this.createResourceTools(reach) };
    return this.resources.tools;
  }

  private createResourceTools(reach: ToolReach): readonly AnyTool[] {
    const servers = async (signal: AbortSignal | undefined): Promise<readonly ResourceServer[]> => {
      await this.parts.ready(signal);
      return this.withResources().flatMap(({ name, connection }) =>
        connection === undefined ? [] : [{ name, request: (...asked) => connection.request(...asked) }],
      );
    };
    return createResourceTools({ reach, servers });
  }
}

/** What tools tell of the server that they belong to, in pi's words. */
function namespaceFor({ entry, offer }: ManagedServer): object {
  const description = entry.config.description?.trim() ?? '';
  const instructions = offer?.instructions;
  return {
    name: namespaceOf(entry.name),
    aliases: [entry.name],
    ...(description === '' ? {} : { description }),
    ...(instructions === undefined ? {} : { instructions }),
  };
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index]);
}
