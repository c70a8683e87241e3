import { join } from 'node:path';
import { isRecord } from '../../../base/json/is-record';
import { placeInJson } from '../../../base/json/json-place';
import { jsonFormat } from '../formats/json-format';
import { JsonText } from '../formats/json-text';
import { serversInJson } from '../formats/server-format';
import { TIMEOUT_S, type AgentSetup } from './agent-setup';

/** Variables by which a repository gets other code into every program that the agent starts, our client too. */
const FOREIGN_CODE = new Set(['LD_PRELOAD', 'LD_AUDIT', 'DYLD_INSERT_LIBRARIES', 'SHELLOPTS']);

export const CLAUDE_SETUP: AgentSetup = {
  id: 'claude',
  folder: { variable: 'CLAUDE_CONFIG_DIR', name: '.claude' },
  files: (scope, platform) => [
    { path: scope === 'user' ? ['settings.json'] : managedSettings(platform), format: jsonFormat() },
  ],
  entry({ gates }, command) {
    const closes = gates ? { onFailure: 'block' } : {};
    return { hooks: [{ type: 'command', command, timeout: TIMEOUT_S, ...closes }] };
  },
  settings: ['settings.json', 'settings.local.json'],
  switches(text) {
    const json = JsonText.parse(text);
    const env = json.value(['env']);
    const variables = isRecord(env) ? Object.keys(env).filter(name => FOREIGN_CODE.has(name)) : [];
    const paths = [
      ...(json.value(['disableAllHooks']) === true ? [['disableAllHooks']] : []),
      ...variables.map(name => ['env', name]),
    ];
    return paths.map(path => ({ ...placeInJson(text, path), setting: path.join('.'), path }));
  },
  configFiles: String.raw`\.claude/settings(?:\.local)?\.json`,
  cannotGuard: [
    'Claude Code that is started with --bare runs no hooks of yours, only those that "add --system" writes.',
  ],
  tools: {
    // The variable moves it into the folder.
    file: (folder, { env, home }) => join(env['CLAUDE_CONFIG_DIR'] ? folder : home, '.claude.json'),
    format: serversInJson('mcpServers'),
    entry: ({ command, args }) => ({ type: 'stdio', command, args }),
  },
};

function managedSettings(platform: NodeJS.Platform): readonly string[] {
  if (platform === 'darwin') return ['Library', 'Application Support', 'ClaudeCode', 'managed-settings.json'];
  if (platform === 'win32') return ['Program Files', 'ClaudeCode', 'managed-settings.json'];
  return ['etc', 'claude-code', 'managed-settings.json'];
}
