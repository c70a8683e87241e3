import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seriousFindings } from '../support/axe';
import { Chat } from './support/chat';
import { useTheme, widen } from './support/look';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

describe('versions of a message in VS Code', () => {
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    workbench = await openWorkbench({ files: { 'notes.txt': 'one\n' } });
    chat = await Chat.open(workbench);
  });

  after(() => workbench.close());

  const notes = (): string => readFileSync(join(workbench.workspace, 'notes.txt'), 'utf8');
  const isAccessible = async (): Promise<void> => {
    await chat.frame.evaluate('document.body.style.background = "var(--vscode-sideBar-background)"');
    assert.deepEqual(await seriousFindings(chat.frame), []);
  };

  it('come with an edit that restores files, by keyboard at 300 px', async () => {
    await chat.ask('edit notes.txt: replace "one" with "two"');
    await chat.tool('edit', 'done');
    await chat.idle();
    assert.equal(notes(), 'two\n');
    chat = await useTheme(workbench, 'Light High Contrast');
    await widen(workbench, 300);
    await chat.composer.press('F2');
    const wish = chat.frame.getByRole('checkbox', { name: 'Restore 1 file too' });
    await wish.press('Space');
    await workbench.screenshot('versions-restore-300-hc-light');
    await isAccessible();
    await chat.composer.fill('edit notes.txt: replace "one" with "three"');
    await chat.composer.press('Enter');
    await waitFor(() => Promise.resolve(notes() === 'three\n' ? true : undefined), { what: 'the other edit' });
    await chat.idle();
  });

  it('lead to what became of each', async () => {
    const version = (text: string): Promise<void> =>
      chat.frame.locator('.versions', { hasText: text }).first().waitFor();
    await version('2/2');
    await chat.frame.getByRole('button', { name: 'Previous version' }).press('Enter');
    await version('1/2');
    await chat.says('replace "one" with "two"');
    chat = await useTheme(workbench, 'Dark Modern');
    await widen(workbench, 560);
    await workbench.screenshot('versions-560-dark');
    await isAccessible();
    await chat.frame.getByRole('button', { name: 'Next version' }).press('Enter');
    await chat.says('replace "one" with "three"');
  });
});
