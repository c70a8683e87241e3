import assert from 'node:assert/strict';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bash, call, Driven, git, repository } from './drive';

describe("examples of today's pi", () => {
  let driven: Driven;
  afterEach(async () => {
    await driven.close();
  });
  const DENIED = 'The user denied this command. Ask before you try another way.';

  describe('permission-gate.ts', () => {
    it('runs what is on the list, asks about the rest, and takes a cancelled question as a no', async () => {
      const script = [bash('pwd'), bash('touch a'), bash('pwd; touch b'), bash('touch c'), { text: 'ok' }];
      driven = await Driven.open('pi', 'permission-gate.ts', script);
      await driven.answering(driven.chat.submit('go'), true, false, undefined);
      assert.deepEqual(driven.tools, ['done', 'done', DENIED, DENIED]);
      assert.equal(driven.questions.length, 3);
    });

    it('blocks when nobody can be asked', async () => {
      driven = await Driven.open('pi', 'permission-gate.ts', [bash('touch a'), { text: 'ok' }], { hasUI: false });
      await driven.chat.submit('go');
      assert.deepEqual(driven.tools, ['Nobody can approve "touch a".']);
    });
  });

  describe('protected-paths.ts', () => {
    it('blocks protected paths, also through links and other spellings, and lets others be written', async () => {
      const paths = ['.env', 'sub/../.ENV', '.git/hooks/x', 'link/x', '@.env', 'file:///%2eenv', 'src/new/a.txt'];
      const script = paths.map(path => call('write', { path, content: 'x' }));
      driven = await Driven.open('pi', 'protected-paths.ts', [...script, { text: 'ok' }], {
        files: { '.env': 'KEY=1', '.git/config': '' },
      });
      symlinkSync(join(driven.rig.cwd, '.git'), join(driven.rig.cwd, 'link'));
      await driven.chat.submit('go');
      assert.deepEqual(driven.tools, [
        '".env" is protected: do not change .env.',
        '"sub/../.ENV" is protected: do not change .ENV.',
        '".git/hooks/x" is protected: do not change .git.',
        '"link/x" is protected: do not change .git.',
        'Give a relative or an absolute path.',
        'Give a relative or an absolute path.',
        'done',
      ]);
      assert.equal(readFileSync(join(driven.rig.cwd, '.env'), 'utf8'), 'KEY=1');
    });
  });

  describe('dirty-repo-guard.ts', () => {
    it('asks only while something is not committed, and stays when the answer is no', async () => {
      driven = await Driven.open('pi', 'dirty-repo-guard.ts', [{ text: 'ok' }], { files: { 'a.txt': 'one' } });
      repository(driven.rig.cwd);
      await driven.chat.submit('go');
      writeFileSync(join(driven.rig.cwd, 'a.txt'), 'two');
      const file = driven.chat.conversation.store.getSessionFile();
      await driven.answering(driven.chat.conversation.sessions.newSession(), false);
      assert.equal(driven.chat.conversation.store.getSessionFile(), file);
      git(driven.rig.cwd, 'commit', '--all', '--quiet', '--message=two');
      await driven.chat.conversation.sessions.newSession();
      assert.notEqual(driven.chat.conversation.store.getSessionFile(), file, 'nothing is asked');
    });
  });

  describe('auto-commit.ts', () => {
    it('commits the work of the agent, but never together with changes of the user', async () => {
      const write = (content: string) => call('write', { path: 'a.txt', content });
      const script = [write('two'), { text: 'ok' }, write('three'), { text: 'ok' }];
      driven = await Driven.open('pi', 'auto-commit.ts', script, { files: { 'a.txt': 'one' } });
      const { cwd } = driven.rig;
      repository(cwd);
      git(cwd, 'config', 'user.name', 'test');
      git(cwd, 'config', 'user.email', 'test@localhost');
      await driven.chat.submit('write "$(touch made)" two');
      await driven.chat.conversation.run.waitForIdle();
      assert.equal(git(cwd, 'log', '-1', '--format=%s'), 'Agent: write "$(touch made)" two');
      assert.equal(git(cwd, 'status', '--porcelain'), '');
      writeFileSync(join(cwd, 'mine.txt'), 'mine');
      await driven.chat.submit('write three');
      await driven.chat.conversation.run.waitForIdle();
      assert.equal(git(cwd, 'rev-list', '--count', 'HEAD'), '2');
    });
  });

  describe('redact-secrets.ts', () => {
    it('replaces secrets in results of tools, also of failed ones', async () => {
      const script = [call('read', { path: 'a.txt' }), bash('echo password=hunter2222; exit 1'), { text: 'ok' }];
      driven = await Driven.open('pi', 'redact-secrets.ts', script, { files: { 'a.txt': 'API_KEY=abcdef123456' } });
      await driven.chat.submit('go');
      const results = driven.rig.items('tool').map(({ output }) => output);
      assert.match(results[0] ?? '', /API_KEY=\[redacted\]/);
      assert.match(results[1] ?? '', /password=\[redacted\]/);
      assert.deepEqual(driven.tools, ['done', 'failed']);
      assert.doesNotMatch(driven.lastRequest, /abcdef123456/);
    });
  });

  describe('prune-results.ts', () => {
    it('leaves long results out but for the last two, and keeps them in the session', async () => {
      const read = (name: string) => call('read', { path: name });
      const script = [read('a.txt'), read('short.txt'), read('b.txt'), read('c.txt'), { text: 'ok' }];
      const files = {
        'a.txt': 'a'.repeat(300),
        'b.txt': 'b'.repeat(300),
        'c.txt': 'c'.repeat(300),
        'short.txt': 'tiny',
      };
      driven = await Driven.open('pi', 'prune-results.ts', script, { files });
      await driven.chat.submit('go');
      assert.doesNotMatch(driven.lastRequest, /a{300}/);
      assert.match(driven.lastRequest, /Old result left out[\s\S]*tiny[\s\S]*b{300}[\s\S]*c{300}/);
      assert.match(JSON.stringify(driven.chat.conversation.store.getBranch()), /a{300}/);
    });
  });

  describe('todo-tool.ts', () => {
    it('counts open steps, also after a restart, and goes back with a fork', async () => {
      const todo = (...done: readonly boolean[]) =>
        call('todo', { steps: done.map(each => ({ text: 's', done: each })) });
      const script = [todo(true, false, false), { text: 'ok' }, todo(true, true, false), { text: 'ok' }];
      driven = await Driven.open('pi', 'todo-tool.ts', script);
      await driven.chat.submit('first');
      assert.equal(driven.rig.items('tool')[0]?.output, '2 of 3 steps are open.');
      await driven.chat.submit('second');
      assert.deepEqual(driven.status, ['1 open steps']);
      const { root } = driven.rig;
      await driven.rig.close(true);
      driven = await Driven.open('pi', 'todo-tool.ts', [], { root, resume: true });
      assert.deepEqual(driven.status, ['1 open steps']);
      await driven.chat.edits.branchFrom(driven.rig.items('user')[1]?.id ?? '');
      assert.deepEqual(driven.status, ['2 open steps']);
    });
  });

  describe('status-line.ts', () => {
    it('counts the tools of a prompt, and those that failed', async () => {
      const script = [bash('true'), bash('false'), { text: 'ok' }, bash('true'), { text: 'ok' }];
      driven = await Driven.open('pi', 'status-line.ts', script);
      await driven.chat.submit('go');
      assert.deepEqual(driven.status, ['2 tools, 1 failed']);
      await driven.chat.submit('again');
      assert.deepEqual(driven.status, ['1 tools, 0 failed']);
    });
  });
});
