import { join } from 'node:path';
import { placeInJson } from '../../../base/json/json-place';
import { jsonFormat } from '../formats/json-format';
import { JsonText } from '../formats/json-text';
import { serversInJson } from '../formats/server-format';
import { TIMEOUT_S, type AgentSetup } from './agent-setup';

/** In `hooks.json` and in `settings.json`. */
const SWITCHES = [['hooksDisabled'], ['hooks', 'hooksDisabled']];

export const DROID_SETUP: AgentSetup = {
  id: 'droid',
  folder: { variable: 'FACTORY_HOME_OVERRIDE', name: '.factory', isHome: true },
  files: (scope, platform) => [
    scope === 'user'
      ? { path: ['hooks.json'], format: jsonFormat({}, []) }
      : // Where the system says nothing about it, a user or a repository can turn off its hooks, too.
        { path: managedSettings(platform), format: jsonFormat({ hooks: { hooksDisabled: false } }) },
  ],
  entry: (_event, command) => ({ hooks: [{ type: 'command', command, timeout: TIMEOUT_S }] }),
  settings: ['hooks.json', 'settings.json', 'hooks/hooks.json'],
  switches(text) {
    const json = JsonText.parse(text);
    return SWITCHES.filter(path => json.value(path) === true).map(path => ({
      ...placeInJson(text, path),
      setting: path.join('.'),
      path,
    }));
  },
  configFiles: String.raw`\.factory/(?:(?:hooks/)?hooks|settings)\.json`,
  cannotGuard: [
    'droid exec tells hooks nothing of its prompt, and no droid tells them of the result of a call that failed.',
    'Factory Droid reads hooks.json in place of its older file hooks/hooks.json and of the hooks for the same event in settings.json: move your own hooks into hooks.json.',
  ],
  tools: {
    file: folder => join(folder, 'mcp.json'),
    format: serversInJson('mcpServers'),
    entry: ({ command, args }) => ({ type: 'stdio', command, args }),
  },
};

function managedSettings(platform: NodeJS.Platform): readonly string[] {
  if (platform === 'darwin') return ['Library', 'Application Support', 'Factory', 'settings.json'];
  if (platform === 'win32') return ['Program Files', 'Factory', 'settings.json'];
  return ['etc', 'factory', 'settings.json'];
}
