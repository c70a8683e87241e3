import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { Chat } from './support/chat';
import { useTheme, widenSideBar } from './support/look';
import { answerOnCard, openQuestion } from './support/questions';
import { lockTalk, sessionFolder, storeTalk } from './support/session-files';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

/** Waits in the background until the test lets it go on. */
const WAITS = 'until [ -e go.txt ]; do sleep 0.2; done; echo went on';

const HOUR = 3_600_000;

/** The Sessions view as a person uses it. */
class SessionsPane {
  constructor(private readonly workbench: Workbench) {}

  private get pane(): Locator {
    const { page } = this.workbench;
    return page.locator('.sidebar .pane', { has: page.locator('.pane-header', { hasText: /^Sessions/ }) });
  }

  /** A row by texts that it contains. */
  row(label: string | RegExp, state: string | RegExp = ''): Locator {
    return this.rows.filter({ hasText: label }).filter({ hasText: state }).first();
  }

  get rows(): Locator {
    return this.pane.locator('.monaco-list-row[role="treeitem"]');
  }

  get header(): Locator {
    return this.pane.locator('.pane-header');
  }

  /** Gives it the keyboard. */
  async focus(): Promise<void> {
    const list = this.pane.locator('.monaco-list:focus, .monaco-list :focus');
    await waitFor(
      async () => {
        // VS Code gives the keyboard to the pane while there are no rows.
        await this.workbench.runCommand('Hookline Hooks: Focus on Sessions View');
        return (await list.count()) > 0 || undefined;
      },
      { what: 'the rows to have the keyboard' },
    );
  }

  /** Closes the view above, so that there is room for the rows. */
  async makeRoom(): Promise<void> {
    await this.workbench.page.locator('.sidebar .pane-header', { hasText: /^Hooks/ }).click();
  }

  /** Resolves when so many rows contain a text. */
  async has(label: string, count: number): Promise<void> {
    const rows = this.rows.filter({ hasText: label });
    await waitFor(async () => ((await rows.count()) === count ? true : undefined), { what: `${count} × ${label}` });
  }

  /** Resolves when the keyboard is in a row with this text. */
  async hasFocus(text: RegExp): Promise<void> {
    await this.pane.locator('.monaco-list:focus .monaco-list-row.focused', { hasText: text }).waitFor();
  }

  async text(): Promise<string> {
    return this.pane.locator('.pane-body').innerText();
  }

  /** Moves the focus to a row by arrow keys. */
  async walkTo(label: string): Promise<void> {
    await this.focus();
    const { keyboard } = this.workbench.page;
    await keyboard.press('Home');
    await waitFor(
      async () => {
        const focused = await this.pane.locator('.monaco-list-row.focused').allInnerTexts();
        if (focused.some(text => text.includes(label))) return true;
        await keyboard.press('ArrowDown');
        return undefined;
      },
      { what: `the row "${label}" to have the focus` },
    );
  }
}

