import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ComparedFile, DiffOrigin } from '../../../src/chat/editor/editor-port';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';

let calls = 0;
const call = (name: string, args: Record<string, unknown>): Script => ({
  calls: [{ id: `kept-${(calls += 1)}`, name, args }],
});
const edit = (path: string, oldText: string, newText: string): Script => call('edit', { path, oldText, newText });
const write = (path: string, content: string): Script => call('write', { path, content });
const bash = (command: string): Script => call('bash', { command });
const DONE: Script = { text: 'done' };

describe('review of what the agent changed', () => {
  let rig: Rig;
  afterEach(() => rig.close());

  async function open(script: readonly Script[], options: RigOptions = {}): Promise<void> {
    rig = await Rig.open(script, { files: { 'a.txt': 'one\n', 'old/name.txt': 'the same content\n' }, ...options });
  }

  const file = (name: string): string => join(rig.cwd, name);
  /** Files with their kind; those that are kept in brackets. */
  const listed = async (): Promise<readonly string[]> => {
    await rig.chat.changes.refresh();
    return rig.chat.changes.current.files.map(({ displayPath, kind, kept }) =>
      kept === true ? `[${kind} ${displayPath}]` : `${kind} ${displayPath}`,
    );
  };
  const keptCards = (): readonly boolean[] => rig.items('tool').map(({ kept }) => kept === true);
  /** The files of the last review that was opened. */
  const reviewed = (): readonly ComparedFile[] => {
    const line = rig.editorCalls.findLast(text => text.startsWith('showDiffs ')) ?? '[]';
    return JSON.parse(line.slice(line.indexOf('['))) as ComparedFile[];
  };
  const notices = (): readonly string[] => rig.items('notice').map(({ text }) => text);

  it('opens all files at once, with their texts before, as long as they are not kept', async () => {
    await open([edit('a.txt', 'one', 'two'), write('b.txt', 'b\n'), DONE]);
    await rig.chat.submit('go');
    const page = rig.page();
    page.send({ type: 'reviewAll' });
    await until(() => reviewed().length === 2 || undefined, 'the review');
    assert.deepEqual(reviewed(), [
      { path: file('a.txt'), before: 'one\n', isGone: false },
      { path: file('b.txt'), isGone: false },
    ]);
    page.send({ type: 'keepFile', path: file('b.txt') });
    await until(() => rig.chat.changes.current.files.some(({ kept }) => kept) || undefined, 'the mark');
    await rig.chat.changes.reviewAll();
    assert.deepEqual(
      reviewed().map(({ path }) => path),
      [file('a.txt')],
    );
    page.send({ type: 'keepAll' });
    await until(() => rig.chat.changes.current.files.every(({ kept }) => kept) || undefined, 'all marks');
    const before = rig.editorCalls.length;
    await rig.chat.changes.reviewAll();
    assert.deepEqual(
      rig.editorCalls.slice(before).filter(line => line.startsWith('showDiffs')),
      [],
    );
    assert.equal(notices().at(-1), 'There are no changes to review.');
  });

  it('names renamed, deleted and binary files', async () => {
    await open([bash("mv old/name.txt new.txt; rm a.txt; printf 'a\\0b' > c.bin"), DONE]);
    for (const args of [['init'], ['add', '-A'], ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-m', 'x']]) {
      execFileSync('git', args, { cwd: rig.cwd, stdio: 'ignore' });
    }
    await rig.chat.submit('go');
    await rig.chat.changes.refresh();
    const from = rig.chat.changes.current.files.find(({ displayPath }) => displayPath === 'new.txt')?.renamedFrom;
    assert.equal(from, join('old', 'name.txt'));
    await rig.chat.changes.reviewAll();
    assert.deepEqual(
      [...reviewed()].sort((a, b) => a.path.localeCompare(b.path)),
      [
        { path: file('a.txt'), before: 'one\n', isGone: true },
        { path: file('c.bin'), isGone: false },
        { path: file('new.txt'), before: 'the same content\n', was: file('old/name.txt'), isGone: false },
      ],
    );
  });

  it('marks a kept file until the agent changes it again, in the list and on cards, after a reload too', async () => {
    await open([edit('a.txt', 'one', 'two'), DONE]);
    await rig.chat.submit('first');
    assert.deepEqual(keptCards(), [false]);
    await rig.chat.changes.keepFiles(file('a.txt'));
    assert.deepEqual([await listed(), keptCards()], [['[changed a.txt]'], [true]]);
    await rig.close(true);
    rig = await Rig.open([edit('a.txt', 'two', 'three'), DONE], { root: rig.root, resume: true });
    assert.deepEqual([await listed(), keptCards()], [['[changed a.txt]'], [true]]);
    await rig.chat.submit('second');
    assert.deepEqual([await listed(), keptCards()], [['changed a.txt'], [true, false]]);
    await rig.chat.changes.keepFiles();
    assert.deepEqual([await listed(), keptCards()], [['[changed a.txt]'], [true, true]]);
  });

  it('marks nothing that was reverted', async () => {
    await open([edit('a.txt', 'one', 'two'), DONE]);
    await rig.chat.submit('go');
    await rig.chat.changes.keepFiles(file('a.txt'));
    await rig.chat.changes.revertFile(file('a.txt'));
    assert.deepEqual([await listed(), keptCards()], [['back a.txt'], [false]]);
    await rig.chat.changes.keepFiles();
    assert.deepEqual(await listed(), ['back a.txt'], 'nothing is left to be kept');
    await rig.chat.changes.undoRevert();
    assert.deepEqual(await listed(), ['changed a.txt'], 'it is to be reviewed again');
  });

  it('keeps exactly what an approved diff stands for', async () => {
    await open([edit('a.txt', 'one', 'two'), edit('a.txt', 'two', 'three'), write('b.txt', 'b'), DONE]);
    await rig.chat.submit('go');
    const [first, second] = rig.items('tool');
    const origin = (item: string | undefined): DiffOrigin => rig.chat.changes.originOf(file('a.txt'), item);
    await rig.chat.changes.keep(origin(first?.id));
    assert.deepEqual(
      [await listed(), keptCards()],
      [
        ['created b.txt', 'changed a.txt'],
        [true, false, false],
      ],
    );
    await rig.chat.changes.keep(origin(second?.id));
    assert.deepEqual(
      [await listed(), keptCards()],
      [
        ['created b.txt', '[changed a.txt]'],
        [true, true, false],
      ],
    );
  });

  it('keeps its marks in a fork of the session, and none of another session', async () => {
    await open([edit('a.txt', 'one', 'two'), DONE]);
    await rig.chat.submit('go');
    await rig.chat.changes.keepFiles();
    await rig.conversation.sessions.clone();
    assert.deepEqual([await listed(), keptCards()], [['[changed a.txt]'], [true]]);
    await rig.conversation.sessions.newSession();
    assert.deepEqual(await listed(), []);
  });

  it('loses no change when lines of the journal are damaged', async () => {
    await open([edit('a.txt', 'one', 'two'), DONE]);
    await rig.chat.submit('go');
    await rig.chat.changes.keepFiles();
    await rig.close(true);
    const [journal = ''] = readdirSync(rig.root, { recursive: true, encoding: 'utf8' }).filter(name =>
      name.endsWith('journal.jsonl'),
    );
    appendFileSync(join(rig.root, journal), '\n{"kind":"keep","kept":{}}\n{"kind":"later"}');
    rig = await Rig.open([], { root: rig.root, resume: true });
    assert.deepEqual(await listed(), ['[changed a.txt]']);
    rmSync(file('a.txt'));
    await rig.chat.changes.reviewAll();
    assert.deepEqual(reviewed(), []);
  });
});
