import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { findBrowser } from '../../scripts/browser.ts';
import { STILL_SCRIPT } from '../../scripts/support/calm-window.ts';
import { ARTIFACTS, ROOT } from '../../scripts/support/paths.ts';
import { spawnTree, type Started as StartedProgram } from '../../scripts/support/processes.ts';
import { makeTestPlace, type TestPlace } from '../../scripts/support/test-place.ts';
import { readProcessTable, withDescendants } from '../../src/base/ending/process-table';
import { Chat } from './support/chat';
import { answerQuestion } from './support/questions';
import { waitFor, WorkbenchWindow } from './support/workbench';

describe('npm start', () => {
  const all: Started[] = [];
  let ordered: Started;
  let killed: Started;
  /** The one of these that a test is about. */
  let started: Started;

  before(async () => {
    all.push((ordered = launch()));
    await untilReady(ordered);
    // It builds while the other one is tested: both build in the same folder, so not at the same time.
    all.push((killed = launch()));
  });

  after(async () => {
    for (const { tree, place } of all) {
      await tree.end();
      place.remove();
    }
  });

  describe('ended in order', () => {
    before(() => {
      started = ordered;
    });

    it('prints an address with a token that opens the trusted sample with Hookline in view, and ends cleanly on Ctrl+C', async () => {
      await withPage(address(), async page => {
        await waitFor(async () => (await chatIsThere(page)) || undefined, { what: 'the chat page' });
        await waitFor(async () => (await composerHasFocus(page)) || undefined, { what: 'the cursor in the composer' });
        await page.keyboard.type('read README.md');
        await page.screenshot({ path: join(ARTIFACTS, 'npm-start.png') });
        const status = await page.locator('.statusbar-item').allInnerTexts();
        assert.ok(!status.some(text => text.includes('Restricted')), `status bar: ${status.join(' | ')}`);
        await new WorkbenchWindow(started.place, page).runCommand('Hookline: Restore Deleted Session…');
        await page.locator('.notification-toast', { hasText: 'There are no deleted sessions.' }).waitFor();
      });
      const inGit = execFileSync('git', ['ls-files', 'build'], { cwd: sample(), encoding: 'utf8' });
      assert.equal(inGit.trim(), 'build/greeting.txt', 'the sample is a git repository');
      const withoutToken = await fetch(new URL('/', address()));
      assert.equal(withoutToken.status, 403);
      const ofDebugger = new URL(address());
      ofDebugger.searchParams.set('payload', JSON.stringify([['extensionDevelopmentPath', 'vscode-remote://x/y']]));
      const { searchParams } = ofDebugger;
      const headers = { cookie: `vscode-tkn=${searchParams.get('tkn') ?? ''}` };
      searchParams.delete('tkn');
      const page = await (await fetch(ofDebugger, { headers })).text();
      assert.match(page, /enableSmokeTestDriver&quot;:true/, 'a window of the debugger can be debugged');
      const processes = await runningProcesses();
      assert.ok(processes.length >= 3, 'there is a server to be stopped');
      started.tree.child.kill('SIGINT');
      const [code] = (await once(started.tree.child, 'exit')) as [number | null];
      assert.equal(code, 0);
      await allEnd(processes);
    });
  });

  describe('killed after its first use', () => {
    before(async () => {
      started = killed;
      await untilReady(killed);
    });

    it('leads in a minute to a blocked command, an edited hook and an undone change', async () => {
      const notes = join(sample(), 'notes.txt');
      const before = readFileSync(notes, 'utf8');
      await withPage(address(), async page => {
        const workbench = new WorkbenchWindow(started.place, page);
        const chat = await Chat.attach(workbench);
        await waitFor(async () => (await composerHasFocus(page)) || undefined, { what: 'the cursor in the composer' });
        await workbench.screenshot('first-minute-1-start');

        await chat.ask('run `rm -rf build`');
        await workbench.quickInput.opened({ withItems: true });
        await page.waitForTimeout(500); // the pick fades in
        await workbench.screenshot('first-minute-2-question');
        await answerQuestion(workbench, 'No');
        const blocked = await chat.tool('bash', 'blocked');
        await chat.idle();
        await chat.openCard(blocked);
        await workbench.screenshot('first-minute-3-blocked');

        await blocked
          .getByRole('button', { name: /permission-gate\.ts/ })
          .first()
          .click();
        const editor = page.locator('.editor-instance', { hasText: 'permissionGate' });
        await editor.locator('.view-line').first().waitFor();
        await editor.locator('.view-line', { hasText: 'permissionGate' }).click();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('End');
        await page.keyboard.press('Enter');
        await page.keyboard.type("if (event.toolName === 'ls') return { block: true, reason: 'No peeking' };");
        await page.keyboard.press('Control+s');
        await page.keyboard.press('Home');
        // On a busy machine, the editor saves and the hook loads a moment later.
        await waitFor(
          async () => {
            await chat.ask('list the files');
            await chat.idle();
            return (await chat.text()).includes('No peeking') || undefined;
          },
          { what: 'a call of ls that the edited hook blocks' },
        );
        await workbench.screenshot('first-minute-4-edited-hook');

        await chat.ask('write notes.txt: all new');
        await answerQuestion(workbench, 'Allow once');
        await chat.tool('write', 'done');
        await chat.idle();
        assert.equal(readFileSync(notes, 'utf8'), 'all new');
        await chat.frame.locator('[data-hookline="changes"]').click();
        await workbench.screenshot('first-minute-5-changed-file');
        await chat.frame.getByRole('button', { name: 'Revert notes.txt' }).click();
        await chat.says(/Reverted notes\.txt/);
        assert.equal(readFileSync(notes, 'utf8'), before);
        await workbench.screenshot('first-minute-6-undone');
      });
    });

    it('leaves no process when it is killed without a chance to clean up', async () => {
      const processes = await runningProcesses();
      started.tree.child.kill('SIGKILL');
      await allEnd(processes);
    });
  });

  function address(): string {
    const url = /http:\/\/127\.0\.0\.1:\d+\/\S+/.exec(started.printed)?.[0];
    assert.ok(url, `no address in:\n${started.printed}`);
    return url;
  }

  /** The copy of the sample that the address opens. */
  function sample(): string {
    const folder = new URL(address()).searchParams.get('folder');
    assert.ok(folder && existsSync(join(folder, '.pi', 'hooks')), `no copy of the sample at ${String(folder)}`);
    return folder;
  }

  async function runningProcesses(): Promise<number[]> {
    const { pid } = started.tree.child;
    assert.ok(pid);
    const table = await readProcessTable();
    return withDescendants(table?.rows ?? [], row => row.pid === pid).map(row => row.pid);
  }
});

