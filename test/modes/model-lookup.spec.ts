import assert from 'node:assert/strict';
import type { Api, Model } from '@mariozechner/pi-ai';
import { DEMO_MODEL } from '../../src/agent/demo/model';
import { findModel, type ModelWish } from '../../src/modes/model-lookup';
import { UsageError } from '../../src/modes/usage-error';

const named = (provider: string, id: string, name = id): Model<Api> => ({ ...DEMO_MODEL, provider, id, name });
const MODELS = [
  named('anthropic', 'sonnet-4-20250514'),
  named('anthropic', 'sonnet-4'),
  named('anthropic', 'opus-4'),
  named('router', 'anthropic/sonnet-4'),
  named('router', 'odd:high'),
  named('local', 'qwen', 'Quick Wen'),
];

describe('the model of the command line', () => {
  const find = (wish: ModelWish, withKey: readonly string[] = ['anthropic', 'router', 'local']): string => {
    const found = findModel(wish, MODELS, ({ provider }) => withKey.includes(provider));
    return found === undefined ? '' : `${found.model.provider}/${found.model.id} ${found.thinking ?? ''}`.trim();
  };

  it('is none when none is asked for', () => assert.equal(find({}), ''));

  it('is found by its whole name, its id, or both flags', () => {
    assert.equal(find({ model: 'anthropic/opus-4' }), 'anthropic/opus-4');
    assert.equal(find({ model: 'OPUS-4' }), 'anthropic/opus-4');
    assert.equal(find({ provider: 'router', model: 'anthropic/sonnet-4' }), 'router/anthropic/sonnet-4');
    assert.equal(find({ provider: 'local' }), 'local/qwen');
  });

  it('is found by a part of its name, undated before dated, with a key before without', () => {
    assert.equal(find({ model: 'quick' }), 'local/qwen');
    assert.equal(find({ provider: 'anthropic', model: 'sonnet' }), 'anthropic/sonnet-4');
    assert.equal(find({ model: 'sonnet' }, ['router']), 'router/anthropic/sonnet-4');
  });

  it('may carry a thinking level, unless that is part of its name', () => {
    assert.equal(find({ model: 'opus:high' }), 'anthropic/opus-4 high');
    assert.equal(find({ model: 'odd:high' }), 'router/odd:high');
  });

  it('must exist and be one, else the flag is named', () => {
    const refused = (wish: ModelWish, message: RegExp): void => {
      assert.throws(
        () => find(wish),
        (error: unknown) => error instanceof UsageError && message.test(error.message),
      );
    };
    refused(
      { provider: 'nobody' },
      /^--provider: there is no provider "nobody"; known are anthropic, local, router\.$/,
    );
    refused({ model: 'gpt' }, /^--model: no model matches "gpt"\.$/);
    refused({ provider: 'local', model: 'opus' }, /^--model: no model of "local" matches "opus"\.$/);
    refused({ model: 'sonnet' }, /^--model: "sonnet" may be anthropic\/sonnet-4, router\/anthropic\/sonnet-4\.$/);
  });
});
