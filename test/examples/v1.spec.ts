import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bash, call, Driven, git, repository, until } from './drive';

describe('examples of v1', () => {
  let driven: Driven;
  afterEach(async () => {
    await driven.close();
  });

  describe('network-gate.ts', () => {
    it('asks once per program when told "until the session ends", and blocks when told no', async () => {
      driven = await Driven.open('v1', 'network-gate.ts', [
        bash('echo start; curl -s http://127.0.0.1:1 || true'),
        bash('curl -s http://127.0.0.1:1 || true'),
        bash('git push origin main'),
        { text: 'ok' },
      ]);
      await driven.answering(driven.chat.submit('go'), 'Allow until the session ends', 'Do not allow');
      assert.equal(driven.questions.length, 2);
      assert.match(driven.questions[0] ?? '', /"curl" uses the network/);
      assert.deepEqual(driven.tools, [
        'done',
        'done',
        'The user does not want "git push" to use the network. Work without it.',
      ]);
    });

    it('takes a cancelled question for a no, and lets everything else pass', async () => {
      driven = await Driven.open('v1', 'network-gate.ts', [bash('wget x'), bash('echo curly'), { text: 'ok' }]);
      await driven.answering(driven.chat.submit('go'), undefined);
      assert.match(driven.tools[0] ?? '', /does not want "wget"/);
      assert.deepEqual([driven.tools[1], driven.questions.length], ['done', 1]);
    });

    it('asks again in a new session', async () => {
      driven = await Driven.open('v1', 'network-gate.ts', [
        bash('curl x; true'),
        { text: '' },
        bash('curl x; true'),
        { text: '' },
      ]);
      await driven.answering(driven.chat.submit('go'), 'Allow until the session ends');
      await driven.chat.submit('/new');
      await driven.answering(driven.chat.submit('go'), 'Do not allow');
      assert.match(driven.tools[0] ?? '', /does not want/);
    });

    it('blocks when nobody can be asked', async () => {
      driven = await Driven.open('v1', 'network-gate.ts', [bash('curl x'), { text: 'ok' }], { hasUI: false });
      await driven.chat.submit('go');
      assert.deepEqual(driven.tools, ['"curl" uses the network, and nobody can be asked.']);
    });
  });

  describe('generated-files.ts', () => {
    it('says what to do instead of writing a lock file, and lets other files be written', async () => {
      driven = await Driven.open('v1', 'generated-files.ts', [
        call('write', { path: 'package-lock.json', content: '{}' }),
        call('write', { path: 'package.json', content: '{}' }),
        { text: 'ok' },
      ]);
      await driven.chat.submit('go');
      assert.deepEqual(driven.tools, [
        'package-lock.json is generated: change package.json and run "npm install".',
        'done',
      ]);
      assert.deepEqual(driven.notices, ['Kept package-lock.json from being written by hand']);
      assert.match(driven.lastRequest, /is generated: change package\.json/);
    });
  });

  describe('git-checkpoint.ts', () => {
    const start = async (): Promise<Driven> => {
      driven = await Driven.open(
        'v1',
        'git-checkpoint.ts',
        [
          call('write', { path: 'a.txt', content: 'two' }),
          { text: 'ok' },
          call('write', { path: 'a.txt', content: 'three' }),
          { text: 'ok' },
        ],
        { files: { 'a.txt': 'one' } },
      );
      repository(driven.rig.cwd);
      await driven.chat.submit('write two');
      await driven.chat.submit('write three');
      return driven;
    };
    const content = (): string => readFileSync(join(driven.rig.cwd, 'a.txt'), 'utf8');
    const branch = (at: number): Promise<void> => driven.chat.edits.branchFrom(driven.rig.items('user')[at]?.id ?? '');

    it('brings back the files as they were when the prompt was sent, uncommitted changes included', async () => {
      await start();
      await driven.answering(branch(1), 'Bring the files back, too');
      assert.equal(content(), 'two');
      assert.ok(driven.rig.editorCalls.includes('notify The files are as they were info'));
      assert.equal(driven.chat.composer.text, 'write three');
      assert.equal(git(driven.rig.cwd, 'stash', 'list'), '', 'nothing is left behind');
    });

    it('brings back what was committed when there were no changes yet', async () => {
      await start();
      await driven.answering(branch(0), 'Bring the files back, too');
      assert.equal(content(), 'one');
    });

    it('branches without touching the files, and stays when the question is cancelled', async () => {
      await start();
      const file = driven.chat.conversation.store.getSessionFile();
      await driven.answering(branch(1), undefined);
      assert.equal(driven.chat.conversation.store.getSessionFile(), file);
      await driven.answering(branch(1), 'Keep the files as they are');
      assert.notEqual(driven.chat.conversation.store.getSessionFile(), file);
      assert.equal(content(), 'three');
    });
  });

  describe('compact-to-requests.ts', () => {
    it('summarises without asking the model, twice, and forgets nothing in between', async () => {
      driven = await Driven.open('v1', 'compact-to-requests.ts', [
        call('write', { path: 'made.txt', content: 'x' }),
        { text: 'a'.repeat(100) },
        { text: 'b'.repeat(100) },
        { text: 'c'.repeat(100) },
        { text: 'd'.repeat(100) },
        { text: 'ok' },
      ]);
      await driven.chat.submit('make a file');
      await driven.chat.submit('now another thing');
      const asked = driven.rig.model.requests.length;
      const first = await driven.chat.conversation.run.compact();
      assert.match(first.summary, /The user asked for:\n- make a file/);
      assert.match(first.summary, /Files written meanwhile:\n- made\.txt/);
      assert.equal(driven.rig.model.requests.length, asked, 'no model was asked');
      await driven.chat.submit('third');
      await driven.chat.submit('fourth');
      const second = await driven.chat.conversation.run.compact();
      assert.match(second.summary, /- make a file[\s\S]*- third/);
      await driven.chat.submit('go on');
      assert.match(driven.lastRequest, /make a file/);
      assert.doesNotMatch(driven.lastRequest, /aaaa/);
    });
  });

  describe('inbox.ts', () => {
    it('sends what is written to its file as a prompt, and empties the file', async () => {
      driven = await Driven.open('v1', 'inbox.ts', [{ text: 'on it' }]);
      assert.ok(driven.notices.includes('Listening to .pi/inbox/message.txt'));
      const file = join(driven.rig.cwd, '.pi', 'inbox', 'message.txt');
      writeFileSync(file, 'The build is red\n');
      await until(() => driven.rig.model.requests[0], 'the request');
      await driven.chat.conversation.run.waitForIdle();
      assert.deepEqual(
        driven.rig.items('user').map(({ text }) => text),
        ['The build is red'],
      );
      assert.equal(readFileSync(file, 'utf8'), '');
      assert.ok(existsSync(file));
    });

    it('still listens, once, after it was loaded anew', async () => {
      driven = await Driven.open('v1', 'inbox.ts', [{ text: 'on it' }]);
      await driven.rig.host.reload({ freshAll: true });
      writeFileSync(join(driven.rig.cwd, '.pi', 'inbox', 'message.txt'), 'hello');
      await until(() => driven.rig.items('assistant').find(({ state }) => state === 'done'), 'the answer');
      await driven.chat.conversation.run.waitForIdle();
      assert.equal(driven.rig.model.requests.length, 1);
    });
  });
});
