import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PageConnection } from '../../../src/chat/page/page-connection';
import type { HostToWebview } from '../../../src/protocol/messages';
import { Rig, until } from '../../support/conversation-rig';

describe('a hidden chat page', () => {
  let rig: Rig;
  afterEach(() => rig.close());

  it('leaves it to the next page to show the item that was chosen meanwhile', async () => {
    rig = await Rig.open([{ text: 'hello' }]);
    await rig.chat.submit('hi');
    const got: HostToWebview[] = [];
    const page = rig.connectPage(message => void got.push(message));
    page.receive({ type: 'ready' });
    page.hidden();
    got.length = 0;
    const id = rig.items('user')[0]?.id ?? '';
    assert.ok(rig.chat.reveal(rig.chat.entryOfItem(id) ?? ''));
    page.receive({ type: 'ready' });
    const shown = await until(() => got.find(({ type }) => type === 'reveal'), 'the item');
    const [first] = got;
    assert.ok(first?.type === 'snapshot');
    assert.deepEqual(shown, { type: 'reveal', id, revision: first.revision + 1 });
    page.dispose();
  });

  it('leaves it to the next page to show an item that it was not told of in time', async () => {
    rig = await Rig.open([{ text: 'hello' }]);
    await rig.chat.submit('hi');
    const got: HostToWebview[] = [];
    const page = rig.connectPage(message => void got.push(message));
    const id = rig.items('user')[0]?.id ?? '';
    page.receive({ type: 'ready' });
    assert.ok(rig.chat.reveal(rig.chat.entryOfItem(id) ?? ''));
    page.hidden();
    // A page that was hidden while it was connected asks all the same, and is told that it is hidden.
    page.receive({ type: 'ready' });
    page.hidden();
    assert.ok(!got.some(({ type }) => type === 'reveal'));
    page.receive({ type: 'ready' });
    await until(() => got.find(({ type }) => type === 'reveal'), 'the item');
    got.length = 0;
    page.receive({ type: 'ready' });
    rig.chat.model.notice('info', 'later');
    await until(() => got.find(({ type }) => type === 'item'), 'the notice');
    assert.ok(!got.some(({ type }) => type === 'reveal'), 'once');
    page.dispose();
  });

  it('leaves what was typed on a question to the next page, and writes it to no file', async () => {
    rig = await Rig.open([], {
      hooks: {
        'ask.ts': `export default pi => pi.registerCommand('ask', {
          handler: async (_args, ctx) => void (await ctx.ui.input('Token?')),
        });`,
      },
    });
    const got: HostToWebview[] = [];
    const connect = (): PageConnection => rig.connectPage(message => void got.push(message));
    const typedIn = async (page: PageConnection): Promise<unknown> => {
      got.length = 0;
      page.receive({ type: 'ready' });
      const shown = await until(() => got.find(({ type }) => type === 'snapshot'), 'the snapshot');
      return shown.type === 'snapshot' ? shown.typed : 'no snapshot';
    };
    const asked = rig.chat.submit('/ask');
    const id = await until(() => rig.items('gate')[0]?.id, 'the question');
    const page = connect();
    assert.equal(await typedIn(page), undefined);
    page.receive({ type: 'typed', id, text: 'tok-en-of-mine' });
    page.hidden();
    assert.deepEqual(await typedIn(page), [{ id, text: 'tok-en-of-mine' }], 'the view is shown again');
    page.dispose();
    const next = connect();
    assert.deepEqual(await typedIn(next), [{ id, text: 'tok-en-of-mine' }], 'the view was moved');
    const files = readdirSync(rig.root, { recursive: true, withFileTypes: true }).filter(file => file.isFile());
    const told = files.filter(file => readFileSync(join(file.parentPath, file.name)).includes('tok-en-of-mine'));
    assert.deepEqual(told, []);
    next.receive({ type: 'answer', id, answer: 'tok-en-of-mine' });
    await asked;
    assert.equal(await typedIn(next), undefined);
    next.dispose();
  });

  it('is told what is typed elsewhere as an answer, not what it told itself; the text of a tab answers', async () => {
    rig = await Rig.open([], {
      hooks: {
        'ask.ts': `export default pi => pi.registerCommand('ask', {
          handler: async (_args, ctx) => ctx.ui.notify(String(await ctx.ui.editor('Why?', 'feat: '))),
        });`,
      },
    });
    const got: HostToWebview[] = [];
    const asked = rig.chat.submit('/ask');
    const id = await until(() => rig.items('gate')[0]?.id, 'the question');
    const page = rig.connectPage(message => void got.push(message));
    const { dialogs } = rig;
    dialogs.noteTyped({ id, text: 'before the page is ready' }, {});
    page.receive({ type: 'ready' });
    page.receive({ type: 'typed', id, text: 'feat: a' });
    dialogs.noteTyped({ id, text: 'feat: a', tab: 'Why.md' }, {});
    dialogs.noteTyped({ id, text: 'feat: a tab', tab: 'Why.md' }, {});
    const told = got.flatMap(message => (message.type === 'typed' ? [message.typed] : []));
    assert.deepEqual(told, [{ id, text: 'feat: a', tab: 'Why.md' }]);
    page.receive({ type: 'showAnswerTab' });
    assert.deepEqual(rig.editorCalls.at(-1), 'showQuestion');
    page.receive({ type: 'answerFromTab', id });
    await asked;
    assert.deepEqual(rig.items('gate')[0]?.state, { type: 'answered', answer: 'feat: a tab' });
    page.dispose();
  });

  it('brings back no draft over one that was written since', async () => {
    rig = await Rig.open([]);
    const { key } = rig.conversation.state;
    const page = rig.connectPage(() => undefined);
    rig.chat.composer.text = 'newer';
    page.receive({
      type: 'draft',
      text: 'typed in a page that is gone',
      conversation: key,
      was: 'older',
      ofEarlierPage: true,
    });
    assert.equal(rig.chat.composer.text, 'newer');
    page.receive({ type: 'draft', text: 'newer, and more', conversation: key, was: 'newer', ofEarlierPage: true });
    assert.equal(rig.chat.composer.text, 'newer, and more');
    page.dispose();
  });
});
