import { join } from 'node:path';
import { REQUIREMENTS } from '../formats/codex-requirements';
import { jsonFormat } from '../formats/json-format';
import { SERVERS_IN_TOML } from '../formats/server-format';
import { readToml } from '../formats/toml-text';
import { TIMEOUT_S, type AgentSetup } from './agent-setup';

/** Events for which Codex waits no longer than this, s: it warns at each start about an entry that asks for more. */
const SHORTER_S: Readonly<Record<string, number>> = { SessionEnd: 3 };

/** The feature's name, and its older one. */
const HOOKS = new Set(['hooks', 'codex_hooks']);

export const CODEX_SETUP: AgentSetup = {
  id: 'codex',
  folder: { variable: 'CODEX_HOME', name: '.codex' },
  files: scope => [
    scope === 'user'
      ? { path: ['hooks.json'], format: jsonFormat() }
      : { path: ['etc', 'codex', 'requirements.toml'], format: REQUIREMENTS },
  ],
  entry: ({ name }, command) => ({
    hooks: [{ type: 'command', command, timeout: SHORTER_S[name] ?? TIMEOUT_S }],
  }),
  settings: ['config.toml'],
  isProfile: name => name.endsWith('.config.toml'),
  switches(text) {
    return readToml(text)
      .flatMap(({ values }) => values)
      .filter(({ path: [table, name = '', below], value }) => {
        return table === 'features' && below === undefined && HOOKS.has(name) && value === false;
      })
      .map(({ path, offset, length }) => {
        const before = text.slice(0, offset).split('\n');
        return {
          line: before.length - 1,
          column: before.at(-1)?.length ?? 0,
          length,
          setting: `${path.join('.')} = false`,
          path,
        };
      });
  },
  configFiles: String.raw`\.codex/(?:hooks\.json|(?:[^/]+\.)?config\.toml)`,
  cannotGuard: ['Text that Codex writes into a program that runs already (write_stdin) reaches no hook.'],
  tools: {
    file: folder => join(folder, 'config.toml'),
    format: SERVERS_IN_TOML,
    // A hook may ask a person.
    entry: ({ command, args }) => ({ command, args, startup_timeout_sec: 30, tool_timeout_sec: TIMEOUT_S }),
  },
};
