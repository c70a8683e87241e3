import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { seriousFindings } from '../support/axe';
import { ScriptedLlm } from '../support/scripted-llm';
import { Chat } from './support/chat';
import { useTheme, widen } from './support/look';
import { scriptedHome } from './support/scripted-home';
import { openWorkbench, type Workbench } from './support/workbench';

const STEPS = ['Read how the parser counts lines', 'Write the tests for odd line ends', 'Fix the counting'];

const OWN_TODO = `export default pi => {
  pi.registerTool({ name: 'todo', label: 'Todo', description: 'mine', parameters: { type: 'object', properties: {} },
    execute: async () => ({ content: [{ type: 'text', text: 'kept by the hook' }],
      details: { todos: [{ content: 'of the hook', status: 'pending' }] } }) });
};
`;

describe('the todo list in VS Code', function () {
  this.timeout(180_000);
  let llm: ScriptedLlm;
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    llm = await ScriptedLlm.start();
    workbench = await openWorkbench({ homeFiles: scriptedHome(llm) });
    chat = await Chat.open(workbench);
  });
  after(async () => {
    await workbench.close();
    await llm.stop();
  });

  /** VS Code draws the ground of the page, which the checks do not see. */
  const isAccessible = async (): Promise<void> => {
    await chat.frame.evaluate('document.body.style.background = "var(--vscode-sideBar-background)"');
    assert.deepEqual(await seriousFindings(chat.frame), []);
  };
  const head = (): Locator => chat.frame.locator('[data-hookline="todos"]');
  const items = (): Locator => chat.frame.getByRole('list', { name: 'Todo list' }).getByRole('listitem');
  const states = async (): Promise<readonly (string | null)[]> =>
    Promise.all((await items().all()).map(item => item.getAttribute('data-status')));
  const write = (id: string, ...given: readonly string[]): object => ({
    toolCalls: [
      { id, name: 'todo', arguments: { todos: given.map((status, at) => ({ content: STEPS[at], status })) } },
    ],
  });
  const ask = async (text: string, ...replies: readonly object[]): Promise<void> => {
    llm.reply(...replies, { text: `Answer to ${text}` });
    await chat.ask(text);
    await chat.says(`Answer to ${text}`);
    await chat.idle();
  };

  it('is one line above the composer without any setting, with one quiet line in the chat', async () => {
    assert.equal(await head().count(), 0);
    await ask('Fix the parser.', write('first', 'completed', 'in_progress', 'pending'));
    assert.equal(await head().innerText(), '1 of 3 · Write the tests for odd line ends');
    assert.match(await chat.frame.locator('[data-tool="todo"]').innerText(), /^todo\s+1\/3 · Write the tests.*\s+Done/);
    assert.equal(await chat.frame.locator('[data-tool="todo"] .panel').count(), 0);
    await widen(workbench, 292);
    chat = await useTheme(workbench, 'Dark Modern');
    await workbench.screenshot('todo-292-dark-folded');
  });

  it('opens and closes with the keyboard', async () => {
    await head().press('Enter');
    assert.deepEqual(await states(), ['completed', 'in_progress', 'pending']);
    await head().press('Enter');
    assert.equal(await items().count(), 0);
    await head().press('Space');
    assert.equal(await items().count(), 3);
    await workbench.screenshot('todo-292-dark');
    await isAccessible();
  });

  it('is still there, and open, after the window was reloaded', async () => {
    await workbench.reload();
    chat = await Chat.open(workbench);
    await items().first().waitFor();
    assert.deepEqual(await states(), ['completed', 'in_progress', 'pending']);
    await widen(workbench, 560);
    chat = await useTheme(workbench, 'Light Modern');
    await items().first().waitFor();
    await workbench.screenshot('todo-560-light');
    await isAccessible();
  });

  it('follows the agent, and goes with the next message when all is done', async () => {
    await ask('Go on.', write('second', 'completed', 'completed', 'abandoned'));
    assert.equal(await head().innerText(), '3 of 3 done');
    await ask('Thank you.');
    assert.equal(await head().count(), 0);
  });

  it('belongs to its session', async () => {
    await ask('Once more.', write('third', 'pending'));
    assert.equal(await head().innerText(), '0 of 1 done');
    await chat.startAnew();
    assert.equal(await head().count(), 0);
  });

  it('shows nothing of a todo tool of a hook, which takes the place of ours', async () => {
    const folder = join(workbench.workspace, '.pi', 'extensions');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'todo.ts'), OWN_TODO);
    // The file came so soon after a tool that the tool may have made it.
    await chat.frame.getByRole('button', { name: 'Approve' }).click();
    await chat.frame.locator('[data-hookline="hooks"]', { hasText: '5 hooks' }).waitFor();
    await ask('Use yours.', { toolCalls: [{ id: 'own', name: 'todo', arguments: {} }] });
    const [tool] = (JSON.stringify(llm.requests.at(-1)).match(/"name":"todo","description":"[^"]*/) ?? []) as string[];
    assert.equal(tool, '"name":"todo","description":"mine');
    assert.equal(await head().count(), 0);
  });
});
