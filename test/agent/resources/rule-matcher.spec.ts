import assert from 'node:assert/strict';
import { RULE_WINDOW, RuleMatcher } from '../../../src/agent/resources/rule-matcher';
import type { StreamRule } from '../../../src/agent/resources/stream-rule';

function rule(source: string, flags = 'g'): StreamRule {
  const shown = { name: source, path: `/${source}`, content: '', ttsrTrigger: source, level: 'user' as const };
  return { rule: shown, patterns: [new RegExp(source, flags)] };
}

/** Names of the rules that the pieces of one block go against, piece by piece. */
function seen(rules: readonly StreamRule[], pieces: readonly string[]): string[][] {
  const matcher = new RuleMatcher(rules);
  return pieces.map(piece => matcher.add(0, piece).map(({ name }) => name));
}

describe('the matcher of rules', () => {
  it('finds what comes in pieces, as soon as it is there', () => {
    assert.deepEqual(seen([rule('abc'), rule('c+')], ['a', 'b', 'c']), [[], [], ['abc', 'c+']]);
    assert.deepEqual(seen([rule('x')], ['y', 'y', 'x']), [[], [], ['x']]);
  });

  it('takes each block as a text of its own', () => {
    const matcher = new RuleMatcher([rule('ab')]);
    assert.deepEqual(matcher.add(0, 'a'), []);
    assert.deepEqual(matcher.add(1, 'b'), []);
    assert.equal(matcher.add(0, 'b').length, 1);
  });

  it('reaches back as far as its window and not further', () => {
    const filler = (length: number): string[] => Array.from({ length }, () => '-');
    const found = (between: number): boolean => seen([rule('a-*b')], ['a', ...filler(between), 'b']).flat().length > 0;
    assert.equal(found(RULE_WINDOW - 1), true);
    assert.equal(found(RULE_WINDOW), false);
  });

  it('is not deceived by the border of its window', () => {
    const long = Array.from({ length: 3 * RULE_WINDOW }, () => 'x');
    assert.deepEqual(seen([rule('^x+$'), rule('^x')], long.slice(0, 1)), [['^x+$', '^x']]);
    assert.deepEqual(seen([rule('^y'), rule('\\bxy')], [...long, 'y']).flat(), []);
    assert.deepEqual(seen([rule('^y', 'gm')], [...long, '\n', 'y']).flat(), ['^y']);
  });

  it('does not look at the whole answer again for each piece', () => {
    let looked = 0;
    const counting = Object.assign(/never/g, {
      test(this: RegExp, text: string) {
        looked += text.length - this.lastIndex;
        return false;
      },
    });
    const matcher = new RuleMatcher([{ ...rule('never'), patterns: [counting] }]);
    const pieces = 20_000;
    for (let count = 0; count < pieces; count++) matcher.add(0, 'word ');
    assert.ok(looked <= pieces * (RULE_WINDOW + 5), `${looked} characters`);
  });
});
