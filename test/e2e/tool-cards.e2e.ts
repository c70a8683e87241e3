import assert from 'node:assert/strict';
import { ScriptedLlm } from '../support/scripted-llm';
import { Chat } from './support/chat';
import { assertAccessible, useTheme, widen } from './support/look';
import { scriptedHome } from './support/scripted-home';
import { openWorkbench, type Workbench } from './support/workbench';

describe('a run in VS Code', function () {
  this.timeout(180_000);
  let llm: ScriptedLlm;
  let workbench: Workbench;
  let chat: Chat;
  /** A model that says nothing more. Hookline tells of it only after half a minute, so other tests run in the meantime. */
  let silent: ReturnType<ScriptedLlm['hold']>;

  before(async () => {
    llm = await ScriptedLlm.start();
    const home = scriptedHome(llm);
    const settings = JSON.parse(home['.pi/agent/settings.json'] ?? '{}') as object;
    const quick = JSON.stringify({ ...settings, retry: { baseDelayMs: 10 } });
    workbench = await openWorkbench({
      homeFiles: { ...home, '.pi/agent/settings.json': quick },
      files: { 'src/greet.js': GREET },
    });
    chat = await Chat.open(workbench);
    silent = llm.hold({ text: 'Never to be read.' }, 5);
    await chat.ask('Say something.');
    await silent.reached;
    await chat.startAnew();
  });

  after(async () => {
    await workbench.close();
    await llm.stop();
  });

  describe('tool cards in VS Code', () => {
    before(async () => {
      llm.reply(
        {
          thinking: 'Polite is good day.',
          toolCalls: [
            { name: 'read', arguments: { path: 'src/greet.js' } },
            {
              name: 'edit',
              arguments: { path: 'src/greet.js', oldText: "return 'Hello';", newText: "return 'Good day';" },
            },
            { name: 'write', arguments: { path: 'src/noon.js', content: "export const noon = 'Enjoy your lunch';\n" } },
          ],
        },
        // Calls of one answer run side by side, and this one reads what the edit has written.
        {
          toolCalls: [
            { name: 'bash', arguments: { command: 'cat src/greet.js | grep --count --ignore-case "good day"' } },
          ],
        },
        { text: 'The greeting is another one now.' },
      );
      await chat.ask('Greet people politely.');
      await chat.says('The greeting is another one now.');
      await chat.idle();
    });

    it('are lines; a change is seen below its line, and what is written as well', async () => {
      const read = await chat.tool('read', 'done');
      assert.equal(await read.locator('.panel').count(), 0);
      await (await chat.tool('edit', 'done')).locator('.diff-added', { hasText: 'Good day' }).waitFor();
      await (await chat.tool('write', 'done')).locator('.panel-content', { hasText: 'Enjoy your lunch' }).waitFor();
      await chat.openCard(read);
      await read.locator('hookline-output', { hasText: 'Hello' }).waitFor();
      await read.locator('.card-line').press('Enter');
      assert.equal(await read.locator('.panel').count(), 0);
    });

    it('come after thoughts with their duration', async () => {
      const summary = chat.frame.locator('details.thinking summary');
      assert.match(await summary.innerText(), /^Thought(?: for (?:\d+|\d+\.\d) s)?$/);
    });

    it('have their actions in a menu that keys reach', async () => {
      await chat.act(await chat.tool('write', 'done'), 'Open noon.js');
      await workbench.page.locator('.tab.active', { hasText: 'noon.js' }).waitFor();
    });

    for (const [theme, width] of [
      ['Light Modern', 300],
      ['Dark Modern', 560],
      ['Dark High Contrast', 300],
      ['Light High Contrast', 560],
    ] as const) {
      it(`are read whole in ${theme} at ${width} px, and axe finds nothing`, async () => {
        chat = await useTheme(workbench, theme);
        await widen(workbench, width);
        const bash = await chat.tool('bash', 'done');
        await chat.openCard(bash);
        await bash.locator('.card-menu').press('Enter');
        await chat.frame.getByRole('menu').waitFor();
        await workbench.screenshot(`tool-cards-${theme}-${width}`);
        await workbench.page.keyboard.press('Escape');
        const cut = await chat.frame.evaluate<readonly string[]>(CUT_OFF);
        assert.deepEqual(cut, []);
        await assertAccessible(chat);
      });
    }
  });

  describe('trouble during a run in VS Code', () => {
    it('tells of a silent model, and Retry asks it again', async () => {
      await chat.frame.getByRole('tab').first().click();
      await chat.says('Say something.');
      chat = await useTheme(workbench, 'Light Modern');
      await widen(workbench, 300);
      const again = chat.frame.locator('[data-hookline="ask-again"]');
      await again.waitFor({ timeout: 60_000 });
      await workbench.screenshot('trouble-silent-300-light');
      await assertAccessible(chat);
      llm.reply({ text: 'Awake again.' });
      await again.press('Enter');
      await chat.says('Awake again.');
      silent.release();
      await chat.idle();
      await chat.says(/Retried after a failure: The model said nothing/);
    });

    it('leaves one line of tries that failed, also after a reload', async () => {
      await chat.startAnew();
      llm.fail(503, { message: 'overloaded' });
      llm.fail(503, { message: 'overloaded' });
      llm.reply({ text: 'There I am.' });
      await chat.ask('Are you there?');
      await chat.says('There I am.');
      await chat.idle();
      const tries = chat.frame.locator('[data-kind="notice"]', { hasText: 'Retried after 2 failures' });
      assert.equal(await tries.count(), 1);
      chat = await useTheme(workbench, 'Dark High Contrast');
      await widen(workbench, 300);
      await tries.locator('summary').press('Enter');
      await workbench.screenshot('trouble-tries-300-hc');
      await assertAccessible(chat);
      await workbench.reload();
      chat = await Chat.attach(workbench);
      await chat.frame.locator('[data-kind="notice"]', { hasText: 'Retried after 2 failures' }).waitFor();
      assert.equal(await chat.frame.locator('[data-kind="assistant"][data-state="error"]').count(), 0);
    });

    it('goes on where it was stopped, by keyboard', async () => {
      chat = await useTheme(workbench, 'Dark Modern');
      await widen(workbench, 560);
      const held = llm.hold({ text: 'Half of an answer.' }, 10);
      llm.reply({ text: 'The whole answer.' });
      await chat.ask('Tell me.');
      await held.reached;
      await chat.composer.press('Escape');
      await chat.idle();
      held.release();
      const goOn = chat.frame.getByRole('button', { name: 'Continue' });
      await goOn.waitFor();
      await workbench.screenshot('trouble-stopped-560-dark');
      await assertAccessible(chat);
      await goOn.press('Enter');
      await chat.says('The whole answer.');
      await chat.idle();
      assert.equal(await goOn.count(), 0);
    });

    it('keeps how long it thought over a reload, with Copy and Retry on the answer', async () => {
      await chat.startAnew();
      llm.reply({ thinking: 'Noon is at twelve.', text: 'At noon, it says **Enjoy your lunch**.' });
      await chat.ask('What does it say at noon?');
      await chat.says('Enjoy your lunch');
      await chat.idle();
      const summary = (): Promise<string> => chat.frame.locator('details.thinking summary').innerText();
      const told = await summary();
      assert.match(told, /^Thought(?: for .* s)?$/);
      await workbench.reload();
      chat = await Chat.attach(workbench);
      await widen(workbench, 292);
      await chat.says('Enjoy your lunch');
      assert.equal(await summary(), told);
      const actions = chat.frame.locator('.answer-actions');
      await actions.getByRole('button', { name: 'Copy Answer' }).waitFor();
      await actions.getByRole('button', { name: 'Retry: Answer This Message Again' }).waitFor();
      await workbench.screenshot('trouble-reopened-292');
    });

    it('says why a request was refused in the words of the provider, and what helps', async () => {
      llm.fail(400, { message: 'temperature: must be at most 1' });
      llm.reply({ text: 'Now it works.' });
      await chat.ask('And in the evening?');
      const problem = chat.frame.locator('.problem');
      await problem.getByText('temperature: must be at most 1').waitFor();
      assert.doesNotMatch(await problem.innerText(), /[{}]/);
      await problem.getByRole('button', { name: 'Edit Message' }).waitFor();
      await workbench.screenshot('trouble-refused-292');
      await assertAccessible(chat);
      await problem.getByRole('button', { name: 'Retry' }).press('Enter');
      await chat.says('Now it works.');
      await chat.idle();
    });
  });
});

const GREET = `export function greet() {
  return 'Hello';
}
`;

/** In the page: parts of lines that are wider than what is seen of them. */
const CUT_OFF = `[...document.querySelectorAll(
  '.card-line :is(.chip, .tool-name), .card-line[aria-expanded="true"] .tool-summary',
)].filter(part => part.scrollWidth > part.clientWidth + 1).map(part => part.textContent)`;
