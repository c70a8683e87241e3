import assert from 'node:assert/strict';
import { Chat } from './support/chat';
import { answerOnCard } from './support/questions';
import { openWorkbench, type Workbench } from './support/workbench';

describe('in German', () => {
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    workbench = await openWorkbench({ language: 'de' });
    await workbench.runCommand('Hookline: Chat öffnen');
    chat = await Chat.attach(workbench);
  });
  after(() => workbench.close());

  it('the panel speaks it', async () => {
    await chat.frame.locator('.empty', { hasText: 'Zum Ausprobieren' }).waitFor();
    assert.match((await chat.composer.getAttribute('placeholder')) ?? '', /^Fragen, \/ für Befehle/);
  });

  it('so do a question, the card of a blocked call and its reason', async () => {
    await chat.ask('run `rm -rf build`');
    await workbench.quickInput.opened({ withItems: true });
    assert.match(await workbench.quickInput.title(), /fragt zu/);
    await answerOnCard(chat, 'No');
    const card = await chat.tool('bash', 'blocked');
    assert.match(await card.innerText(), /Blockiert[^]*Von permission-gate\.ts blockiert/);
    await chat.idle();
    await workbench.screenshot('state-second-language');
  });

  it('so do the palette, the hooks view and what commands say', async () => {
    await workbench.runCommand('Hookline-Hooks: Focus on Hooks View');
    await workbench.page.locator('.monaco-list-row', { hasText: 'noch nicht aufgerufen' }).first().waitFor();
    await workbench.runCommand('Hookline: Sitzung fortsetzen…');
    await workbench.quickInput.opened({ withItems: true });
    assert.match(await workbench.quickInput.title(), /Sitzungen dieses Ordners/);
    await workbench.quickInput.cancel();
  });
});
