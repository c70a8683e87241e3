import assert from 'node:assert/strict';
import { DialogQueue, type Question, type QuestionView, type SharedText } from '../../../src/session/ports/dialogs';
import type { Answer } from '../../../src/hook-contract/ui/ui';
import { questionWith } from '../../support/question';

const question = (id: string): Question => questionWith({ id, title: id });

/** A view that keeps what it shows. */
class View implements QuestionView {
  readonly shown = new Map<string, (answer: Answer) => void>();
  readonly log: string[] = [];

  show(asked: Question, answer: (value: Answer) => void): { dispose(): void } {
    this.shown.set(asked.id, answer);
    this.log.push(`show ${asked.id}`);
    return {
      dispose: () => {
        this.shown.delete(asked.id);
        this.log.push(`close ${asked.id}`);
      },
    };
  }
}

describe('the dialog queue', () => {
  it('shows one question at a time and never loses the second', async () => {
    const queue = new DialogQueue();
    const view = new View();
    queue.addView(view);
    const first = queue.ask(question('a'));
    const second = queue.ask(question('b'));
    assert.deepEqual([...view.shown.keys()], ['a']);
    view.shown.get('a')!('Yes');
    assert.equal(await first, 'Yes');
    assert.deepEqual([...view.shown.keys()], ['b']);
    queue.answer('b', 'No');
    assert.equal(await second, 'No');
    assert.deepEqual(view.log, ['show a', 'close a', 'show b', 'close b']);
  });

  it('takes the first answer of several views and closes the others', async () => {
    const queue = new DialogQueue();
    const one = new View();
    const two = new View();
    queue.addView(one);
    queue.addView(two);
    const asked = queue.ask(question('a'));
    const late = two.shown.get('a')!;
    one.shown.get('a')!('Yes');
    late('No');
    assert.equal(await asked, 'Yes');
    assert.deepEqual(two.log, ['show a', 'close a']);
  });

  it('closes as cancelled on abort, shown or waiting, and goes on with the next', async () => {
    const queue = new DialogQueue();
    const view = new View();
    queue.addView(view);
    const abort = new AbortController();
    const shown = queue.ask(question('a'), { signal: abort.signal });
    const waiting = queue.ask(question('b'), { signal: abort.signal });
    const other = queue.ask(question('c'));
    abort.abort();
    assert.deepEqual([await shown, await waiting], [undefined, undefined]);
    assert.deepEqual([...view.shown.keys()], ['c']);
    queue.cancel('c');
    assert.equal(await other, undefined);
    assert.equal(queue.size, 0);
  });

  it('closes by itself after its timeout, counted from being shown', async () => {
    const queue = new DialogQueue();
    const states: string[] = [];
    const told = { onShown: () => states.push('open'), onOver: () => states.push('over') };
    const asked = queue.ask({ ...question('a'), timeout: 1 }, told);
    assert.equal(await asked, undefined);
    assert.deepEqual(states, ['open', 'over']);
  });

  it('cancels everything when disposed, and later questions at once', async () => {
    const queue = new DialogQueue();
    const all = Promise.all([queue.ask(question('a')), queue.ask(question('b'))]);
    queue.dispose();
    assert.deepEqual(await all, [undefined, undefined]);
    assert.equal(await queue.ask(question('c')), undefined);
  });

  it('refuses an answer for a question that is over', async () => {
    const queue = new DialogQueue();
    const asked = queue.ask(question('a'));
    assert.equal(queue.answer('a', 'Yes'), true);
    assert.equal(queue.answer('a', 'No'), false);
    assert.equal(await asked, 'Yes');
  });

  it('goes on without a view that throws, and says so', async () => {
    const told: unknown[] = [];
    const queue = new DialogQueue(error => told.push(error));
    const view = new View();
    queue.addView({
      show: () => {
        throw new Error('no screen');
      },
    });
    queue.addView({
      show: () => ({
        dispose: () => {
          throw new Error('gone already');
        },
      }),
    });
    queue.addView(view);
    for (const id of ['a', 'b']) {
      const asked = queue.ask(question(id));
      assert.deepEqual([...view.shown.keys()], [id]);
      view.shown.get(id)!('Yes');
      assert.equal(await asked, 'Yes');
    }
    assert.deepEqual(told.map(String), [
      'Error: no screen',
      'Error: gone already',
      'Error: no screen',
      'Error: gone already',
    ]);
  });

  it('leaves no view open when one answers while it is being shown', async () => {
    const queue = new DialogQueue();
    const view = new View();
    let closed = 0;
    queue.addView({
      show: (_, answer) => {
        answer('Yes');
        return { dispose: () => (closed += 1) };
      },
    });
    queue.addView(view);
    assert.equal(await queue.ask(question('a')), 'Yes');
    assert.equal(closed, 1);
    assert.deepEqual(view.log, []);
  });

  it('keeps what is typed until the question is over, however it ends', async () => {
    const queue = new DialogQueue();
    const card = {};
    const answers = [queue.ask(question('a')), queue.ask(question('b')), queue.ask(question('c'))];
    for (const id of ['a', 'b', 'c', 'unknown']) queue.noteTyped({ id, text: 'half' }, card);
    queue.noteTyped({ id: 'a', text: 'half a sec' }, card);
    assert.deepEqual(queue.typed, [
      { id: 'a', text: 'half a sec' },
      { id: 'b', text: 'half' },
      { id: 'c', text: 'half' },
    ]);
    queue.answer('b', 'Yes');
    queue.cancel('a');
    assert.deepEqual(queue.typed, [{ id: 'c', text: 'half' }]);
    queue.dispose();
    assert.deepEqual(queue.typed, []);
    queue.noteTyped({ id: 'c', text: 'late' }, card);
    assert.deepEqual(queue.typed, []);
    assert.deepEqual(await Promise.all(answers), [undefined, 'Yes', undefined]);
  });

  describe('of a text that several views show', () => {
    /** A view that keeps the text of each question, and what it was told of it. */
    class TextView implements QuestionView {
      readonly texts = new Map<string, SharedText>();
      readonly told: string[] = [];

      show({ id }: Question, _answer: unknown, text: SharedText): { dispose(): void } {
        this.texts.set(id, text);
        return text.onDidChange(now => this.told.push(`${id}: ${now}`));
      }
    }

    it('tells each view what is typed in the others, not what is typed in itself', () => {
      const queue = new DialogQueue();
      const [one, two] = [new TextView(), new TextView()];
      queue.addView(one);
      queue.addView(two);
      void queue.ask(question('a'));
      assert.equal(one.texts.get('a')?.current, undefined);
      one.texts.get('a')?.note('abc');
      queue.noteTyped({ id: 'a', text: 'abcd' }, {});
      assert.deepEqual([one.told, two.told], [['a: abcd'], ['a: abc', 'a: abcd']]);
      assert.equal(two.texts.get('a')?.current, 'abcd');
      queue.dispose();
    });

    it('answers with the text in the tab, and with nothing while there is no tab', async () => {
      const queue = new DialogQueue();
      const view = new TextView();
      queue.addView(view);
      const asked = queue.ask(question('a'));
      queue.noteTyped({ id: 'a', text: 'on the card' }, {});
      assert.equal(queue.answerFromTab('a'), false);
      view.texts.get('a')?.note('in the tab', 'Plan.md');
      assert.equal(queue.answerFromTab('b'), false);
      assert.equal(queue.answerFromTab('a'), true);
      assert.equal(await asked, 'in the tab');
    });

    it('tells when a tab takes the text and gives it back, not each change in the tab', () => {
      const queue = new DialogQueue();
      const view = new TextView();
      queue.addView(view);
      const told: unknown[] = [];
      queue.onDidType(({ typed }) => told.push(typed));
      void queue.ask(question('a'));
      for (const text of ['', 'x', 'xy']) view.texts.get('a')?.note(text, 'Plan.md');
      assert.deepEqual(queue.typed, [{ id: 'a', text: 'xy', tab: 'Plan.md' }]);
      view.texts.get('a')?.note('xy');
      assert.deepEqual(told, [
        { id: 'a', text: '', tab: 'Plan.md' },
        { id: 'a', text: 'xy' },
      ]);
      queue.dispose();
    });
  });
});
