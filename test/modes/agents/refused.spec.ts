import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runMcpMode } from '../../../src/modes/mcp-mode';
import { packageCommand } from '../../../src/modes/packages/package-arguments';
import { runPackageMode } from '../../../src/modes/packages/package-mode';
import { runTrustMode } from '../../../src/modes/trust-mode';
import { tried } from '../../support/tried';
import { CliPlace } from '../support/cli';
import { itOnLinux } from '../../support/platform';

/** What changes packages, servers and trust; what is not refused leaves a file, or another message. */
const DECIDING = [
  'install ./pack',
  'install ./pack -l --approve',
  'install ./pack --approve-packages',
  'remove ./pack',
  'uninstall ./pack',
  'update',
  'update ./pack',
  'update --extensions --approve-packages',
  'config',
  'config --off extensions/gate.ts',
  'config -l --off extensions/gate.ts --approve',
  'mcp add files -- npx server --help',
  'mcp add docs --url https://docs.test/mcp',
  'mcp remove files',
  'mcp login files',
  'trust',
  'trust --remove',
];
/** A record of a hook log. */
const LOG = JSON.stringify({
  ...{ run: 'r', seq: 1, at: 1, conversation: 'c', hook: '/gate.ts', nth: 0, ms: 1, askedMs: 0, toolCallId: 't' },
  ...{ event: 'tool_call', registeredAs: 'tool_call', tool: 'bash', outcome: { type: 'nothing' } },
  payload: { type: 'tool_call', toolCallId: 't', toolName: 'bash', input: { command: 'ls' } },
});
const OPEN = [
  'list',
  'mcp list',
  'install --help',
  'config --help',
  'mcp add --help',
  'mcp --help',
  'mcp logout files',
  'trust --help',
];

describe('commands that agents cannot run', () => {
  let root: string;
  let above: ChildProcess | undefined;
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'hookline-agents-'))));
  afterEach(() => {
    above?.kill('SIGKILL');
    above = undefined;
    rmSync(root, { recursive: true, force: true });
  });

  /** Runs a command in this process as a child of `ppid`. */
  async function run(line: string, env: NodeJS.ProcessEnv, ppid = 0): Promise<{ code: number; said: string }> {
    let said = '';
    const write = (text: string) => (said += text);
    const cwd = join(root, 'work');
    mkdirSync(join(cwd, 'pack'), { recursive: true });
    const process = {
      env: { PI_CODING_AGENT_DIR: join(root, 'agent'), PATH: globalThis.process.env['PATH'] },
      ...{ on: () => process, stdin: { isTTY: false } },
      ...{ stdout: { write }, stderr: { isTTY: false, write } },
    } as unknown as NodeJS.Process;
    const code = { distDir: '', jitiDir: '', storageDir: root, stateDir: join(root, 'state'), version: '0' };
    const surroundings = { process, caller: { env, ppid }, cwd, code };
    const [name, ...argv] = line.split(' ');
    const command = packageCommand(name);
    const running = (): Promise<number> => {
      if (command !== undefined) return runPackageMode(command, argv, surroundings);
      return name === 'trust' ? runTrustMode(argv, surroundings) : runMcpMode(argv, surroundings);
    };
    return { code: await running(), said };
  }

  for (const line of DECIDING) {
    it(`refuses an agent, and changes nothing: ${line}`, async () => {
      const { code, said } = await run(line, { CLAUDECODE: '1' });
      assert.equal(code, 1);
      assert.match(
        said,
        /^hookline: Claude Code runs this command \(CLAUDECODE is set\), and only you can [^.]+\. Run it in a/,
      );
      assert.deepEqual(readdirSync(root), ['work']);
      assert.deepEqual(readdirSync(join(root, 'work')), ['pack']);
    });
  }

  itOnLinux('refuses an agent whose program is above, although the environment is clean', async function () {
    above = spawn('sleep', ['600'], { argv0: '/opt/codex', env: {}, stdio: 'ignore' });
    for (const line of ['install ./pack', 'mcp add files -- x', 'config']) {
      tried();
      const { code, said } = await run(line, {}, above.pid);
      assert.equal(code, 1);
      assert.ok(
        said.startsWith(`hookline: Codex runs this command (codex (${above.pid}) is above it), and only you`),
        said,
      );
    }
  });

  itOnLinux('refuses an agent that removed its mark for the command, but not from the shell above', async () => {
    above = spawn('sleep', ['600'], { env: { AI_AGENT: 'pi', PATH: process.env['PATH'] }, stdio: 'ignore' });
    const { code, said } = await run('install ./pack', {}, above.pid);
    assert.equal(code, 1);
    assert.ok(said.includes(`(AI_AGENT is set in sleep (${above.pid}) above it)`), said);
  });

  it('lets agents read lists and help', async () => {
    for (const line of OPEN) {
      const { said } = await run(line, { CLAUDECODE: '1' });
      assert.doesNotMatch(said, /runs this command/, line);
    }
  });

  it('does not refuse people, with keys and settings of agents, in the terminals of editors, and in CI', async () => {
    const env = {
      ...{ CODEX_HOME: root, OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k', CI: 'true' },
      ...{ TERM_PROGRAM: 'vscode', VSCODE_IPC_HOOK_CLI: '/x', CLAUDE_CODE_SSE_PORT: '1', CURSOR_TRACE_ID: 'x' },
    };
    assert.match((await run('mcp add files -- x', env)).said, /^Added MCP server "files"/);
    assert.match((await run('mcp remove files', env)).said, /^Removed MCP server "files"/);
    assert.match((await run('remove ./pack', env)).said, /^No matching package found/);
    assert.equal((await run('config', env)).code, 0);
    assert.match((await run('install ./pack', env)).said, /Installed \.\/pack/);
  });
});

describe('approving packages in advance', function () {
  this.timeout(60_000);
  let place: CliPlace;
  beforeEach(async () => (place = await CliPlace.make()));
  afterEach(() => place.remove());

  for (const line of [
    '-p go --approve-packages',
    '--mode rpc --approve-packages',
    '--list-models --approve-packages',
    'hooks diff --approve-packages',
    'replay log.jsonl --approve-packages',
  ]) {
    it(`is refused to agents: ${line}`, async () => {
      place.file('work/log.jsonl', `${LOG}\n`);
      place.file('agent/npm/node_modules/acme/package.json', '{"name":"acme","pi":{"extensions":["./a.js"]}}');
      place.file('agent/npm/node_modules/acme/a.js', 'export default () => {};');
      place.file('agent/settings.json', '{"packages":["npm:acme"]}');
      const { code, stderr } = await place.run(line.split(' '), { env: { CODEX_THREAD_ID: 'x' } });
      assert.notEqual(code, 0);
      assert.match(
        stderr,
        /hookline: Codex runs this command \(CODEX_THREAD_ID is set\), and only you can approve packages/,
      );
      assert.equal(existsSync(join(place.agentDir, 'hookline', 'packages.json')), false);
    });
  }
});
