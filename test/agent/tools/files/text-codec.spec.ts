import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createEditTool } from '../../../../src/agent/tools/files/editing/edit';
import { createReadTool } from '../../../../src/agent/tools/files/read';
import type { TextCodec } from '../../../../src/agent/tools/files/text-codec';
import { createWriteTool } from '../../../../src/agent/tools/files/writing/write';
import { call, inFolder, textFrom } from '../fixture';

/** The encodings of a kind that an editor has, by its name: a label of the web's standard, and a text in it. */
const ENCODINGS = {
  shiftjis: { label: 'shift_jis', word: '日本語', other: '本' },
  eucjp: { label: 'euc-jp', word: '日本語', other: '本' },
  gbk: { label: 'gbk', word: '中文', other: '文' },
  windows1252: { label: 'windows-1252', word: 'é“ü”', other: 'ü' },
};

/** As an editor does it: a character without bytes becomes a question mark. */
function codecFor(name: keyof typeof ENCODINGS): TextCodec {
  const decoder = new TextDecoder(ENCODINGS[name].label);
  const known = new Map<string, Buffer>();
  const learn = (bytes: Buffer): void => {
    const text = decoder.decode(bytes);
    if (Array.from(text).length === 1 && text !== '\ufffd' && !known.has(text)) known.set(text, bytes);
  };
  for (let one = 0; one < 256; one++) learn(Buffer.from([one]));
  if (name !== 'windows1252') {
    for (let one = 128; one < 256; one++) for (let two = 64; two < 256; two++) learn(Buffer.from([one, two]));
  }
  return {
    name,
    decode: bytes => Promise.resolve(decoder.decode(bytes)),
    encode: text => Promise.resolve(Buffer.concat(Array.from(text).map(each => known.get(each) ?? Buffer.from('?')))),
  };
}

describe('a file in the encoding that the editor has for it', () => {
  for (const [name, { word, other }] of Object.entries(ENCODINGS)) {
    const codec = codecFor(name as keyof typeof ENCODINGS);
    const options = { codecOf: () => codec };

    it(`is read, edited and written as such: ${name}`, async () => {
      const old = await codec.encode(`// ${word}\r\nold ${word};\r\n`);
      await inFolder(
        { f: old, ascii: 'a\n', large: Buffer.concat(Array.from({ length: 9_000 }, () => old)) },
        async folder => {
          const read = createReadTool(folder.path, options);
          assert.match(await textFrom(read, { path: 'f' }), new RegExp(`^// ${word}\r\nold ${word};`));
          assert.match(await textFrom(read, { path: 'large', offset: 17_000, limit: 1 }), new RegExp(`^old ${word};`));
          const edits = [{ oldText: `old ${word}`, newText: `new ${other}` }];
          const { details } = await call(createEditTool(folder.path, options), { path: 'f', edits });
          assert.match(
            (details as { readonly diff: string }).diff,
            new RegExp(`-2 old ${word};[^]*\\+2 new ${other};`),
          );
          assert.deepEqual(folder.bytes('f'), await codec.encode(`// ${word}\r\nnew ${other};\r\n`));
          await call(createEditTool(folder.path, options), { path: 'ascii', edits: [{ oldText: 'a', newText: word }] });
          assert.deepEqual(folder.bytes('ascii'), await codec.encode(`${word}\n`));
          for (const path of ['f', 'new']) {
            await call(createWriteTool(folder.path, options), { path, content: word });
            assert.deepEqual(folder.bytes(path), await codec.encode(word));
          }
        },
      );
    });

    it(`is not changed by a character that it lacks, which is named: ${name}`, async () => {
      const old = await codec.encode(word);
      await inFolder({ f: old }, async folder => {
        const message = `f: ${name}, the encoding that the editor has for it, has no character "😀" (U+1F600). Use other characters, or convert the file to UTF-8 first.`;
        const edit = call(createEditTool(folder.path, options), {
          path: 'f',
          edits: [{ oldText: word, newText: `${other}😀${word}` }],
        });
        await assert.rejects(edit, { message: `Cannot edit ${message}` });
        const write = call(createWriteTool(folder.path, options), { path: 'f', content: `${word}😀` });
        await assert.rejects(write, { message: `Cannot write ${message}` });
        assert.deepEqual(folder.bytes('f'), old);
      });
    });

    it(`stays Unicode when it is, and what it was when its bytes are no ${name}`, async () => {
      const utf16 = Buffer.from(`\ufeff${word}`, 'utf16le');
      const broken = Buffer.concat([await codec.encode(word), Buffer.from([0xff, 0xff, 0x0a])]);
      // Each byte is a character there.
      const isAnyText = name === 'windows1252';
      await inFolder({ 'utf-8': word, utf16, broken }, async folder => {
        const edits = [{ oldText: word, newText: other }];
        for (const path of ['utf-8', 'utf16']) {
          assert.equal(await textFrom(createReadTool(folder.path, options), { path }), word);
          await call(createEditTool(folder.path, options), { path, edits });
        }
        assert.equal(folder.text('utf-8'), other);
        assert.deepEqual(folder.bytes('utf16'), Buffer.from(`\ufeff${other}`, 'utf16le'));
        if (isAnyText) return;
        await assert.rejects(call(createEditTool(folder.path, options), { path: 'broken', edits }), {
          message: `Cannot edit broken: it is neither UTF-8 nor ${name}, the encoding that the editor has for it. Use only ASCII characters in the edit, or convert the file to UTF-8 first.`,
        });
        assert.deepEqual(folder.bytes('broken'), broken);
      });
    });
  }

  it('is asked about with the absolute path, and what cannot be decoded is not', () => {
    const asked: string[] = [];
    const bytes = Buffer.from([0, 0xff, 0, 0xfe]);
    const codecOf = (path: string): TextCodec => {
      asked.push(path);
      const fail = (): Promise<never> => Promise.reject(new Error('binary'));
      return { name: 'gbk', decode: fail, encode: fail };
    };
    return inFolder({ bytes }, async folder => {
      await call(createReadTool(folder.path, { codecOf }), { path: 'bytes' });
      const edit = { path: 'bytes', edits: [{ oldText: '\0', newText: 'ü' }] };
      await assert.rejects(call(createEditTool(folder.path, { codecOf }), edit), /neither UTF-8 nor gbk/);
      assert.deepEqual(folder.bytes('bytes'), bytes);
      assert.deepEqual(asked, [join(folder.path, 'bytes'), join(folder.path, 'bytes')]);
    });
  });
});