/** A running `npm start`. */
interface Started {
  readonly place: TestPlace;
  readonly tree: StartedProgram;
  printed: string;
}

function launch(): Started {
  const place = makeTestPlace();
  const args = [join(ROOT, 'scripts', 'run.mjs'), 'start', '--server', '--no-open'];
  const tree = spawnTree(process.execPath, args, {
    env: { ...process.env, ...place.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const started: Started = { place, tree, printed: '' };
  tree.child.stdout?.on('data', chunk => (started.printed += String(chunk)));
  return started;
}

async function untilReady(started: Started): Promise<void> {
  const { child } = started.tree;
  await waitFor(() => started.printed.includes('Ctrl+C stops everything') || child.exitCode !== null || undefined, {
    what: 'npm start to say what comes next',
    timeout: 200_000,
  });
}

async function aliveOf(pids: readonly number[]): Promise<number[]> {
  const rows = (await readProcessTable())?.rows ?? [];
  return pids.filter(pid => rows.some(row => row.pid === pid));
}

async function allEnd(pids: readonly number[]): Promise<void> {
  await waitFor(async () => (await aliveOf(pids)).length === 0 || undefined, { what: 'all processes to end' });
}

async function withPage(url: string, use: (page: Page) => Promise<void>): Promise<void> {
  const { executablePath, args, env } = await findBrowser();
  const browser = await chromium.launch({ executablePath, args, env });
  try {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    await page.addInitScript(STILL_SCRIPT);
    await page.goto(url);
    await use(page);
  } finally {
    await browser.close();
  }
}

async function chatIsThere(page: Page): Promise<boolean> {
  return inSomeFrame(page, '[data-hookline="chat"]');
}

async function composerHasFocus(page: Page): Promise<boolean> {
  return inSomeFrame(page, '[data-hookline="composer"]:focus');
}

async function inSomeFrame(page: Page, selector: string): Promise<boolean> {
  for (const frame of page.frames()) {
    // A frame may be replaced while it is asked; the next round sees its successor.
    const count = await frame
      .locator(selector)
      .count()
      .catch(() => 0);
    if (count > 0) return true;
  }
  return false;
}
