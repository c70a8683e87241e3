import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CLINE } from '../../agents/cline';
import type { GuardEntry } from '../formats/guard-format';
import { OWN_FILE_MARK, ownFileFormat } from '../formats/own-file-format';
import { serversInJson } from '../formats/server-format';
import { TIMEOUT_S, type AgentSetup } from './agent-setup';

/**
 * Cline starts each file of a folder that has the name of an event. The ending is one that few people choose, so that our files
 * lie beside those of others.
 */
export const CLINE_SETUP: AgentSetup = {
  id: 'cline',
  folder: { variable: 'CLINE_DIR', name: '.cline' },
  files(scope, platform) {
    if (scope === 'system') return [];
    const [ending, textOf] = platform === 'win32' ? (['mjs', moduleText] as const) : (['bash', scriptText] as const);
    return CLINE.events.map(({ name }) => ({
      path: ['hooks', `${name}.${ending}`],
      format: ownFileFormat(entries => textOf(commandIn(entries))),
      mode: 0o700,
      event: name,
    }));
  },
  waitS: 120,
  entry: (_event, command) => ({ command }),
  settings: [],
  switches: () => [],
  configFiles: String.raw`\.cline(?:rules)?/hooks/[^/]+|Cline/Hooks/[^/]+`,
  cannotGuard: [
    'A denial ends the whole run of Cline: neither its model nor you get the reason there. "hookline guard log" has it.',
    'Cline waits two minutes for an answer, so a question of a hook that nobody answers for 115 seconds is a denial.',
    'Cline tells hooks nothing of its prompt.',
  ],
  tools: {
    file: (folder, { env }) =>
      env['CLINE_MCP_SETTINGS_PATH'] ||
      join(env['CLINE_DATA_DIR'] || join(folder, 'data'), 'settings', 'cline_mcp_settings.json'),
    format: serversInJson('mcpServers'),
    entry: ({ command, args }) => ({ command, args, timeout: TIMEOUT_S }),
  },
};

function commandIn([entry]: readonly GuardEntry[]): string {
  return String(entry?.group['command']);
}

function scriptText(command: string): string {
  return `#!/bin/bash -p\n# ${OWN_FILE_MARK}. Cline starts it for each event with this name.\nexec ${command}\n`;
}

/** Without another process, whose parent would not be Cline. */
function moduleText(command: string): string {
  const [, client = '', ...words] = /^node "(.*)" (\S+) (\S+)$/.exec(command) ?? [];
  const url = pathToFileURL(client, { windows: true }).href;
  return [
    `// ${OWN_FILE_MARK}. Cline starts it for each event with this name.`,
    `process.argv.splice(2, Infinity, ${words.map(word => JSON.stringify(word)).join(', ')});`,
    `await import(${JSON.stringify(url)});`,
    '',
  ].join('\n');
}
