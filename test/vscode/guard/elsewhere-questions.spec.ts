import assert from 'node:assert/strict';
import { toDisposable } from '../../../src/base/disposable';
import type { FrontMessage } from '../../../src/guard/protocol/messages';
import { DialogQueue, type Question } from '../../../src/session/ports/dialogs';
import { ElsewhereQuestions } from '../../../src/vscode/guard/elsewhere-questions';

const question = (id: string): Question => ({
  id,
  hook: { path: '/other/.pi/hooks/gate.ts', name: 'gate.ts' },
  title: 'Run it?',
  message: '',
  dialog: { type: 'confirm' },
  asker: { type: 'deciding' },
  conversationId: 'guard:1',
  guarded: { agent: 'Codex', folder: 'other' },
});

describe('a question of a folder that no window has open', () => {
  let queue: DialogQueue;
  let questions: ElsewhereQuestions;
  let sent: FrontMessage[];
  let offered: Set<string>;
  let isOffered: boolean;

  beforeEach(() => {
    queue = new DialogQueue();
    sent = [];
    offered = new Set();
    isOffered = false;
    questions = new ElsewhereQuestions({
      offer: (_id, { id }) => {
        offered.add(id);
        return toDisposable(() => offered.delete(id));
      },
      ask: (asked, options) => queue.ask(asked, options),
      showOffered: now => {
        isOffered = now;
      },
      send: message => sent.push(message),
    });
    questions.add('1', question('q1'));
  });

  it('is only offered, so that it does not keep the questions of this window waiting', () => {
    assert.deepEqual([...offered], ['q1']);
    assert.equal(queue.size, 0);
    assert.deepEqual(sent, []);
  });

  it('can be answered without its notification, the oldest first', async () => {
    questions.add('2', question('q2'));
    const first = questions.answerNext();
    assert.deepEqual([...offered], ['q2']);
    const second = questions.answerNext();
    assert.equal(isOffered, false, 'both are asked here');
    await questions.answerNext();
    assert.equal(queue.size, 2, 'none twice');
    queue.answer('q1', true);
    await first;
    queue.answer('q2', false);
    await second;
    assert.deepEqual(sent, [
      { type: 'answer', id: '1', answer: true },
      { type: 'answer', id: '2', answer: false },
    ]);
  });

  it('is not offered any more when it is over', () => {
    assert.equal(isOffered, true);
    questions.close('1');
    assert.equal(isOffered, false);
  });

  it('is asked when the user wants to answer it here, and its answer goes to the host', async () => {
    const answering = questions.answer('1');
    assert.equal(offered.size, 0);
    assert.equal(queue.size, 1);
    await questions.answer('1');
    assert.equal(queue.size, 1, 'not twice');
    queue.answer('q1', false);
    await answering;
    assert.deepEqual(sent, [{ type: 'answer', id: '1', answer: false }]);
  });

  it('is cancelled for the host when the user cancels it here', async () => {
    const answering = questions.answer('1');
    queue.cancel('q1');
    await answering;
    assert.deepEqual(sent, [{ type: 'answer', id: '1' }]);
    await questions.answer('1');
    assert.equal(queue.size, 0);
  });

  it('leaves when it was answered elsewhere, whether it was open here or not', async () => {
    questions.add('2', question('q2'));
    const answering = questions.answer('1');
    questions.close('1');
    questions.close('2');
    await answering;
    assert.equal(queue.size, 0);
    assert.equal(offered.size, 0);
    assert.deepEqual(sent, [], 'no answer was given here');
  });

  it('leaves when the host has ended', async () => {
    questions.add('2', question('q2'));
    const answering = questions.answer('2');
    questions.dispose();
    await answering;
    assert.equal(queue.size, 0);
    assert.equal(offered.size, 0);
    assert.deepEqual(sent, []);
  });
});
