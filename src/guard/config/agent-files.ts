import { join } from 'node:path';
import type { AgentId } from '../protocol/agent-call';

/** The machine whose agents are guarded. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Absolute path below which the files of the system are: `/`, and another folder in tests. */
  readonly root: string;
}

/** `user`: the agent's configuration of this user. `system`: the one that no user or repository can override. */
export type GuardScope = 'user' | 'system';

/** Absolute path of the agent's own folder in the user's home. */
export function agentFolder(agent: AgentId, { env, home }: Machine): string {
  const [variable, usual] = FOLDERS[agent];
  const given = env[variable];
  return given === undefined || given === '' ? join(home, usual) : given;
}

const FOLDERS: Readonly<Record<AgentId, readonly [variable: string, folder: string]>> = {
  claude: ['CLAUDE_CONFIG_DIR', '.claude'],
  copilot: ['COPILOT_HOME', '.copilot'],
  codex: ['CODEX_HOME', '.codex'],
};

/** Absolute path of the file that the guard of an agent is written to. */
export function guardedFile(agent: AgentId, scope: GuardScope, machine: Machine): string {
  if (scope === 'user') return join(agentFolder(agent, machine), ...USER_FILES[agent]);
  return join(machine.root, ...systemFile(agent, machine.platform));
}

const USER_FILES: Readonly<Record<AgentId, readonly string[]>> = {
  claude: ['settings.json'],
  copilot: ['hooks', 'hookline.json'],
  codex: ['hooks.json'],
};

function systemFile(agent: AgentId, platform: NodeJS.Platform): readonly string[] {
  switch (agent) {
    case 'claude':
      if (platform === 'darwin') return ['Library', 'Application Support', 'ClaudeCode', 'managed-settings.json'];
      if (platform === 'win32') return ['Program Files', 'ClaudeCode', 'managed-settings.json'];
      return ['etc', 'claude-code', 'managed-settings.json'];
    case 'copilot':
      return ['etc', 'github-copilot', 'policy.d', 'hookline.json'];
    case 'codex':
      return ['etc', 'codex', 'requirements.toml'];
  }
}
