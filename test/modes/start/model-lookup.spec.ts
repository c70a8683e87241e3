import assert from 'node:assert/strict';
import type { Api, Model } from '@mariozechner/pi-ai';
import { DEMO_MODEL } from '../../../src/demo-model/demo-model';
import { findModel, type ModelRequest } from '../../../src/modes/start/model-lookup';
import { UsageError } from '../../../src/modes/arguments/usage-error';

const named = (provider: string, id: string, name = id): Model<Api> => ({
  ...DEMO_MODEL,
  provider,
  id,
  name,
  reasoning: false,
});
const MODELS = [
  named('anthropic', 'sonnet-4-20250514'),
  named('anthropic', 'sonnet-4'),
  named('anthropic', 'opus-4'),
  named('router', 'anthropic/sonnet-4'),
  named('router', 'odd:high'),
  named('local', 'qwen', 'Quick Wen'),
  named('here', 'same-1'),
  named('there', 'same-1'),
];

describe('the model of the command line', () => {
  const find = (request: ModelRequest, withKey: readonly string[] = ['anthropic', 'router', 'local']): string => {
    const found = findModel(request, MODELS, ({ provider }) => withKey.includes(provider));
    return found === undefined ? '' : `${found.model.provider}/${found.model.id} ${found.thinking ?? ''}`.trim();
  };

  it('is none when none is asked for', () => assert.equal(find({}), ''));

  it('is found by its whole name, its id, or both flags', () => {
    assert.equal(find({ model: 'anthropic/opus-4' }), 'anthropic/opus-4');
    assert.equal(find({ model: 'OPUS-4' }), 'anthropic/opus-4');
    assert.equal(find({ provider: 'router', model: 'anthropic/sonnet-4' }), 'router/anthropic/sonnet-4');
    assert.equal(find({ provider: 'local' }), 'local/qwen');
  });

  it('is found by a part of its name: undated before dated, with a key before without, the last of the letters', () => {
    assert.equal(find({ model: 'quick' }), 'local/qwen');
    assert.equal(find({ provider: 'Anthropic', model: 'sonnet' }), 'anthropic/sonnet-4');
    assert.equal(find({ model: 'sonnet' }), 'anthropic/sonnet-4');
    assert.equal(find({ model: 'sonnet' }, ['router']), 'router/anthropic/sonnet-4');
    assert.equal(find({ model: '-4' }), 'anthropic/sonnet-4', 'not opus-4');
    assert.equal(find({ model: 'anthropic/opus' }), 'anthropic/opus-4');
  });

  it('is the one of the provider in front of the slash, unless only another one has a key', () => {
    assert.equal(find({ model: 'anthropic/sonnet-4' }), 'anthropic/sonnet-4');
    assert.equal(find({ model: 'anthropic/sonnet-4' }, ['router']), 'router/anthropic/sonnet-4');
    assert.equal(find({ model: 'anthropic/sonnet-4' }, []), 'anthropic/sonnet-4');
  });

  it('that its provider does not list is used with a warning, its level being one only without --thinking', () => {
    const unlisted = (request: ModelRequest): unknown => {
      const { model, thinking, warning } = findModel(request, MODELS, () => true) ?? {};
      return [`${model?.provider}/${model?.id}`, model?.reasoning, thinking, warning];
    };
    const warning = (provider: string, id: string): string =>
      `${provider} does not list a model "${id}". Hookline uses it anyway.`;
    assert.deepEqual(unlisted({ model: 'local/new' }), ['local/new', false, undefined, warning('local', 'new')]);
    assert.deepEqual(unlisted({ provider: 'LOCAL', model: 'new:high' }), [
      'local/new',
      true,
      'high',
      warning('local', 'new'),
    ]);
    assert.deepEqual(unlisted({ provider: 'local', model: 'local/new:high', thinking: 'low' }), [
      'local/new:high',
      true,
      undefined,
      warning('local', 'new:high'),
    ]);
  });

  it('may carry a thinking level, unless that is part of its name', () => {
    assert.equal(find({ model: 'opus:high' }), 'anthropic/opus-4 high');
    assert.equal(find({ model: 'odd:high' }), 'router/odd:high');
  });

  it('must exist and be one, else the flag is named', () => {
    const refused = (request: ModelRequest, message: RegExp): void => {
      assert.throws(
        () => find(request),
        (error: unknown) => error instanceof UsageError && message.test(error.message),
      );
    };
    refused(
      { provider: 'nobody' },
      /^--provider: there is no provider "nobody"; known are anthropic, here, local, router, there\.$/,
    );
    refused({ model: 'gpt' }, /^--model: no model matches "gpt"; --list-models/);
    refused({ model: 'same' }, /^--model: "same" may be here\/same-1, there\/same-1; name the provider, too\.$/);
  });
});
