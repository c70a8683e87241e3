import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ROOT } from '../../scripts/support/paths.ts';
import { Chat } from './support/chat';
import { openQuestion } from './support/questions';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

describe('a first hook', () => {
  const word = `w${Math.random().toString(36).slice(2, 8)}`;
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    // One case debugs with an extension of VS Code.
    workbench = await openWorkbench({ name: `new hook ${word} ü`, ownServer: true });
    rmSync(join(workbench.workspace, '.pi'), { recursive: true });
    chat = await Chat.open(workbench);
  });

  after(() => workbench.close());

  const titled = async (text: string): Promise<void> => {
    await waitFor(async () => ((await workbench.quickInput.title()).includes(text) ? true : undefined), {
      what: `the question "${text}"`,
    });
  };

  describe('Hookline: New Hook…', () => {
    /** Takes the item of the open pick that begins with this label. */
    const take = async (label: string): Promise<void> => {
      await workbench.quickInput.opened({ withItems: true });
      await workbench.quickInput.type(label);
      await waitFor(
        async () => ((await workbench.quickInput.activeItem())?.includes(label) === true ? true : undefined),
        {
          what: `"${label}" in the pick`,
        },
      );
      await workbench.quickInput.accept();
    };
    it('asks for purpose and name, and opens a hook that is live', async () => {
      await workbench.runCommand('Hookline: New Hook…');
      await titled('What should the new hook do?');
      await workbench.screenshot('new-hook-1-purpose');
      await take('Ask before commands');
      await titled('Name of the new hook');
      await workbench.quickInput.type(`../${word}`);
      await waitFor(async () => ((await workbench.quickInput.text()).includes('only letters') ? true : undefined), {
        what: 'the reason why the name is refused',
      });
      await workbench.screenshot('new-hook-3-name');
      await workbench.quickInput.type(`${word}.ts`);
      await workbench.quickInput.accept();
      await workbench.page.locator('.tab', { hasText: `${word}.ts` }).waitFor();
      const file = join(workbench.workspace, '.pi', 'hooks', `${word}.ts`);
      assert.match(readFileSync(file, 'utf8'), /ExtensionAPI } from '@earendil-works/);
      await workbench.page.locator('.monaco-editor.focused').waitFor();
      await waitFor(
        async () => ((await workbench.statusBar()).some(text => /Ln 6, Col \d\d/.test(text)) ? true : undefined),
        {
          what: 'the cursor in the list of risks',
        },
      );
      await chat.ask('run `git push origin main`');
      await openQuestion(workbench);
      assert.match(await workbench.quickInput.placeholder(), /publishes commits/);
      await workbench.quickInput.chooseByKeyboard('No');
      await chat.tool('bash', 'blocked');
      await chat.idle();
    });

    it('has its types at once: no complaint, hover, and no file written', async () => {
      const page = workbench.page;
      await untilTyped(workbench);
      const plain = join(workbench.workspace, '.pi', 'hooks', 'plain.ts');
      writeFileSync(plain, PLAIN);
      await page.keyboard.press('Control+p');
      await workbench.quickInput.opened();
      await workbench.quickInput.type(plain);
      await waitFor(
        async () => ((await workbench.quickInput.items()).some(item => item.startsWith('plain.ts')) ? true : undefined),
        { what: 'the file in the pick' },
      );
      await workbench.quickInput.accept();
      await page.locator('.tab.active', { hasText: 'plain.ts' }).waitFor();
      await waitFor(
        async () => {
          await page.mouse.move(0, 0);
          await page.locator('.view-line span span', { hasText: /^e$/ }).first().hover();
          const hover = page.locator('.monaco-hover', { hasText: 'ToolCallEvent' });
          return hover.waitFor({ timeout: 5000 }).then(
            () => true,
            () => undefined,
          );
        },
        { what: 'the type of e on hover' },
      );
      await untilTyped(workbench);
      await workbench.screenshot('new-hook-4-hover');
      assert.deepEqual(readdirSync(join(workbench.workspace, '.pi')), ['hooks']);
      assert.equal(existsSync(join(workbench.workspace, 'tsconfig.json')), false);
    });

    it('never overwrites: the next one gets another name, and a taken one is refused', async () => {
      await workbench.runCommand('Hookline: New Hook…');
      await titled('What should the new hook do?');
      await take('Custom tool');
      await titled('Name of the new hook');
      await workbench.quickInput.type(word);
      await waitFor(async () => ((await workbench.quickInput.text()).includes('not overwritten') ? true : undefined), {
        what: 'the reason why the name is refused',
      });
      await workbench.quickInput.cancel();
    });

    it('writes for an older pi as well', async () => {
      await workbench.runCommand('Hookline: New Hook…');
      await titled('What should the new hook do?');
      await take('In an older dialect…');
      await titled('Which dialect?');
      await workbench.screenshot('new-hook-2-dialect');
      await take('pi hooks, first version');
      await titled('What should the new hook do? (pi hooks, first version)');
      assert.doesNotMatch((await workbench.quickInput.items()).join('\n'), /Custom tool|older dialect/);
      await take('Block commands');
      await titled('Name of the new hook');
      await workbench.quickInput.accept();
      await workbench.page.locator('.tab.active', { hasText: 'block-commands.ts' }).waitFor();
      const file = join(workbench.workspace, '.pi', 'hooks', 'block-commands.ts');
      assert.match(readFileSync(file, 'utf8'), /^\/\/ @pi-dialect v1/);
      await chat.ask('run `sudo ls`');
      await chat.tool('bash', 'blocked', 1);
      await chat.idle();
    });
  });

  describe('Hookline: Add Example Hook…', () => {
    const original = readFileSync(join(ROOT, 'examples', 'pi', 'status-line.ts'), 'utf8');
    let file: string;

    before(async () => {
      file = join(workbench.workspace, '.pi', 'extensions', 'status-line.ts');
      await workbench.runCommand('View: Close All Editors');
      chat = await Chat.open(workbench);
      await chat.startAnew();
    });

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
    const tab = (): Locator => workbench.page.locator('.tab', { hasText: 'status-line.ts' });

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
      await workbench.page
        .locator('.notification-toast', { hasText: 'already exists and is not overwritten' })
        .waitFor();
      assert.equal(readFileSync(file, 'utf8'), `${original}// mine\n`);
      assert.deepEqual(readdirSync(join(workbench.workspace, '.pi', 'extensions')), ['status-line.ts']);
    });
  });

  /** What `npm start` is: a server without the flag that lets a browser's window be debugged. */
  describe('debugging hooks on a plain server', () => {
    it('starts by the launch.json of the example, and says in the chat why no breakpoint is hit', async () => {
      const { page } = workbench;
      await workbench.windowOpenedBy(() => page.keyboard.press('F5'));
      await page.bringToFront();
      await chat.says(/does not reach the second window/);
      await workbench.screenshot('debug-plain-server');
    });
  });
});

/** As a person writes a first hook. */
const PLAIN = `export default pi => {
  pi.on('tool_call', (e, ctx) => {
    if (e.toolName === 'bash') ctx.ui.notify(e.toolName);
  });
};
`;

/** Resolves when TypeScript has looked at the file in the editor and complains about nothing. */
async function untilTyped(workbench: Workbench): Promise<void> {
  await waitFor(
    async () => {
      const label = await workbench.page
        .locator('.statusbar-item', { has: workbench.page.locator('.codicon-error') })
        .innerText();
      return /^\s*0/.test(label) && (await squiggles(workbench)) === 0 ? true : undefined;
    },
    { what: 'an editor without errors', timeout: 60_000 },
  );
}

async function squiggles(workbench: Workbench): Promise<number> {
  return workbench.page.locator('.monaco-editor .squiggly-error').count();
}
