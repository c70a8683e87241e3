import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { seriousFindings } from '../support/axe';
import { Chat } from './support/chat';
import { useTheme, widen } from './support/look';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

/** Prints in color, and goes on as long as the file of this name is missing. */
const server = (name: string): string =>
  `echo $$ > ${name}.pid; printf '\\033[32mserver ${name} listens\\033[0m\\n'; while [ ! -e ${name}.go ]; do sleep 0.1; done; echo "${name} ends"`;

describe('commands that can be seen', () => {
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    // Text that is drawn with the GPU cannot be read.
    workbench = await openWorkbench({ settings: { 'terminal.integrated.gpuAcceleration': 'off' } });
    chat = await Chat.open(workbench);
    await widen(workbench, 292);
  });
  after(() => workbench.close());

  const file = (name: string): string => join(workbench.workspace, name);
  const isRunning = (name: string): boolean => existsSync(`/proc/${readFileSync(file(`${name}.pid`), 'utf8').trim()}`);
  const rows = (): Locator => chat.frame.locator('.running-commands > li');
  const row = (name: string): Locator => rows().filter({ hasText: `server ${name} ` });
  const button = (name: string): Locator => chat.frame.getByRole('button', { name, exact: true });
  const terminalSays = (text: string): Promise<true> =>
    waitFor(
      async () => {
        const shown = await workbench.page.locator('.terminal-wrapper.active .xterm-rows').allInnerTexts();
        return shown.join('\n').replaceAll('\u00a0', ' ').includes(text) || undefined;
      },
      { what: `“${text}” in the terminal` },
    );
  const gone = (name: string): Promise<true> =>
    waitFor(() => Promise.resolve(isRunning(name) ? undefined : true), { what: `the end of ${name}` });
  /** Runs a command, and lets it run on. */
  const runOn = async (name: string): Promise<void> => {
    await chat.ask(`run \`${server(name)}\``);
    await chat.tool('bash', 'running');
    await button('Continue Without Waiting').click();
    await row(name).waitFor();
    await chat.idle();
  };

  it('shows one in a terminal from its beginning, with what it prints, and takes no keys', async () => {
    await chat.ask(`run \`${server('one')}\``);
    await chat.tool('bash', 'running');
    assert.equal(await rows().count(), 0, 'the list has only commands that run on');
    await button('Show in Terminal').waitFor();
    await workbench.screenshot('commands-card-292');
    await button('Show in Terminal').click();
    await terminalSays('server one listens');
    await workbench.runCommand('Terminal: Focus Terminal');
    await workbench.page.locator('.terminal.xterm.focus').waitFor();
    await workbench.page.keyboard.type('x');
    await terminalSays('takes no input');
    await workbench.screenshot('commands-terminal-292');
  });

  it('lets the agent go on while the command runs, and lists the command above the composer', async () => {
    await button('Continue Without Waiting').click();
    await row('one').waitFor();
    await chat.idle();
    const card = await chat.tool('bash', 'done');
    await card.locator('.chip', { hasText: 'Runs on' }).waitFor();
    assert.match(await chat.text(), /The user does not wait for this command/);
    assert.equal(isRunning('one'), true);
    await workbench.screenshot('commands-list-292');
    assert.deepEqual(await seriousFindings(chat.frame), []);
  });

  it('tells that it ended, and the agent reads it with the next prompt', async () => {
    writeFileSync(file('one.go'), '');
    await chat.says(/has ended with exit code 0/);
    await rows().first().waitFor({ state: 'detached' });
    await terminalSays('[Ended with exit code 0]');
    const card = await chat.tool('bash', 'done');
    await card.locator('.chip', { hasText: 'Ended · exit code 0' }).waitFor();
    await workbench.screenshot('commands-ended-292');
  });

  it('goes on when another run is stopped, and ends with the Stop of its own row', async () => {
    await runOn('two');
    await runOn('three');
    assert.equal(await rows().count(), 2);
    await chat.ask('run `echo > later.pid; sleep 100`');
    await chat.tool('bash', 'running');
    await workbench.runCommand('Hookline: Stop');
    await chat.idle();
    assert.deepEqual([isRunning('two'), isRunning('three'), await rows().count()], [true, true, 2]);
    await workbench.screenshot('commands-two-292');
    await row('two')
      .getByRole('button', { name: /^Stop / })
      .click();
    await gone('two');
    await row('two').waitFor({ state: 'detached' });
    assert.equal(isRunning('three'), true);
    await chat.says(/was stopped by you/);
  });

  it('is stopped in its terminal as well, by a button and by Ctrl+C, and closing the terminal does not end it', async () => {
    const stopButton = workbench.page.getByRole('button', { name: 'Stop Agent Command' });
    for (const [name, stop] of [
      ['four', () => stopButton.click()],
      ['five', () => workbench.page.keyboard.press('Control+c')],
    ] as const) {
      await runOn(name);
      await row(name)
        .getByRole('button', { name: /^Show / })
        .click();
      await terminalSays(`server ${name} listens`);
      await workbench.runCommand('Terminal: Kill the Active Terminal Instance');
      await stopButton.waitFor({ state: 'detached' });
      assert.equal(isRunning(name), true);
      await row(name)
        .getByRole('button', { name: /^Show / })
        .click();
      await terminalSays(`server ${name} listens`);
      await workbench.runCommand('Terminal: Focus Terminal');
      await workbench.page.locator('.terminal.xterm.focus').waitFor();
      await stopButton.waitFor();
      await workbench.screenshot(`commands-terminal-stop-${name}`);
      await stop();
      await gone(name);
      await terminalSays('[Stopped]');
    }
    assert.equal(isRunning('three'), true);
  });

  it('fits narrow, wide and in high contrast', async () => {
    chat = await useTheme(workbench, 'Dark High Contrast');
    await workbench.screenshot('commands-high-contrast-292');
    assert.deepEqual(await seriousFindings(chat.frame), []);
    chat = await useTheme(workbench, 'Light Modern');
    await widen(workbench, 560);
    await workbench.screenshot('commands-light-560');
    await widen(workbench, 171);
    await workbench.screenshot('commands-171');
  });

  it('ends with its window; its card says so in the next one', async () => {
    assert.equal(isRunning('three'), true);
    await workbench.reload();
    await gone('three');
    chat = await Chat.open(workbench);
    await chat.frame.locator('.chip', { hasText: 'Ended with its window' }).waitFor();
    assert.equal(await rows().count(), 0);
  });
});
