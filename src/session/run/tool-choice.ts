import { isMcpTool } from '../../mcp/tools/resource-names';
import type { ToolSelection } from '../../hook-contract/child-session';
import type { Toolset } from './toolset';

/** Prefix of the names of tools of MCP servers. */
const MCP = 'mcp__';

/**
 * Which tools there are at all, as today's pi decides it (docs/cli.md): a list of names allows those alone, and tools of MCP
 * servers unless it names some; `--exclude-tools` counts against everything.
 */
export function toolFilter({ tools, excludedTools, withoutTools }: ToolSelection): (name: string) => boolean {
  const isExcluded = matcher(excludedTools);
  const listed = allowedNames(tools, withoutTools);
  if (listed === undefined) return name => !isExcluded(name);
  const isListed = matcher(listed);
  const keepsMcp = withoutTools !== 'all' && !listed.some(name => name.startsWith(MCP));
  return name => !isExcluded(name) && (isListed(name) || (keepsMcp && isMcpTool(name)));
}

/**
 * Whether a tool of an MCP server may be declared from the start, as today's pi decides it: if there is a list of names,
 * only those that it names; the others are only found by `tool_search`.
 */
export function declaresTool({ tools }: Pick<ToolSelection, 'tools'>): (name: string) => boolean {
  return tools === undefined || isChange(tools) ? () => true : matcher(tools);
}

/** Undefined: all. */
function allowedNames(
  tools: ToolSelection['tools'],
  withoutTools: ToolSelection['withoutTools'],
): readonly string[] | undefined {
  if (tools === undefined) return withoutTools === 'all' ? [] : undefined;
  if (!isChange(tools)) return tools;
  return withoutTools === 'all' ? changed([], tools) : undefined;
}

/** The tools there are when a conversation begins, by name. */
export interface ToolsThere {
  readonly all: readonly string[];
  /** By the settings. */
  readonly active: readonly string[];
  /** Our own. */
  readonly builtIn: ReadonlySet<string>;
}

/** The tools that are active at the start; undefined when the command line leaves that to the settings. */
export function toolsAtStart(
  { tools, withoutTools }: ToolSelection,
  { all, active, builtIn }: ToolsThere,
): readonly string[] | undefined {
  if (tools === undefined && withoutTools === undefined) return undefined;
  const base =
    withoutTools === undefined ? active : active.filter(name => withoutTools !== 'all' && !builtIn.has(name));
  if (tools === undefined) return base;
  return isChange(tools) ? changed(base, tools) : all;
}

/** Activates the selected tools; returns the names that no tool has. */
export function chooseTools(toolset: Toolset, selection: ToolSelection): readonly string[] {
  const choices = toolset.choices();
  // Tools of MCP servers are as their servers say.
  const left = new Set(choices.filter(({ origin, active }) => origin === 'mcp' && !active).map(({ name }) => name));
  const all = toolset.all().flatMap(({ name }) => (left.has(name) ? [] : [name]));
  const named = (wanted: (choice: (typeof choices)[number]) => boolean): string[] =>
    choices.filter(wanted).map(({ name }) => name);
  const builtIn = new Set(named(({ origin }) => origin === 'built-in'));
  const active = toolsAtStart(selection, { all, active: named(choice => choice.active), builtIn });
  if (active !== undefined) toolset.setActive(active);
  return unknownTools(selection, all);
}

/** Names of `--tools` that are neither a pattern nor a tool. */
export function unknownTools({ tools = [] }: ToolSelection, known: readonly string[]): readonly string[] {
  const names = tools.map(name => name.replace(/^[+-]/, ''));
  return names.filter(name => !name.includes('*') && !isMcpTool(name) && !known.includes(name));
}

/** `+name` and `-name` change the list of the settings; the command line holds either only those or none. */
function isChange(tools: readonly string[]): boolean {
  return tools.some(name => /^[+-]/.test(name));
}

function changed(base: readonly string[], changes: readonly string[]): readonly string[] {
  const names = new Set(base);
  for (const change of changes) {
    if (change.startsWith('+')) names.add(change.slice(1));
    else names.delete(change.slice(1));
  }
  return [...names];
}

function matcher(names: readonly string[]): (name: string) => boolean {
  const exact = new Set(names);
  const patterns = names
    .filter(name => name.includes('*'))
    .map(name => {
      const parts = name.split('*').map(part => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
      return new RegExp(`^${parts.join('.*')}$`);
    });
  return name => exact.has(name) || patterns.some(pattern => pattern.test(name));
}
