import { join } from 'node:path';
import type { AgentId } from '../../protocol/agent-call';
import { openCodePlugin } from '../formats/opencode-plugin';
import { serversInJson } from '../formats/server-format';
import { TIMEOUT_S, type AgentSetup } from './agent-setup';

interface OpenCodeTraits {
  /** As users know it. */
  readonly name: string;
  /** Its folder in `~/.config`. */
  readonly folder: string;
  /** Matches the names of its folders in a project. */
  readonly projectFolders: string;
  /** Matches the names of its configuration files. */
  readonly configs: string;
  readonly pure: string;
}

/** The setup of opencode or of a program made from it: a plugin, which the agent loads at its start. */
function openCodeSetup(id: AgentId, { name, folder, projectFolders, configs, pure }: OpenCodeTraits): AgentSetup {
  const folders = String.raw`(?:\.config/${folder}|${projectFolders})`;
  return {
    id,
    folder: { variable: 'XDG_CONFIG_HOME', name: `.config/${folder}`, inVariable: folder },
    files: scope => (scope === 'user' ? [{ path: ['plugin', 'hookline.js'], format: openCodePlugin(name) }] : []),
    loadsPlugin: true,
    entry: (_event, command) => ({ command }),
    settings: [],
    switches: () => [],
    configFiles: String.raw`${folders}/(?:plugin|tool)s?/[^/]+\.[jt]s|${configs}`,
    cannotGuard: [
      `${name} that is started with --pure or ${pure} loads no plugins, so no hooks run.`,
      `${name} also loads plugins and tools of a project, without a question: they run in its process, unchecked, and could end the guard.`,
    ],
    tools: {
      file: own => join(own, `${folder}.json`),
      format: serversInJson('mcp'),
      entry: ({ command, args }) => ({ type: 'local', command: [command, ...args], timeout: TIMEOUT_S * 1000 }),
    },
  };
}

export const OPENCODE_SETUP = openCodeSetup('opencode', {
  name: 'opencode',
  folder: 'opencode',
  projectFolders: String.raw`\.opencode`,
  configs: String.raw`opencode\.jsonc?`,
  pure: 'OPENCODE_PURE',
});

export const KILO_SETUP = openCodeSetup('kilo', {
  name: 'Kilo CLI',
  folder: 'kilo',
  projectFolders: String.raw`\.kilo(?:code)?`,
  configs: String.raw`kilo\.jsonc?`,
  pure: 'KILO_PURE',
});