describe('the Sessions view', function () {
  this.timeout(240_000);
  let workbench: Workbench;
  let chat: Chat;
  let pane: SessionsPane;

  before(async () => {
    workbench = await openWorkbench({ name: 'sessions view', files: { 'build-x/out.txt': 'made' } });
    pane = new SessionsPane(workbench);
    chat = await Chat.open(workbench);
    await widenSideBar(workbench, 292);
  });
  after(() => workbench.close());

  const press = (key: string): Promise<void> => workbench.page.keyboard.press(key);
  const files = (): string[] => readdirSync(sessionFolder(workbench)).filter(name => name.endsWith('.jsonl'));
  /** The text of each session file. */
  const contents = (): Record<string, string> =>
    Object.fromEntries(files().map(name => [name, readFileSync(join(sessionFolder(workbench), name), 'utf8')]));
  const dialog = (): Locator => workbench.page.locator('.monaco-dialog-box');
  const toast = (text: string): Locator => workbench.page.locator('.notification-toast', { hasText: text });
  const badge = (): Promise<string> =>
    workbench.page
      .locator('.activitybar .action-item', { has: workbench.page.locator('[aria-label^="Hookline Hooks"]') })
      .locator('.badge')
      .innerText();

  it('says what sessions are while there are none', async () => {
    await workbench.runCommand('Hookline Hooks: Focus on Sessions View');
    await waitFor(
      async () => ((await pane.text()).includes('There are no sessions in this folder yet.') ? true : undefined),
      { what: 'the text for a folder without sessions' },
    );
    await workbench.screenshot('sessions-view-1-none');
    await pane.makeRoom();
  });

  it('follows the states of conversations while they work and ask', async () => {
    await chat.ask(`run \`${WAITS}\``);
    await pane.row('run `until', 'running').waitFor();
    await workbench.runCommand('Hookline: New Session');
    await chat.isNew();
    await chat.ask("run `rm -rf 'build-x'`");
    await pane.row("run `rm -rf 'build-x'`", 'waiting for your answer').waitFor();
    assert.match(await badge(), /1/);
    await pane.row('run `until', 'running').waitFor();
    await workbench.screenshot('sessions-view-2-asking');
    await pane.row('run `until').click();
    await chat.frame.locator('[data-hookline="session-name"]', { hasText: 'until [' }).waitFor();
    await pane.row('run `until', /running · shown/).waitFor();
    await openQuestion(workbench);
    await workbench.quickInput.chooseByKeyboard('No');
    await pane.row("run `rm -rf 'build-x'`", 'unread').waitFor();
    assert.ok(existsSync(join(workbench.workspace, 'build-x/out.txt')));
    await workbench.screenshot('sessions-view-3-unread');
    writeFileSync(join(workbench.workspace, 'go.txt'), '');
    await chat.idle();
    await pane.row('run `until', 'running').waitFor({ state: 'detached' });
  });

  it('lists sessions that other processes write, by their day, with names and what is wrong with a file', async () => {
    const now = Date.now();
    storeTalk(workbench, { id: 'bystander', says: 'A session that stays', time: new Date(now - 30 * 24 * HOUR) });
    storeTalk(workbench, {
      id: 'odd',
      says: 'odd',
      name: '$(trash) <b>&amp;\u202e [x](y)',
      time: new Date(now - 40 * 24 * HOUR),
    });
    writeFileSync(join(sessionFolder(workbench), 'torn.jsonl'), '{"type":"session","versi\n{"type":"mess');
    const locked = storeTalk(workbench, {
      id: 'locked',
      says: 'In use by another',
      time: new Date(now - 50 * 24 * HOUR),
    });
    lockTalk(locked);
    await pane.row('A session that stays').waitFor();
    await pane.row('Earlier').waitFor();
    await pane.row('$(trash) <b>&amp;⟦U+202E⟧ [x](y)').waitFor();
    await pane.row('torn.jsonl', 'The first line cannot be read').waitFor();
    await pane.row('In use by another', 'open in another window').waitFor();
    await workbench.screenshot('sessions-view-4-listed');
  });

  it('opens the session of a row by keyboard, and no session twice', async () => {
    await pane.walkTo('A session that stays');
    await press('Enter');
    await chat.says('An answer to: A session that stays');
    await pane.row('A session that stays', 'shown').waitFor();
    await pane.has('A session that stays', 1);
    const tabs = await chat.frame.getByRole('tab').count();
    await pane.walkTo("run `rm -rf 'build-x'`");
    await press('Enter');
    await chat.tool('bash', 'blocked');
    await pane.walkTo('A session that stays');
    await press('Enter');
    await chat.says('An answer to: A session that stays');
    assert.equal(await chat.frame.getByRole('tab').count(), tabs, 'no conversation was opened for it again');
  });

  it('opens a session of another window to read, with a way to take it over', async () => {
    await pane.walkTo('In use by another');
    await press('Enter');
    await chat.says('An answer to: In use by another');
    await chat.frame.getByRole('button', { name: 'Take Over' }).first().waitFor();
    await pane.row('In use by another', /shown · open in another window/).waitFor();
    await pane.walkTo('In use by another');
    await press('F2');
    await toast('"In use by another" is open in another window or program.').waitFor();
    assert.equal(await workbench.quickInput.isOpen(), false);
    await workbench.runCommand('Notifications: Clear All Notifications');
    await pane.walkTo('In use by another');
    await press('Delete');
    await toast('"In use by another" is open in another window or program.').waitFor();
    assert.equal(await dialog().count(), 0);
    assert.ok(files().includes('locked.jsonl'));
    await workbench.runCommand('Notifications: Clear All Notifications');
    await chat.frame.getByRole('button', { name: 'Take Over' }).first().click();
    await pane.row('In use by another', 'open in another window').waitFor({ state: 'detached' });
    await pane.row('In use by another', 'shown').waitFor();
  });

  it('renames the row that has the focus, and not the one that is selected', async () => {
    await pane.walkTo('A session that stays');
    await press('Enter');
    await pane.row('A session that stays', 'shown').waitFor();
    await pane.walkTo("run `rm -rf 'build-x'`");
    await press('F2');
    await waitFor(
      async () => ((await workbench.quickInput.title()).includes('Name of the session') ? true : undefined),
      {
        what: 'the question for a name',
      },
    );
    await workbench.quickInput.type('Cleaning up');
    await workbench.quickInput.accept();
    await pane.row('Cleaning up').waitFor();
    await pane.row('A session that stays').waitFor();
    await workbench.screenshot('sessions-view-5-renamed');
  });

  it('deletes only the session of the row, after a question, and brings it back', async () => {
    const doomed = storeTalk(workbench, {
      id: 'doomed',
      says: 'A session to delete',
      time: new Date(Date.now() - 35 * 24 * HOUR),
    });
    const text = readFileSync(doomed, 'utf8');
    const others = contents();
    delete others['doomed.jsonl'];
    await pane.row('A session to delete').waitFor();
    await pane.walkTo('A session to delete');
    await press('Delete');
    await dialog().getByText('Delete the session “A session to delete”?').waitFor();
    await workbench.screenshot('sessions-view-6-delete');
    await press('Escape');
    await dialog().waitFor({ state: 'detached' });
    assert.equal(readFileSync(doomed, 'utf8'), text);
    await pane.walkTo('A session to delete');
    await press('Delete');
    await dialog().getByRole('button', { name: 'Delete' }).waitFor();
    await press('Enter');
    await pane.row('A session to delete').waitFor({ state: 'detached' });
    assert.deepEqual(contents(), others);
    await pane.hasFocus(/\$\(trash\)/);
    await toast('"A session to delete" was deleted.').getByText('Undo').click();
    await pane.row('A session to delete').waitFor();
    assert.equal(readFileSync(doomed, 'utf8'), text);
  });

  it('keeps the focus when it deletes the only session of a group', async () => {
    storeTalk(workbench, { id: 'alone', says: 'Alone in its group', time: new Date(Date.now() - 3 * 24 * HOUR) });
    await pane.row('Last 7 Days').waitFor();
    await pane.walkTo('Alone in its group');
    await press('Delete');
    await dialog().getByRole('button', { name: 'Delete' }).waitFor();
    await press('Enter');
    await pane.row('Last 7 Days').waitFor({ state: 'detached' });
    await pane.hasFocus(/A session to delete/);
    await workbench.runCommand('Notifications: Clear All Notifications');
  });

  it('asks before it ends what goes on in a session to delete, which goes on after a no', async () => {
    rmSync(join(workbench.workspace, 'go.txt'), { force: true });
    await workbench.runCommand('Hookline: New Session');
    await chat.isNew();
    await chat.ask(`run \`${WAITS.replace('went', 'goes')}\``);
    await pane.row(/echo|until/, /running/).waitFor();
    await chat.tool('bash', 'running');
    await pane.walkTo('shown');
    await press('Delete');
    await dialog().getByText('is still running. Stop and delete it?').waitFor();
    await press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await chat.tool('bash', 'running');
    writeFileSync(join(workbench.workspace, 'go.txt'), '');
    await chat.tool('bash', 'done');
    await chat.idle();
  });

  it('keeps a session that cannot be deleted, and says why', async () => {
    const storage = join(workbench.place.serverDataDir, 'data', 'User', 'globalStorage', 'hookline.hookline');
    const trash = join(storage, 'deleted-sessions');
    rmSync(trash, { recursive: true });
    writeFileSync(trash, 'no folder');
    const before = files();
    await pane.walkTo('A session to delete');
    await press('Delete');
    await dialog().getByRole('button', { name: 'Delete' }).waitFor();
    await press('Enter');
    await toast('The session was not deleted: ').waitFor();
    await workbench.screenshot('sessions-view-7-not-deleted');
    assert.deepEqual(files(), before);
    await workbench.runCommand('Notifications: Clear All Notifications');
    // One that is open is left for this, and comes back.
    await pane.walkTo('Cleaning up');
    await press('Delete');
    await dialog().getByRole('button', { name: 'Delete' }).waitFor();
    await press('Enter');
    await toast('The session was not deleted: ').waitFor();
    await pane.row('Cleaning up', 'shown').waitFor();
    assert.deepEqual(files(), before);
    rmSync(trash);
    mkdirSync(trash);
    await workbench.runCommand('Notifications: Clear All Notifications');
  });

  it('never deletes a file that it cannot read', async () => {
    await pane.walkTo('torn.jsonl');
    await press('Delete');
    await toast('"torn.jsonl" cannot be read: The first line cannot be read.').waitFor();
    assert.equal(await dialog().count(), 0);
    assert.ok(files().includes('torn.jsonl'));
    await workbench.runCommand('Notifications: Clear All Notifications');
  });

  it('leaves the keys to the box in which a row is searched, and to all other places', async () => {
    const before = files();
    await pane.walkTo('A session to delete');
    const box = workbench.page.locator('.sidebar .monaco-tree-type-filter input');
    await workbench.pressUntil('Control+Alt+f', () => box.isVisible());
    await box.fill('stays');
    await press('Home');
    await press('Delete');
    await waitFor(async () => ((await box.inputValue()) === 'tays' ? true : undefined), {
      what: 'a letter to be deleted',
    });
    await press('F2');
    assert.equal(await dialog().count(), 0);
    assert.equal(await workbench.quickInput.isOpen(), false);
    await press('Escape');
    await chat.composer.fill('abc');
    await chat.composer.press('Home');
    await press('Delete');
    assert.equal(await chat.composer.inputValue(), 'bc');
    await chat.composer.fill('');
    assert.deepEqual(files(), before);
  });

  it('exports the session of a row from its menu', async () => {
    const before = files();
    await pane.walkTo('A session to delete');
    await press('Shift+F10');
    const menu = workbench.page.locator('.monaco-menu');
    await menu.getByText('Export Session…').waitFor();
    await workbench.screenshot('sessions-view-8-menu');
    await menu.getByText('Export Session…').click();
    await workbench.quickInput.opened({ withItems: true });
    await workbench.quickInput.chooseByKeyboard('Markdown');
    await waitFor(async () => ((await workbench.quickInput.value()).endsWith('.md') ? true : undefined), {
      what: 'the question where to',
    });
    const target = join(workbench.workspace, 'talk.md');
    await workbench.quickInput.type(target);
    await workbench.quickInput.accept();
    await waitFor(() => (existsSync(target) ? true : undefined), { what: 'the file' });
    assert.match(readFileSync(target, 'utf8'), /An answer to: A session to delete/);
    assert.deepEqual(files(), before);
  });

  it('begins a session and opens the search by the buttons of its title', async () => {
    await pane.header.hover();
    await pane.header.getByRole('button', { name: 'Search Sessions…' }).click();
    await workbench.quickInput.opened({ withItems: true });
    assert.equal(await workbench.quickInput.title(), 'Sessions of this folder');
    await workbench.quickInput.cancel();
    await pane.header.hover();
    await pane.header.getByRole('button', { name: 'New Session' }).click();
    await chat.isNew();
  });

  it('can be seen in light and in high contrast', async () => {
    await chat.ask("run `rm -rf 'build-x'`");
    await pane.row("run `rm -rf 'build-x'`", 'waiting for your answer').waitFor();
    for (const [theme, name] of [
      ['Light Modern', 'light'],
      ['Dark High Contrast', 'high-contrast'],
      ['Light High Contrast', 'high-contrast-light'],
    ] as const) {
      chat = await useTheme(workbench, theme);
      await pane.walkTo("run `rm -rf 'build-x'`");
      await workbench.screenshot(`sessions-view-9-${name}`);
    }
    await answerOnCard(chat, 'No');
    await chat.tool('bash', 'blocked');
  });
});

