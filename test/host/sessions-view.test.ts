import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { SessionList } from '../../src/agent/session/library/session-list';
import { Emitter } from '../../src/base/event';
import { silentLog } from '../../src/base/log';
import type { Conversations } from '../../src/chat/window/conversations';
import type { ConversationState } from '../../src/protocol/messages';
import { SessionOverview } from '../../src/vscode/sessions-view/session-overview';
import { sessionTreeItem, type SessionNode } from '../../src/vscode/sessions-view/session-nodes';
import { hookline, staysFalse, until } from './support/extension';

const ENTRY = `{"type":"message","id":"m","parentId":null,"timestamp":"2026-01-01T12:00:00.000Z","message":`;

/** A session file with one message, and the name in its middle where one is given. */
function write(dir: string, id: string, says: string, name = ''): string {
  const file = join(dir, `${id}.jsonl`);
  const timestamp = '2026-01-01T12:00:00.000Z';
  const header = JSON.stringify({ type: 'session', version: 3, id, timestamp, cwd: '/w' });
  const message = `${ENTRY}${JSON.stringify({ role: 'user', content: says, timestamp: 1 })}}`;
  const filler = Array.from(
    { length: 40 },
    () => `${ENTRY}${JSON.stringify({ role: 'user', content: 'x'.repeat(400), timestamp: 1 })}}`,
  );
  const named = JSON.stringify({ type: 'session_info', id: 'n', parentId: null, timestamp, name });
  const lines = name === '' ? [header, message] : [header, message, ...filler, named, ...filler];
  writeFileSync(file, lines.map(line => `${line}\n`).join(''));
  return file;
}

describe('the sessions that the view shows', () => {
  let dir: string;
  let changed: Emitter<void>;
  let tabs: { id: string; title: string; state: ConversationState; shown: boolean }[];
  let list: SessionList;
  let lists: number;
  let overview: SessionOverview;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'hookline-sessions-'));
    changed = new Emitter();
    tabs = [];
    lists = 0;
    list = new SessionList(dir);
    const read = list.list.bind(list);
    list.list = () => {
      lists += 1;
      return read();
    };
    const store = { getSessionFile: () => undefined, access: { kind: 'write' } };
    const conversations: object = {
      sessionList: list,
      get tabs() {
        return tabs;
      },
      find: () => ({ conversation: { store } }),
      onDidChange: changed.event,
    };
    overview = new SessionOverview({
      conversations: conversations as Conversations,
      onDidWrite: new Emitter<void>().event,
      folderName: undefined,
      log: silentLog,
    });
  });
  afterEach(() => {
    overview.dispose();
    rmSync(dir, { recursive: true, force: true });
  });

  /** The labels of all rows of sessions. */
  const labels = (): string[] =>
    overview.children(undefined).flatMap(group =>
      overview.children(group).map(row => {
        const { label, description } = overview.item(row);
        return [label, description].map(String).join(' · ');
      }),
    );

  it('are not read before the view asks for them, and are followed only while it is visible', async () => {
    write(dir, 'one', 'the first');
    changed.fire();
    overview.setVisible(false);
    assert.equal(lists, 0);
    await overview.read();
    await overview.read();
    assert.equal(lists, 1);
    assert.match(labels().join('\n'), /^the first · .*2026/);
    write(dir, 'two', 'the second');
    await staysFalse('nothing is read while the view is hidden', () => lists > 1);
    overview.setVisible(true);
    await until('the second session', () => labels().some(label => label.startsWith('the second')));
    write(dir, 'three', 'the third');
    await until('the third session', () => labels().some(label => label.startsWith('the third')));
    rmSync(join(dir, 'one.jsonl'));
    await until('the first session is gone', () => !labels().some(label => label.startsWith('the first')));
    assert.deepEqual(readdirSync(dir).sort(), ['three.jsonl', 'two.jsonl']);
  });

  it('have the states of the conversations at once, which the badge counts', () => {
    const tab = (id: string, state: ConversationState): (typeof tabs)[number] => ({
      id,
      title: id,
      state,
      shown: false,
    });
    assert.equal(overview.badge(), undefined);
    tabs = [
      tab('asks', 'asking'),
      tab('works', 'running'),
      tab('new', 'unread'),
      tab('bad', 'failed'),
      tab('calm', 'idle'),
    ];
    changed.fire();
    assert.equal(overview.badge()?.value, 3);
    assert.deepEqual(labels(), [
      'asks · waiting for your answer',
      'works · running',
      'new · unread',
      'bad · failed',
      'calm · ',
    ]);
    assert.equal(lists, 0);
  });

  it('have names that are in the middle of their files', async () => {
    write(dir, 'named', 'how it begins', 'In the middle');
    overview.setVisible(true);
    await overview.read();
    await until('the name', () => labels().some(label => label.startsWith('In the middle')));
  });

  it('have their names looked for once at a time', async () => {
    write(dir, 'named', 'how it begins', 'In the middle');
    let atWork = 0;
    let most = 0;
    const complete = list.complete.bind(list);
    list.complete = async file => {
      most = Math.max(most, ++atWork);
      await new Promise(resolve => setImmediate(resolve));
      const found = await complete(file);
      atWork -= 1;
      return found;
    };
    overview.setVisible(true);
    await Promise.all([overview.read(), overview.refresh()]);
    await overview.refresh();
    await until('the name', () => atWork === 0 && labels().some(label => label.startsWith('In the middle')));
    assert.equal(most, 1);
  });

  it('say why they cannot be read, and are read again', async () => {
    rmSync(dir, { recursive: true });
    writeFileSync(dir, 'a file');
    await overview.read();
    assert.match(overview.message() ?? '', /^The sessions of this folder cannot be read: ENOTDIR/);
    rmSync(dir);
    mkdirSync(dir);
    write(dir, 'one', 'the first');
    await overview.refresh();
    assert.equal(overview.message(), undefined);
    assert.equal(labels().length, 1);
  });

  it('are 500 rows after one look at the ends of each file', async () => {
    for (let index = 0; index < 500; index++) write(dir, `s${index}`, `question ${index}`);
    await overview.read();
    assert.equal(labels().length, 500);
    appendFileSync(
      join(dir, 's7.jsonl'),
      '{"type":"session_info","id":"x","parentId":null,"timestamp":"2026-01-01T12:00:00.000Z","name":"Seven"}\n',
    );
    await overview.refresh();
    assert.equal(labels().filter(label => label.startsWith('Seven')).length, 1);
    assert.equal(lists, 2);
  });

  it('are rows with a text for each state, an id of their own and nothing that VS Code would interpret', () => {
    const time = new Date('2026-01-01T12:00:00.000Z');
    const info = {
      ...{
        file: '/s/a.jsonl',
        id: 'a',
        cwd: '',
        firstText: 'first\nwords',
        messageCount: 2,
        isComplete: false,
        size: 1,
      },
      ...{ name: '$(trash) name', labels: ['kept'], created: time, modified: time, problem: undefined },
    };
    const row = (node: Omit<Extract<SessionNode, { kind: 'session' }>, 'kind'>): vscode.TreeItem =>
      sessionTreeItem({ kind: 'session', ...node }, time.getTime() + 7_200_000);
    const past = row({ group: 'today', session: { info, tab: undefined, isElsewhere: false } });
    assert.equal(past.label, '$(trash) name');
    assert.equal(past.description, '2 hours ago');
    assert.equal(past.contextValue, 'past');
    assert.ok(typeof past.tooltip === 'string');
    assert.match(past.tooltip, /first words\nmore than 2 messages · .*\nLabels: kept\n\/s\/a\.jsonl$/);
    const elsewhere = row({ group: 'today', session: { info, tab: undefined, isElsewhere: true } });
    assert.equal(elsewhere.description, 'open in another window · 2 hours ago');
    assert.equal(elsewhere.id, past.id, 'the same row');
    const torn = { ...info, problem: 'The first line cannot be read' };
    const broken = row({ group: 'today', session: { info: torn, tab: undefined, isElsewhere: false } });
    assert.deepEqual(
      [broken.contextValue, broken.description],
      ['broken', 'The first line cannot be read · 2 hours ago'],
    );
  });
});

