import type { AnyTool } from '../agent/tools/tool';
import { reachOf, serverReach, type ToolReach } from './config/exposure';
import { namespaceOf } from './config/server-config';
import type { McpTool } from './connection/server-offer';
import type { ServerRequestOptions } from './connection/server-connection';
import type { ManagedServer } from './managed-server';
import { createResourceTools, type ResourceServer } from './tools/resource-tools';
import { serverTool } from './tools/server-tool';
import { mcpNames } from './tools/tool-names';
import { defined } from '../base/defined';
import { areSame } from '../base/are-same';

export interface McpToolsParts {
  readonly servers: () => readonly ManagedServer[];
  readonly ready: (signal: AbortSignal | undefined) => Promise<void>;
  /** See `McpServersParts`. */
  readonly declares: (tool: string) => boolean;
}

/** A tool of a server, with the name by which the model calls it. */
export interface NamedTool {
  readonly server: ManagedServer;
  readonly tool: McpTool;
  readonly name: string;
  readonly reach: ToolReach;
}

/** The tools of all servers as tools of the agent. A tool is the same object as long as nothing about it changes. */
export class McpTools {
  private last: { readonly key: readonly unknown[]; readonly tools: readonly AnyTool[] } | undefined;
  /** The tools by name, with a text of all that they were made from. */
  private made = new Map<string, { readonly from: string; readonly tool: AnyTool }>();
  private resources: { readonly reach: ToolReach; readonly tools: readonly AnyTool[] } | undefined;

  constructor(private readonly parts: McpToolsParts) {}

  /** All current tools, including hidden ones. */
  all(): readonly AnyTool[] {
    const servers = this.parts.servers();
    const key = servers.flatMap(({ entry, offer }) => [entry, offer]);
    if (this.last === undefined || !areSame(this.last.key, key)) this.last = { key, tools: this.make() };
    return this.last.tools;
  }

  /** The tools of one server, with the names by which the model calls them. */
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
      // The server is looked up when the call runs: while its gates ran, the server may have been turned off or
      // restarted.
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

  /** The tools for resources; they are `direct` if any server with resources is. */
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

/** What a tool's listing says about its server, in pi's form. */
function namespaceFor({ entry, offer }: ManagedServer): object {
  const description = entry.config.description?.trim() ?? '';
  const instructions = offer?.instructions;
  return {
    name: namespaceOf(entry.name),
    aliases: [entry.name],
    ...(description === '' ? {} : { description }),
    ...defined({ instructions }),
  };
}
