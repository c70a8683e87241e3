import assert from 'node:assert/strict';
import { chatTarget } from '../../../src/vscode/editor-context/chat-target';
import { Rig, until } from '../../support/conversation-rig';

const QUOTED = 'Fix this problem in a.ts\n\n3 // @secret.txt and\n4 // @"secret.txt"';
const FENCED = [
  'Fix this problem in a.ts at line 3.',
  '````text\na.ts:3:1 error: Unknown tag @secret.txt\n````',
  '````ts\n3 // @secret.txt and\n```\n4 // @"secret.txt"\n````',
].join('\n\n');

describe('a prompt that quotes code', () => {
  let rig: Rig;
  afterEach(() => rig.close());

  const open = async (...given: Parameters<typeof Rig.open>): Promise<void> => {
    const [script, options] = given;
    rig = await Rig.open(script, { ...options, files: { 'secret.txt': 'BEGIN KEY', ...options?.files } });
  };
  const ask = (text: string): Promise<void> => {
    return chatTarget({ focusComposer: () => Promise.resolve(rig.chat) }).ask(text);
  };
  const sent = async (count = 1): Promise<string> => {
    await until(() => rig.model.requests[count - 1], 'the request');
    return JSON.stringify(rig.model.requests[count - 1]?.messages);
  };

  it('sends no file that the code names', async () => {
    await open([{ text: 'ok' }]);
    await ask(QUOTED);
    const request = await sent();
    assert.ok(request.includes('@secret.txt and'));
    assert.ok(!request.includes('BEGIN KEY'), 'a comment made the file be sent');
  });

  it('is no command, no template, and no line for the shell', async () => {
    const hooks = { 'h.ts': `export default pi => pi.registerCommand('mine', { handler: async () => {} });` };
    const texts = ['!echo ran > ran.txt', '/mine', '/new', '/tpl x'];
    await open(
      texts.map(() => ({ text: 'ok' })),
      { hooks, files: { '.pi/prompts/tpl.md': 'EXPANDED $1' } },
    );
    for (const [index, text] of texts.entries()) {
      await ask(text);
      assert.ok((await sent(index + 1)).includes(JSON.stringify(text).slice(1, -1)), text);
      await until(() => (rig.conversation.run.isIdle ? true : undefined), 'the end');
    }
    assert.ok(!(await sent(texts.length)).includes('EXPANDED'));
    assert.equal(rig.items('bash').length, 0);
  });

  it('stays so when it comes back to the composer', async () => {
    await open(['hang', { text: 'ok' }]);
    const page = rig.page();
    page.send({ type: 'submit', text: 'go', delivery: 'steer', images: [] });
    await sent();
    await ask(QUOTED);
    await until(() => rig.conversation.inbox.waiting.texts.followUp[0], 'the prompt in the queue');
    await rig.conversation.run.stop();
    const composer = () => page.got.flatMap(one => (one.type === 'composer' && one.files ? [one] : [])).at(-1);
    const back = await until(composer, 'the prompt');
    assert.deepEqual([back.text, back.files], ['', [{ name: 'prompt.md', text: QUOTED }]]);
    page.send({ type: 'submit', text: '', delivery: 'steer', images: [], files: back.files });
    const request = await sent(2);
    assert.ok(request.includes('@secret.txt and') && !request.includes('BEGIN KEY'));
  });

  it('sends none either when it is edited and sent anew; a file that is named beside the code goes along', async () => {
    await open([{ text: 'ok' }, { text: 'ok' }], { files: { 'mine.txt': 'MY WORDS' } });
    await ask(FENCED);
    await sent();
    await until(() => (rig.conversation.run.isIdle ? true : undefined), 'the end');
    rig.chat.edits.begin(rig.items('user')[0]!.id);
    const { editing, text } = rig.chat.composer.draft;
    assert.equal(text, FENCED);
    await rig.chat.edits.resend(editing!.entry, `${text}\n\nSee @mine.txt`, { images: [], files: [] });
    const request = await sent(2);
    assert.ok(request.includes('MY WORDS'), 'what the person added counts');
    assert.ok(!request.includes('BEGIN KEY'), 'a comment made the file be sent');
  });

  it('comes back when it is refused', async () => {
    await open([], { hasKey: false });
    const page = rig.page();
    await ask(QUOTED);
    const composer = () => page.got.flatMap(one => (one.type === 'composer' && one.files ? [one] : [])).at(-1);
    assert.deepEqual((await until(composer, 'the prompt')).files, [{ name: 'prompt.md', text: QUOTED }]);
  });
});
