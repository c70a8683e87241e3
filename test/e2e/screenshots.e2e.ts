import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { ScriptedLlm } from '../support/scripted-llm';
import { Chat } from './support/chat';
import { writeLongSession } from './support/long-session';
import { useTheme, widen as widenTo } from './support/look';
import { scriptedHome } from './support/scripted-home';
import { openCard, openQuestion } from './support/questions';
import { openWorkbench, type Workbench } from './support/workbench';

/** Pictures of the panel in its twelve named states, for people to look at; one of them stands in README.md, two in docs/features.md. */
describe('pictures of the chat', () => {
  let llm: ScriptedLlm;
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    llm = await ScriptedLlm.start();
    workbench = await openWorkbench({
      homeFiles: scriptedHome(llm),
      settings: { 'workbench.colorTheme': 'Dark Modern' },
    });
    chat = await Chat.open(workbench);
    await widen(430);
  });

  after(async () => {
    await workbench.close();
    await llm.stop();
  });

  const last = (selector: string): Locator => chat.frame.locator(selector).last();

  it('empty', async () => {
    await chat.frame.locator('.empty h2').waitFor();
    await workbench.screenshot('state-empty');
  });

  it('streaming', async () => {
    const held = llm.hold({ thinking: 'First I look at the code.', text: STREAMED }, STREAMED.length + 6);
    await chat.ask('How does the greeting choose its words, and is it right at noon?');
    await held.reached;
    await chat.frame.locator('[data-hookline="chat"][data-phase="running"]').waitFor();
    await last('[data-kind="assistant"] hookline-code').waitFor();
    await workbench.screenshot('state-streaming');
    held.release();
    await chat.idle();
  });

  it('gate', async () => {
    llm.reply(
      {
        text: 'I clear the old build first.',
        toolCalls: [{ name: 'bash', arguments: { command: 'rm -rf build && npm run build' } }],
      },
      { text: 'Understood: the folder **stays**. I can build into `build-next` instead.' },
    );
    await chat.ask('Build the project from scratch.');
    await openQuestion(workbench);
    await openCard(chat).waitFor();
    await workbench.page.waitForTimeout(500); // the pick fades in
    await workbench.screenshot('state-gate');
    const size = workbench.page.viewportSize();
    assert.ok(size);
    await workbench.page.setViewportSize({ width: 1120, height: 560 });
    await openCard(chat).scrollIntoViewIfNeeded();
    await workbench.screenshot('state-question');
    await workbench.page.setViewportSize(size);
  });

  it('blocked', async () => {
    await workbench.quickInput.chooseByKeyboard('No');
    const card = await chat.tool('bash', 'blocked');
    await chat.idle();
    await card.locator('.card-line').click();
    await last('[data-kind="assistant"]').scrollIntoViewIfNeeded();
    await workbench.screenshot('state-blocked');
    await card.locator('.card-line').click();
  });

  it('diff', async () => {
    const before = '  if (hour < 12) return `Good morning, ${name}.`;';
    const edit = {
      path: 'src/greet.js',
      oldText: before,
      newText: `${before}\n  if (hour === 12) return \`Enjoy your lunch, \${name}.\`;`,
    };
    llm.reply({ toolCalls: [{ name: 'edit', arguments: edit }] }, { text: 'Noon has a greeting of its own now.' });
    await chat.ask('Greet people at noon, too.');
    const card = await chat.tool('edit', 'done');
    await chat.idle();
    await chat.act(card, 'Show Diff');
    await workbench.page.locator('.diff-editor, .monaco-diff-editor').first().waitFor();
    await workbench.page.locator('.line-insert, .char-insert').first().waitFor();
    await chat.frame.locator('[role="log"]').evaluate(TO_END);
    await workbench.screenshot('state-diff');
    await workbench.runCommand('View: Close All Editors');
    chat = await Chat.open(workbench);
  });

  it('error', async () => {
    llm.fail(401, { message: 'invalid x-api-key' });
    await chat.ask('And now the tests.');
    await chat.says(/refused the API key/);
    await chat.idle();
    await workbench.screenshot('state-error');
  });

  it('high contrast', async () => {
    await theme('Dark High Contrast');
    await chat.frame.locator('body.vscode-high-contrast').waitFor();
    await workbench.screenshot('state-high-contrast');
    await theme('Light High Contrast');
    await chat.frame.locator('body.vscode-high-contrast-light').waitFor();
    await workbench.screenshot('state-high-contrast-light');
    await theme('Light Modern');
    await workbench.screenshot('state-light');
  });

  it('narrow, 240 px', async () => {
    await widen(240);
    const width = await chat.frame.evaluate<number>('innerWidth');
    assert.ok(width <= 240, `the page is ${width} px wide`);
    const hidden = await chat.frame.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    assert.equal(hidden, 0, 'nothing sticks out');
    await workbench.screenshot('state-narrow-240px');
  });

  it('wide', async () => {
    await widen(980);
    await chat.frame.evaluate(`document.querySelector('[role="log"]').scrollTop = 0`);
    await workbench.screenshot('state-wide');
    await widen(430);
  });

  it('long chat', async () => {
    writeLongSession(workbench, 'Two thousand questions', 2000);
    await workbench.runCommand('Hookline: Resume Session…');
    await workbench.quickInput.opened({ withItems: true });
    await workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Two thousand' }).first().click();
    await chat.says('Step 2000 reads');
    await chat.frame.getByText('3800 earlier entries').waitFor({ state: 'attached' });
    await chat.frame.locator('[role="log"]').hover();
    await workbench.page.mouse.wheel(0, -1200);
    await chat.frame.getByRole('button', { name: 'Jump to Latest' }).waitFor();
    await workbench.screenshot('state-long-chat');
  });

  const widen = (width: number): Promise<void> => widenTo(workbench, width);
  const theme = async (name: string): Promise<void> => {
    chat = await useTheme(workbench, name);
  };
});

const TO_END = 'log => (log.scrollTop = log.scrollHeight)';

const STREAMED = [
  'The greeting looks at the **hour** only:\n\n',
  '| hours | greeting |\n|---|---|\n| 0–4 | You are up late |\n| 5–11 | Good morning |\n| 12–17 | Good afternoon |\n| 18–23 | Good evening |\n\n',
  'At noon `src/greet.js:5` answers, since $12 \\ge 12$. In short:\n\n',
  '```js\nexport function greet(name, hour) {\n',
  '  // The first that fits wins.\n  if (hour < 5) return `You are up late, ${name}.`;\n',
];
