import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/support/paths.ts';
import { Chat } from './support/chat';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

describe('what hooks draw in the conversation', () => {
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    const text = readFileSync(join(ROOT, 'test', 'fixtures', 'terminal', 'drawings.ts'), 'utf8');
    workbench = await openWorkbench({ files: { '.pi/extensions/drawings.ts': text } });
    chat = await Chat.open(workbench);
  });

  after(() => workbench.close());

  it('draws its entries, folded and in full', async () => {
    await chat.ask('/build main --> prod');
    const entry = chat.frame.locator('[data-kind="entry"]').last();
    await entry.locator('.term-row', { hasText: '[build] main --> prod' }).waitFor();
    await entry.locator('.term-row', { hasText: 'click to expand' }).waitFor();
    await entry.hover();
    await entry.getByRole('button', { name: 'Show All' }).click();
    await entry.locator('.term-row', { hasText: '• compile' }).waitFor();
    await workbench.screenshot('hook-entry');
  });

  it('shows texts as it wants them, and calls as it draws them', async () => {
    await chat.ask('thanks --> done');
    await chat.says('thanks → done');
    await chat.idle();
    await chat.ask('ls');
    const card = await chat.tool('ls', 'done');
    await card.locator('.term-row', { hasText: /^\d+ entries/ }).waitFor();
    await chat.idle();
    await workbench.screenshot('hook-texts');
  });

  it('completes its words in the composer', async () => {
    await chat.composer.click();
    await workbench.page.keyboard.type('to ~har');
    const options = chat.frame.locator('[data-hookline="suggestions"] [role="option"]');
    await options.first().waitFor();
    assert.deepEqual(
      (await options.allInnerTexts()).map(text => text.trim()),
      ['harbour', 'harvest'],
    );
    await workbench.screenshot('hook-completion');
    await workbench.page.keyboard.press('ArrowDown');
    await workbench.page.keyboard.press('Enter');
    await waitFor(async () => ((await chat.composer.inputValue()) === 'to harvest' ? true : undefined), {
      what: 'the word in the composer',
    });
  });
});
