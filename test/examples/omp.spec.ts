import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bash, call, Driven, repository } from './drive';

describe('examples of omp', () => {
  let driven: Driven;
  afterEach(async () => {
    await driven.close();
  });

  describe('secrets-redactor.ts', () => {
    it('hides secrets from the model, keeps what stood before them, and refuses to print key files', async () => {
      driven = await Driven.open(
        'omp',
        'secrets-redactor.ts',
        [call('read', { path: 'config.txt' }), bash('cat server.key'), bash('echo fine'), { text: 'ok' }],
        { files: { 'config.txt': 'API_KEY=abcdef123456\nport=80\nAuthorization: Bearer xyz.abc' } },
      );
      await driven.chat.submit('go');
      assert.match(driven.lastRequest, /API_KEY=\[hidden\]\\nport=80\\nAuthorization: Bearer \[hidden\]/);
      assert.doesNotMatch(driven.lastRequest, /abcdef123456|xyz\.abc/);
      assert.deepEqual(driven.tools, ['done', 'This file may hold secrets. Ask the user for what you need.', 'done']);
    });
  });

  describe('long-command-guard.ts', () => {
    it('asks before a command that does not end, unless it has a timeout or runs in the background', async () => {
      driven = await Driven.open('omp', 'long-command-guard.ts', [
        bash('tail -f log.txt'),
        call('bash', { command: 'tail -f /dev/null', timeout: 0.05 }),
        bash('(tail -f /dev/null >/dev/null 2>&1 & echo $! > pid; kill $(cat pid)) &'),
        { text: 'ok' },
      ]);
      await driven.answering(driven.chat.submit('go'), false);
      assert.equal(driven.questions.length, 1);
      assert.match(driven.tools[0] ?? '', /does not end by itself\. Give a timeout/);
      assert.deepEqual(driven.tools.slice(1), ['failed', 'done']);
    });

    it('refuses when nobody can be asked', async () => {
      driven = await Driven.open('omp', 'long-command-guard.ts', [bash('npm start'), { text: 'ok' }], { hasUI: false });
      await driven.chat.submit('go');
      assert.match(driven.tools[0] ?? '', /does not end by itself/);
    });
  });

  describe('continue-in-new-session.ts', () => {
    it('starts a session that knows the last answer only, with the rest in the input box', async () => {
      driven = await Driven.open('omp', 'continue-in-new-session.ts', [
        { text: 'noise' },
        { text: 'the plan' },
        { text: 'ok' },
      ]);
      await driven.chat.submit('/continue');
      assert.ok(driven.notices.includes('There is no answer to take along yet'));
      await driven.chat.submit('first');
      await driven.chat.submit('second');
      const old = driven.chat.conversation.store.getSessionFile();
      await driven.chat.submit('/continue do step 1');
      assert.notEqual(driven.chat.conversation.store.getSessionFile(), old);
      assert.equal(driven.chat.conversation.store.getHeader()?.parentSession, old);
      assert.equal(driven.chat.composer.text, 'do step 1');
      await driven.chat.submit(driven.chat.composer.text);
      assert.match(driven.lastRequest, /This is where we stood:\\n\\nthe plan[\s\S]*do step 1/);
      assert.doesNotMatch(driven.lastRequest, /noise/);
    });
  });

  describe('compaction-focus.ts', () => {
    it('names the changed files to whoever summarises, and keeps them with the compaction', async () => {
      driven = await Driven.open(
        'omp',
        'compaction-focus.ts',
        [{ text: 'a'.repeat(100) }, { text: 'b'.repeat(100) }, { text: 'SUMMARY' }, { text: 'SUMMARY' }],
        { files: { 'a.txt': 'one', 'b.txt': 'one' } },
      );
      repository(driven.rig.cwd);
      writeFileSync(join(driven.rig.cwd, 'b.txt'), 'two');
      await driven.chat.submit('first');
      await driven.chat.submit('second');
      const asked = driven.rig.model.requests.length;
      await driven.chat.conversation.run.compact();
      const requests = JSON.stringify(driven.rig.model.requests.slice(asked));
      assert.match(requests, /name each of these files and what is left to do in it: b\.txt/);
      const entry = driven.chat.conversation.store.getBranch().find(({ type }) => type === 'compaction');
      assert.match(JSON.stringify(entry), /"filesInProgress":\["b\.txt"\]/);
    });
  });

  describe('activity-status.ts', () => {
    /** Everything that stood in the status line, in order. */
    const watch = (): string[] => {
      const seen: string[] = [];
      const { status } = driven.chat;
      status.onDidChange(() => {
        const [text = ''] = status.current.hookStatus;
        if (seen.at(-1) !== text) seen.push(text);
      });
      return seen;
    };

    it('shows retries, and clears the line when one succeeds', async () => {
      driven = await Driven.open(
        'omp',
        'activity-status.ts',
        [{ stopReason: 'error', errorMessage: '503 overloaded' }, { text: 'ok' }],
        {
          settings: { retry: { enabled: true, maxRetries: 3, baseDelayMs: 0, maxAgentDelayMs: 0 } },
        },
      );
      const seen = watch();
      await driven.chat.submit('go');
      await driven.chat.conversation.run.waitForIdle();
      assert.ok(seen.includes('retry 1/3 in 0 s'), seen.join(' | '));
      assert.deepEqual(driven.status, []);
    });

    it('shows compactions of its own accord', async () => {
      driven = await Driven.open(
        'omp',
        'activity-status.ts',
        [
          { text: 'a'.repeat(100) },
          { text: 'b'.repeat(100), totalTokens: 990 },
          { text: 'SUMMARY' },
          { text: 'SUMMARY' },
        ],
        { settings: { compaction: { enabled: true, reserveTokens: 100, keepRecentTokens: 5 } } },
      );
      const seen = watch();
      await driven.chat.submit('first');
      await driven.chat.submit('second');
      await driven.chat.conversation.run.waitForIdle();
      assert.ok(seen.includes('summarising'), seen.join(' | '));
      assert.deepEqual(driven.status, []);
    });

    it('names the stream rules that stopped an answer', async () => {
      driven = await Driven.open('omp', 'activity-status.ts', [{ text: 'that was easy as pie' }, { text: 'ok' }], {
        files: { '.omp/rules/no-pie.md': '---\nttsr_trigger: "as pie"\n---\nDo not speak of pies.' },
      });
      const seen = watch();
      await driven.chat.submit('go');
      await driven.chat.conversation.run.waitForIdle();
      assert.ok(seen.includes('stopped by no-pie'), seen.join(' | '));
    });

    it('counts the todos that the model left behind', async () => {
      const todos = ['one', 'two'].map(content => ({ content, status: 'pending' }));
      const done = todos.map(({ content }) => ({ content, status: 'completed' }));
      driven = await Driven.open(
        'omp',
        'activity-status.ts',
        [call('todo', { todos }), { text: 'bye' }, call('todo', { todos: done }), { text: 'done' }],
        { settings: { todo: { enabled: true, reminders: true } } },
      );
      const seen = watch();
      await driven.chat.submit('go');
      await driven.chat.conversation.run.waitForIdle();
      assert.ok(
        seen.some(text => /^2 todos left, reminded 1\/\d$/.test(text)),
        seen.join(' | '),
      );
    });
  });
});
