import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DiffOrigin } from '../../../src/chat/editor/editor-port';
import type { HostToWebview } from '../../../src/protocol/messages';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';

let calls = 0;
const call = (name: string, args: Record<string, unknown>): Script => ({
  calls: [{ id: `call-${(calls += 1)}`, name, args }],
});
const edit = (path: string, oldText: string, newText: string): Script => call('edit', { path, oldText, newText });
const write = (path: string, content: string): Script => call('write', { path, content });
const bash = (command: string): Script => call('bash', { command });
const DONE: Script = { text: 'done' };

describe('the files an agent touched', () => {
  let rig: Rig;
  afterEach(() => rig.close());

  async function open(script: readonly Script[], options: RigOptions = {}): Promise<void> {
    rig = await Rig.open(script, { files: { 'a.txt': 'one\n' }, ...options });
  }

  const file = (name: string): string => join(rig.cwd, name);
  const text = (name: string): string => readFileSync(file(name), 'utf8');
  const listed = (): string[] =>
    rig.chat.changes.current.files.map(
      ({ displayPath, kind, added, removed }) => `${kind} ${displayPath} +${added} -${removed}`,
    );
  const notices = (): string[] => rig.items('notice').map(item => item.text);
  const prompts = (): string[] => rig.items('user').map(({ id }) => id);

  async function listIs(...lines: string[]): Promise<void> {
    await rig.chat.changes.refresh();
    assert.deepEqual(listed(), lines);
  }

  function repository(): void {
    const git = (...args: string[]): void => {
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: rig.cwd, stdio: 'ignore' });
    };
    git('init');
    git('add', '-A');
    git('commit', '-m', 'first');
  }

  for (const restoresFiles of [true, false]) {
    it(`${restoresFiles ? 'go back' : 'stay'} when a message is edited and sent again, as the person wants`, async () => {
      await open([
        edit('a.txt', 'one', 'two'),
        DONE,
        edit('a.txt', 'two', 'three'),
        write('b.txt', 'b\n'),
        DONE,
        { text: 'again' },
      ]);
      for (const prompt of ['first', 'second']) await rig.chat.submit(prompt);
      assert.equal(text('a.txt'), 'three\n');
      const page = rig.page();
      page.send({ type: 'editMessage', id: prompts()[1] });
      const entry = rig.chat.composer.draft.editing?.entry;
      assert.equal(rig.chat.composer.draft.editing?.files, 2);
      const wish = restoresFiles ? { restoresFiles } : {};
      page.send({ type: 'submit', text: 'second, better', delivery: 'steer', images: [], edits: entry, ...wish });
      await until(() => (rig.items('assistant').at(-1)?.blocks[0]?.text === 'again' ? true : undefined), 'the answer');
      await rig.conversation.run.waitForSettled();
      page.dispose();
      assert.deepEqual(rig.items('user').at(-1)?.version, { at: 2, of: 2 });
      assert.deepEqual(
        [text('a.txt'), existsSync(file('b.txt'))],
        restoresFiles ? ['two\n', false] : ['three\n', true],
      );
      assert.equal(
        notices().some(notice => notice.startsWith('Reverted 2 files')),
        restoresFiles,
      );
    });
  }

  it('are listed with their lines, commands included, and told to the page as a change', async () => {
    await open([
      edit('a.txt', 'one', 'two\nthree'),
      write('b.txt', 'b\n'),
      bash('echo x > c.txt; echo y >> a.txt'),
      DONE,
    ]);
    repository();
    const page = rig.page();
    await rig.chat.submit('go');
    await listIs('created c.txt +1 -0', 'changed a.txt +3 -1', 'created b.txt +1 -0');
    await until(() => lastChanges(page.got)?.files.length === 3 || undefined, 'the list on the page');
    const again = rig.page();
    const [first] = again.got;
    assert.ok(first?.type === 'snapshot' && first.changes?.files.length === 3, 'a page that comes late has it at once');
    const command = rig.items('tool').find(({ name }) => name === 'bash');
    assert.deepEqual(command?.touched?.map(({ displayPath }) => displayPath).sort(), ['a.txt', 'c.txt']);
  });

  it('show their difference when the page asks for it', async () => {
    await open([edit('a.txt', 'one', 'two'), DONE]);
    await rig.chat.submit('go');
    const page = rig.page();
    page.send({ type: 'loadDiff', path: file('a.txt') });
    const message = await until(() => page.got.find(({ type }) => type === 'fileDiff'), 'the difference');
    assert.ok(message.type === 'fileDiff');
    assert.equal(message.diff.diff, '-1 one\n+1 two');
  });

  it('open in the editor’s own diff against the text before, after a reload too', async () => {
    await open([edit('a.txt', 'one', 'two'), DONE]);
    await rig.chat.submit('go');
    await rig.close(true);
    rig = await Rig.open([], { root: rig.root, resume: true });
    await listIs('changed a.txt +1 -1');
    const page = rig.page();
    page.send({ type: 'openChange', path: file('a.txt') });
    await until(() => rig.editorCalls.find(line => line.startsWith(`showDiff ${file('a.txt')} one\n`)), 'the diff');
    page.send({ type: 'showDiff', id: rig.items('tool')[0]?.id });
    await until(
      () => rig.editorCalls.filter(line => line.startsWith('showDiff')).length === 2 || undefined,
      'the card’s diff',
    );
  });

  it('go back one by one, which can be undone, and the model hears of it with the next prompt', async () => {
    await open([edit('a.txt', 'one', 'two'), write('b.txt', 'b\n'), DONE, DONE]);
    await rig.chat.submit('go');
    await rig.chat.changes.revertFile(file('a.txt'));
    assert.deepEqual([text('a.txt'), text('b.txt')], ['one\n', 'b\n']);
    await listIs('back a.txt +0 -0', 'created b.txt +1 -0');
    assert.match(notices().at(-1) ?? '', /Reverted a\.txt/);
    await rig.chat.submit('and now?');
    assert.match(JSON.stringify(rig.model.requests.at(-1)?.messages), /changed these files back[^"]*a\.txt/);
    await rig.chat.changes.undoRevert();
    assert.equal(text('a.txt'), 'two\n');
    assert.match(notices().at(-1) ?? '', /Undid the last revert: a\.txt is restored/);
    await listIs('changed a.txt +1 -1', 'created b.txt +1 -0');
  });

  it('go back to before any message, edits and commands alike, after one question', async () => {
    await open([edit('a.txt', 'one', 'two'), DONE, bash('echo x > c.txt; rm a.txt'), DONE, write('d.txt', 'd'), DONE]);
    repository();
    await rig.chat.submit('first');
    await rig.chat.submit('second');
    await rig.chat.submit('third');
    const [first = '', second = ''] = prompts();
    assert.deepEqual(
      rig.chat.changes.turns().map(turn => [turn.text, turn.files]),
      [
        ['third', 1],
        ['second', 3],
        ['first', 3],
      ],
    );
    await rig.chat.changes.revertTo(second);
    assert.equal(existsSync(file('c.txt')), true, 'no answer is a no');
    rig.changes.answers.push(true, true);
    await rig.chat.changes.revertTo(second);
    assert.deepEqual([text('a.txt'), existsSync(file('c.txt')), existsSync(file('d.txt'))], ['two\n', false, false]);
    await rig.chat.changes.revertTo(first);
    assert.equal(text('a.txt'), 'one\n');
    assert.match(
      rig.editorCalls.filter(line => line.startsWith('confirm')).join('\n'),
      /Revert 3 files to their state before this message/,
    );
  });

  it('undo what one call did', async () => {
    await open([edit('a.txt', 'one', 'two'), bash('echo x > c.txt'), DONE]);
    repository();
    await rig.chat.submit('go');
    const card = rig.items('tool').find(({ name }) => name === 'bash');
    await rig.chat.changes.revertCall(card?.id ?? '');
    assert.deepEqual([text('a.txt'), existsSync(file('c.txt'))], ['two\n', false]);
  });

  it('ask before they take away what the person wrote since, and keep it for the undo', async () => {
    await open([edit('a.txt', 'one', 'two'), DONE]);
    await rig.chat.submit('go');
    writeFileSync(file('a.txt'), 'mine\n');
    await rig.chat.changes.revertFile(file('a.txt'));
    assert.equal(text('a.txt'), 'mine\n');
    assert.match(rig.editorCalls.at(-1) ?? '', /confirm a\.txt was changed since/);
    rig.changes.answers.push(true);
    await rig.chat.changes.revertFile(file('a.txt'));
    assert.equal(text('a.txt'), 'one\n');
    await rig.chat.changes.undoRevert();
    assert.equal(text('a.txt'), 'mine\n');
  });

  it('are compared as they are now when the user saves one, in the list, its diff and the review', async () => {
    await open([edit('a.txt', 'one\ntwo', 'ONE\nTWO'), write('b.txt', 'b\n'), DONE], {
      files: { 'a.txt': 'one\ntwo\n' },
    });
    await rig.chat.submit('go');
    await listIs('created b.txt +1 -0', 'changed a.txt +2 -2');
    const { tracker } = rig.changes;
    const recorded = tracker.journal.records.length;
    const page = rig.page();
    const listSays = async (line: string): Promise<void> => {
      await until(() => lastChanges(page.got) && listed().includes(line), line);
    };
    writeFileSync(file('a.txt'), 'one\nTWO\n');
    await tracker.saved(file('a.txt'));
    await listSays('changed a.txt +1 -1');
    page.send({ type: 'loadDiff', path: file('a.txt') });
    const message = await until(() => page.got.find(({ type }) => type === 'fileDiff'), 'the difference');
    assert.ok(message.type === 'fileDiff');
    assert.equal(message.diff.diff, ' 1 one\n-2 two\n+2 TWO');
    const version = rig.chat.changes.current.files.find(({ path }) => path === file('a.txt'))?.version;
    assert.equal(message.diff.version, version, 'the page need not ask again');

    await rig.close(true);
    rig = await Rig.open([], { root: rig.root, resume: true });
    await listIs('created b.txt +1 -0', 'changed a.txt +1 -1');
    writeFileSync(file('a.txt'), 'one\ntwo\n');
    await listIs('created b.txt +1 -0', 'back a.txt +0 -0');
    await rig.chat.changes.reviewAll();
    const reviewed = rig.editorCalls.findLast(line => line.startsWith('showDiffs ')) ?? '';
    assert.ok(reviewed.includes('b.txt') && !reviewed.includes('a.txt'), reviewed);
    rmSync(file('b.txt'));
    await listIs('back b.txt +0 -0', 'back a.txt +0 -0');
    await rig.chat.changes.reviewAll();
    assert.equal(notices().at(-1), 'There are no changes to review.');
    assert.equal(rig.changes.tracker.journal.records.length, recorded, 'what the user saves is no change of the agent');
    assert.equal(rig.chat.changes.current.undo, undefined, 'and no revert');
  });

  it('are not listed again when the user saves a file that the agent did not change', async () => {
    await open([edit('a.txt', 'one', 'two'), DONE], { files: { 'a.txt': 'one\n', 'other.txt': 'x\n' } });
    await rig.chat.submit('go');
    const { tracker } = rig.changes;
    let fired = 0;
    const listening = tracker.onDidChange(() => (fired += 1));
    await tracker.saved(file('other.txt'));
    await tracker.saved(file('missing/file.txt'));
    assert.equal(fired, 0);
    await tracker.saved(file('a.txt'));
    assert.equal(fired, 1);
    listening.dispose();
  });

  it('stay, with the reason named, while an editor holds unsaved text or the agent is at work', async () => {
    await open([edit('a.txt', 'one', 'two'), DONE, 'hang']);
    await rig.chat.submit('go');
    rig.changes.unsaved.add(file('a.txt'));
    await rig.chat.changes.revertFile(file('a.txt'));
    assert.match(notices().at(-1) ?? '', /a\.txt was not reverted: it has unsaved changes/);
    rig.changes.unsaved.clear();
    const running = rig.chat.submit('hang');
    await until(() => (rig.conversation.run.isIdle ? undefined : true), 'the run');
    await rig.chat.changes.revertFile(file('a.txt'));
    assert.match(notices().at(-1) ?? '', /when the agent is done/);
    assert.equal(text('a.txt'), 'two\n');
    await rig.conversation.run.stop();
    await running;
  });

  it('of a forked session are those of the part it kept', async () => {
    await open([edit('a.txt', 'one', 'two'), DONE, write('b.txt', 'b'), DONE]);
    await rig.chat.submit('first');
    await rig.chat.submit('second');
    await rig.chat.edits.branchFrom(prompts()[1] ?? '');
    await listIs('changed a.txt +1 -1');
    await rig.chat.changes.revertFile(file('a.txt'));
    assert.equal(text('a.txt'), 'one\n');
  });

  it('are as before when the person brings one back in another way, in a fork too, and that can be undone', async () => {
    await open([edit('a.txt', 'one', 'two'), write('b.txt', 'b\n'), DONE]);
    await rig.chat.submit('first');
    await rig.conversation.sessions.clone();
    writeFileSync(file('a.txt'), 'one\n');
    await rig.chat.changes.noteRestored([file('a.txt'), file('b.txt'), file('elsewhere.txt')]);
    await listIs('back a.txt +0 -0', 'created b.txt +1 -0');
    await rig.chat.changes.undoRevert();
    assert.equal(text('a.txt'), 'two\n');
    await listIs('changed a.txt +1 -1', 'created b.txt +1 -0');
  });

  it('are no other session’s, though a call there had the same id', async () => {
    const same: Script = { calls: [{ id: 'same', name: 'write', args: { path: 'b.txt', content: 'theirs' } }] };
    const reads: Script = { calls: [{ id: 'same', name: 'bash', args: { command: 'true' } }] };
    await open([same, DONE, reads, DONE]);
    await rig.chat.submit('first');
    await listIs('created b.txt +1 -0');
    await rig.conversation.sessions.newSession();
    await rig.chat.submit('second');
    await listIs();
    const [card] = rig.items('tool');
    assert.deepEqual([card?.id, card?.touched ?? []], ['tool:same', []]);
    assert.equal(await rig.chat.changes.textBefore('same'), undefined);
    rig.changes.answers.push(true);
    await rig.chat.changes.revertAll();
    await rig.chat.changes.revertCall('tool:same');
    assert.equal(text('b.txt'), 'theirs');
  });

  it('of a fork of a fork are those of the first', async () => {
    await open([edit('a.txt', 'one', 'two'), DONE]);
    await rig.chat.submit('first');
    await rig.conversation.sessions.clone();
    await rig.conversation.sessions.clone();
    await listIs('changed a.txt +1 -1');
    assert.equal(rig.items('tool')[0]?.touched?.[0]?.displayPath, 'a.txt');
  });

  it('ask before a revert takes what was written between two edits, or by a later call', async () => {
    await open([edit('a.txt', 'one', 'two'), DONE, edit('a.txt', 'two', 'three'), DONE]);
    await rig.chat.submit('first');
    writeFileSync(file('a.txt'), 'mine\ntwo\n');
    await rig.chat.submit('second');
    await rig.chat.changes.revertFile(file('a.txt'));
    assert.equal(text('a.txt'), 'mine\nthree\n', 'no answer is a no');
    assert.match(rig.editorCalls.at(-1) ?? '', /confirm a\.txt was changed since/);
    const [first, second] = rig.items('tool');
    await rig.chat.changes.revertCall(first?.id ?? '');
    assert.equal(text('a.txt'), 'mine\nthree\n', 'a later call changed it');
    await rig.chat.changes.revertCall(second?.id ?? '');
    assert.equal(text('a.txt'), 'mine\ntwo\n', 'nothing is lost: nothing is asked');
    rig.changes.answers.push(true);
    await rig.chat.changes.revertFile(file('a.txt'));
    assert.equal(text('a.txt'), 'one\n');
  });

  it('go back by exactly what a refused diff stands for, in whatever session it was opened', async () => {
    await open([edit('a.txt', 'one', 'two'), edit('a.txt', 'two', 'three'), DONE, write('a.txt', 'other'), DONE]);
    await rig.chat.submit('go');
    const page = rig.page();
    page.send({ type: 'showDiff', id: rig.items('tool')[1]?.id });
    const line = await until(() => rig.editorCalls.find(text => text.startsWith('showDiff')), 'the diff');
    const shows = JSON.parse(line.slice(line.lastIndexOf('{'))) as DiffOrigin;
    assert.deepEqual([shows.conversation, shows.item], [rig.chat.id, rig.items('tool')[1]?.id]);
    await rig.chat.changes.reject(shows);
    assert.equal(text('a.txt'), 'two\n');
    await rig.conversation.sessions.newSession();
    await rig.chat.submit('go on');
    await rig.chat.changes.reject(shows);
    assert.equal(text('a.txt'), 'other', 'another session has no such call');
    await rig.chat.changes.reject(rig.chat.changes.originOf(file('a.txt')));
    assert.equal(text('a.txt'), 'two\n');
  });

  it('are listed again after a failure to list them', async () => {
    await open([edit('a.txt', 'one', 'two'), DONE]);
    const { tracker } = rig.changes;
    Object.assign(tracker, { bytes: () => Promise.reject(new Error('no space left')) });
    await rig.chat.submit('go');
    await rig.chat.changes.refresh();
    Reflect.deleteProperty(tracker, 'bytes');
    await listIs('changed a.txt +1 -1');
  });

  it('say what is not covered', async () => {
    await open([write('b.txt', 'b'), bash('echo x > c.txt'), DONE]);
    await rig.chat.submit('go');
    await listIs('created b.txt +1 -0');
    assert.match(rig.chat.changes.current.note ?? '', /git repositories only/);
  });
});

function lastChanges(
  got: readonly HostToWebview[],
): Extract<HostToWebview, { type: 'changes' }>['changes'] | undefined {
  const last = got.findLast(({ type }) => type === 'changes');
  return last?.type === 'changes' ? last.changes : undefined;
}
