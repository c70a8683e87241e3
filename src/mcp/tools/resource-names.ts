/** The names of the tools for resources of all servers, as in pi and other agents. */
export const LIST_RESOURCES = 'list_mcp_resources';
export const LIST_RESOURCE_TEMPLATES = 'list_mcp_resource_templates';
export const READ_RESOURCE = 'read_mcp_resource';

/** Whether a tool of this name belongs to MCP servers. */
export function isMcpTool(name: string): boolean {
  return name.startsWith('mcp__') || [LIST_RESOURCES, LIST_RESOURCE_TEMPLATES, READ_RESOURCE].includes(name);
}
