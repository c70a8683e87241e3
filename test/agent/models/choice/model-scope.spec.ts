import assert from 'node:assert/strict';
import type { Api, Model } from '@mariozechner/pi-ai';
import { unlistedModel, unlistedName } from '../../../../src/agent/models/choice/model-names';
import { nextInScope, resolveModelScope } from '../../../../src/agent/models/choice/model-scope';
import { DEMO_MODEL } from '../../../../src/demo-model/demo-model';

const named = (provider: string, id: string): Model<Api> => ({ ...DEMO_MODEL, provider, id, name: id });
const MODELS = [
  named('anthropic', 'claude-sonnet-4-5'),
  named('anthropic', 'claude-sonnet-4-5-20250929'),
  named('anthropic', 'claude-opus-4'),
  named('router', 'anthropic/claude-opus-4'),
  named('router', 'odd[1m]'),
  named('here', 'same'),
  named('there', 'same'),
];

function scopeOf(...patterns: readonly string[]): readonly string[] {
  const { models, warnings } = resolveModelScope(patterns, MODELS);
  return [
    ...models.map(({ model, thinkingLevel = '' }) => `${model.provider}/${model.id} ${thinkingLevel}`.trim()),
    ...warnings.map(({ message }) => message),
  ];
}

describe('a scope of models', () => {
  it('holds what each pattern names, once, in order, with the level behind it', () => {
    assert.deepEqual(scopeOf('claude-opus-4:high', 'sonnet', 'anthropic/claude-opus-4:low'), [
      'anthropic/claude-opus-4 high',
      'anthropic/claude-sonnet-4-5',
    ]);
    assert.deepEqual(scopeOf('anthropic/*:max'), [
      'anthropic/claude-sonnet-4-5 max',
      'anthropic/claude-sonnet-4-5-20250929 max',
      'anthropic/claude-opus-4 max',
      'router/anthropic/claude-opus-4 max',
    ]);
    assert.deepEqual(scopeOf('*OPUS*'), ['anthropic/claude-opus-4']);
    assert.deepEqual(scopeOf('odd[1m]'), ['router/odd[1m]'], 'brackets of an id are no pattern');
  });

  it('says which pattern means nothing or too much, and keeps the others', () => {
    assert.deepEqual(scopeOf('nothing', 'no*', 'claude-opus-4'), [
      'anthropic/claude-opus-4',
      'No models match pattern "nothing"',
      'No models match pattern "no*"',
    ]);
    assert.deepEqual(scopeOf('same'), [
      'here/same',
      'there/same',
      'Pattern "same" matches several providers: here, there. Use provider/id to choose one.',
    ]);
    assert.deepEqual(scopeOf('claude-opus-4:much'), [
      'anthropic/claude-opus-4',
      'Invalid thinking level "much" in pattern "claude-opus-4:much". Using default instead.',
    ]);
  });

  it('is gone through in a circle, from its first model when another one is in use', () => {
    const { models } = resolveModelScope(['here/same', 'there/same'], MODELS);
    const [first, second] = models;
    assert.deepEqual(nextInScope(models, first?.model), second);
    assert.deepEqual(nextInScope(models, second?.model), first);
    assert.deepEqual(nextInScope(models, DEMO_MODEL), first);
    assert.deepEqual(nextInScope(models, first?.model, -1), second);
    assert.deepEqual(nextInScope(models, second?.model, -1), first);
    assert.deepEqual(nextInScope(models, DEMO_MODEL, -1), second);
    assert.equal(nextInScope(models.slice(0, 1), first?.model), undefined);
    assert.equal(nextInScope(models.slice(0, 1), first?.model, -1), undefined);
    assert.equal(nextInScope([], first?.model), undefined);
  });
});

describe('an id typed by hand', () => {
  it('is one of a known provider that does not list it', () => {
    assert.deepEqual(unlistedName(' anthropic/claude-opus-6 ', MODELS), {
      provider: 'anthropic',
      id: 'claude-opus-6',
    });
    assert.deepEqual(unlistedName('router/a/b', MODELS), { provider: 'router', id: 'a/b' });
    for (const text of ['anthropic/claude-opus-4', 'nobody/x', 'anthropic/', 'opus', 'anthropic/two words', '']) {
      assert.equal(unlistedName(text, MODELS), undefined, text);
    }
  });

  it('has the properties of the model that is named most like it, of the first otherwise', () => {
    const small = { ...named('acme', 'small-1'), contextWindow: 1 };
    const big = { ...named('acme', 'big-1'), contextWindow: 2 };
    assert.deepEqual(unlistedModel('big-2', [small, big]), { ...big, id: 'big-2', name: 'big-2' });
    assert.deepEqual(unlistedModel('other', [small, big]), { ...small, id: 'other', name: 'other' });
  });
});
