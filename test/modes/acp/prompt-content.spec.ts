import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promptContent } from '../../../src/modes/acp/prompt-content';
import type { PromptBlock } from '../../../src/modes/acp/schema';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).toString('base64');
const cwd = resolve('/work');

function read(...blocks: PromptBlock[]): ReturnType<typeof promptContent> {
  return promptContent(blocks, cwd);
}

function problemOf(...blocks: PromptBlock[]): string | undefined {
  const result = read(...blocks);
  return result.ok ? undefined : result.problems[0]?.message;
}

describe('the content of a prompt', () => {
  it('joins texts, and mentions a linked file where it is linked', () => {
    const uri = pathToFileURL(join(cwd, 'a b.ts')).href;
    const result = read(
      { type: 'text', text: 'Look at' },
      { type: 'resource_link', name: 'a b.ts', uri },
      { type: 'text', text: ' now' },
    );
    assert.deepEqual(result, {
      ok: true,
      value: { text: `Look at @"${join(cwd, 'a b.ts')}" now`, images: [], files: [] },
    });
  });

  it('keeps an address that names no file as a word', () => {
    const result = read(
      { type: 'text', text: 'See ' },
      { type: 'resource_link', name: 'x', uri: 'https://example.com/x' },
    );
    assert.ok(result.ok);
    assert.equal(result.value.text, 'See https://example.com/x');
  });

  it('takes embedded texts as files, named from the folder on', () => {
    const uri = pathToFileURL(join(cwd, 'src', 'a.ts')).href;
    const blob = Buffer.from('größer').toString('base64');
    const result = read(
      { type: 'resource', resource: { uri, text: 'let a;' } },
      { type: 'resource', resource: { uri: 'db://row/1', blob, mimeType: 'text/plain' } },
    );
    assert.ok(result.ok);
    assert.deepEqual(result.value.files, [
      { name: 'src/a.ts', text: 'let a;' },
      { name: 'db://row/1', text: 'größer' },
    ]);
  });

  it('takes an embedded file that is empty', () => {
    for (const content of [{ text: '' }, { blob: '' }]) {
      const result = read({ type: 'resource', resource: { uri: 'x:y', ...content } });
      assert.deepEqual(result, { ok: true, value: { text: '', images: [], files: [{ name: 'x:y', text: '' }] } });
    }
  });

  it('cuts embedded texts as files that a prompt names', () => {
    const lines = 'a line of text\n'.repeat(1_000_000);
    const line = 'x'.repeat(15_000_000);
    for (const text of [lines, line]) {
      const blob = Buffer.from(text).toString('base64');
      for (const content of [{ text }, { blob }]) {
        const result = read({ type: 'resource', resource: { uri: 'x:y', ...content } });
        assert.ok(result.ok);
        const sent = result.value.files[0]?.text ?? '';
        assert.ok(sent.length < 52_000, String(sent.length));
        assert.ok(sent.startsWith(text.slice(0, 1000)));
        assert.match(sent, /\n\[Cut: 14\.3MB in all\]$/);
      }
    }
  });

  it('takes images with the type that their bytes have, embedded ones too', () => {
    const result = read(
      { type: 'image', data: PNG, mimeType: 'image/jpeg' },
      { type: 'resource', resource: { uri: 'x:y', blob: PNG } },
    );
    const image = { type: 'image', data: PNG, mimeType: 'image/png' };
    assert.deepEqual(result, { ok: true, value: { text: '', images: [image, image], files: [] } });
  });

  it('says that an embedded file of another type was attached', () => {
    const blob = Buffer.from([0, 1, 2, 255]).toString('base64');
    const result = read({ type: 'resource', resource: { uri: 'x:y', blob, mimeType: 'application/zip' } });
    assert.ok(result.ok);
    assert.match(result.value.text, /x:y \(application\/zip, 4B\)/);
  });

  it('is refused with the place in it that cannot be sent', () => {
    const text = { type: 'text', text: 'x' } as const;
    assert.match(problemOf() ?? '', /^prompt:/);
    assert.match(problemOf({ type: 'text', text: ' \n' }) ?? '', /^prompt:/);
    for (const data of ['', '???', 'abc', `${PNG}x`, 'ab=c']) {
      assert.match(problemOf(text, { type: 'image', data, mimeType: 'image/png' }) ?? '', /^prompt\[1\].*base64/, data);
      if (data === '') continue; // An empty file.
      assert.match(
        problemOf({ type: 'resource', resource: { uri: 'x:y', blob: data } }) ?? '',
        /^prompt\[0\].*x:y.*base64/,
      );
    }
  });
});
