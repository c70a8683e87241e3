import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { ScriptedLlm } from '../support/scripted-llm';
import { Chat } from './support/chat';
import { assertAccessible, widen } from './support/look';
import { openCard } from './support/questions';
import { scriptedHome } from './support/scripted-home';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

const HOOK = `export default pi => {
  pi.registerCommand('letter', {
    description: 'Writes a letter',
    handler: async (_args, ctx) => {
      const text = await ctx.ui.editor('Which letter?', 'Dear reader');
      ctx.ui.notify('The letter: ' + JSON.stringify(text));
    },
  });
};
`;
const PLAN = '# A greeting at noon\n\n1. Add the case.\n2. Add a **test** for it.\n';

describe('plans and longer answers', () => {
  let llm: ScriptedLlm;
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    llm = await ScriptedLlm.start();
    workbench = await openWorkbench({
      workspace: 'none',
      name: 'plans',
      homeFiles: scriptedHome(llm),
      files: { '.pi/hooks/letter.ts': HOOK },
    });
    chat = await Chat.open(workbench);
    await widen(workbench, 292);
  });

  after(async () => {
    await workbench.close();
    await llm.stop();
  });

  const tab = (text: string): Locator => workbench.page.locator('.tab', { hasText: text });
  const button = (name: string): Locator => chat.frame.getByRole('button', { name, exact: true });
  const field = (): Locator => openCard(chat).locator('textarea[name="answer"]');

  const editingInTab = (): Promise<void> => openCard(chat).getByText('You are editing this in the tab').waitFor();

  /** Types at the end of the text in the active editor. */
  async function typeAtEnd(text: string): Promise<void> {
    await workbench.page.locator('.editor-group-container.active .monaco-editor .view-lines').first().click();
    await workbench.page.keyboard.press('Control+End');
    await workbench.page.keyboard.type(text);
  }

  it('submits from the chat what was written in the tab', async () => {
    await chat.send('/letter');
    await editingInTab();
    await typeAtEnd(', written in the tab');
    await workbench.screenshot('plans-editing-in-tab-292');
    await assertAccessible(chat);
    await button('Submit').click();
    await chat.says('The letter: "Dear reader, written in the tab"');
    await tab('Which letter').waitFor({ state: 'detached' });
  });

  it('keeps the question and what was written when the tab is closed', async () => {
    await chat.send('/letter');
    await editingInTab();
    await typeAtEnd(', half a thought');
    await workbench.runCommand('File: Save');
    await workbench.runCommand('View: Close Editor');
    await waitFor(async () => ((await field().inputValue()) === 'Dear reader, half a thought' ? true : undefined), {
      what: 'the text on the card',
    });
    await field().fill('Dear reader, from the card');
    await button('Edit in a Tab').click();
    await editingInTab();
    await typeAtEnd(' and the tab');
    await button('Submit').click();
    await chat.says('The letter: "Dear reader, from the card and the tab"');
  });

  it('shows a plan once, rendered, and takes it as it was edited in a tab', async () => {
    await chat.chooseMode('Plan');
    llm.reply({ toolCalls: [{ name: 'present_plan', arguments: { plan: PLAN } }] }, { text: 'I begin.' });
    await chat.ask('Plan a greeting at noon.');
    await openCard(chat).locator('hookline-plan strong', { hasText: 'test' }).waitFor();
    const shown = await chat.frame.locator('[data-kind="tool"], [data-kind="gate"]').allInnerTexts();
    assert.equal(shown.join('\n').split('Add the case').length, 2);
    await workbench.screenshot('plans-question-292');
    await assertAccessible(chat);

    await button('Open the Plan in an Editor').click();
    await tab('Preview').waitFor();
    await workbench.screenshot('plans-preview');
    await workbench.runCommand('View: Close All Editors');
    assert.ok(await openCard(chat).isVisible(), 'a preview answers nothing');

    await button('Edit the plan…').click();
    await button('Edit in a Tab').click();
    await editingInTab();
    await typeAtEnd('3. Name it in the README.\n');
    await button('Submit').click();
    await openCard(chat).locator('hookline-plan', { hasText: 'Name it in the README.' }).waitFor();
    await button('Approve, and ask before each step').click();
    const card = await chat.tool('present_plan', 'done');
    await chat.says('I begin.');
    await card.locator('[data-end="approved"]').waitFor();
    await workbench.screenshot('plans-approved-292');
    assert.match(JSON.stringify(llm.requests.at(-1)?.body), /They edited it.*Name it in the README/);
    assert.equal(await chat.approvalMode(), 'ask');
  });
});