describe('the Sessions view of 500 sessions', () => {
  let workbench: Workbench;
  before(async () => {
    workbench = await openWorkbench({ name: 'many sessions' });
    await Chat.open(workbench);
    const day = 24 * HOUR;
    for (let index = 0; index < 500; index++) {
      const time = new Date(Date.now() - (index * day) / 10);
      storeTalk(workbench, { id: `many-${index}`, says: `Question number ${index}`, time });
    }
  });
  after(() => workbench.close());

  it('shows the latest first and the oldest at the end, by keyboard', async () => {
    const pane = new SessionsPane(workbench);
    await pane.focus();
    await pane.makeRoom();
    await pane.focus();
    await pane.row('Question number 0').waitFor();
    await workbench.screenshot('sessions-view-10-many');
    await workbench.pressUntil('End', async () => (await pane.row('Question number 499').count()) > 0);
    await workbench.screenshot('sessions-view-11-end');
    assert.match(await pane.row('Question number 499').innerText(), /\d/);
  });
});

describe('the Sessions view where there is more than a folder to say', () => {
  const CASES: readonly {
    readonly title: string;
    readonly options: Parameters<typeof openWorkbench>[0];
    readonly says: readonly string[];
  }[] = [
    { title: 'offers to open a folder', options: { folder: false }, says: ['No folder is open.', 'Open Folder…'] },
    {
      title: 'says that a folder is not trusted',
      options: { trust: false },
      says: ['There are no sessions in this folder yet.', 'Restricted Mode', 'Trust This Folder…'],
    },
    {
      title: 'names the folder among several, and offers to choose another one',
      options: {
        workspaceFile: 'both.code-workspace',
        files: {
          'both.code-workspace': JSON.stringify({ folders: [{ path: 'first' }, { path: 'second' }] }),
          'first/here.txt': '',
          'second/here.txt': '',
        },
      },
      says: ['There are no sessions in this folder yet.', 'Sessions belong to one folder', 'Choose Folder…'],
    },
  ];
  for (const { title, options, says } of CASES) {
    it(title, async () => {
      const workbench = await openWorkbench(options);
      try {
        const pane = new SessionsPane(workbench);
        await Chat.open(workbench);
        await workbench.runCommand('Hookline Hooks: Focus on Sessions View');
        await widenSideBar(workbench, 292);
        await pane.makeRoom();
        if (options?.workspaceFile !== undefined) await pane.header.getByText('first').waitFor();
        await waitFor(
          async () => {
            const text = await pane.text();
            return says.every(part => text.includes(part)) || undefined;
          },
          { what: says.join(' and ') },
        );
        await workbench.screenshot(`sessions-view-12-${title.slice(0, 20)}`);
      } finally {
        await workbench.close();
      }
    });
  }
});
