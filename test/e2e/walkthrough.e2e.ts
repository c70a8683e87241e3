import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { Chat } from './support/chat';
import { answerQuestion } from './support/questions';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

describe('the tour for the first start', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await openWorkbench({ name: 'first start ü', without: ['.pi'] });
  });

  after(() => workbench.close());

  const step = (title: string): Locator =>
    workbench.page.locator('.step-list-container .getting-started-step', { hasText: title });
  const isDone = async (title: string): Promise<void> => {
    await waitFor(async () => ((await step(title).locator('.codicon.complete').count()) > 0 ? true : undefined), {
      what: `the step "${title}" to be done`,
    });
  };
  /** Opens a step and presses its button, by keyboard. VS Code moves the focus in steps, so that a key may be lost. */
  const take = async (title: string, label: string | RegExp, happened: () => Promise<boolean>): Promise<void> => {
    await step(title).focus();
    await workbench.page.keyboard.press('Enter');
    const button = step(title).getByRole('button', { name: label });
    await button.waitFor();
    await waitFor(
      async () => {
        await button.press('Enter');
        return (await happened()) ? true : undefined;
      },
      { what: `what the button of "${title}" does` },
    );
  };
  /** Whether it happens within a few seconds: else the key was lost. */
  const soon = (check: () => Promise<boolean>): Promise<boolean> =>
    waitFor(async () => ((await check()) ? true : undefined), { what: 'it', timeout: 6000 }).catch(() => false);
  const composerHolds = (text: string) => (): Promise<boolean> =>
    soon(async () => (await (await Chat.attach(workbench)).composer.inputValue()) === text);
  const tourLink = (chat: Chat): Locator => chat.frame.getByRole('button', { name: /^Get started/ });
  const backToTour = async (): Promise<void> => {
    await workbench.runCommand('Hookline: Get Started');
    await workbench.quickInput.closed();
  };

  it('does not open by itself', async () => {
    await waitFor(async () => ((await workbench.statusBar()).some(text => text.includes('Demo')) ? true : undefined), {
      what: 'Hookline in the status bar',
    });
    assert.equal(await workbench.page.locator('.gettingStartedContainer').count(), 0);
    assert.deepEqual(
      (await workbench.notifications()).filter(text => /hookline|pi:/i.test(text)),
      [],
    );
  });

  it('opens by command and leads to the chat', async () => {
    await workbench.runCommand('Hookline: Get Started');
    await step('Open the chat').waitFor();
    await workbench.screenshot('walkthrough-1-start');
    await take('Open the chat', 'Open Chat', async () => {
      await Chat.attach(workbench);
      return true;
    });
    await Chat.attach(workbench);
    await isDone('Open the chat');
  });

  it('is offered in the empty chat, quietly', async () => {
    const chat = await Chat.attach(workbench);
    await tourLink(chat).waitFor();
    await workbench.screenshot('walkthrough-4-offered');
  });

  it('puts a first message into the composer, which Enter sends', async () => {
    await take('Send your first message', /list the files/, composerHolds('list the files'));
    const chat = await Chat.attach(workbench);
    await waitFor(async () => ((await chat.composer.inputValue()) === 'list the files' ? true : undefined), {
      what: 'the message in the composer',
    });
    await chat.composer.press('Enter');
    await chat.tool('ls', 'done');
    await chat.idle();
    await isDone('Send your first message');
    await workbench.screenshot('walkthrough-2-asked');
  });

  it('makes a gate from a template', async () => {
    await backToTour();
    await take('Create a gate', 'Create a Permission Gate', () =>
      soon(async () => (await workbench.quickInput.title()).includes('Name of the new hook')),
    );
    await workbench.quickInput.accept();
    const file = join(workbench.workspace, '.pi', 'hooks', 'ask-before.ts');
    await waitFor(() => (existsSync(file) ? true : undefined), { what: 'the hook' });
    // It is opened a moment later than it is written, and would cover the tour.
    await workbench.page.locator('.tab.active', { hasText: 'ask-before.ts' }).waitFor();
    await backToTour();
    await isDone('Create a gate');
  });

  it('ends with the gate having blocked a command', async () => {
    await take('See a hook block a command', /rm -rf build/, composerHolds('run `rm -rf build`'));
    const chat = await Chat.attach(workbench);
    await waitFor(async () => ((await chat.composer.inputValue()).includes('rm -rf build') ? true : undefined), {
      what: 'the request in the composer',
    });
    await chat.composer.press('Enter');
    await waitFor(async () => ((await workbench.quickInput.title()).includes('ask-before') ? true : undefined), {
      what: 'the question of the gate',
    });
    await answerQuestion(workbench, 'No');
    const card = await chat.tool('bash', 'blocked');
    assert.match(await card.innerText(), /ask-before\.ts/);
    assert.ok(existsSync(join(workbench.workspace, 'build')), 'the folder is still there');
    await isDone('See a hook block a command');
    await workbench.screenshot('walkthrough-3-blocked');
  });

  it('is not offered any more where a hook is', async () => {
    await workbench.runCommand('Hookline: New Session');
    const chat = await Chat.attach(workbench);
    await chat.frame.getByRole('button', { name: 'list the files' }).waitFor();
    assert.equal(await tourLink(chat).count(), 0);
  });
});
