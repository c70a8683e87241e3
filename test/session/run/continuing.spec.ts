import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { Stage } from '../../conformance/support';
import { Rig, until } from '../../support/conversation-rig';

describe('a run that ended in the middle', () => {
  it('is continued by the person after it was stopped, and the offer is gone then', async () => {
    const stage = await Stage.open(['hang', { text: 'here' }, { text: 'more' }]);
    const asked = stage.chat.submit('hello');
    await until(() => (stage.rig.model.requests.length === 1 ? true : undefined), 'the request');
    await stage.chat.conversation.run.stop();
    await asked;
    const [stopped] = stage.rig.items('assistant');
    assert.deepEqual([stopped?.state, stopped?.help], ['aborted', ['continue']]);
    const page = stage.rig.page();
    page.send({ type: 'help', id: stopped?.id, help: 'continue' });
    await until(() => (stage.rig.items('assistant').at(-1)?.state === 'done' ? true : undefined), 'the answer');
    await stage.chat.conversation.run.waitForSettled();
    assert.deepEqual(stage.rig.items('assistant')[0]?.help, []);
    // Providers leave out an answer that was stopped.
    assert.deepEqual(stage.request(-1), ['user: hello', 'assistant: ']);
    page.send({ type: 'continueRun' });
    await until(
      () => stage.rig.items('notice').find(({ text }) => text.startsWith('The conversation went on')),
      'the refusal',
    );
    page.dispose();
    assert.equal(stage.rig.model.requests.length, 2);
    await stage.end();
  });

  it('is marked and continued after a crash, and not marked where it was answered', async () => {
    const stage = await Stage.open([{ text: 'one' }, { text: 'lost' }]);
    for (const text of ['first', 'second']) await stage.chat.submit(text);
    const file = stage.chat.conversation.store.getSessionFile() ?? '';
    await stage.end(true);
    const marks = (rig: Rig): readonly (boolean | undefined)[] =>
      rig.items('notice').flatMap(({ text, canContinue }) => (/was interrupted/.test(text) ? [canContinue] : []));
    const whole = await Rig.open([], { root: stage.rig.root, resume: true });
    assert.deepEqual(marks(whole), []);
    await whole.close(true);
    // As a process leaves it that is killed while the model answers.
    writeFileSync(file, readFileSync(file, 'utf8').replace(/\n[^\n]*"lost"[^\n]*\n$/, '\n'));
    const killed = await Rig.open([{ text: 'two' }], { root: stage.rig.root, resume: true });
    assert.deepEqual(marks(killed), [true]);
    const page = killed.page();
    page.send({ type: 'continueRun' });
    await until(() => (killed.items('assistant').length === 2 ? true : undefined), 'the answer');
    page.dispose();
    await killed.chat.conversation.run.waitForSettled();
    assert.deepEqual(marks(killed), [false]);
    assert.equal(killed.model.requests.length, 1);
    await killed.close();
  });
});
