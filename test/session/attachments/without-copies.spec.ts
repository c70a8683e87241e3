import assert from 'node:assert/strict';
import { withoutCopies } from '../../../src/session/attachments/without-copies';
import { Rig, until } from '../../support/conversation-rig';

const image = (data: string) => ({ type: 'image', mimeType: 'image/png', data }) as const;
const named = (name: string, text: string) =>
  ({ type: 'text', text: `<file name="${name}">\n${text}\n</file>` }) as const;

describe('what is sent along', () => {
  const file = { name: 'a.ts', text: 'one\r\ntwo\r\n' };

  it('is a file that is named and attached once, by its path', () => {
    const given = [named('/work/src/a.ts', 'one\ntwo')];
    assert.deepEqual(withoutCopies({ files: [file, file], images: [], named: given }), {
      files: [],
      images: [],
      named: given,
    });
  });

  it('is two files that have one name or one text', () => {
    const files = [file, { name: 'b.ts', text: 'three' }];
    const given = [named('/work/a.ts', 'one\nother'), named('/work/c.ts', 'three'), named('/work/aa.ts', 'one\ntwo')];
    assert.deepEqual(withoutCopies({ files, images: [], named: given }), { files, images: [], named: given });
  });

  it('is the attached copy of a file that is named but shown only in part', () => {
    const long = Array.from({ length: 2500 }, (_, at) => `line ${at}`);
    const whole = { name: 'long.log', text: long.join('\n') };
    const cut = named('/work/long.log', `${long.slice(0, 2000).join('\n')}\n\n[500 more lines]`);
    const other = named('/work/b.ts', 'three');
    assert.deepEqual(withoutCopies({ files: [whole], images: [], named: [cut, other] }), {
      files: [whole],
      images: [],
      named: [other],
    });
  });

  it('is an image once', () => {
    const given = [named('/work/p.png', ''), image('AAAA')];
    assert.deepEqual(withoutCopies({ files: [], images: [image('AAAA'), image('BB'), image('BB')], named: given }), {
      files: [],
      images: [image('BB')],
      named: given,
    });
  });

  describe('with a request', () => {
    let rig: Rig;
    afterEach(() => rig.close());

    it('has one copy of a file that the user mentioned in three ways and attached', async () => {
      rig = await Rig.open([{ text: 'ok' }], { files: { 'notes.txt': 'BEGIN NOTES\nend\n' } });
      const files = [{ name: 'notes.txt', text: 'BEGIN NOTES\nend\n' }];
      const text = 'compare @notes.txt, @./notes.txt and @notes.txt:1';
      rig.page().send({ type: 'submit', text, delivery: 'steer', images: [], files });
      const { messages } = await until(() => rig.model.requests[0], 'the request');
      const sent = JSON.stringify(messages);
      assert.ok(sent.includes(text), 'the text itself stays as it was typed');
      assert.equal(sent.split('BEGIN NOTES').length - 1, 1);
      assert.match(sent, /<file name=\\"[^"]*notes\.txt\\">/);
    });
  });
});
