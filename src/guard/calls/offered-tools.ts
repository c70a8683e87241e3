import { createHash } from 'node:crypto';
import { checkedArguments } from '../../agent/tools/arguments/check-arguments';
import type { AnyTool } from '../../agent/tools/tool';
import type { LoadedHook } from '../../hook-contract/loaded-hook';
import { mcpNames } from '../../mcp/tools/tool-names';
import type { GuardedEvent, TranslatedCall } from '../agents/agent';
import type { OfferedTool } from '../protocol/tools';

/** The name under which MCP clients know our server; agents name its tools `mcp__hookline__<tool>`. */
export const TOOL_SERVER = 'hookline';

/** Clients accept names of 64 characters, some of them with the name of the server in it. */
const LONGEST = 64 - `mcp__${TOOL_SERVER}__`.length;

/** A tool of a hook that MCP clients can call. */
export interface HookToolOffer {
  /** As the hook registered it. */
  readonly toolName: string;
  /** How agents with hooks of their own name a call of it to them. */
  readonly agentName: string;
  readonly offered: OfferedTool;
}

/**
 * The tools that hooks offer to other agents, in order of their registration: all but those that are hidden, or that a hook has to
 * activate first. The first loaded wins for a name.
 */
export function offersOf(hooks: readonly Pick<LoadedHook, 'tools'>[]): readonly HookToolOffer[] {
  const all = hooks.flatMap(({ tools }) => [...tools.values()]);
  const tools = new Map([...all].reverse().map(tool => [tool.name, tool]));
  const usable = [...new Set(all.map(({ name }) => name))]
    .flatMap(name => tools.get(name) ?? [])
    .filter(tool => tool.traits.exposure !== 'hidden' && tool.traits.defaultActive !== false);
  const names = acceptedNames(usable.map(({ name }) => name));
  return usable.map(({ name: toolName, label, description, parameters }, index) => {
    const name = names[index] ?? toolName;
    const schema = JSON.parse(JSON.stringify(parameters)) as Record<string, unknown>;
    const [agentName = name] = mcpNames([{ server: TOOL_SERVER, name }]);
    return {
      ...{ toolName, agentName },
      offered: { name, title: label, description, inputSchema: { ...schema, type: 'object' } },
    };
  });
}

/** Names that are short enough, and that stay different where `-` becomes `_`. Those that change end with a hash. */
function acceptedNames(names: readonly string[]): readonly string[] {
  const alike = names.map(name => name.replaceAll('-', '_'));
  const counts = new Map<string, number>();
  for (const name of alike) counts.set(name, (counts.get(name) ?? 0) + 1);
  return names.map((name, index) => {
    const isUnique = counts.get(alike[index] ?? '') === 1;
    return isUnique && name.length <= LONGEST ? name : marked(name);
  });
}

function marked(name: string): string {
  const mark = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.slice(0, LONGEST - mark.length - 1)}_${mark}`;
}

/** Arguments as the tool gets them. @throws Error that names each member that is wrong, or with the failure of the hook */
export function argumentsFor(tool: AnyTool, given: unknown): Record<string, unknown> {
  const prepared = tool.prepareArguments === undefined ? given : tool.prepareArguments(given);
  return checkedArguments(tool.name, tool.parameters as object, prepared);
}

/**
 * An event about a call of one of these tools, as hooks see it: with the tool's own name, and with the arguments that the tool
 * gets. Any other event is returned as it is. `toolNamed`: the tool in the conversation of the event.
 */
export function withOwnName<E extends GuardedEvent>(
  event: E,
  offers: () => readonly HookToolOffer[],
  toolNamed: (name: string) => AnyTool | undefined,
): E {
  if (event.type !== 'tool_call' && event.type !== 'tool_result') return event;
  const [call] = event.calls;
  if (call === undefined || event.calls.length > 1 || !call.toolName.startsWith(`mcp__${TOOL_SERVER}__`)) return event;
  const offer = offers().find(({ agentName }) => agentName === call.toolName);
  const tool = offer && toolNamed(offer.toolName);
  return tool === undefined ? event : { ...event, calls: [ownCall(tool, call)] };
}

function ownCall(tool: AnyTool, { input }: TranslatedCall): TranslatedCall {
  try {
    return { toolName: tool.name, input: argumentsFor(tool, input) };
  } catch {
    return { toolName: tool.name, input }; // The tool will refuse it, with the reason.
  }
}
