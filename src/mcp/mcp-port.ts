import type { McpServers } from './mcp-servers';

/** What a conversation uses of MCP servers; those of its folder, or those and its own. */
export type McpPort = Pick<
  McpServers,
  | 'list'
  | 'find'
  | 'problems'
  | 'replacedBy'
  | 'openPage'
  | 'needsSearch'
  | 'promptSection'
  | 'beforePrompt'
  | 'ready'
  | 'restart'
  | 'logIn'
  | 'logOut'
  | 'reload'
  | 'onDidChange'
  | 'tools'
  | 'prompts'
>;
