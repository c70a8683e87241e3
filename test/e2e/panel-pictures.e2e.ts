import assert from 'node:assert/strict';
import { ScriptedLlm } from '../support/scripted-llm';
import { Chat } from './support/chat';
import { assertAccessible, useTheme, widen } from './support/look';
import { answerOnCard, openCard } from './support/questions';
import { scriptedHome } from './support/scripted-home';
import { openWorkbench, type Workbench } from './support/workbench';

const THEMES = ['Dark Modern', 'Light Modern', 'Dark High Contrast', 'Light High Contrast'];
/** Widths of the panel in px: the default of VS Code's side bar, and about half a screen. */
const WIDTHS = [292, 560];

/** Pictures of what people look at most, for people to look at: `panel-<what>-<width>-<theme>.png`. */
describe('pictures of the panel in four themes', () => {
  let llm: ScriptedLlm;
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    llm = await ScriptedLlm.start();
    workbench = await openWorkbench({
      homeFiles: scriptedHome(llm),
      settings: { 'hookline.approvals.defaultMode': 'ask' },
      files: { 'src/inventory/greeting-of-the-day.ts': GREETING },
    });
    chat = await Chat.open(workbench);
  });

  after(async () => {
    await workbench.close();
    await llm.stop();
  });

  /** Takes the pictures of the panel as it is now. Nothing may stick out, and axe may find nothing serious. */
  async function pictures(what: string, toShow: (chat: Chat) => Promise<void>): Promise<void> {
    for (const name of THEMES) {
      chat = await useTheme(workbench, name);
      for (const width of WIDTHS) {
        await widen(workbench, width);
        await toShow(chat);
        const hidden = await chat.frame.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        assert.equal(hidden, 0, `nothing sticks out at ${width} px`);
        await workbench.screenshot(`panel-${what}-${width}-${name.toLowerCase().replaceAll(' ', '-')}`);
      }
      await assertAccessible(chat);
    }
  }

  const atEnd = async ({ frame }: Chat): Promise<void> => {
    await frame.evaluate(`{ const log = document.querySelector('[role="log"]'); log.scrollTop = log.scrollHeight; }`);
  };

  it('a question of a hook about a command', async () => {
    llm.reply(
      {
        text: 'I clear the old build first.',
        toolCalls: [{ name: 'bash', arguments: { command: `rm -rf build && ${BUILD}` } }],
      },
      { text: 'Understood: the folder **stays**.' },
    );
    await chat.ask('Build the project from scratch.');
    await openCard(chat).waitFor();
    await pictures('hook-question', atEnd);
    await answerOnCard(chat, 'No');
    await chat.idle();
  });

  it('a question of the gate about a command', async () => {
    llm.reply({ toolCalls: [{ name: 'bash', arguments: { command: BUILD } }] }, { text: 'Then without the build.' });
    await chat.ask('Build it on top of the old one.');
    await openCard(chat).waitFor();
    await pictures('question', atEnd);
    await answerOnCard(chat, 'Deny');
    await chat.idle();
  });

  it('a question about a change of a file', async () => {
    llm.reply({ toolCalls: [{ name: 'edit', arguments: EDIT }] }, { text: 'Noon has a greeting of its own now.' });
    await chat.ask('Greet people at noon, too.');
    await openCard(chat).waitFor();
    await pictures('edit-question', atEnd);
    await answerOnCard(chat, 'Allow once');
    await chat.tool('edit', 'done');
    await chat.idle();
  });

  it('the difference in a card', async () => {
    const card = await chat.tool('edit', 'done');
    await chat.openCard(card);
    await pictures('diff', ({ frame }) => frame.locator('[data-tool="edit"]').last().scrollIntoViewIfNeeded());
    await card.locator('.card-line').press('Enter');
  });

  it('the changed files', async () => {
    await chat.frame.locator('[data-hookline="changes"]').press('Enter');
    await chat.frame.locator('.changes-list li').first().waitFor();
    await pictures('changes', atEnd);
    await chat.frame.locator('[data-hookline="changes"]').press('Enter');
  });

  it('the composer during a run', async () => {
    const held = llm.hold({ text: 'First I look at the code, then I write the test.' }, 12);
    await chat.ask('Write a test for it.');
    await held.reached;
    await chat.composer.fill('And keep it short, please');
    await pictures('composer', atEnd);
    await chat.composer.fill('');
    held.release();
    await chat.idle();
  });

  it('a plan', async () => {
    await workbench.runCommand('Hookline: Choose Approval Mode…');
    await workbench.quickInput.chooseByKeyboard('Plan');
    llm.reply({ toolCalls: [{ name: 'present_plan', arguments: { plan: PLAN } }] }, { text: 'I wait for your word.' });
    await chat.ask('Plan the greeting at noon.');
    await openCard(chat).waitFor();
    await pictures('plan', atEnd);
  });
});

const BUILD = 'npm run build --workspace packages/greetings -- --mode production';
const GREETING = `export function greeting(name: string, hour: number): string {
  if (hour < 12) return \`Good morning, \${name}.\`;
  if (hour < 18) return \`Good afternoon, \${name}.\`;
  return \`Good evening, \${name}.\`;
}
`;
const EDIT = {
  path: 'src/inventory/greeting-of-the-day.ts',
  oldText: '  if (hour < 18) return `Good afternoon, ${name}.`;',
  newText:
    '  if (hour === 12) return `Enjoy your lunch, ${name}.`;\n  if (hour < 19) return `Good afternoon, dear ${name}.`;',
};
const PLAN = `# A greeting at noon

Today \`greeting\` knows three times of the day. At **noon** it should say something of its own.

1. Add the case \`hour === 12\` to \`greeting-of-the-day.ts\`.
2. Add a test for 11, 12 and 13 o'clock.
3. Name the new greeting in the README.

| hour | greeting |
| ---- | -------- |
| 11 | Good morning |
| 12 | Enjoy your lunch |
| 13 | Good afternoon |

\`\`\`ts
if (hour === 12) return \`Enjoy your lunch, \${name}.\`;
\`\`\`

Not part of it: other languages.
`;
