import { join } from 'node:path';
import { jsonFormat } from '../formats/json-format';
import { serversInJson } from '../formats/server-format';
import { TIMEOUT_S, type AgentSetup } from './agent-setup';

export const CURSOR_SETUP: AgentSetup = {
  id: 'cursor',
  folder: { name: '.cursor' },
  files: (scope, platform) => [
    { path: scope === 'user' ? ['hooks.json'] : enterpriseHooks(platform), format: jsonFormat({ version: 1 }) },
  ],
  entry: ({ gates }, command) => ({ command, timeout: TIMEOUT_S, ...(gates ? { failClosed: true } : {}) }),
  settings: [],
  switches: () => [],
  configFiles: String.raw`\.cursor/hooks\.json`,
  cannotGuard: [
    'Cursor was not tried with Hookline: its guard is made from the documentation of Cursor.',
    'A repository that Cursor trusts can overrule your hooks with hooks of its own, but not those that "add --system" writes.',
    'Cursor cannot withhold the output of a tool, unless it is an MCP tool.',
    'Completions while you type, and agents that run in the cloud, call no hooks of yours.',
  ],
  tools: {
    file: folder => join(folder, 'mcp.json'),
    format: serversInJson('mcpServers'),
    entry: ({ command, args }) => ({ type: 'stdio', command, args }),
  },
};

function enterpriseHooks(platform: NodeJS.Platform): readonly string[] {
  if (platform === 'darwin') return ['Library', 'Application Support', 'Cursor', 'hooks.json'];
  if (platform === 'win32') return ['ProgramData', 'Cursor', 'hooks.json'];
  return ['etc', 'cursor', 'hooks.json'];
}
