import assert from 'node:assert/strict';
import type { ContentPart } from '../../../src/agent/messages';
import { cutTexts } from '../../../src/vscode/language-models/cut-texts';

describe("results of the editor's tools", () => {
  const text = (value: string): ContentPart => ({ type: 'text', text: value });
  const image: ContentPart = { type: 'image', data: 'AQID', mimeType: 'image/png' };
  const texts = (parts: readonly ContentPart[]): readonly string[] =>
    parts.map(part => (part.type === 'text' ? part.text : part.type));

  it('stay as they are while they are short', () => {
    const parts = [text('a\n'), image, text('b')];
    assert.deepEqual(cutTexts(parts), parts);
  });

  it('lose the lines over the limit, and say so', () => {
    const [cut] = texts(cutTexts([text('line\n'.repeat(3000))]));
    assert.equal(cut?.match(/^line$/gm)?.length, 2000);
    assert.match(cut, /\n\n\[Truncated: 9\.8KB of 14\.6KB shown\]$/);
  });

  it('keep the beginning of one long line, in whole characters', () => {
    const [cut] = texts(cutTexts([text(`x${'\u00e4'.repeat(60_000)}`)]));
    assert.match(cut ?? '', /^x\u00e4+\n\n\[Truncated: 50\.0KB of 117\.2KB shown\]$/);
  });

  it('have one limit for all parts, pictures aside', () => {
    const parts = ['a', 'b', 'c'].map(letter => text(`${letter}\n`.repeat(1500)));
    const [first, second, picture, third] = texts(cutTexts([parts[0]!, parts[1]!, image, parts[2]!]));
    assert.equal(first, 'a\n'.repeat(1500));
    assert.equal(second?.match(/^b$/gm)?.length, 500);
    assert.equal(picture, 'image');
    assert.equal(third?.trim(), '[Truncated: 0B of 2.9KB shown]');
  });
});
