import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../scripts/support/paths.ts';
import { AGENT_MARKS } from '../../../src/agent/tools/shell/process';
import { LeftoverProcesses } from '../../../src/agent/tools/shell/leftover-processes';
import type { Ancestor } from '../../../src/base/ending/ancestors';
import { agentAmong, callingAgent } from '../../../src/startup/agents/calling-agent';
import { KNOWN_AGENTS } from '../../../src/startup/agents/known-agents';
import { tried } from '../../support/tried';

/** What programs set for the commands that they run, as seen in these versions. */
const SEEN: Readonly<Record<string, readonly string[]>> = {
  'Claude Code 2.1.332': ['AI_AGENT', 'CLAUDECODE', 'CLAUDE_CODE_CHILD_SESSION'],
  'Codex 0.171.0': ['CODEX_CI', 'CODEX_SESSION_ID', 'CODEX_THREAD_ID', 'CODEX_TOOL_CALL_ID'],
  'Codex 0.171.0 in its sandbox': ['CODEX_SANDBOX', 'CODEX_SANDBOX_NETWORK_DISABLED'],
  'Copilot CLI 1.0.102': ['COPILOT_AGENT_SESSION_ID', 'COPILOT_CLI'],
  'Gemini CLI 0.61.0': ['GEMINI_CLI'],
  'Qwen Code 0.24.4': ['QWEN_CODE'],
  'opencode 1.18.33': ['OPENCODE', 'OPENCODE_PID'],
  'Kilo 7.7.9': ['KILO_PID', 'OPENCODE'],
  'today’s pi': Object.keys(AGENT_MARKS),
  Hookline: [new LeftoverProcesses().name, ...Object.keys(AGENT_MARKS)],
};

