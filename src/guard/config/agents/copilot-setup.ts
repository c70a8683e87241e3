import { join } from 'node:path';
import { jsonFormat } from '../formats/json-format';
import { serversInJson } from '../formats/server-format';
import { TIMEOUT_S, type AgentSetup } from './agent-setup';

export const COPILOT_SETUP: AgentSetup = {
  id: 'copilot',
  folder: { variable: 'COPILOT_HOME', name: '.copilot' },
  files: scope => [
    {
      path: scope === 'user' ? ['hooks', 'hookline.json'] : ['etc', 'github-copilot', 'policy.d', 'hookline.json'],
      format: jsonFormat({ version: 1 }),
    },
  ],
  entry(_event, command, platform) {
    const shell = platform === 'win32' ? { powershell: command } : { bash: command };
    return { type: 'command', ...shell, timeoutSec: TIMEOUT_S };
  },
  settings: [],
  switches: () => [],
  configFiles: String.raw`\.copilot/(?:hooks/[^/]+|settings|config)\.json|\.github/hooks/[^/]+\.json`,
  cannotGuard: ["VS Code's legacy Local agent is not Copilot: it runs a call when a hook fails."],
  tools: {
    file: folder => join(folder, 'mcp-config.json'),
    format: serversInJson('mcpServers'),
    entry: ({ command, args }) => ({ type: 'local', command, args, tools: ['*'], timeout: TIMEOUT_S * 1000 }),
  },
};
