import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { ScriptedLlm } from '../support/scripted-llm';
import { Chat } from './support/chat';
import { assertAccessible, useTheme, widen } from './support/look';
import { scriptedHome } from './support/scripted-home';
import { openWorkbench, type Workbench } from './support/workbench';

const ADDS = `export default pi => {
  pi.on('before_agent_start', () => ({ message: { customType: 'mine', content: 'Mind the house rules. '.repeat(60), display: false } }));
};\n`;

describe('the breakdown of the context in VS Code', function () {
  this.timeout(180_000);
  let llm: ScriptedLlm;
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    llm = await ScriptedLlm.start();
    workbench = await openWorkbench({
      homeFiles: scriptedHome(llm),
      files: {
        'AGENTS.md': 'Use no tabs. '.repeat(200),
        'notes.txt': 'A note.\n'.repeat(300),
        '.pi/extensions/adds.ts': ADDS,
      },
    });
    chat = await Chat.open(workbench);
    await widen(workbench, 292);
  });
  after(async () => {
    await workbench.close();
    await llm.stop();
  });

  const panel = (): Locator => chat.frame.getByRole('dialog', { name: 'Context and cost' });
  const open = async (): Promise<void> => {
    await chat.frame.locator('[data-hookline="usage"]').press('Enter');
    await panel().getByText('The provider counted the whole. It counts no parts').waitFor();
  };
  const count = async (name: string): Promise<string> =>
    (await panel().locator('.context-parts tr', { hasText: name }).locator('td').innerText()).trim();

  it('opens with the command, before anything was said, and marks all as estimates', async () => {
    await workbench.runCommand('Hookline: Show Context');
    await panel().locator('.context-parts').waitFor();
    assert.match(await panel().innerText(), /No provider has counted this yet/);
    assert.match(await count('Files'), /^~/);
    assert.notEqual(await count('Files'), '~0');
    assert.equal(await count('Messages'), '~0');
    assert.match(await count('Free'), /^~9\d/);
    await workbench.screenshot('context-292-nothing-said');
    await workbench.page.keyboard.press('Escape');
    await panel().waitFor({ state: 'hidden' });
  });

  it('has the total of the provider, and what hooks, files and messages add, with Enter on the ring', async () => {
    llm.reply({ text: 'Read.', usage: { input: 24_000, output: 100, cacheRead: 0, cacheWrite: 0 } });
    await chat.ask('Read @notes.txt please');
    await chat.says('Read.');
    await chat.idle();
    await open();
    assert.match(await panel().innerText(), /Context: 24\.1k\/100k tokens \(24 %\)/);
    assert.notEqual(await count('Added by hooks'), '~0');
    assert.doesNotMatch(await count('Free'), /~/);
    for (const [theme, name] of [
      ['Light Modern', 'light'],
      ['Light High Contrast', 'hc-light'],
      ['Dark High Contrast', 'hc-dark'],
    ] as const) {
      await workbench.page.keyboard.press('Escape');
      chat = await useTheme(workbench, theme);
      await open();
      await workbench.screenshot(`context-292-${name}`);
      await assertAccessible(chat);
    }
  });

  it('compacts with the keyboard', async () => {
    llm.reply({ text: 'Read again.' });
    await workbench.page.keyboard.press('Escape');
    await chat.ask(`Once more. ${'word '.repeat(20_000)}`);
    await chat.says('Read again.');
    await chat.idle();
    const asked = llm.requests.length;
    llm.reply({ text: 'A summary of it all.' }, { text: 'The beginning of the turn.' });
    await open();
    await workbench.page.keyboard.press('Tab');
    await workbench.page.keyboard.press('Enter');
    await panel().waitFor({ state: 'hidden' });
    await chat.says('Earlier conversation summarized');
    await chat.idle();
    assert.ok(llm.requests.length > asked, 'the model was asked for a summary');
    await workbench.screenshot('context-292-compacted');
  });
});
