// The official library for MCP servers. Other files load it with `import('./server-sdk')` only when they need it.
import { Server, type ServerOptions } from '@modelcontextprotocol/sdk/server/index.js';
import type { Implementation } from '@modelcontextprotocol/sdk/types.js';

export { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
export { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';

/* eslint-disable @typescript-eslint/no-deprecated -- the newer class takes no JSON schemas of tools, which hooks may write */

/** A server whose requests are handled one by one. */
export type ProtocolServer = Server;

/** Makes a server that is not connected yet. */
export function newProtocolServer(info: Implementation, options: ServerOptions): ProtocolServer {
  return new Server(info, options);
}
