import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { HooklineWindow } from '../../src/vscode/window/window';
import { hookline, saveHook, toolsAreOver, workspaceFolder } from './support/extension';

/** A tool that starts an agent as extensions of pi do: in this process, by the paths of this process, else by its name. */
const DELEGATE = `import { spawn } from 'node:child_process';
import { createAgentSession, DefaultResourceLoader, SessionManager } from '@earendil-works/pi-coding-agent';
const inProcess = async (task, { cwd, modelRegistry }) => {
  const { session } = await createAgentSession({
    cwd,
    model: modelRegistry.find('demo', 'offline'),
    resourceLoader: new DefaultResourceLoader({ cwd, noExtensions: true }),
    sessionManager: SessionManager.inMemory(cwd),
  });
  try {
    await session.prompt(task);
    return 'code 0: ' + session.getLastAssistantText();
  } finally {
    session.dispose();
  }
};
export default pi => pi.registerTool({
  name: 'delegate', label: 'Delegate', description: 'Starts an agent.',
  parameters: { type: 'object', properties: { how: { type: 'string' }, task: { type: 'string' } } },
  async execute(id, { how, task }, signal, onUpdate, ctx) {
    if (how === 'session') return { content: [{ type: 'text', text: await inProcess(task, ctx) }] };
    const args = ['-p', '--no-session', '--no-extensions', '--model', 'demo/offline', task];
    const options = { cwd: ctx.cwd, stdio: ['ignore', 'pipe', 'pipe'] };
    const child = how === 'path' ? spawn(process.execPath, [process.argv[1], ...args], options) : spawn('pi', args, options);
    let text = '';
    child.stdout.on('data', chunk => (text += chunk));
    child.stderr.on('data', chunk => (text += chunk));
    const code = await new Promise(resolve => child.on('close', resolve));
    return { content: [{ type: 'text', text: 'code ' + code + ': ' + text }] };
  },
});`;

describe('an agent that a hook starts in VS Code', () => {
  const hook = join(workspaceFolder(), '.pi', 'hooks', 'zz-delegate.ts');
  let window: HooklineWindow;

  before(async () => {
    window = await (await hookline()).window.get();
    await saveHook(hook, DELEGATE);
    await window.conversations.active.conversation.sessions.newSession();
  });

  after(async () => {
    await toolsAreOver();
    rmSync(hook);
  });

  const delegate = async (how: string, task: string): Promise<string> => {
    await window.conversations.active.submit(`call delegate ${JSON.stringify({ how, task })}`);
    return JSON.stringify(window.conversations.active.conversation.run.agent.messages.at(-2));
  };

  it('is Hookline’s command line, by its name and by the paths of this process', async () => {
    for (const how of ['name', 'path']) assert.match(await delegate(how, 'ls'), /code 0: .*\.pi/s);
  });

  it('is a session in this process', async () => {
    assert.match(await delegate('session', 'ls'), /code 0: .*\.pi/s);
  });

  for (const how of ['path', 'session']) {
    it(`is guarded by the gates of the window, started by its ${how}`, async () => {
      const folder = join(workspaceFolder(), 'kept folder');
      mkdirSync(folder, { recursive: true });
      try {
        const secrets = readFileSync(join(workspaceFolder(), '.env'), 'utf8');
        assert.match(await delegate(how === 'path' ? 'name' : how, 'write .env: API_KEY=mine'), /code 0: .*\.env/s);
        assert.equal(readFileSync(join(workspaceFolder(), '.env'), 'utf8'), secrets);
        assert.match(await delegate(how, 'run `rm -rf "kept folder"`'), /code 0: .*(blocked|Blocked|refused)/s);
        assert.ok(existsSync(folder));
        const card = window.conversations.active.model.items.findLast(item => item.kind === 'tool');
        assert.deepEqual(
          card?.nested?.map(({ name, depth, state }) => [name, depth, state.type]),
          [['bash', 1, 'blocked']],
        );
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
});
