import assert from 'node:assert/strict';
import { seriousFindings } from '../support/axe';
import { ScriptedLlm } from '../support/scripted-llm';
import { Chat } from './support/chat';
import { useTheme, widen } from './support/look';
import { scriptedHome } from './support/scripted-home';
import { openWorkbench, type Workbench } from './support/workbench';

describe('tool cards in VS Code', () => {
  let llm: ScriptedLlm;
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    llm = await ScriptedLlm.start();
    workbench = await openWorkbench({ homeFiles: scriptedHome(llm), files: { 'src/greet.js': GREET } });
    chat = await Chat.open(workbench);
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

  after(async () => {
    await workbench.close();
    await llm.stop();
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
    assert.match(await summary.innerText(), /^Thought · (?:<1|\d+|\d+\.\d) (?:ms|s)$/);
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
      await chat.frame.evaluate('document.body.style.background = "var(--vscode-sideBar-background)"');
      assert.deepEqual(await seriousFindings(chat.frame), []);
    });
  }
});

const GREET = `export function greet() {
  return 'Hello';
}
`;

/** In the page: parts of lines that are wider than what is seen of them. */
const CUT_OFF = `[...document.querySelectorAll(
  '.card-line :is(.chip, .tool-name), .card-line[aria-expanded="true"] .tool-summary',
)].filter(part => part.scrollWidth > part.clientWidth + 1).map(part => part.textContent)`;
