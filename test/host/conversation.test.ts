import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { ChatItem, ToolItem } from '../../src/protocol/items/chat-item';
import type { HooklineWindow } from '../../src/vscode/window/window';
import { hookline, until, workspaceFolder, toolsAreOver } from './support/extension';

describe('a conversation in the window', () => {
  let window: HooklineWindow;

  before(async () => {
    window = await (await hookline()).window.get();
  });

  beforeEach(async () => {
    await window.conversations.active.conversation.sessions.newSession();
  });

  const items = (): readonly ChatItem[] => window.conversations.active.model.items;
  const tools = (): readonly ToolItem[] => items().filter(item => item.kind === 'tool');
  const lastTool = (): ToolItem => {
    const tool = tools().at(-1);
    assert.ok(tool, 'a tool was called');
    return tool;
  };
  /** Sends a prompt and resolves when everything that follows from it is done. */
  const say = async (text: string): Promise<void> => {
    await window.conversations.active.submit(text);
  };
  /** Answers the next question from the chat's side. */
  const answerNext = async (answer: string): Promise<void> => {
    const gate = await until('a hook asks', () =>
      items().find(item => item.kind === 'gate' && item.state.type === 'open'),
    );
    window.dialogs.answer(gate.id, answer);
  };

  it('starts with the hooks of the folder and the demo model', () => {
    const names = window.hooks.infos().map(hook => [hook.path.split('/').at(-1), hook.state.type]);
    assert.deepEqual(
      names.filter(([, state]) => state !== 'live'),
      [],
    );
    assert.ok(names.length >= 4);
    assert.equal(window.conversations.active.status.current.demo, true);
  });

  it('runs a prompt on the demo model and keeps it in a session file', async () => {
    const mark = `mark-${Date.now().toString(36)}.txt`;
    await say(`write ${mark}: hello`);
    assert.equal(lastTool().state.type, 'done');
    assert.equal(readFileSync(join(workspaceFolder(), mark), 'utf8').trim(), 'hello');
    const file = window.conversations.active.conversation.store.getSessionFile();
    assert.ok(file !== undefined);
    await until('the session is on disk', () => existsSync(file) && readFileSync(file, 'utf8').includes(mark));
    const listed = await window.conversations.sessionList.list();
    assert.ok(listed.some(session => session.file === file));
    rmSync(join(workspaceFolder(), mark));
  });

  it('lets a hook ask, blocks on No and goes on after Yes', async () => {
    const folder = join(workspaceFolder(), 'scratch folder');
    mkdirSync(folder, { recursive: true });
    const refused = say('run `rm -rf "scratch folder"`');
    await answerNext('No');
    await refused;
    assert.equal(blockReason(lastTool()), 'Blocked by user');
    assert.ok(existsSync(folder));

    const allowed = say('run `rm -rf "scratch folder"`');
    await answerNext('Yes');
    await allowed;
    assert.equal(lastTool().state.type, 'done');
    assert.ok(!existsSync(folder));
  });

  it('keeps secrets from the model and protected paths from tools', async () => {
    await say('read .env');
    assert.doesNotMatch(JSON.stringify(window.conversations.active.conversation.run.agent.messages), /sk-playground/);
    await say('write .env: API_KEY=mine');
    const { state } = lastTool();
    assert.ok(state.type === 'blocked' && state.reason.includes('.env'));
  });

  it('runs a command that a hook registered', async () => {
    await vscode.commands.executeCommand('hookline.runHookCommand', 'stats', '');
    await until('the statistics are shown', () =>
      items().some(item => item.kind === 'notice' && /answers/.test(item.text)),
    );
  });

  it('cancels the question when the run is stopped', async () => {
    const run = say('run `sudo true`');
    await until('a hook asks', () => items().some(item => item.kind === 'gate' && item.state.type === 'open'));
    await vscode.commands.executeCommand('hookline.stop');
    await run;
    assert.equal(window.dialogs.size, 0);
    assert.equal(window.conversations.active.status.current.phase.type, 'idle');
  });

  it('gives hooks the modules that ship with the extension', async () => {
    const hook = join(workspaceFolder(), '.pi', 'hooks', 'zz-imports.ts');
    await toolsAreOver();
    writeFileSync(
      hook,
      `import { isBashToolResult } from '@mariozechner/pi-coding-agent/hooks';
       import { Type } from '@sinclair/typebox';
       import { StringEnum } from '@mariozechner/pi-ai';
       import { Text } from '@mariozechner/pi-tui';
       export default pi => {
         const kinds = [isBashToolResult, Type.String, StringEnum, Text].map(each => typeof each).join(' ');
         pi.registerCommand('zz-imports', { description: '', handler: async (_args, ctx) => ctx.ui.notify(kinds, 'info') });
       };\n`,
    );
    try {
      await until('the hook is live', () =>
        window.hooks.commands.list().some(command => command.name === 'zz-imports'),
      );
      await vscode.commands.executeCommand('hookline.runHookCommand', 'zz-imports');
      await until('all four are functions', () =>
        items().some(item => item.kind === 'notice' && item.text === 'function function function function'),
      );
    } finally {
      await toolsAreOver();
      rmSync(hook);
    }
  });

  describe('while hooks change on disk', () => {
    const hook = join(workspaceFolder(), '.pi', 'hooks', 'zz-live.ts');
    const blocker = (reason: string): string =>
      `export default pi => { pi.on('tool_call', async e => e.toolName === 'ls' ? { block: true, reason: '${reason}' } : undefined); };\n`;
    const renamed = join(workspaceFolder(), '.pi', 'hooks', 'zz-renamed.ts');
    const stateOf = (path = hook): string | undefined =>
      window.hooks.infos().find(info => info.path === path)?.state.type;
    const problems = (): readonly vscode.Diagnostic[] =>
      vscode.languages.getDiagnostics(vscode.Uri.file(hook)).filter(problem => problem.source === 'Hookline');

    after(() => {
      rmSync(hook, { force: true });
      rmSync(renamed, { force: true });
    });

    it('follows a hook that is added, changed, broken, repaired, renamed and deleted', async () => {
      await say('list');
      assert.equal(lastTool().state.type, 'done');

      await toolsAreOver();
      writeFileSync(hook, blocker('first'));
      await until('the new hook is live', () => stateOf() === 'live');
      await say('list');
      assert.deepEqual(blockReason(lastTool()), 'first');

      await toolsAreOver();
      writeFileSync(hook, blocker('second'));
      await toolsAreOver();
      await until('the change is live', async () => {
        await say('list');
        return blockReason(lastTool()) === 'second';
      });

      await toolsAreOver();
      writeFileSync(hook, `// one line more\n${blocker('third').replace('async e', 'async e e')}`);
      await until('the error is told', () => stateOf() === 'stale' && problems().length > 0);
      assert.equal(problems()[0]?.range.start.line, 1);
      assert.match(problems()[0]?.message ?? '', /last good version/);
      assert.ok(items().some(item => item.kind === 'notice' && item.file?.path === hook && item.file.line === 2));
      await say('list');
      assert.deepEqual(blockReason(lastTool()), 'second', 'the last good version is still at work');

      await toolsAreOver();
      writeFileSync(hook, blocker('fourth'));
      await until('the repair is live', () => stateOf() === 'live');
      assert.deepEqual(problems(), []);
      assert.ok(!items().some(item => item.kind === 'notice' && item.file?.path === hook));

      await toolsAreOver();
      renameSync(hook, renamed);
      await until('the old name is gone', () => stateOf() === undefined && stateOf(renamed) === 'live');
      await say('list');
      assert.deepEqual(blockReason(lastTool()), 'fourth');

      await toolsAreOver();
      rmSync(renamed);
      await until('it is gone', () => stateOf(renamed) === undefined);
      await say('list');
      assert.equal(lastTool().state.type, 'done');
    });
  });
});

function blockReason(tool: ToolItem): string | undefined {
  return tool.state.type === 'blocked' ? tool.state.reason : undefined;
}
