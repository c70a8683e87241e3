import assert from 'node:assert/strict';
import type { Api, Model } from '@mariozechner/pi-ai';
import { getBuiltinModels, getBuiltinProviders } from '@mariozechner/pi-ai/providers/all';
import { inOrderOfDefaults, isProviderDefault } from '../../../../src/agent/models/choice/default-models';
import { findRequestedModel } from '../../../../src/agent/models/choice/model-request';

const ALL = getBuiltinProviders().flatMap(provider => getBuiltinModels(provider) as Model<Api>[]);
const named = ({ provider, id }: Model<Api>): string => `${provider}/${id}`;

describe('the model that a provider begins with', () => {
  for (const [provider, id] of [
    ['openai', 'gpt-6.2-sol'],
    ['openrouter', 'moonshotai/kimi-k2.7-code'],
    ['google', 'gemini-4-argon'],
    ['groq', 'openai/gpt-oss-120b'],
  ] as const) {
    it(`is ${id} for ${provider}, and not the first of the list`, () => {
      const own = ALL.filter(model => model.provider === provider);
      assert.notEqual(own[0]?.id, id);
      assert.equal(inOrderOfDefaults(own)[0]?.id, id);
      const asked = findRequestedModel({ provider }, ALL, model => model.provider === provider);
      assert.equal(asked?.model.id, id);
    });
  }

  it('is in the catalog for all but the provider for which pi names none', () => {
    const without = getBuiltinProviders().filter(
      provider => !ALL.some(model => model.provider === provider && isProviderDefault(model)),
    );
    assert.deepEqual(without, ['typesafe']);
  });

  it('comes before all others, and no model is lost or twice', () => {
    const ordered = inOrderOfDefaults(ALL);
    assert.deepEqual(ordered.map(named).sort(), ALL.map(named).sort());
    const first = ordered.findIndex(model => !isProviderDefault(model));
    assert.ok(ordered.slice(first).every(model => !isProviderDefault(model)));
  });
});
