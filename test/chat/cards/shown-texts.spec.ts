import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatChange } from '../../../src/protocol/messages';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';

/** Says what a transformer was given. */
const TELL = `({ messageType, isStreaming, availableWidth, messageId, timestamp }) =>
  [messageType, isStreaming, availableWidth, typeof messageId, typeof timestamp].join(' ')`;

describe('texts as hooks want them shown', () => {
  let rig: Rig;

  async function open(extensions: RigOptions['extensions'], script: readonly Script[]): Promise<void> {
    rig = await Rig.open(script, { extensions: extensions ?? {} });
  }

  afterEach(() => rig.close());

  const errors = (): string[] => rig.items('notice').flatMap(({ level, text }) => (level === 'error' ? [text] : []));
  const user = (): (string | undefined)[] => rig.items('user').map(({ displayText }) => displayText);
  const blocks = (): (string | undefined)[] =>
    rig.items('assistant').flatMap(item => item.blocks.map(({ displayText }) => displayText));

  it('changes what is seen of messages, answers and thoughts, and nothing else', async () => {
    await open(
      { 'arrows.ts': `export default pi => pi.registerMarkdownTransformer(text => text.replaceAll('-->', '→'));` },
      [{ thinking: 'a --> b', text: 'so --> yes' }, { text: 'none' }],
    );
    await rig.chat.submit('why --> how');
    assert.deepEqual([user(), blocks()], [['why → how'], ['a → b', 'so → yes']]);
    assert.deepEqual(
      [rig.items('user')[0]?.text, rig.items('assistant')[0]?.blocks.map(({ text }) => text)],
      ['why --> how', ['a --> b', 'so --> yes']],
    );
    await rig.chat.submit('on');
    assert.ok(JSON.stringify(rig.model.requests[1]?.messages).includes('so --> yes'));
    assert.deepEqual([user()[1], blocks()[2]], [undefined, undefined], 'what stays the same is not told twice');
  });

  it('tells transformers where a text stands, also of a session that is opened again', async () => {
    await open(
      {
        'where.ts': `const tell = ${TELL}; export default pi => pi.registerMarkdownTransformer((text, place) => text + ' | ' + tell(place));`,
      },
      [{ text: 'fine' }],
    );
    rig.page().send({ type: 'cells', cells: { columns: 60, rows: 30, cardColumns: 44 } });
    await rig.chat.submit('hello');
    await until(() => (user()[0]?.includes(' 44 ') ? true : undefined), 'the width of the page');
    assert.match(blocks()[0] ?? '', /^fine \| assistant false 44 /);
    await rig.close(true);
    rig = await Rig.open([], { root: rig.root, resume: true });
    assert.deepEqual(
      [user(), blocks()],
      [['hello | user false 76 string string'], ['fine | assistant false 76 string string']],
    );
    assert.equal(rig.chat.model.messageOf(rig.items('user')[0]?.id ?? '')?.role, 'user');
  });

  it('chains one transformer of each file in the order of loading, for the kinds it asks for', async () => {
    await open(
      {
        'a.ts': `export default pi => { pi.registerMarkdownTransformer(t => t + 'never'); pi.registerMarkdownTransformer(t => t + ' a'); };`,
        'b.ts': `export default pi => pi.registerMarkdownTransformer(t => t + ' b', { messageTypes: ['custom', 'assistant'] });`,
        'c.ts': `export default pi => { pi.registerMarkdownTransformer(t => t + ' c');
          pi.registerCommand('say', { handler: async () => pi.sendMessage({ customType: 'x', content: 'said', display: true }) }); };`,
      },
      [{ text: 'answer' }],
    );
    await rig.chat.submit('ask');
    await rig.chat.submit('/say');
    assert.deepEqual(
      [user(), blocks(), rig.items('custom')[0]?.displayText],
      [['ask a c'], ['answer a b c'], 'said b'],
    );
  });

  it('shows a growing answer as hooks want it, from its first word on, and tells what has changed', async () => {
    const text = 'one --> two\n\n'.repeat(200);
    await open(
      {
        'arrows.ts': `export default pi => pi.registerMarkdownTransformer((t, { isStreaming }) =>
          t.replaceAll('-->', '→') + (isStreaming ? '' : 'END'));`,
      },
      [{ text }],
    );
    const changes: ChatChange[] = [];
    rig.chat.model.onDidChange(change => changes.push(change));
    await rig.chat.submit('go');
    assert.equal(blocks()[0], `${text.replaceAll('-->', '→')}END`);
    const firstText = changes.findIndex(({ type }) => type === 'text');
    assert.equal(changes[firstText + 1]?.type, 'displayText', 'no word is seen as it is');
    const told = changes.flatMap(change => (change.type === 'displayText' ? [change.append.length] : []));
    assert.ok(told.length > 0 && told.reduce((a, b) => a + b) <= 2 * text.length, String(told.length));
  });

  it('does nothing where no hook asks for it', async () => {
    await open({ 'none.ts': `export default pi => pi.on('agent_start', () => {});` }, [{ text: 'plain' }]);
    const changes: ChatChange[] = [];
    rig.chat.model.onDidChange(change => changes.push(change));
    await rig.chat.submit('go');
    assert.ok(changes.some(({ type }) => type === 'text') && !changes.some(({ type }) => type === 'displayText'));
    assert.deepEqual([user(), blocks()], [[undefined], [undefined]]);
  });

  for (const [what, code] of [
    ['throws', `throw new Error('no ' + text)`],
    ['gives no text', `return { text }`],
    ['gives a promise', `return Promise.reject(new Error('late'))`],
  ] as const) {
    it(`keeps the text so far where a transformer ${what}, and names its hook once`, async () => {
      await open(
        {
          'a.ts': `export default pi => pi.registerMarkdownTransformer(text => text + ' a');`,
          'b.ts': `export default pi => pi.registerMarkdownTransformer(text => { ${code}; });`,
          'c.ts': `export default pi => pi.registerMarkdownTransformer(text => text + ' c');`,
        },
        [{ text: 'answer' }],
      );
      await rig.chat.submit('ask');
      assert.deepEqual([user(), blocks()], [['ask a c'], ['answer a c']]);
      assert.equal(errors().length, 1, errors().join('\n'));
      assert.match(errors()[0] ?? '', /^Hook "b\.ts" error in registerMarkdownTransformer: /);
    });
  }

  it('shows texts as they are again when the hook is gone', async () => {
    await open({ 'a.ts': `export default pi => pi.registerMarkdownTransformer(text => text + ' a');` }, [
      { text: 'answer' },
    ]);
    await rig.chat.submit('ask');
    assert.deepEqual([user(), blocks()], [['ask a'], ['answer a']]);
    rmSync(join(rig.cwd, '.pi', 'extensions', 'a.ts'));
    await rig.host.reload();
    await until(() => (user()[0] === undefined && blocks()[0] === undefined ? true : undefined), 'the plain texts');
  });

  it('finds what is seen, and gives back what was written', async () => {
    await open(
      { 'a.ts': `export default pi => pi.registerMarkdownTransformer(text => text.replaceAll('cat', 'dog'));` },
      [{ text: 'a cat' }],
    );
    const page = rig.page();
    await rig.chat.submit('my cat');
    page.send({ type: 'find', request: 1, text: 'dog', matchCase: false });
    const found = await until(() => page.got.find(message => message.type === 'found'), 'the answer');
    assert.equal(found.matches.length, 2);
    assert.equal(rig.items('user')[0]?.text, 'my cat');
  });
});
