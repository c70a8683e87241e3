import assert from 'node:assert/strict';
import type { Api, Model } from '@mariozechner/pi-ai';
import { patternsFor, scopeRows } from '../../../../src/agent/models/choice/scope-choice';
import { DEMO_MODEL } from '../../../../src/demo-model/demo-model';

const named = (provider: string, id: string): Model<Api> => ({ ...DEMO_MODEL, provider, id, name: id });
const MODELS = [named('a', 'one'), named('a', 'two'), named('b', 'three'), named('b', 'four')];

/** Rows as `+name` in the scope, `-name` outside, `?` for what means no model. */
const rows = (...patterns: readonly string[]): readonly string[] =>
  scopeRows(patterns, MODELS).map(
    ({ name, inScope, model }) => `${inScope ? '+' : '-'}${name}${model === undefined ? '?' : ''}`,
  );

describe('a choice of models to go through', () => {
  it('lists the scope in its order, what means nothing now, and all others', () => {
    assert.deepEqual(rows(), ['-a/one', '-a/two', '-b/three', '-b/four']);
    assert.deepEqual(rows('b/*', 'gone/model', 'a/one:high'), [
      ...['+b/three', '+b/four', '+gone/model?', '+a/one', '-a/two'],
    ]);
    assert.deepEqual(rows('b/four', 'b/*'), ['+b/four', '+b/three', '-a/one', '-a/two'], 'each once');
  });

  const cases: readonly (readonly [string, readonly string[], readonly string[], readonly string[] | undefined])[] = [
    ['a plain choice', [], ['b/three', 'a/one'], ['b/three', 'a/one']],
    ['nothing at all', ['a/one'], [], undefined],
    ['everything', ['a/one'], ['a/one', 'a/two', 'b/three', 'b/four'], undefined],
    ['a glob of which everything stays', ['b/*', 'a/one'], ['b/three', 'b/four'], ['b/*']],
    ['a glob of which one goes', ['b/*', 'a/one'], ['b/four', 'a/one'], ['b/four', 'a/one']],
    ['a level', ['a/one:high', 'b/*:low'], ['a/one', 'b/four'], ['a/one:high', 'b/four:low']],
    [
      'everything, one with a level',
      ['a/one:high'],
      ['a/one', 'a/two', 'b/three', 'b/four'],
      [...['a/one:high', 'a/two', 'b/three', 'b/four']],
    ],
    ['what means no model now', ['gone/x:max', 'a/*'], ['gone/x:max', 'a/two'], ['gone/x:max', 'a/two']],
    ['another order', ['a/*', 'b/*'], ['b/three', 'b/four', 'a/two'], ['b/*', 'a/two']],
    ['a short name', ['four'], ['b/four', 'a/one'], ['four', 'a/one']],
  ];
  for (const [what, patterns, chosen, expected] of cases) {
    it(`writes ${what}`, () => assert.deepEqual(patternsFor(chosen, patterns, MODELS), expected));
  }
});
