import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Driven, repository, until } from './drive';

describe('examples of tree', () => {
  let driven: Driven;
  afterEach(async () => {
    await driven.close();
  });

  describe('session-notes.ts', () => {
    it('keeps notes over a restart, asks when none is given, and hides them from the model', async () => {
      driven = await Driven.open('tree', 'session-notes.ts', [{ text: 'one' }, { text: 'two' }]);
      await driven.chat.submit('first');
      await driven.chat.submit('/note look at the cache');
      await driven.answering(driven.chat.submit('/note'), 'asked for');
      await driven.chat.submit('second');
      assert.doesNotMatch(driven.lastRequest, /look at the cache/);
      const { root } = driven.rig;
      await driven.rig.close(true);

      driven = await Driven.open('tree', 'session-notes.ts', [], { root, resume: true });
      await driven.chat.submit('/notes');
      assert.ok(driven.notices.includes('• look at the cache\n• asked for'), driven.notices.join('\n'));
      await driven.chat.submit('/new');
      await driven.chat.submit('/notes');
      assert.ok(driven.notices.includes('No notes yet'));
    });

    it('knows the notes of the branch, not those written after it', async () => {
      driven = await Driven.open('tree', 'session-notes.ts', [{ text: 'one' }, { text: 'two' }]);
      await driven.chat.submit('first');
      await driven.chat.submit('/note early');
      await driven.chat.submit('second');
      await driven.chat.submit('/note late');
      await driven.chat.edits.branchFrom(driven.rig.items('user')[1]?.id ?? '');
      await driven.chat.submit('/notes');
      assert.equal(driven.notices.at(-1), '• early');
    });
  });

  describe('git-facts.ts', () => {
    it('tells the model about the repository, again only when that changed, and not the user', async () => {
      driven = await Driven.open('tree', 'git-facts.ts', [{ text: '1' }, { text: '2' }, { text: '3' }], {
        files: { 'a.txt': 'one' },
      });
      repository(driven.rig.cwd);
      await driven.chat.submit('first');
      assert.match(driven.lastRequest, /State of the repository:\\n## main/);
      await driven.chat.submit('second');
      assert.equal(driven.lastRequest.split('State of the repository').length, 2, 'told once');
      writeFileSync(join(driven.rig.cwd, 'a.txt'), 'two');
      await driven.chat.submit('third');
      assert.match(driven.lastRequest, / M a\.txt/);
      assert.deepEqual(driven.rig.items('custom'), []);
    });

    it('is silent where there is no repository', async () => {
      driven = await Driven.open('tree', 'git-facts.ts', [{ text: '1' }]);
      await driven.chat.submit('first');
      assert.doesNotMatch(driven.lastRequest, /State of the repository/);
    });
  });

  describe('file-trigger.ts', () => {
    it('starts a run when the file holds something new', async () => {
      driven = await Driven.open('tree', 'file-trigger.ts', [{ text: 'I will fix it' }]);
      const file = join(driven.rig.cwd, 'test-errors.txt');
      writeFileSync(file, '');
      writeFileSync(file, '2 of 10 failed\n');
      await until(() => driven.rig.items('assistant').find(({ state }) => state === 'done'), 'the answer');
      await driven.chat.conversation.run.waitForIdle();
      assert.match(driven.lastRequest, /The tests fail:\\n2 of 10 failed/);
      assert.equal(driven.rig.items('custom').length, 1);
    });
  });

  describe('hide-old-facts.ts', () => {
    it('sends only the newest message of each kind, and leaves others alone', async () => {
      const reporter = `import type { HookAPI } from '@mariozechner/pi-coding-agent/hooks';
export default function (pi: HookAPI) {
  let count = 0;
  pi.on('before_agent_start', () => {
    count += 1;
    return { message: { customType: count === 2 ? 'other' : 'git-facts', content: 'fact ' + count, display: true } };
  });
}`;
      driven = await Driven.open('tree', 'hide-old-facts.ts', [{ text: '1' }, { text: '2' }, { text: '3' }], {
        hooks: { 'reporter.ts': reporter },
      });
      for (const prompt of ['a', 'b', 'c']) await driven.chat.submit(prompt);
      assert.doesNotMatch(driven.lastRequest, /fact 1/);
      assert.match(driven.lastRequest, /fact 2[\s\S]*fact 3/);
      assert.equal(driven.rig.items('custom').length, 3, 'the session keeps them');
    });
  });

  describe('archive.ts', () => {
    it('writes down what is about to be summarised, and lets the model summarise it', async () => {
      driven = await Driven.open('tree', 'archive.ts', [
        { text: 'a'.repeat(100) },
        { text: 'b'.repeat(100) },
        { text: 'SUMMARY' },
        { text: 'SUMMARY' },
      ]);
      await driven.chat.submit('remember the milk');
      await driven.chat.submit('second');
      const { summary } = await driven.chat.conversation.run.compact();
      assert.match(summary, /SUMMARY/);
      const folder = join(driven.rig.cwd, '.pi', 'archive');
      const [file] = readdirSync(folder);
      const text = readFileSync(join(folder, file ?? ''), 'utf8');
      assert.match(text, /\[User\]: remember the milk/);
      assert.match(text, /\[Assistant\]: aaaa/);
    });

    it('asks when the archive cannot be written, and then does as told', async () => {
      driven = await Driven.open('tree', 'archive.ts', [{ text: 'a'.repeat(100) }, { text: 'b'.repeat(100) }], {
        files: { '.pi/archive': 'a file in the way' },
      });
      await driven.chat.submit('first');
      await driven.chat.submit('second');
      const compacting = driven.chat.conversation.run.compact();
      const failed = assert.rejects(compacting, /cancelled/);
      await driven.answering(failed, false);
      assert.deepEqual(driven.questions, ['Compact without an archive?']);
    });
  });
});
