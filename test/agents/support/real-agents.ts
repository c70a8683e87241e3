import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelTurn } from '../../../src/guard/fire/model-turn';
import type { FiredId } from '../../../src/guard/fire/fired-agents';

/** A real agent, and what the tests need to know of it. */
export interface RealAgent {
  readonly id: FiredId;
  /** Name and version. */
  readonly title: string;
  /** Absolute path of its program. */
  readonly program: string;
  /** Arguments by which no tool of the tests needs its user. */
  readonly args: readonly string[];
  /** Results of calls are prompts to hooks, too: where none can be sent, the run ends. */
  readonly sendsResultsAsPrompts?: true;
  /** Calls that give a subagent this prompt, and wait for it; absent where subagents need the agent's own server. */
  readonly subagent?: (prompt: string) => readonly ModelTurn[];
  /** A start without a person tells hooks nothing of its prompt. */
  readonly hidesPrompt?: true;
  /** A denial ends the run, and the model does not get the reason. */
  readonly endsAtDenial?: true;
}

const AGENTS: Readonly<Record<FiredId, Omit<RealAgent, 'id' | 'title' | 'program'> & Installed>> = {
  claude: {
    name: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    bin: 'claude',
    args: [],
    subagent: prompt => [
      {
        tool: 'Agent',
        input: { description: 'look', prompt, subagent_type: 'general-purpose', run_in_background: false },
      },
    ],
  },
  codex: {
    name: 'Codex',
    package: '@openai/codex',
    bin: 'codex',
    args: [],
    subagent: prompt => [
      { tool: 'spawn_agent', namespace: 'multi_agent_v1', input: { message: prompt } },
      // The subagent works while this runs.
      { tool: 'exec_command', input: { cmd: 'sleep 3' } },
    ],
  },
  copilot: {
    name: 'Copilot',
    package: '@github/copilot',
    bin: 'copilot',
    args: ['--allow-all-tools', '--allow-all-paths'],
    subagent: prompt => [
      { tool: 'task', input: { description: 'look', prompt, agent_type: 'general-purpose', name: 'look' } },
    ],
  },
  droid: { name: 'Factory Droid', package: 'droid', bin: 'droid', args: ['--auto', 'high'], hidesPrompt: true },
  gemini: {
    name: 'Gemini CLI',
    package: '@google/gemini-cli',
    bin: 'gemini',
    args: [],
    subagent: prompt => [{ tool: 'invoke_agent', input: { agent_name: 'generalist', prompt } }],
  },
  cline: {
    name: 'Cline',
    package: 'cline',
    bin: 'cline',
    args: [],
    endsAtDenial: true,
    subagent: prompt => [{ tool: 'spawn_agent', input: { systemPrompt: 'You look around.', task: prompt } }],
  },
  opencode: {
    name: 'opencode',
    package: 'opencode-ai',
    bin: 'opencode',
    args: [],
    subagent: prompt => [{ tool: 'task', input: { description: 'look', prompt, subagent_type: 'general' } }],
  },
  qwen: {
    name: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    bin: 'qwen',
    args: [],
    sendsResultsAsPrompts: true,
    subagent: prompt => [{ tool: 'agent', input: { description: 'look', prompt, subagent_type: 'general-purpose' } }],
  },
  kilo: {
    name: 'Kilo CLI',
    package: '@kilocode/cli-linux-x64',
    // This package of one system names no program.
    bin: '../@kilocode/cli-linux-x64/bin/kilo',
    args: [],
    subagent: prompt => [{ tool: 'task', input: { description: 'look', prompt, subagent_type: 'general' } }],
  },
};

interface Installed {
  readonly name: string;
  readonly package: string;
  readonly bin: string;
}

/** The agent that the run brings. @throws when it brings none: a test of an agent that is not there would test nothing */
export function realAgent(id: FiredId): RealAgent {
  const { name, package: packageName, bin, ...rest } = AGENTS[id];
  const modules = join(agentsFolder(), 'node_modules');
  return { id, title: `${name} ${versionOf(packageName)}`, program: join(modules, '.bin', bin), ...rest };
}

/** The version of a package that the run brings. */
export function versionOf(packageName: string): string {
  const path = join(agentsFolder(), 'node_modules', packageName, 'package.json');
  return (JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string }).version;
}

/** The folder whose node_modules contain the agents. */
export function agentsFolder(): string {
  const folder = process.env['HOOKLINE_TEST_AGENTS'];
  if (folder === undefined) throw new Error('no agent is installed; "npm run test:agents" brings them');
  return folder;
}
