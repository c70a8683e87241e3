import { join } from 'node:path';
import type { AgentId } from '../protocol/agent-call';
import type { ModelTurn } from './model-turn';

/** How an agent is started once, without its user, against the built-in model. */
export interface FiredAgent {
  /** Arguments of its program. `url` is the base address of the model, `own` as for {@link files}. */
  args(prompt: string, url: string, own: string): readonly string[];
  /** What it needs in its environment: the model, a key that is none, and its switches against telemetry and updates. */
  env(url: string, own: string): Readonly<Record<string, string>>;
  /**
   * Texts of files by their paths below `own`, a folder that is there for this start, absolute: for an agent that takes the model
   * only from a file.
   */
  files?(url: string): Readonly<Record<string, string>>;
  /** The call of its tool for commands. */
  shellCall(command: string): ModelTurn;
  /** The file below `own` in which it notes the reason of a denial, where the model does not get it since the run ends. */
  readonly denialsIn?: string;
  /** What it keeps of the start, for texts: where, below the home folder. */
  readonly leaves: readonly string[];
}

/** Any text: the built-in model looks at no key. */
const NO_KEY = 'none';

/** Cline's name of whoever speaks OpenAI's API. */
const CLINE_PROVIDER = 'openai-compatible';

/** Nothing listens there, so that an agent reaches nothing but the built-in model. */
const DEAD_PROXY = 'http://127.0.0.1:9';
const NO_NETWORK = {
  HTTP_PROXY: DEAD_PROXY,
  HTTPS_PROXY: DEAD_PROXY,
  ALL_PROXY: DEAD_PROXY,
  http_proxy: DEAD_PROXY,
  https_proxy: DEAD_PROXY,
  all_proxy: DEAD_PROXY,
  NO_PROXY: '127.0.0.1,localhost',
  no_proxy: '127.0.0.1,localhost',
  DO_NOT_TRACK: '1',
};

/** The agents that can be started without their user. Cursor cannot: it has no program for that which works without an account. */
export type FiredId = Exclude<AgentId, 'cursor'>;

export function isFiredId(id: AgentId): id is FiredId {
  return Object.hasOwn(FIRED_AGENTS, id);
}

