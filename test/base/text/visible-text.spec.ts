import assert from 'node:assert/strict';
import { singleLine } from '../../../src/base/text/single-line';
import {
  hasHiddenCharacters,
  visibleLine,
  visibleParts,
  visibleText,
  withLineFeeds,
} from '../../../src/base/text/visible-text';
import { HIDING_COMMAND, SHOWN_COMMAND } from '../../support/hidden-text';

describe('characters that hide in a text', () => {
  for (const [name, characters] of Object.entries({
    'control characters': '\0\u0007\b\v\f\r\u001b\u007f\u0085\u009b\u009d',
    'bidirectional controls': '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069',
    'characters without a width':
      '\u00ad\u034f\u180e\u200b\u200c\u200d\u2060\u2061\u2064\u206a\u206f\ufeff\ufff9\ufffb',
    fillers: '\u115f\u1160\u17b4\u2800\u3164\uffa0\u{1d173}',
    tags: '\u{e0001}\u{e0020}\u{e0061}\u{e007f}',
    'variation selectors': '\u180b\ufe00\ufe0f\u{e0100}\u{e01ef}',
    'separators of lines': '\u2028\u2029',
    'halves of pairs and no characters': '\udfff\ufffe\u{1ffff}\ud800',
  })) {
    it(`are marked: ${name}`, () => {
      for (const character of characters) {
        const code = `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
        assert.deepEqual(visibleParts(`a${character}b`), [
          { type: 'text', text: 'a' },
          { type: 'hidden', text: character, code },
          { type: 'text', text: 'b' },
        ]);
        assert.equal(visibleText(`${character}${character}`), `⟦${code}⟧⟦${code}⟧`);
        assert.equal(hasHiddenCharacters(visibleText(character)), false);
      }
    });
  }

  it('are marked in a command that has one of each kind, also on one line', () => {
    assert.equal(visibleText(HIDING_COMMAND), SHOWN_COMMAND);
    assert.equal(visibleText(singleLine(HIDING_COMMAND)), SHOWN_COMMAND);
    assert.equal(visibleLine('a\n\tb\r\n'), 'a⟦U+000A⟧⟦U+0009⟧b⟦U+000D⟧⟦U+000A⟧');
  });

  it('are marked where a sequence of them only begins as an ordinary one', () => {
    assert.equal(visibleText('a\ufe0f 1\ufe0f 😀\ufe0f\ufe0f'), 'a⟦U+FE0F⟧ 1⟦U+FE0F⟧ 😀\ufe0f⟦U+FE0F⟧');
    assert.equal(visibleText('👩\u200d x\u200dy'), '👩⟦U+200D⟧ x⟦U+200D⟧y');
    assert.equal(visibleText('🏴\u{e0061}\u{e007f}'), '🏴⟦U+E0061⟧⟦U+E007F⟧');
    assert.equal(visibleText('می\u200c\u200cخ'), 'می⟦U+200C⟧⟦U+200C⟧خ');
    assert.equal(visibleText('😀\u{e0101}\u{e0102}'), '😀⟦U+E0101⟧⟦U+E0102⟧');
  });

  it('are a carriage return before a line feed, which a shell takes for part of a word, but not in a document', () => {
    assert.equal(visibleText('false && \r\nrm x'), 'false && ⟦U+000D⟧\nrm x');
    assert.equal(visibleText(withLineFeeds('a\r\nb\rc')), 'a\nb⟦U+000D⟧c');
  });

  for (const text of [
    'plain text\n\twith äöü, € and “quotes”',
    '👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 🏴‍☠️ ❤️ ☺︎ 👍🏽 🕵🏻‍♂️ 🇩🇪 1️⃣ #️⃣ © ™️',
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} 🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} 🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}',
    'مرحبا بالعالم',
    'שלום עולם',
    'می‌خواهم کتاب‌ها را',
    'क्‍ष ශ්‍රී ക്‍',
    'ᠬ᠋ᠠᠨ',
    '葛\u{e0100}飾区',
    '⠋⠙⠹ ⣿⠀⠀⣿ ⠀⠀⣿',
    'non-breaking\u00a0space\u3000and others',
  ]) {
    it(`are not in an ordinary text: ${text.slice(0, 12).trim()}`, () => assert.equal(visibleText(text), text));
  }
});
