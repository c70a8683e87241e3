import assert from 'node:assert/strict';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';

describe('editing a sent message', function () {
  this.timeout(20_000);
  let rig: Rig | undefined;

  async function open(script: readonly Script[], options: RigOptions = {}): Promise<Rig> {
    rig = await Rig.open(script, options);
    return rig;
  }

  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  const tree = (body: string): NonNullable<RigOptions['extensions']> => ({
    'tree.ts': `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
export default function (pi: ExtensionAPI) { ${body} }`,
  });

  const texts = (opened: Rig): string[] => opened.items('user').map(item => item.text);

  function begin(opened: Rig, index: number): string {
    opened.chat.edits.begin(opened.items('user')[index]!.id);
    const { editing } = opened.chat.composer.draft;
    assert.ok(editing);
    return editing.entry;
  }

  it('leads from each version of a message to what became of it, after a resume as well', async () => {
    const opened = await open([{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
    const versions = (on: Rig): unknown[] => on.items('user').map(({ text, version }) => [text, version]);
    const answers = (on: Rig): unknown[] => on.items('assistant').map(({ blocks }) => blocks[0]?.text);
    for (const text of ['first', 'second']) await opened.chat.submit(text);
    assert.deepEqual(versions(opened), [
      ['first', undefined],
      ['second', undefined],
    ]);
    await opened.chat.edits.resend(begin(opened, 0), 'first, better', { images: [], files: [] });
    assert.deepEqual(versions(opened), [['first, better', { at: 2, of: 2 }]]);
    const page = opened.page();
    page.send({ type: 'showVersion', id: opened.items('user')[0]!.id, by: 'previous' });
    await until(
      () => (opened.items('user')[0]?.version?.at === 1 && opened.chat.conversation.run.isIdle ? true : undefined),
      'it',
    );
    page.dispose();
    assert.deepEqual(versions(opened), [
      ['first', { at: 1, of: 2 }],
      ['second', undefined],
    ]);
    assert.deepEqual(answers(opened), ['one', 'two']);
    await opened.close(true);
    rig = await Rig.open([], { root: opened.root, resume: true });
    assert.deepEqual(versions(rig)[0], ['first, better', { at: 2, of: 2 }]);
    await rig.chat.edits.showVersion(rig.items('user')[0]!.id, 'next');
    assert.deepEqual(answers(rig), ['three'], 'there is no next one');
  });

  it('branches where it stood: hooks are asked and told, the rest stays in the session as another branch', async () => {
    const opened = await open([{ text: 'one' }, { text: 'two' }, { text: 'three' }], {
      extensions:
        tree(`pi.on("session_before_tree", (e, ctx) => { ctx.ui.notify("before " + (e.preparation.targetId ? "target" : ""), "info"); });
        pi.on("session_tree", (_e, ctx) => { ctx.ui.notify("after", "info"); });`),
    });
    const page = opened.page();
    await opened.chat.submit('first');
    await opened.chat.submit('second');
    opened.chat.composer.text = 'something else';
    const file = opened.chat.conversation.store.getSessionFile();
    page.send({ type: 'editMessage', id: opened.items('user')[1]!.id });
    assert.equal(opened.chat.composer.text, 'second');
    const { editing } = opened.chat.composer.draft;
    page.send({ type: 'submit', text: 'second, better', delivery: 'steer', images: [], edits: editing!.entry });
    await until(
      () => (opened.model.requests.length === 3 && opened.chat.conversation.run.isIdle ? true : undefined),
      'the answer',
    );
    assert.deepEqual(texts(opened), ['first', 'second, better']);
    assert.equal(opened.chat.conversation.store.getSessionFile(), file);
    const said = JSON.stringify(opened.model.requests[2]?.messages);
    assert.ok(said.includes('second, better') && !said.includes('two'));
    const all = JSON.stringify(opened.chat.conversation.store.getEntries());
    assert.ok(all.includes('"second"') && all.includes('two'), 'the old branch is kept');
    assert.equal(opened.chat.composer.text, 'something else', 'what stood there before is back');
    assert.ok(opened.items('notice').some(({ text }) => text === 'after'));
    page.dispose();
  });

  it('changes nothing when a hook cancels: the words are back, still in place of that message', async () => {
    const opened = await open([{ text: 'one' }], {
      extensions: tree(`pi.on("session_before_tree", () => ({ cancel: true }));`),
    });
    await opened.chat.submit('first');
    const entry = begin(opened, 0);
    await opened.chat.edits.resend(entry, 'first, better', { images: [], files: [] });
    assert.deepEqual(texts(opened), ['first']);
    const { text, editing } = opened.chat.composer.draft;
    assert.deepEqual([text, editing?.entry], ['first, better', entry]);
    opened.chat.composer.cancelEdit();
    assert.equal(opened.chat.composer.text, '');
  });

  it('answers a message again as another version of it, and leaves the draft alone', async () => {
    const opened = await open([{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
    for (const text of ['first', 'second']) await opened.chat.submit(text);
    opened.chat.composer.text = 'not sent yet';
    const page = opened.page();
    page.send({ type: 'answerAgain', id: opened.items('assistant')[0]!.id });
    await until(() => (opened.model.requests.length === 3 && opened.conversation.run.isIdle ? true : undefined), 'it');
    page.dispose();
    assert.deepEqual(
      opened.items('user').map(({ text, version }) => [text, version]),
      [['first', { at: 2, of: 2 }]],
    );
    assert.deepEqual(
      opened.items('assistant').map(({ blocks }) => blocks[0]?.text),
      ['three'],
    );
    assert.equal(opened.chat.composer.text, 'not sent yet');
  });

  it('does not answer a message again while the agent works, or when a hook cancels', async () => {
    const opened = await open([{ text: 'one' }, 'hang'], {
      extensions: tree('pi.on("session_before_tree", () => ({ cancel: true }));'),
    });
    await opened.chat.submit('first');
    const { id } = opened.items('assistant')[0]!;
    await opened.chat.edits.answerAgain(id);
    assert.match(opened.items('notice').at(-1)?.text ?? '', /was not replaced/);
    const run = opened.chat.submit('second');
    await until(() => (opened.model.requests.length === 2 ? true : undefined), 'the run');
    await opened.chat.edits.answerAgain(id);
    assert.equal(opened.conversation.run.isIdle, false);
    assert.deepEqual(texts(opened), ['first', 'second']);
    await opened.conversation.run.stop('person');
    await run;
  });

  it('ends the run that goes on, and works on the last message before it was answered', async () => {
    const opened = await open(['hang', { text: 'two' }]);
    const sent = opened.chat.submit('first');
    await until(() => (opened.model.requests.length === 1 ? true : undefined), 'the request');
    const entry = begin(opened, 0);
    await opened.chat.edits.resend(entry, 'first, better', { images: [], files: [] });
    await sent;
    assert.deepEqual(texts(opened), ['first, better']);
    assert.equal(opened.chat.conversation.run.agent.messages.length, 3);
  });

  it('keeps the message where it is when nothing can be sent', async () => {
    const opened = await open([], { hasKey: false });
    opened.chat.conversation.store.appendMessage({ role: 'user', content: 'old', timestamp: 1 });
    await opened.chat.conversation.open();
    const entry = begin(opened, 0);
    await opened.chat.edits.resend(entry, 'new', { images: [], files: [] });
    assert.deepEqual(texts(opened), ['old']);
    assert.equal(opened.chat.composer.text, 'new');
    assert.equal(opened.items('notice').at(-1)?.level, 'error');
  });

  it('keeps what was queued when the run is ended for an edit that a hook then cancels', async () => {
    const opened = await open(['hang'], {
      extensions: tree(`pi.on("session_before_tree", () => ({ cancel: true }));`),
    });
    const sent = opened.chat.submit('first');
    await until(() => (opened.model.requests.length === 1 ? true : undefined), 'the request');
    const queued = opened.chat.submit('queued words');
    await until(
      () => (opened.chat.conversation.inbox.waiting.texts.steering.length === 1 ? true : undefined),
      'the queue',
    );
    opened.chat.composer.text = 'half a thought';
    const entry = begin(opened, 0);
    await opened.chat.edits.resend(entry, 'first, better', { images: [], files: [] });
    await Promise.all([sent, queued]);
    assert.equal(opened.chat.composer.text, 'first, better');
    await opened.chat.conversation.run.stop();
    opened.chat.composer.cancelEdit();
    assert.equal(opened.chat.composer.text, 'queued words\n\nhalf a thought');
  });

  it('is no place for what comes back while it goes on: that stands there when the edit is given up', async () => {
    const opened = await open(['hang']);
    const sent = opened.chat.submit('first');
    await until(() => (opened.model.requests.length === 1 ? true : undefined), 'the request');
    const queued = opened.chat.submit('queued words');
    await until(
      () => (opened.chat.conversation.inbox.waiting.texts.steering.length === 1 ? true : undefined),
      'the queue',
    );
    begin(opened, 0);
    await opened.chat.conversation.run.stop();
    await Promise.all([sent, queued]);
    assert.equal(opened.chat.composer.text, 'first');
    opened.chat.composer.cancelEdit();
    assert.equal(opened.chat.composer.text, 'queued words');
  });

  it('keeps the texts that were attached, and not twice those that the message names', async () => {
    const opened = await open([{ text: 'one' }, { text: 'two' }], { files: { 'named.txt': 'in the folder' } });
    const page = opened.page();
    const files = [{ name: 'log.txt', text: 'line 1\nline 2' }];
    await opened.chat.submit('read @named.txt', { files });
    page.send({ type: 'editMessage', id: opened.items('user')[0]!.id });
    assert.deepEqual(opened.chat.composer.draft.files, files);
    const told = await until(() => page.got.find(message => message.type === 'composer'), 'the composer');
    assert.deepEqual(told.files, files);
    const entry = opened.chat.composer.draft.editing!.entry;
    page.send({ type: 'submit', text: 'read @named.txt again', delivery: 'steer', images: [], files, edits: entry });
    await until(
      () => (opened.model.requests.length === 2 && opened.chat.conversation.run.isIdle ? true : undefined),
      'the answer',
    );
    const said = JSON.stringify(opened.model.requests[1]?.messages);
    assert.equal(said.split('line 1').length, 2);
    assert.equal(said.split('in the folder').length, 2);
    page.dispose();
  });

  it('loses nothing of what stood there when its message is gone', async () => {
    const opened = await open([{ text: 'one' }]);
    await opened.chat.submit('first');
    opened.chat.composer.text = 'half a thought';
    begin(opened, 0);
    await opened.chat.edits.resend('nowhere', 'words', { images: [], files: [] });
    assert.equal(opened.chat.composer.text, 'words\n\nhalf a thought');
  });

  it('makes a new message of words whose message is in another session by now', async () => {
    const opened = await open([{ text: 'one' }]);
    await opened.chat.submit('first');
    await opened.chat.edits.resend('nowhere', 'words', { images: [], files: [] });
    assert.equal(opened.chat.composer.text, 'words');
    assert.equal(opened.chat.composer.draft.editing, undefined);
  });
});
