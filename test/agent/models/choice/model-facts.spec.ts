import assert from 'node:assert/strict';
import { modelFacts } from '../../../../src/agent/models/choice/model-facts';

const NOTHING = { cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 0, reasoning: false };

describe('modelFacts', () => {
  it('names price, context, thinking and images', () => {
    const cost = { ...NOTHING.cost, input: 3, output: 15 };
    assert.equal(
      modelFacts({ cost, contextWindow: 200_000, reasoning: true, input: ['text', 'image'] }),
      '$3 in, $15 out per million tokens · 200k context · thinking · images',
    );
  });

  it('says nothing of what is not known', () => {
    assert.equal(modelFacts({ ...NOTHING, input: ['text'] }), '');
  });

  it('writes small and odd prices in full, and large contexts short', () => {
    const cost = { ...NOTHING.cost, input: 0.0375, output: 0.3 };
    assert.equal(
      modelFacts({ ...NOTHING, cost, contextWindow: 1_048_576, input: ['text'] }),
      '$0.0375 in, $0.30 out per million tokens · 1M context',
    );
    assert.match(modelFacts({ ...NOTHING, contextWindow: 32_768, input: ['text'] }), /^32\.8k context$/);
  });

  it('says from where on a price is another one', () => {
    const tiers = [{ inputTokensAbove: 200_000, input: 6, output: 22.5, cacheRead: 0, cacheWrite: 0 }];
    const cost = { ...NOTHING.cost, input: 3, output: 15, tiers };
    assert.equal(
      modelFacts({ ...NOTHING, cost, input: ['text'] }),
      '$3 in, $15 out per million tokens (other prices above 200k)',
    );
  });
});
