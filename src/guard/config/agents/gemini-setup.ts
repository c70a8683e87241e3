import { join } from 'node:path';
import { placeInJson } from '../../../base/json/json-place';
import { jsonFormat } from '../formats/json-format';
import { JsonText } from '../formats/json-text';
import { serversInJson } from '../formats/server-format';
import { TIMEOUT_S, type AgentSetup } from './agent-setup';

/** As which Gemini CLI lists our entries, and as which a file can switch them off. */
const NAME = 'hookline';

export const GEMINI_SETUP: AgentSetup = {
  id: 'gemini',
  folder: { variable: 'GEMINI_CLI_HOME', name: '.gemini', isHome: true },
  files: scope => (scope === 'user' ? [{ path: ['settings.json'], format: jsonFormat() }] : []),
  entry: (_event, command) => ({ hooks: [{ type: 'command', name: NAME, command, timeout: TIMEOUT_S * 1000 }] }),
  settings: ['settings.json'],
  switches(text) {
    const json = JsonText.parse(text);
    const disabled = json.value(['hooksConfig', 'disabled']);
    const names: readonly unknown[] = Array.isArray(disabled) ? disabled : [];
    const off = json.value(['hooksConfig', 'enabled']) === false ? [['hooksConfig', 'enabled']] : [];
    const own = names.flatMap((name, at) => (name === NAME ? [['hooksConfig', 'disabled', at]] : []));
    return [...off, ...own].map(path => ({
      ...placeInJson(text, path),
      setting: path.slice(0, 2).join('.'),
      path,
    }));
  },
  configFiles: String.raw`\.gemini/settings\.json`,
  cannotGuard: [
    'A repository that Gemini CLI trusts can turn your hooks off in its .gemini/settings.json, and no file of the system prevents it.',
  ],
  tools: {
    file: folder => join(folder, 'settings.json'),
    format: serversInJson('mcpServers'),
    entry: ({ command, args }) => ({ command, args, timeout: TIMEOUT_S * 1000 }),
  },
};
