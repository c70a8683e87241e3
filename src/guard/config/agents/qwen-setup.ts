import { join } from 'node:path';
import { placeInJson } from '../../../base/json/json-place';
import { jsonFormat } from '../formats/json-format';
import { JsonText } from '../formats/json-text';
import { serversInJson } from '../formats/server-format';
import { TIMEOUT_S, type AgentSetup, type SwitchPlace } from './agent-setup';

/** Qwen Code runs a call after a minute without an answer, however long an entry asks it to wait. */
const WAIT_S = 60;

export const QWEN_SETUP: AgentSetup = {
  id: 'qwen',
  folder: { variable: 'QWEN_HOME', name: '.qwen' },
  files: (scope, platform) => [
    scope === 'user'
      ? { path: ['settings.json'], format: jsonFormat() }
      : // What the system says counts more than what a repository does.
        { path: systemSettings(platform), format: jsonFormat({ disableAllHooks: false }) },
  ],
  waitS: WAIT_S,
  entry: (_event, command) => ({ hooks: [{ type: 'command', name: 'hookline', command, timeout: WAIT_S }] }),
  settings: ['settings.json'],
  variables: ['.env'],
  switches(text) {
    const variables = variablesIn(text);
    if (variables.length > 0) return variables;
    const path = ['disableAllHooks'];
    if (JsonText.parse(text).value(path) !== true) return [];
    return [{ ...placeInJson(text, path), setting: 'disableAllHooks', path }];
  },
  configFiles: String.raw`\.qwen/(?:settings\.json|\.env)`,
  cannotGuard: [
    'Qwen Code waits no longer than a minute: a question of a hook that has no answer after 55 seconds is a denial.',
    'Qwen Code runs no hooks, not even those of "add --system", if it is started with --bare or --safe-mode, or if a file .env of the repository says so (QWEN_CODE_SAFE_MODE, QWEN_CODE_SIMPLE).',
  ],
  tools: {
    file: folder => join(folder, 'settings.json'),
    format: serversInJson('mcpServers'),
    entry: ({ command, args }) => ({ command, args, timeout: TIMEOUT_S * 1000 }),
  },
};

/** What a file of variables has that keeps Qwen Code from running any hooks. No JSON has such a line. */
function variablesIn(text: string): readonly SwitchPlace[] {
  return [
    ...text.matchAll(/^([ \t]*(?:export[ \t]+)?)(QWEN_CODE_SAFE_MODE|QWEN_CODE_SIMPLE)[ \t]*=[ \t]*["']?[^\s"'#0f]/gim),
  ].map(({ index, 1: before = '', 2: setting = '' }) => {
    const lines = text.slice(0, index + before.length).split('\n');
    const place = { line: lines.length - 1, column: lines.at(-1)?.length ?? 0, length: setting.length };
    return { ...place, setting, path: [setting], beatsSystem: true };
  });
}

function systemSettings(platform: NodeJS.Platform): readonly string[] {
  if (platform === 'darwin') return ['Library', 'Application Support', 'QwenCode', 'settings.json'];
  if (platform === 'win32') return ['ProgramData', 'qwen-code', 'settings.json'];
  return ['etc', 'qwen-code', 'settings.json'];
}
