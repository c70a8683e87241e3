import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/** Tools of MCP servers that may run without a question. A server's own word that a tool only reads is not enough. */
const ALLOWED = new Set(['mcp__docs__search']);

/** Asks before a tool of an MCP server runs. Calls of MCP tools pass the same event as all others. */
export default function mcpGate(pi: ExtensionAPI) {
  pi.on('tool_call', async (event, ctx) => {
    if (!event.toolName.startsWith('mcp__') || ALLOWED.has(event.toolName)) return undefined;
    const [, server = '', tool = ''] = event.toolName.split('__');
    const question = `Let the MCP server "${server}" run "${tool}"?`;
    if (ctx.hasUI && (await ctx.ui.confirm(question, JSON.stringify(event.input, null, 2)))) return undefined;
    return { block: true, reason: `"${tool}" of the MCP server "${server}" was not approved.` };
  });
}