describe('the commands of the Sessions view', () => {
  it('do nothing without a row, also while a conversation is open', async () => {
    const window = await (await hookline()).window.get();
    const { conversation } = window.conversations.active;
    await window.conversations.active.submit('list the files');
    const file = conversation.store.getSessionFile();
    const ofRows = ['openSession', 'openSessionInEditor', 'renameListedSession', 'exportListedSession'];
    for (const command of [...ofRows, 'deleteListedSession']) {
      for (const given of [[], [undefined], [null], [{ kind: 'group', group: 'open' }], ['session']]) {
        await vscode.commands.executeCommand(`hookline.${command}`, ...given);
      }
    }
    const sessions = await window.conversations.sessionList.list();
    assert.ok(sessions.some(session => session.file === file));
    assert.equal(window.conversations.active.conversation, conversation);
  });

  it('go to the editor tab of a conversation, which the side bar does not show as well, from a row and from the list', async () => {
    const { window: started } = await hookline();
    const { conversations, sessions, sessionActions } = await started.get();
    const inTab = conversations.active;
    await inTab.submit('list the files');
    const file = inTab.conversation.store.getSessionFile();
    assert.ok(file);
    const tab = conversations.tabs.find(({ id }) => id === inTab.id);
    const rowOf: SessionNode = {
      kind: 'session',
      group: 'open',
      session: { tab, info: undefined, isElsewhere: false },
    };
    await vscode.commands.executeCommand('hookline.openSessionInEditor', rowOf);
    await until('the tab', () => conversations.editorTabOf(inTab.id) === 'visible');
    const other = await conversations.openBeside();
    assert.ok(other);
    try {
      for (const [way, go] of [
        ['the row', () => sessionActions.open(rowOf)],
        ['the list', () => sessions.openFile(file)],
      ] as const) {
        await vscode.window.showTextDocument(await vscode.workspace.openTextDocument());
        await until('the tab is behind', () => conversations.editorTabOf(inTab.id) === 'behind');
        conversations.show(other.id);
        await go();
        await until(`the tab is in front, from ${way}`, () => conversations.editorTabOf(inTab.id) === 'visible');
        assert.deepEqual([conversations.shown.id, conversations.active.id], [other.id, inTab.id], way);
      }
    } finally {
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      await conversations.close(other.id);
    }
  });
});
