import type { AgentId } from '../protocol/agent-call';
import type { GuardPlace } from '../protocol/place';
import { agentFolder } from './agent-files';
import { setupOf } from './agents';
import { toolServerCommand } from './client-command';
import type { ServerEntry, ServerFormat } from './formats/server-format';
import type { Machine } from './this-machine';

/** Where the entry of our MCP server stands in the configuration of an agent. */
export interface ToolsPlace {
  /** Absolute. */
  readonly file: string;
  readonly format: ServerFormat;
  /** What is written there. */
  entry(place: Pick<GuardPlace, 'toolServer' | 'nodeToolServer'>): ServerEntry;
}

export function toolsOf(id: AgentId, machine: Machine): ToolsPlace {
  const { tools } = setupOf(id);
  const { format } = tools;
  return {
    file: tools.file(agentFolder(id, machine), machine),
    format,
    entry: place => tools.entry(toolServerCommand(place, machine)),
  };
}
