import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/support/paths.ts';
import { Chat } from './support/chat';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

describe('Hookline: Add Example Hook…', () => {
  const original = readFileSync(join(ROOT, 'examples', 'pi', 'status-line.ts'), 'utf8');
  let workbench: Workbench;
  let chat: Chat;
  let file: string;

  before(async () => {
    workbench = await openWorkbench({ name: 'add example ü' });
    file = join(workbench.workspace, '.pi', 'extensions', 'status-line.ts');
    chat = await Chat.open(workbench);
  });

  after(() => workbench.close());

  const titled = async (text: string): Promise<void> => {
    await waitFor(async () => ((await workbench.quickInput.title()).includes(text) ? true : undefined), {
      what: `the question "${text}"`,
    });
  };
  /** Up to the question that comes with the code. */
  const chooseExample = async (): Promise<void> => {
    await workbench.runCommand('Hookline: Add Example Hook…');
    await titled('Which example do you want to add?');
    await workbench.screenshot('add-example-1-list');
    await workbench.quickInput.type('status-line');
    await workbench.quickInput.accept();
    await titled('Add status-line.ts?');
    await workbench.page.locator('.monaco-editor', { hasText: 'Shows in the status line' }).waitFor();
  };
  const tab = () => workbench.page.locator('.tab', { hasText: 'status-line.ts' });

  it('lists every example with a sentence', async () => {
    await workbench.runCommand('Hookline: Add Example Hook…');
    await workbench.quickInput.opened({ withItems: true });
    const [first = ''] = await workbench.quickInput.items();
    assert.match(first, /auto-commit\.ts[\s\S]*Commits what the agent changed/);
    await workbench.quickInput.cancel();
  });

  it('shows the code, and writes nothing when it is cancelled', async () => {
    await chooseExample();
    assert.equal(existsSync(file), false);
    await workbench.screenshot('add-example-2-code');
    await workbench.quickInput.chooseByKeyboard('Cancel');
    await tab().waitFor({ state: 'detached' });
    assert.equal(existsSync(file), false);
  });

  it('writes it into the workspace, opens it, and it runs', async () => {
    await chooseExample();
    await workbench.quickInput.chooseByKeyboard('Add to this workspace');
    await waitFor(() => (existsSync(file) ? true : undefined), { what: 'the file' });
    await tab().waitFor();
    assert.equal(readFileSync(file, 'utf8'), original);
    await chat.ask('run `echo one`');
    await chat.tool('bash', 'done');
    await waitFor(async () => ((await workbench.statusBar()).some(text => /1 tool/.test(text)) ? true : undefined), {
      what: 'the count of the example in the status bar',
    });
    await workbench.screenshot('add-example-3-running');
  });

  it('leaves a file of that name as it is, and says so', async () => {
    writeFileSync(file, `${original}// mine\n`);
    await chooseExample();
    await workbench.quickInput.chooseByKeyboard('Add to this workspace');
    await workbench.page.locator('.notification-toast', { hasText: 'already exists and is not overwritten' }).waitFor();
    assert.equal(readFileSync(file, 'utf8'), `${original}// mine\n`);
    assert.deepEqual(readdirSync(join(workbench.workspace, '.pi', 'extensions')), ['status-line.ts']);
  });
});
