/** How many of a server's tools the model sees. */
export type McpExposure = 'codemode' | 'deferred' | 'direct' | 'hidden';

/** Members of every MCP server, as `mcp.json` has them. */
interface McpServerBase {
  exposure?: McpExposure;
  /** Tool names, or patterns with `*`, that differ from `exposure`. */
  toolExposure?: Record<string, McpExposure>;
  /** What the server offers, in a sentence. */
  description?: string;
  enabled?: boolean;
  /** Timeout of one request, in seconds. */
  timeout?: number;
}

/** A server that is started as a program. */
export interface McpStdioServerConfig extends McpServerBase {
  command: string;
  args?: string[];
  env?: Record<string, string>;
  cwd?: string;
}

/** A server that is reached over HTTP. */
export interface McpHttpServerConfig extends McpServerBase {
  url: string;
  headers?: Record<string, string>;
  oauth?: Record<string, unknown>;
  auth?: { provider: string };
}

/** Second argument of `pi.registerMcpServer`. */
export type McpServerConfig = McpStdioServerConfig | McpHttpServerConfig;

/** An MCP server that a hook registered. */
export interface RegisteredMcpServer {
  name: string;
  config: McpServerConfig;
  /** Path of the hook that registered it. */
  extensionPath: string;
}