export const FIRED_AGENTS: Readonly<Record<FiredId, FiredAgent>> = {
  claude: {
    args: (prompt, url) => [
      ...['-p', prompt, '--allowedTools', 'Bash', '--strict-mcp-config', '--no-session-persistence'],
      // The user's settings can have variables, too, which count more than those of the process.
      ...['--settings', JSON.stringify({ env: claudeModel(url) })],
    ],
    env: url => ({
      ...NO_NETWORK,
      ...claudeModel(url),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_TELEMETRY: '1',
    }),
    shellCall: command => ({ tool: 'Bash', input: { command, description: 'Make a marker' } }),
    leaves: [
      'empty folders in ~/.claude/projects and ~/.claude/session-env',
      'what it writes of its own plugin at each start in ~/.claude/plugins',
    ],
  },
  codex: {
    args: (prompt, url) => [
      ...['exec', '--skip-git-repo-check', '--ephemeral', '--sandbox', 'workspace-write'],
      ...Object.entries({
        model: 'gpt-5.5',
        model_provider: 'hookline',
        'model_providers.hookline.name': 'hookline',
        'model_providers.hookline.base_url': `${url}/v1`,
        'model_providers.hookline.env_key': 'HOOKLINE_NO_KEY',
        'model_providers.hookline.wire_api': 'responses',
        'model_providers.hookline.supports_websockets': false,
        'model_providers.hookline.request_max_retries': 0,
        'model_providers.hookline.stream_max_retries': 0,
        'analytics.enabled': false,
        check_for_update_on_startup: false,
      }).flatMap(([key, value]) => ['-c', `${key}=${JSON.stringify(value)}`]),
      prompt,
    ],
    env: () => ({ ...NO_NETWORK, HOOKLINE_NO_KEY: NO_KEY }),
    shellCall: command => ({ tool: 'exec_command', input: { cmd: command } }),
    leaves: ['lines in the log of ~/.codex'],
  },
  copilot: {
    args: prompt => [
      ...['-p', prompt, '--allow-tool', 'shell', '--no-auto-update', '--no-ask-user', '--no-custom-instructions'],
      ...['--disable-builtin-mcps', '--disable-client-telemetry', '--log-level', 'none'],
    ],
    env: url => ({
      ...NO_NETWORK,
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_MODEL: 'gpt-4.1',
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_WIRE_API: 'completions',
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: NO_KEY,
    }),
    shellCall: command => ({ tool: 'bash', input: { command, description: 'Make a marker' } }),
    leaves: [
      'a session in ~/.copilot/session-state, which --resume lists',
      'the same in ~/.copilot/session-store.db',
      'an empty file in ~/.copilot/logs',
    ],
  },
  droid: {
    args: prompt => ['exec', '--auto', 'low', '--model', 'custom:Hookline-0', prompt],
    env: (_url, own) => ({
      ...NO_NETWORK,
      FACTORY_API_KEY: NO_KEY,
      FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false',
      FACTORY_RUNTIME_SETTINGS_PATH: join(own, 'settings.json'),
    }),
    files: url => ({
      'settings.json': JSON.stringify({
        customModels: [
          { model: 'hookline', displayName: 'Hookline', provider: 'anthropic', baseUrl: url, apiKey: NO_KEY },
        ],
        cloudSessionSync: false,
      }),
    }),
    shellCall: command => ({
      tool: 'Execute',
      input: { summary: 'Make a marker', command, riskLevelReason: 'It is harmless', riskLevel: 'low' },
    }),
    leaves: ['a session in ~/.factory/sessions', 'its entry in ~/.factory/cache', 'lines in ~/.factory/logs'],
  },
  gemini: {
    args: prompt => ['-p', prompt, '--approval-mode', 'yolo', '--skip-trust'],
    env: url => ({
      ...NO_NETWORK,
      // The one way to another address of the model that asks for no login.
      GOOGLE_GENAI_USE_VERTEXAI: 'true',
      GOOGLE_API_KEY: NO_KEY,
      GOOGLE_VERTEX_BASE_URL: url,
      GEMINI_MODEL: 'gemini-2.5-pro',
      GEMINI_SANDBOX: 'false',
      GEMINI_TELEMETRY_ENABLED: 'false',
    }),
    shellCall: command => ({ tool: 'run_shell_command', input: { command, description: 'Make a marker' } }),
    leaves: ['a session in ~/.gemini/tmp', 'the name of the folder in ~/.gemini/projects.json and ~/.gemini/history'],
  },
  qwen: {
    args: (prompt, url) => [
      ...['-p', prompt, '--approval-mode', 'yolo', '--auth-type', 'openai', '--model', 'qwen3-coder-plus'],
      ...['--openai-base-url', `${url}/v1`, '--openai-api-key', NO_KEY, '--chat-recording', 'false'],
    ],
    env: url => ({
      ...NO_NETWORK,
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: NO_KEY,
      OPENAI_MODEL: 'qwen3-coder-plus',
      QWEN_TELEMETRY_ENABLED: 'false',
    }),
    shellCall: command => ({ tool: 'run_shell_command', input: { command, is_background: false } }),
    leaves: [
      'files in ~/.qwen/tmp',
      'what was used in ~/.qwen/usage and ~/.qwen/usage_record.jsonl',
      'an empty file ~/.qwen/.openai-logs-cleanup for the folder',
    ],
  },
  cline: {
    args: (prompt, _url, own) => ['--data-dir', own, prompt],
    env: (_url, own) => ({ ...NO_NETWORK, CLINE_GLOBAL_SETTINGS_PATH: join(own, 'settings', 'global.json') }),
    files: url => ({
      'settings/global.json': JSON.stringify({ telemetryOptOut: true, autoUpdateEnabled: false }),
      'settings/providers.json': JSON.stringify({
        version: 1,
        lastUsedProvider: CLINE_PROVIDER,
        modes: {},
        providers: {
          [CLINE_PROVIDER]: {
            settings: { provider: CLINE_PROVIDER, apiKey: NO_KEY, model: 'hookline', baseUrl: `${url}/v1` },
            updatedAt: '2026-01-01T00:00:00.000Z',
            tokenSource: 'manual',
          },
        },
      }),
    }),
    shellCall: command => ({ tool: 'run_commands', input: { commands: [command] } }),
    denialsIn: 'logs/cline.log',
    leaves: [],
  },
  opencode: {
    args: prompt => ['run', prompt],
    env: url => ({
      ...NO_NETWORK,
      OPENCODE_CONFIG_CONTENT: openCodeModel(url),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      // At each start, it installs a package beside its plugins, and waits long for a network that is not there.
      npm_config_offline: 'true',
    }),
    shellCall: command => ({ tool: 'bash', input: { command, description: 'Make a marker' } }),
    leaves: ['a session in ~/.local/share/opencode', 'lines in its log there', 'locks in ~/.local/state/opencode'],
  },
  kilo: {
    args: prompt => ['run', prompt],
    env: url => ({
      ...NO_NETWORK,
      KILO_CONFIG_CONTENT: openCodeModel(url),
      KILO_DISABLE_AUTOUPDATE: '1',
      KILO_DISABLE_LSP_DOWNLOAD: '1',
      KILO_DISABLE_MODELS_FETCH: '1',
      KILO_DISABLE_SESSION_INGEST: '1',
      KILO_NO_DAEMON: '1',
      KILO_TELEMETRY_LEVEL: 'off',
      npm_config_offline: 'true',
    }),
    shellCall: command => ({ tool: 'bash', input: { command, description: 'Make a marker' } }),
    leaves: [
      'a session in ~/.local/share/kilo',
      'lines in its log there',
      'locks in ~/.local/state/kilo',
      'the rules of its sandbox in ~/.local/state/kilo-sandbox-policy',
    ],
  },
};

function claudeModel(url: string): Readonly<Record<string, string>> {
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: NO_KEY,
    ANTHROPIC_AUTH_TOKEN: '',
    CLAUDE_CODE_OAUTH_TOKEN: '',
    CLAUDE_CODE_USE_BEDROCK: '',
    CLAUDE_CODE_USE_VERTEX: '',
    CLAUDE_CODE_USE_FOUNDRY: '',
  };
}

/** The settings of opencode that count more than those of the user and the project. */
function openCodeModel(url: string): string {
  return JSON.stringify({
    model: 'hookline/check',
    small_model: 'hookline/check',
    provider: {
      hookline: {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `${url}/v1`, apiKey: NO_KEY },
        models: { check: { name: 'check', tool_call: true, limit: { context: 100_000, output: 4000 } } },
      },
    },
    permission: { bash: 'allow' },
    autoupdate: false,
    share: 'disabled',
  });
}
