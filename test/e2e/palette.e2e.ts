import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Chat } from './support/chat';
import { openWorkbench, waitFor, type Workbench, type WorkbenchWindow } from './support/workbench';

const STATS = 'Hookline: /stats — Show session statistics';

/** A hook with one command that says a text; `more` are further options of the command. */
function commandHook(name: string, description: string, says: string, more = ''): string {
  return `export default pi => {
    pi.registerCommand(${JSON.stringify(name)}, {
      description: ${JSON.stringify(description)},
      ${more}
      handler: async (args, ctx) => ctx.ui.notify(${says}, 'info'),
    });
  };\n`;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

async function appears(window: WorkbenchWindow, title: string): Promise<void> {
  const what = `"${title}" in the Command Palette`;
  await waitFor(async () => ((await window.offersCommand(title)) ? true : undefined), { what });
}

async function vanishes(window: WorkbenchWindow, title: string): Promise<void> {
  const what = `"${title}" out of the Command Palette`;
  await waitFor(async () => ((await window.offersCommand(title)) ? undefined : true), { what });
}

describe('hook commands in the Command Palette', () => {
  const word = `w${Math.random().toString(36).slice(2, 8)}`;

  describe('of two windows', () => {
    let first: Workbench;
    let second: WorkbenchWindow;
    let chat: Chat;
    let hook: string;
    let otherHook: string;

    before(async () => {
      first = await openWorkbench({ ownServer: true, name: `palette ${word} ü` });
      hook = join(first.workspace, '.pi', 'hooks', 'zz-own.ts');
      const folder = join(first.place.root, 'other folder');
      otherHook = join(folder, '.pi', 'hooks', 'other.ts');
      mkdirSync(folder);
      chat = await Chat.open(first);
      second = await first.openWindow(folder);
    });

    after(() => first.close());

    it('are there from the start, and run', async () => {
      await first.page.bringToFront();
      await first.runCommand(STATS);
      await chat.says(/0 answers|answers, /);
    });

    it('stand beside commands that have something to act on, and no others', async () => {
      await appears(first, 'Hookline: Explain Hook…');
      for (const title of [
        'Restart MCP Server…',
        'Update All Packages',
        'Approve All Hook Changes',
        'Switch Conversation…',
      ]) {
        assert.equal(await first.offersCommand(`Hookline: ${title}`), false, title);
      }
      await first.runCommand('Hookline: New Parallel Conversation');
      await appears(first, 'Hookline: Switch Conversation…');
      await first.runCommand('Hookline: Close Conversation');
      await vanishes(first, 'Hookline: Switch Conversation…');
    });

    it('come with a save on disk, and run what was saved', async () => {
      write(hook, commandHook(`say-${word}`, 'Says a word', `'the word is ${word}'`));
      await appears(first, `Hookline: /say-${word} — Says a word`);
      await first.openPalette();
      await first.quickInput.type('>Hookline: /');
      await first.quickInput.items();
      await first.screenshot('palette-1-entries');
      await first.quickInput.cancel();
      await first.runCommand(`Hookline: /say-${word} — Says a word`);
      await chat.says(`the word is ${word}`);
    });

    it('stay out of the other window, whose own stand beside them', async () => {
      await second.page.bringToFront();
      assert.equal(await second.offersCommand(`Hookline: /say-${word} — Says a word`), false);
      assert.equal(await second.offersCommand(STATS), false);
      write(otherHook, commandHook('stats', `Another thing ${word}`, `'other ${word}'`));
      await appears(second, `Hookline: /stats — Another thing ${word}`);
      assert.equal(await second.offersCommand(STATS), false);
      await second.screenshot('palette-2-other-window');
      await first.page.bringToFront();
      await appears(first, STATS);
      assert.equal(await first.offersCommand(`Hookline: /stats — Another thing ${word}`), false);
      assert.equal(await first.offersCommand(`Hookline: /say-${word} — Says a word`), true);
    });

    it('change their title with the hook', async () => {
      write(hook, commandHook(`say-${word}`, 'Says another word', `'now it is ${word}'`));
      await appears(first, `Hookline: /say-${word} — Says another word`);
      assert.equal(await first.offersCommand(`Hookline: /say-${word} — Says a word`), false);
      await first.runCommand(`Hookline: /say-${word} — Says another word`);
      await chat.says(`now it is ${word}`);
    });

    it('ask for arguments with the completions of the command', async () => {
      const completions = `getArgumentCompletions: typed => ['north ${word}', 'south ${word}']
        .filter(value => value.startsWith(typed)).map(value => ({ value, label: value, description: 'a place' })),`;
      write(hook, commandHook(`go-${word}`, 'Goes', "'gone to <' + args + '>'", completions));
      await appears(first, `Hookline: /go-${word} — Goes`);
      await first.runCommand(`Hookline: /go-${word} — Goes`);
      await waitFor(async () => ((await first.quickInput.items()).join().includes('south') ? true : undefined), {
        what: 'the completions',
      });
      await first.quickInput.type('so');
      await waitFor(async () => ((await first.quickInput.items()).join().includes('north') ? undefined : true), {
        what: 'the completions for "so"',
      });
      await first.screenshot('palette-3-arguments');
      await first.quickInput.accept();
      await chat.says(`gone to <south ${word}>`);
    });

    it('go when the hook goes', async () => {
      rmSync(hook);
      await vanishes(first, `Hookline: /go-${word} — Goes`);
      assert.equal(await first.offersCommand(STATS), true);
      rmSync(otherHook);
      await second.page.bringToFront();
      await vanishes(second, `Hookline: /stats — Another thing ${word}`);
    });

    it('never brought a toast or asked for a reload', async () => {
      for (const window of [first, second]) {
        assert.deepEqual(
          (await window.notifications()).filter(text => /reload|extension|install/i.test(text)),
          [],
        );
      }
    });
  });

  describe('bound to a key', () => {
    let workbench: Workbench;

    before(async () => {
      workbench = await openWorkbench({
        ownServer: true,
        files: { '.pi/hooks/zz-key.ts': commandHook('keyed', 'By key', "'pressed <' + args + '>'") },
        keybindings: [
          { key: 'ctrl+alt+f9', command: 'pi.hook.keyed', args: 'from a key' },
          { key: 'ctrl+alt+f10', command: 'pi.hook.stats' },
        ],
        settings: { 'hookline.hooks.commandsInPalette': 'ask' },
      });
    });

    after(() => workbench.close());

    it('run by their stable id, with the arguments of the binding', async () => {
      const chat = await Chat.open(workbench);
      await workbench.page.keyboard.press('Control+Alt+F9');
      await chat.says('pressed <from a key>');
      await workbench.page.keyboard.press('Control+Alt+F10');
      await chat.says(/answers, /);
    });

    it('come into the palette when the person agrees, and go with a command', async () => {
      const toast = workbench.page.locator('.notification-toast', {
        hasText: 'commands of your hooks in the Command Palette',
      });
      await toast.waitFor();
      await workbench.screenshot('palette-5-question');
      assert.equal(await workbench.offersCommand('Hookline: /keyed — By key'), false);
      await toast.getByText('Add', { exact: true }).click();
      await appears(workbench, 'Hookline: /keyed — By key');
      await workbench.runCommand('Hookline: Remove Hook Commands from Command Palette');
      await vanishes(workbench, 'Hookline: /keyed — By key');
      await appears(workbench, 'Hookline: Add Hook Commands to Command Palette');
    });
  });

  describe('where VS Code allows no such extension', () => {
    let workbench: Workbench;

    before(async () => {
      workbench = await openWorkbench({
        ownServer: true,
        settings: { 'extensions.allowed': { 'hookline.hookline': true } },
      });
    });

    after(() => workbench.close());

    it('can be run from "Hookline: Run Hook Command…"', async () => {
      const chat = await Chat.open(workbench);
      await workbench.runCommand('Hookline: Run Hook Command…');
      await workbench.quickInput.type('/stats');
      await workbench.quickInput.items();
      await workbench.screenshot('palette-4-blocked-install');
      await workbench.quickInput.accept();
      await waitFor(async () => ((await workbench.quickInput.title()).includes('/stats') ? true : undefined), {
        what: 'the question for arguments',
      });
      await workbench.quickInput.accept();
      await chat.says(/answers, /);
      assert.equal(await workbench.offersCommand(STATS), false);
      const log = await waitFor(() => outputLog(workbench), { what: 'a word in the log about the refused extension' });
      assert.match(log, /extensions\.allowed/);
    });
  });
});

/** Hookline's output channel on disk, if it speaks of the palette. */
function outputLog(workbench: Workbench): string | undefined {
  for (const file of workbench.logFiles('Hookline')) {
    const text = readFileSync(file, 'utf8');
    if (text.includes('Command Palette')) return text;
  }
  return undefined;
}
