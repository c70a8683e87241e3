import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import type { ComponentFrame } from '../../src/protocol/items/hook-component';
import { rememberEnvironment } from '../support/environment';
import { bash, call, Driven, git, repository, until } from './drive';

/** Sessions, compaction, what comes from outside, and what is drawn. */
describe("examples of today's pi: sessions and the screen", () => {
  let driven: Driven;
  const restoreEnvironment = rememberEnvironment();

  afterEach(async () => {
    await driven.close();
    restoreEnvironment();
  });

  describe('checkpoint.ts', () => {
    const RESTORE = 'Restore the files';

    /** Two prompts, each of which changes `a.txt`; gives the id of the second. */
    async function talk(): Promise<string> {
      const write = (content: string) => call('write', { path: 'a.txt', content });
      const script = [write('two'), { text: 'ok' }, write('three'), { text: 'ok' }];
      driven = await Driven.open('pi', 'checkpoint.ts', script, { files: { 'a.txt': 'one' } });
      repository(driven.rig.cwd);
      await driven.chat.submit('write two');
      await driven.chat.submit('write three');
      const prompts = driven.chat.conversation.store
        .getEntries()
        .filter(entry => (entry as { message?: { role?: string } }).message?.role === 'user');
      return prompts[1]?.id ?? '';
    }
    const file = (): string => readFileSync(join(driven.rig.cwd, 'a.txt'), 'utf8');

    it('restores the files of the prompt that is forked from', async () => {
      const prompt = await talk();
      assert.equal(file(), 'three');
      await driven.answering(driven.chat.conversation.sessions.fork(prompt), RESTORE);
      assert.equal(file(), 'two');
      assert.equal(git(driven.rig.cwd, 'rev-list', '--count', '--all'), '1', 'no branch names a checkpoint');
    });

    it('keeps the files, or cancels the fork, as the answer says', async () => {
      const prompt = await talk();
      const before = driven.chat.conversation.store.getSessionFile();
      await driven.answering(driven.chat.conversation.sessions.fork(prompt), 'Cancel');
      assert.equal(driven.chat.conversation.store.getSessionFile(), before);
      await driven.answering(driven.chat.conversation.sessions.fork(prompt), 'Keep the files');
      assert.notEqual(driven.chat.conversation.store.getSessionFile(), before);
      assert.equal(file(), 'three');
    });
  });

  describe('plan-mode.ts', () => {
    it('offers and lets run only what reads, until it is switched off', async () => {
      driven = await Driven.open('pi', 'plan-mode.ts', [
        bash('touch a'),
        { text: 'a plan' },
        bash('true'),
        { text: 'ok' },
      ]);
      const offered = (at: number): readonly string[] =>
        (driven.rig.model.requests[at]?.tools ?? []).map(({ name }) => name).toSorted();
      await driven.chat.submit('/plan');
      assert.deepEqual(driven.status, ['planning']);
      await driven.chat.submit('go');
      assert.deepEqual(offered(0), ['find', 'grep', 'ls', 'read']);
      assert.match(driven.lastRequest, /Answer with a plan/);
      assert.equal(driven.rig.items('tool')[0]?.state.type === 'done', false);
      await driven.chat.submit('/plan');
      await driven.chat.submit('go');
      assert.ok(offered(2).includes('bash'));
      assert.equal(driven.tools.at(-1), 'done');
      assert.doesNotMatch(driven.lastRequest, /Answer with a plan/);
    });
  });

  describe('handoff.ts', () => {
    it('starts a session with a report and the goal, and asks for a goal without one', async () => {
      const script = [call('write', { path: 'a.txt', content: 'x' }), { text: 'It is written.' }, { text: 'on it' }];
      driven = await Driven.open('pi', 'handoff.ts', script);
      await driven.chat.submit('write it');
      const before = driven.chat.conversation.store.getSessionFile();
      await driven.chat.submit('/handoff');
      assert.ok(driven.notices.includes('Say what the next goal is: /handoff <goal>'));
      await driven.chat.submit('/handoff test it');
      await driven.chat.conversation.run.waitForSettled();
      assert.notEqual(driven.chat.conversation.store.getSessionFile(), before);
      const sent = driven.rig.model.requests.at(-1)?.messages.filter(({ role }) => role === 'user');
      assert.equal(sent?.length, 1);
      assert.match(driven.lastRequest, /Changed files: a\.txt\.\\nLast answer: It is written\.\\n\\nGoal: test it/);
    });
  });

  describe('summarize.ts', () => {
    it('says that there is nothing to summarize in an empty conversation', async () => {
      driven = await Driven.open('pi', 'summarize.ts', [{ text: 'hello' }]);
      await driven.chat.submit('/summarize');
      assert.deepEqual(driven.notices, ['There is nothing to summarize']);
    });
  });

  describe('own-compaction.ts', () => {
    it('keeps what the user asked for, word for word, and asks no model', async () => {
      const script = [{ text: 'x'.repeat(200) }, { text: 'y'.repeat(200) }, { text: 'ok' }];
      driven = await Driven.open('pi', 'own-compaction.ts', script);
      await driven.chat.submit('first\nrequest');
      await driven.chat.submit('second request');
      await driven.chat.submit('/compact');
      const entry = driven.chat.conversation.store.getEntries().findLast(({ type }) => type === 'compaction');
      assert.ok(entry?.type === 'compaction');
      assert.match(String(entry.summary), /^The user asked for, in this order:\n- first request/);
      assert.equal(driven.rig.model.requests.length, 2);
    });
  });

  describe('file-trigger.ts', () => {
    it('starts a run when the file holds something new', async () => {
      driven = await Driven.open('pi', 'file-trigger.ts', [{ text: 'I will fix it' }]);
      const file = join(driven.rig.cwd, 'test-errors.txt');
      writeFileSync(file, '');
      writeFileSync(file, '2 of 10 failed\n');
      await until(() => driven.rig.items('assistant').find(({ state }) => state === 'done'), 'the answer');
      await driven.chat.conversation.run.waitForIdle();
      assert.match(driven.lastRequest, /The tests fail:\\n2 of 10 failed/);
    });
  });

  describe('webhook.ts', () => {
    const post = (port: string, token: string, method = 'POST'): Promise<number> =>
      fetch(`http://127.0.0.1:${port}/`, {
        method,
        headers: { authorization: `Bearer ${token}` },
        ...(method === 'POST' ? { body: 'deploy failed' } : {}),
      }).then(({ status }) => status);

    it('sends what is posted with the token, refuses the rest, and is closed with the session', async () => {
      process.env['WEBHOOK_TOKEN'] = 'a-token';
      driven = await Driven.open('pi', 'webhook.ts', [{ text: 'I look into it' }]);
      const [, port = ''] = await until(
        () => driven.status[0]?.match(/^webhook on port (\d+)$/) ?? undefined,
        'the server',
      );
      assert.equal(await post(port, 'another'), 401);
      assert.equal(await post(port, 'a-token', 'GET'), 405);
      assert.equal(await post(port, 'a-token'), 202);
      await until(() => driven.rig.items('assistant').find(({ state }) => state === 'done'), 'the answer');
      assert.match(driven.lastRequest, /deploy failed/);
      await driven.chat.conversation.run.waitForIdle();
      await driven.rig.host.reload({ freshAll: true });
      await assert.rejects(post(port, 'a-token'));
    });

    it('opens nothing without a token', async () => {
      delete process.env['WEBHOOK_TOKEN'];
      driven = await Driven.open('pi', 'webhook.ts', [{ text: 'ok' }]);
      await driven.chat.submit('go');
      assert.deepEqual(driven.status, []);
    });
  });

  describe('notify-when-done.ts', () => {
    afterEach(() => mock.timers.reset());

    it('tells of the end of a long run, and not of a short one', async () => {
      driven = await Driven.open('pi', 'notify-when-done.ts', [bash('true'), { text: 'ok' }, { text: 'ok' }]);
      await driven.chat.submit('short');
      assert.deepEqual(driven.notices, []);
      const now = Date.now();
      let passed = 0;
      const clock = mock.method(Date, 'now', () => now + (passed += 31_000));
      await driven.chat.submit('long');
      clock.mock.restore();
      assert.match(driven.notices.join(), /^The agent is done after \d+ seconds\.$/);
    });
  });

  describe('bookmark.ts', () => {
    it('shows a line that the model never gets', async () => {
      driven = await Driven.open('pi', 'bookmark.ts', [{ text: 'one' }, { text: 'two' }]);
      await driven.chat.submit('go');
      await driven.chat.submit('/bookmark');
      await driven.chat.submit('/bookmark before the change');
      await driven.chat.submit('again');
      assert.ok(driven.notices.includes('Give the bookmark a name: /bookmark <name>'));
      assert.match(JSON.stringify(driven.rig.items('entry')), /Bookmark: before the change/);
      assert.doesNotMatch(driven.lastRequest, /before the change/);
    });
  });

  describe('snake.ts', () => {
    it('draws the game, moves by keys, and tells the score at its end', async () => {
      driven = await Driven.open('pi', 'snake.ts', [{ text: 'ok' }]);
      const page = driven.rig.page();
      page.send({ type: 'cells', cells: { columns: 60, rows: 30, cardColumns: 40 } });
      const playing = driven.chat.submit('/snake');
      const frame = await until(
        () => page.got.flatMap(message => (message.type === 'frame' ? [message.frame] : []))[0],
        'the first picture',
      );
      assert.match(textOf(frame), /Apples: 0/);
      assert.match(textOf(frame), /█/);
      page.send({ type: 'key', component: frame.component, data: 'q' });
      await playing;
      assert.deepEqual(driven.notices, ['You ate 0 apples.']);
      page.dispose();
    });
  });
});

function textOf(frame: ComponentFrame): string {
  return JSON.stringify(frame.changes);
}
