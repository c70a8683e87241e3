import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callsOf } from '../../../src/agent/changes/record';
import { filesOf, lastRevert, targetsFor } from '../../../src/agent/changes/net-changes';
import { performRevert, planRevert } from '../../../src/agent/changes/revert';
import { Ground, repository, run, SESSION, tree } from './support';
import { itOnPosix, itWith } from '../../support/platform';

describe('files that tools changed', () => {
  let ground: Ground;
  afterEach(() => ground.close());

  it('lists edits in any folder and puts one file back', async () => {
    ground = await Ground.open({ 'a.txt': 'one\n' }, { git: false });
    await ground.edit('a.txt', 'two\n');
    await ground.edit('new/deep.txt', 'made\n');
    assert.deepEqual(ground.files, ['a.txt', 'new/deep.txt']);
    const { done, refused } = await ground.revert(ground.records.filter(({ path }) => path.endsWith('deep.txt')));
    assert.deepEqual([done, refused], [[ground.path('new/deep.txt')], []]);
    assert.deepEqual(tree(ground.work), { 'a.txt': 'two\n' });
    assert.deepEqual(ground.files, ['a.txt', 'new/deep.txt back']);
  });

  itWith('git', 'says that commands are not covered without a repository', async () => {
    ground = await Ground.open({ 'a.txt': 'one\n' }, { git: false });
    await ground.bash(() => ground.put('a.txt', 'two\n'));
    assert.deepEqual(ground.files, []);
    assert.equal(ground.tracker.coverage.type, 'noRepository');
  });

  itWith('git', 'sees what a command made, changed, moved, linked and removed, and undoes it', async () => {
    ground = await Ground.open({
      'a.txt': 'one\r\n',
      'b.txt': 'b',
      'dir/c.txt': 'c',
      '.gitattributes': '* text=auto\n',
    });
    const before = tree(ground.work);
    const start = ground.now;
    await ground.bash(() => {
      ground.put('a.txt', 'two\r\n');
      renameSync(ground.path('b.txt'), ground.path('moved.txt'));
      rmSync(ground.path('dir'), { recursive: true });
      ground.put('dir', 'a file in place of a folder');
      symlinkSync('a.txt', ground.path('link'));
    });
    assert.deepEqual(ground.files.sort(), ['a.txt', 'b.txt', 'dir', 'dir/c.txt', 'link', 'moved.txt']);
    const { refused } = await ground.revertTo(start);
    assert.deepEqual(refused, []);
    assert.deepEqual(tree(ground.work), before);
  });

  itWith('git', 'takes what the person changed between two calls for theirs', async () => {
    ground = await Ground.open({ 'a.txt': 'one\n', 'mine.txt': 'mine\n' });
    await ground.bash(() => undefined);
    ground.put('mine.txt', 'mine, edited\n');
    await ground.bash(() => ground.put('a.txt', 'two\n'));
    assert.deepEqual(ground.files, ['a.txt']);
  });

  itWith('git', 'leaves ignored files out, those of .git/info/exclude too', async () => {
    ground = await Ground.open({ '.gitignore': 'built/\n', 'a.txt': 'one\n' });
    writeFileSync(join(ground.work, '.git', 'info', 'exclude'), 'secret\n');
    await ground.bash(() => {
      ground.put('built/out.js', 'x');
      ground.put('secret', 'x');
      ground.put('seen.txt', 'x');
    });
    assert.deepEqual(ground.files, ['seen.txt']);
  });

  itWith('git', 'covers files that git knows although they are ignored', async () => {
    ground = await Ground.open(
      { 'kept.log': 'one\n' },
      {
        prepare: work => writeFileSync(join(work, '.gitignore'), '*.log\n'),
      },
    );
    await ground.bash(() => {
      ground.put('kept.log', 'two\n');
      ground.put('other.log', 'x');
    });
    assert.deepEqual(ground.files, ['kept.log']);
  });

  itWith('git', 'passes over repositories within the folder', async () => {
    ground = await Ground.open({ 'a.txt': 'one\n' });
    mkdirSync(ground.path('inner'));
    run(ground.path('inner'), 'init', '--quiet');
    await ground.bash(() => {
      ground.put('inner/x.txt', 'x');
      ground.put('a.txt', 'two\n');
    });
    assert.equal(ground.tracker.coverage.type, 'on');
    assert.deepEqual(ground.files, ['a.txt']);
  });

  itWith('git', 'knows all of it again after the window was reloaded', async () => {
    ground = await Ground.open({ 'a.txt': 'one\n' });
    const start = ground.now;
    await ground.edit('a.txt', 'two\n');
    await ground.bash(() => ground.put('b.txt', 'b'));
    await ground.reopen();
    assert.deepEqual(ground.files, ['a.txt', 'b.txt']);
    await ground.revertTo(start);
    assert.deepEqual(tree(ground.work), { 'a.txt': 'one\n' });
  });

  it('reads past a damaged line of its journal', async () => {
    ground = await Ground.open({ 'a.txt': 'one\n' }, { git: false });
    await ground.edit('a.txt', 'two\n');
    await ground.tracker.flush();
    const journal = join(ground.root, 'storage', 'changes', 'sessions', SESSION, 'journal.jsonl');
    writeFileSync(journal, '\n{"at": 1, "torn', { flag: 'a' });
    await ground.reopen();
    await ground.edit('b.txt', 'b');
    await ground.reopen();
    assert.deepEqual(ground.files, ['a.txt', 'b.txt']);
  });

  itOnPosix('sees what commands change in a folder whose name has line ends', async () => {
    ground = await Ground.open({ 'a.txt': 'one\n' }, { folder: 'first\nsecond\n' });
    const start = ground.now;
    await ground.bash(() => ground.put('a.txt', 'two\n'));
    assert.deepEqual(ground.tracker.coverage, { type: 'on', tooLarge: [] });
    assert.deepEqual(ground.files, ['a.txt']);
    await ground.revertTo(start);
    assert.equal(ground.text('a.txt'), 'one\n');
  });

  it('stay the same files when they are reverted', async () => {
    ground = await Ground.open({ 'a.txt': 'one\n' }, { git: false });
    const start = ground.now;
    const { ino } = statSync(ground.path('a.txt'));
    await ground.edit('a.txt', 'two\n');
    await ground.revertTo(start);
    assert.deepEqual([ground.text('a.txt'), statSync(ground.path('a.txt')).ino], ['one\n', ino]);
  });

  it('undoes a revert, and that again', async () => {
    ground = await Ground.open({ 'a.txt': 'one\n' }, { git: false });
    const start = ground.now;
    await ground.edit('a.txt', 'two\n');
    await ground.revertTo(start);
    assert.equal(ground.text('a.txt'), 'one\n');
    await ground.revert(lastRevert(ground.records));
    assert.equal(ground.text('a.txt'), 'two\n');
    await ground.revert(lastRevert(ground.records));
    assert.equal(ground.text('a.txt'), 'one\n');
  });

  it('names files that changed since, and keeps what stood there', async () => {
    ground = await Ground.open({ 'a.txt': 'one\n' }, { git: false });
    await ground.edit('a.txt', 'two\n');
    ground.put('a.txt', 'what the person wrote\n');
    const targets = targetsFor(ground.records, ground.records);
    const plan = await planRevert(ground.tracker, SESSION, targets, () => false);
    assert.deepEqual(plan.changedSince, [ground.path('a.txt')]);
    await ground.revert(ground.records);
    assert.equal(ground.text('a.txt'), 'one\n');
    await ground.revert(lastRevert(ground.records));
    assert.equal(ground.text('a.txt'), 'what the person wrote\n');
  });

  it('refuses with a reason what would lose text', async () => {
    ground = await Ground.open(
      { 'big.bin': Buffer.alloc(17 * 1024 * 1024), 'a.txt': 'a', 'b.txt': 'b' },
      { git: false },
    );
    await ground.edit('big.bin', 'small');
    await ground.edit('a.txt', 'two');
    await ground.edit('b.txt', 'two');
    rmSync(ground.path('b.txt'));
    ground.put('b.txt/inside.txt', 'x');
    const targets = targetsFor(ground.records, ground.records);
    const plan = await planRevert(ground.tracker, SESSION, targets, path => path.endsWith('a.txt'));
    assert.deepEqual(
      plan.refused.map(({ refusal }) => refusal),
      [{ type: 'notKept', why: 'tooLarge' }, { type: 'unsaved' }, { type: 'inTheWay', why: 'folder' }],
    );
    assert.deepEqual(plan.steps, []);
  });

  it('refuses a file that changes between the question and the answer', async () => {
    ground = await Ground.open({ 'a.txt': 'one\n' }, { git: false });
    await ground.edit('a.txt', 'two\n');
    const targets = targetsFor(ground.records, ground.records);
    const plan = await planRevert(ground.tracker, SESSION, targets, () => false);
    ground.put('a.txt', 'just saved\n');
    const { done, refused } = await performRevert(ground.tracker, SESSION, plan);
    assert.deepEqual([done, refused.map(({ refusal }) => refusal.type)], [[], ['changedMeanwhile']]);
    assert.equal(ground.text('a.txt'), 'just saved\n');
  });

  itWith('git', 'gives up large folders with a clear reason, and edits stay covered', async () => {
    ground = await Ground.open({ 'a.txt': '1', 'b.txt': '2', 'c.txt': '3' }, { limits: { files: 2, bytes: 1_000 } });
    await ground.bash(() => ground.put('a.txt', 'x'));
    const { coverage } = ground.tracker;
    assert.ok(coverage.type === 'off');
    assert.match(coverage.why, /3 files .* more than 2/);
    await ground.edit('b.txt', 'x');
    assert.deepEqual(ground.files, ['b.txt']);
  });

  itWith('git', 'covers a repository that is made while it looks on', async () => {
    ground = await Ground.open({ 'a.txt': 'one\n' }, { git: false });
    await ground.bash(() => {
      run(ground.work, 'init', '--quiet');
    });
    await ground.bash(() => ground.put('a.txt', 'two\n'));
    assert.deepEqual(ground.files, ['a.txt']);
  });

  itWith('git', 'tries again after another window held the lock', async () => {
    ground = await Ground.open({ 'a.txt': 'one\n' });
    await ground.bash(() => undefined);
    const lock = join(ground.root, 'storage', 'changes', 'snapshots.git', 'index.lock');
    writeFileSync(lock, '');
    await ground.bash(() => ground.put('a.txt', 'two\n'));
    assert.equal(ground.tracker.coverage.type, 'off');
    rmSync(lock);
    await ground.bash(() => ground.put('b.txt', 'b'));
    assert.deepEqual([ground.files, ground.tracker.coverage.type], [['b.txt'], 'on']);
  });

  itWith('git', 'leaves a command its result when what it changed cannot be kept', async () => {
    ground = await Ground.open({ 'a.txt': 'one\n' });
    const store = ground.tracker.journal.blobs(SESSION);
    Object.assign(store, { put: () => Promise.reject(new Error('ENOSPC: no space left on device')) });
    await ground.bash(() => ground.put('a.txt', 'two\n'));
    const { coverage } = ground.tracker;
    assert.ok(coverage.type === 'off' && coverage.why.includes('ENOSPC'));
    Reflect.deleteProperty(store, 'put');
    await ground.bash(() => ground.put('b.txt', 'new\n'));
    assert.deepEqual([ground.files, ground.tracker.coverage.type], [['b.txt'], 'on']);
  });

  itWith('git', 'counts what an edit does while a command runs once', async () => {
    ground = await Ground.open({ 'a.txt': 'one\n' });
    const end = await ground.tracker.begin({ session: SESSION, id: 'slow', tool: 'bash' });
    await ground.edit('a.txt', 'two\n');
    ground.put('b.txt', 'b');
    await end();
    assert.deepEqual(
      ground.records.map(({ tool, path }) => [tool, path.slice(ground.work.length + 1)]),
      [
        ['write', 'a.txt'],
        ['bash', 'b.txt'],
      ],
    );
  });

  itWith(
    'git',
    'keeps apart what calls at the same time did: edits of a file in turn, commands by when they ran',
    async () => {
      ground = await Ground.open({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
      const begin = (id: string, path?: string): Promise<() => Promise<void>> =>
        ground.tracker.begin({
          session: SESSION,
          id,
          tool: path === undefined ? 'bash' : 'edit',
          ...(path && { path: ground.path(path) }),
        });
      const endLong = await begin('long');
      ground.put('early.txt', 'by the long one');
      const endShort = await begin('short');
      const endFirst = await begin('first', 'a.txt');
      const second = begin('second', 'a.txt');
      ground.put('a.txt', 'two\n');
      ground.put('either.txt', 'by one of the two');
      await endShort();
      await endFirst();
      const endSecond = await second;
      ground.put('a.txt', 'three\n');
      await endSecond();
      ground.put('late.txt', 'by the long one');
      await endLong();
      assert.deepEqual(
        ground.records.map(record => [callsOf(record).join(' or '), record.path.slice(ground.work.length + 1)]),
        [
          ['short or long', 'either.txt'],
          ['first', 'a.txt'],
          ['second', 'a.txt'],
          ['long', 'early.txt'],
          ['long', 'late.txt'],
        ],
      );
    },
  );

  itWith('links', 'lets calls that begin together take their turns at a file in order', async () => {
    ground = await Ground.open({ 'a.txt': '-\n' }, { git: false });
    symlinkSync('a.txt', ground.path('link'));
    const ids = Array.from({ length: 40 }, (_, index) => String(index));
    const edit = async (id: string, index: number): Promise<void> => {
      const path = ground.path(index % 2 === 0 ? 'link' : 'a.txt');
      const end = await ground.tracker.begin({ session: SESSION, id, tool: 'edit', path });
      ground.put('a.txt', `${id}\n`);
      await end();
    };
    await Promise.all(ids.map(edit));
    assert.deepEqual(
      ground.records.map(({ call }) => call),
      ids,
    );
  });

  itWith('links', 'names a file once, whatever link leads to it', async () => {
    ground = await Ground.open({ 'a.txt': 'one\n' }, { git: false });
    symlinkSync('a.txt', ground.path('link'));
    await ground.edit('link', 'two\n');
    await ground.edit('a.txt', 'three\n');
    assert.deepEqual(
      filesOf(ground.records).map(({ path }) => path),
      [ground.path('a.txt')],
    );
  });

  itWith('git', 'never touches the repository of the person', async () => {
    ground = await Ground.open({ 'a.txt': 'one\n' });
    ground.put('a.txt', 'staged\n');
    run(ground.work, 'add', 'a.txt');
    ground.put('stashed.txt', 's');
    run(ground.work, 'stash', '--include-untracked', '--quiet');
    const hook = join(ground.work, '.git', 'hooks', 'post-index-change');
    mkdirSync(join(ground.work, '.git', 'hooks'), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\ntouch HOOK_RAN\n', { mode: 0o755 });
    ground.put('a.txt', 'in work\n');
    const before = repository(ground.work);
    const start = ground.now;
    await ground.bash(() => {
      ground.put('a.txt', 'by a command\n');
      ground.put('b.txt', 'b');
    });
    await ground.revertTo(start);
    assert.deepEqual(repository(ground.work), before);
    assert.deepEqual(tree(ground.work), { 'a.txt': 'in work\n' });
  });
});
