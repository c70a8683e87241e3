import type { McpExposure, McpServerConfig } from '../../hook-typings/registered/mcp';

/**
 * How the model reaches a tool: a `direct` tool is declared from the start, a `deferred` one after `tool_search` found
 * it, and a `hidden` one never. pi's `codemode` counts as `deferred` (docs/mcp.md).
 */
export type ToolReach = 'direct' | 'deferred' | 'hidden';

/** How a tool is reached: by its entry in `toolExposure`, by the first pattern that fits, or as the server. */
export function reachOf({ exposure, toolExposure = {} }: McpServerConfig, tool: string): ToolReach {
  const own = Object.hasOwn(toolExposure, tool) ? toolExposure[tool] : undefined;
  return reach(own ?? byPattern(toolExposure, tool) ?? exposure);
}

/** Every reach that tools of a server may have by its configuration; known before it is connected. */
export function reachesOf({ exposure, toolExposure = {} }: McpServerConfig): ReadonlySet<ToolReach> {
  return new Set([reach(exposure), ...Object.values(toolExposure).map(reach)]);
}

/** How a server's tools are reached if `toolExposure` has no entry for them. */
export function serverReach({ exposure }: McpServerConfig): ToolReach {
  return reach(exposure);
}

function reach(exposure: McpExposure = 'codemode'): ToolReach {
  return exposure === 'codemode' ? 'deferred' : exposure;
}

function byPattern(patterns: Readonly<Record<string, McpExposure>>, tool: string): McpExposure | undefined {
  const found = Object.entries(patterns).find(([pattern]) => pattern.includes('*') && fits(pattern, tool));
  return found?.[1];
}

/**
 * Whether a name fits a pattern in which `*` matches any text. No pattern makes this slow, unlike a regular expression.
 */
function fits(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop() ?? '';
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > name.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}
