import assert from 'node:assert/strict';
import { bash, Driven } from './drive';
import { isSaid } from '../support/said';

describe('examples of v2', () => {
  let driven: Driven;
  afterEach(async () => {
    await driven.close();
  });

  describe('bookmarks.ts', () => {
    it('marks places, lists them after a restart, and hides them from the model', async () => {
      driven = await Driven.open('v2', 'bookmarks.ts', [{ text: 'one' }, { text: 'two' }]);
      await driven.chat.submit('first');
      await driven.chat.submit('/mark before the change');
      assert.ok(driven.notices.includes('Marked as "before the change"'), driven.notices.join('\n'));
      await driven.chat.submit('/mark');
      assert.ok(driven.notices.includes('Usage: /mark <name>'));
      await driven.chat.submit('second');
      assert.doesNotMatch(driven.lastRequest, /before the change/);
      const { root } = driven.rig;
      await driven.rig.close(true);

      driven = await Driven.open('v2', 'bookmarks.ts', [], { root, resume: true });
      await driven.chat.submit('/marks');
      assert.ok(
        driven.notices.some(text => /^before the change \(entry \d+\)$/.test(text)),
        driven.notices.join('\n'),
      );
    });
  });

  describe('forget.ts', () => {
    const texts = (): readonly string[] =>
      (driven.rig.model.requests.at(-1)?.messages ?? []).map(({ content }) =>
        typeof content === 'string'
          ? content
          : content.map(part => (part.type === 'text' ? part.text : `[${part.type}]`)).join(),
      );

    it('replaces a detour by one line, in every later request, without deleting anything', async () => {
      driven = await Driven.open('v2', 'forget.ts', [{ text: 'A' }, { text: 'detour' }, { text: 'B' }, { text: 'C' }]);
      await driven.chat.submit('first');
      await driven.chat.submit('try yarn');
      await driven.answering(driven.chat.submit('/forget'), await optionOf('try yarn'));
      await driven.chat.submit('second');
      assert.deepEqual(texts(), ['first', 'A', '[A detour was left out here.]', 'second']);
      await driven.chat.submit('third');
      assert.deepEqual(texts(), ['first', 'A', '[A detour was left out here.]', 'second', 'B', 'third']);
      const stored = driven.chat.conversation.store.getBranch().filter(isSaid);
      assert.equal(stored.length, 8, 'the session keeps all');
    });

    it('takes the entry and what to say of it as arguments, and refuses one that is no prompt', async () => {
      driven = await Driven.open('v2', 'forget.ts', [{ text: 'A' }, { text: 'B' }]);
      await driven.chat.submit('first');
      await driven.chat.submit('/forget 999');
      assert.ok(driven.notices.includes('Nothing was forgotten'));
      const index = Number.parseInt(await optionOf('first'), 10);
      await driven.chat.submit(`/forget ${index} tried "that way"`);
      await driven.chat.submit('second');
      assert.deepEqual(texts(), ['[A detour was left out here. tried that way]', 'second']);
    });

    /** The option for a prompt: its place as the command counts, header included. */
    function optionOf(prompt: string): Promise<string> {
      const index = driven.chat.conversation.store
        .getBranch()
        .filter(isSaid)
        .findIndex(entry => JSON.stringify(entry).includes(prompt));
      return Promise.resolve(`${index + 1}: ${prompt}`);
    }
  });

  describe('trim-results.ts', () => {
    it('shortens all but the last four tool results, and only in what is sent', async () => {
      const long = 'seq 1 200';
      driven = await Driven.open('v2', 'trim-results.ts', [
        bash(long),
        bash('echo short'),
        bash(long),
        bash(long),
        bash(long),
        bash(long),
        { text: 'ok' },
      ]);
      await driven.chat.submit('go');
      const results = driven.rig.model.requests
        .at(-1)!
        .messages.filter(message => message.role === 'toolResult')
        .map(({ content }) => content.map(part => (part.type === 'text' ? part.text : '')).join());
      assert.match(results[0] ?? '', /^1\n\[… \d+ lines left out; run the tool again to see them …\]\n/);
      assert.match(results[1] ?? '', /^short\s*$/);
      assert.ok(results.slice(2).every(text => text.includes('\n100\n')));
      assert.ok(driven.rig.items('tool')[0]?.output.includes('\n100\n'), 'the session has it whole');
    });
  });

  describe('use-model.ts', () => {
    it('switches the model and how much it thinks, and lists models for an unknown one', async () => {
      driven = await Driven.open('v2', 'use-model.ts', []);
      await driven.chat.submit('/use script high');
      assert.ok(driven.notices.includes('Using scripted, thinking: high'), driven.notices.join('\n'));
      assert.equal(driven.chat.conversation.state.effectiveLevel, 'high');
      await driven.chat.submit('/use nonsense');
      assert.ok(driven.notices.some(text => /^Known models: .*scripted/.test(text)));
    });
  });
});
