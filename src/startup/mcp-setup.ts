import { join } from 'node:path';
import type { ModelRegistry } from '../agent/models/registry';
import type { Log } from '../base/log';
import type { HookHost } from '../hook-run/host/host';
import { McpAuthFile, type McpCredentials } from '../mcp/login/mcp-auth-file';
import { McpServers } from '../mcp/mcp-servers';
import type { SettingsPlace } from './live-settings';

/** What {@link createMcpServers} needs. */
export interface McpSetup {
  readonly place: SettingsPlace;
  readonly host: HookHost;
  readonly models: ModelRegistry;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  /** Where logins are stored; in pi's file when absent. */
  readonly credentials?: McpCredentials;
  /** See `McpServersParts`. */
  readonly openPage: (url: URL) => void;
  /** See `McpServersParts`. */
  readonly declares?: (tool: string) => boolean;
  readonly log: Log;
}

/** pi's file of logins to MCP servers, in the agent folder. */
export function mcpAuthFile(agentDir: string): McpCredentials {
  return new McpAuthFile(join(agentDir, 'mcp-auth.json'));
}

/** Creates the servers of `mcp.json` and of hooks. Call `reload` once hooks are loaded: nothing is read before. */
export function createMcpServers(setup: McpSetup): McpServers {
  const { place, host, models, env, version, openPage, declares, log } = setup;
  return new McpServers({
    place,
    registrations: host.mcpServers,
    credentials: setup.credentials ?? mcpAuthFile(place.agentDir),
    providerToken: provider => models.authStorage.getApiKey(provider),
    env,
    version,
    openPage,
    replacement: { path: () => host.commands.ownerOf('mcp'), onDidChange: host.onDidChange },
    declares,
    log,
  });
}