/** What people set, and what editors, terminals and CI set for people. */
const OF_PEOPLE = [
  ...['CODEX_HOME', 'CODEX_ACCESS_TOKEN', 'CODEX_SQLITE_HOME', 'CODEX_VERSION', 'CODEX', 'SANDBOX'],
  ...['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'GEMINI_API_KEY', 'GITHUB_TOKEN', 'AIDER_API_KEY'],
  ...[
    'CLAUDE_CONFIG_DIR',
    'CLAUDE_CODE_USE_BEDROCK',
    'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
    'CLAUDE_CODE_SSE_PORT',
  ],
  ...['ENABLE_IDE_INTEGRATION', 'GEMINI_CLI_IDE_SERVER_PORT', 'GEMINI_CLI_IDE_WORKSPACE_PATH', 'GEMINI_MODEL'],
  ...['GEMINI_CLI_HOME', 'GEMINI_CLI_SYSTEM_SETTINGS_PATH', 'QWEN_CODE_IDE_SERVER_PORT', 'GOOSE_PROVIDER'],
  ...['COPILOT_MODEL', 'COPILOT_ALLOW_ALL', 'COPILOT_GITHUB_TOKEN', 'COPILOT_HOME', 'OPENCODE_CONFIG', 'KILO_CONFIG'],
  ...['PI_CODING_AGENT_DIR', 'PI_CODING_AGENT_SESSION_DIR', 'PI_OFFLINE', 'HOOKLINE_CACHE', 'HOOKLINE_CALLS'],
  ...['TERM_PROGRAM', 'TERM_PROGRAM_VERSION', 'VSCODE_IPC_HOOK_CLI', 'VSCODE_GIT_IPC_HANDLE', 'VSCODE_INJECTION'],
  ...['VSCODE_PID', 'VSCODE_NONCE', 'CURSOR_TRACE_ID', 'CODEIUM_EDITOR_APP_ROOT', 'ZED_TERM', 'JUNIE_DATA', 'REPL_ID'],
  ...['SSH_AUTH_SOCK', 'SSH_AGENT_PID', 'SSH_CONNECTION', 'GPG_AGENT_INFO', 'AGENT', 'USER_AGENT', 'TMUX', 'STY'],
  ...['CI', 'GITHUB_ACTIONS', 'GITLAB_CI', 'BUILDKITE_AGENT_NAME', 'AGENT_NAME', 'JENKINS_URL', 'TF_BUILD'],
  ...['GIT_PAGER', 'PAGER', 'NO_COLOR', 'SHLVL', 'npm_config_user_agent', 'DEVCONTAINER', 'WSL_DISTRO_NAME'],
];

const PROGRAMS: readonly (readonly [words: readonly string[], name: string])[] = [
  [['/opt/claude-code-linux-x64/claude', '-p', 'go'], 'Claude Code'],
  [['claude'], 'Claude Code'],
  [['/usr/bin/node', '/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js'], 'Claude Code'],
  [['node', '--no-warnings', '-r', './x.js', '/usr/local/bin/gemini', '-p', 'go'], 'Gemini CLI'],
  [['node', '/usr/lib/node_modules/@qwen-code/qwen-code/cli-entry.js'], 'Qwen Code'],
  [['/usr/lib/vendor/x86_64-unknown-linux-musl/bin/codex', 'exec', 'go'], 'Codex'],
  [['node', '/usr/bin/codex.js', 'exec'], 'Codex'],
  [['C:\\Users\\me\\AppData\\Roaming\\npm\\copilot.exe'], 'Copilot CLI'],
  [['bun', 'run', '/home/me/opencode/bin/opencode'], 'opencode'],
  [['/home/me/.kilo/bin/kilo', 'run'], 'Kilo'],
  [['droid', 'exec'], 'droid'],
  [['cline'], 'Cline'],
  [['cursor-agent', '-p'], 'Cursor'],
  [['python3.12', '/home/me/.local/bin/aider'], 'Aider'],
  [['python', '-m', 'aider'], 'Aider'],
  [['pi'], 'Hookline or pi'],
  [['node', 'C:\\npm\\node_modules\\@earendil-works\\pi-coding-agent\\dist\\cli.js'], 'Hookline or pi'],
];

const PROGRAMS_OF_PEOPLE: readonly (readonly string[])[] = [
  ['-bash'],
  ['bash', '-c', 'claude'],
  ['/bin/zsh', '/home/me/bin/pi', 'install'],
  ['sh', '/home/me/bin/claude'],
  ['tmux', 'new', '-s', 'claude'],
  ['tmux: server'],
  ['SCREEN', '-S', 'codex'],
  ['sshd: claude@pts/0'],
  ['ssh', 'codex'],
  ['vim', 'claude'],
  ['su', '-', 'copilot'],
  ['/home/claude/bin/zsh'],
  ['/usr/share/code/code', '/home/me/claude'],
  ['/usr/share/code/code', '--type=utility', '--utility-sub-type=node.mojom.NodeService'],
  ['/usr/lib/code-server/lib/node', '/usr/lib/code-server/out/node/entry'],
  ['/Applications/Visual', 'Studio', 'Code.app/Contents/MacOS/Electron'],
  ['/Applications/Cursor.app/Contents/MacOS/Cursor'],
  ['node', '/home/me/claude/server.js'],
  ['node', '-e', 'claude'],
  ['node', '-p', 'codex'],
  ['node'],
  ['npm', 'exec', 'hookline', 'install'],
  ['node', '/usr/lib/node_modules/npm/bin/npm-cli.js', 'exec', 'claude'],
  ['node', '/work/node_modules/@openai/codex-sdk-example/server.js'],
  ['python3', '/home/me/aider/manage.py'],
  ['/home/runner/actions-runner/bin/Runner.Worker'],
  ['ssh-agent'],
  ['gitlab-runner', 'run'],
  [],
];

const above = (words: readonly string[], variables: readonly string[] = [], pid = 70): Ancestor => ({
  ...{ pid, parent: pid - 1, startedAt: 1, words, variables },
});
const called = (env: NodeJS.ProcessEnv): string | undefined => callingAgent({ env, ppid: 0 })?.name;

describe('an agent that calls', () => {
  for (const [version, marks] of Object.entries(SEEN)) {
    it(`is recognized by each mark of ${version}, its own and one of a process above`, () => {
      for (const mark of marks) {
        tried(2);
        assert.ok(called({ [mark]: 'x' }) !== undefined, mark);
        assert.equal(called({ [mark]: '' }), undefined, `${mark} without a value`);
        const agent = agentAmong([above(['bash']), above(['-zsh'], ['HOME', mark], 71)]);
        assert.equal(agent?.trace, `${mark} is set in -zsh (71) above it`);
      }
    });
  }

  it('is named by its own mark where it also sets that of all agents', () => {
    assert.equal(called({ AI_AGENT: 'claude-code_2-1-332_agent', CLAUDECODE: '1' }), 'Claude Code');
    assert.equal(called({ AI_AGENT: 'pi', PI_CODING_AGENT: 'true' }), 'Hookline or pi');
    assert.equal(called({ AI_AGENT: 'github_copilot_vscode_agent' }), 'An agent');
    assert.equal(called({ KILO_PID: '7', OPENCODE: '1' }), 'Kilo');
  });

  for (const [words, name] of PROGRAMS) {
    it(`is recognized by its program above: ${words.join(' ')}`, () => {
      const agent = agentAmong([above(['bash'], ['HOME']), above(words, [], 71), above(['/sbin/init'], [], 1)]);
      assert.equal(agent?.name, name);
      assert.match(agent.trace, /^\S+ \(71\) is above it$/);
    });
  }

  it('is nobody for what people set, and what editors, terminals and CI set for people', () => {
    const env = Object.fromEntries(OF_PEOPLE.map(name => [name, '1']));
    for (const name of OF_PEOPLE) assert.equal(called({ [name]: '1' }), undefined, name);
    assert.equal(called(env), undefined);
    assert.equal(agentAmong([above(['bash'], OF_PEOPLE)]), undefined);
  });

  it('is nobody for programs of people with such names in their arguments, folders, hosts and users', () => {
    for (const words of PROGRAMS_OF_PEOPLE) assert.equal(agentAmong([above(words)]), undefined, words.join(' '));
  });

  it('is nobody where nothing is above', () => {
    assert.equal(agentAmong([]), undefined);
    assert.equal(callingAgent({ env: {}, ppid: 0 }), undefined);
  });
});

describe('the documented table of agents', () => {
  it('has the marks and programs of the code', () => {
    const text = readFileSync(join(ROOT, 'docs', 'cli.md'), 'utf8');
    const section = text.split('## Commands that agents cannot run')[1]?.split('\n## ')[0] ?? '';
    const rows = section.split('\n').flatMap(line => {
      const cells = line.split('|').map(cell => cell.trim());
      const codes = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
      return cells.length === 6 && /`/.test(line) ? [[cells[1], codes(cells[2]), codes(cells[3])]] : [];
    });
    assert.deepEqual(
      rows,
      KNOWN_AGENTS.map(({ name, marks, programs }) => [name, marks, programs]),
    );
  });
});
