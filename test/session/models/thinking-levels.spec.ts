import assert from 'node:assert/strict';
import type { Api, Model } from '@mariozechner/pi-ai';
import { clampThinkingLevel, getSupportedThinkingLevels } from '@mariozechner/pi-ai';
import { clampLevel, supportedLevels, THINKING_LEVELS } from '../../../src/agent/thinking-levels';
import { Rig } from '../../support/conversation-rig';
import { scriptedModel } from '../../support/scripted-stream';

const plain: Model<Api> = { ...scriptedModel, id: 'plain', name: 'Plain', reasoning: false };
const deep: Model<Api> = {
  ...scriptedModel,
  id: 'deep',
  name: 'Deep',
  thinkingLevelMap: { minimal: null, xhigh: 'max' },
};
const deepest: Model<Api> = { ...deep, id: 'deepest', thinkingLevelMap: { xhigh: null, max: 'max' } };
const highOnly: Model<Api> = {
  ...scriptedModel,
  thinkingLevelMap: { off: null, minimal: null, low: null, medium: null },
};

describe('thinking levels', () => {
  it('are what pi-ai says of each model', () => {
    for (const model of [plain, deep, deepest, highOnly, scriptedModel]) {
      assert.deepEqual(supportedLevels(model), getSupportedThinkingLevels(model));
      for (const level of [...THINKING_LEVELS, 'of tomorrow' as 'max']) {
        assert.equal(clampLevel(model, level), clampThinkingLevel(model, level), `${model.id} ${level}`);
      }
    }
  });

  it('that a model does not know become the nearest, and come back with a model that does', async () => {
    const rig = await Rig.open([], { models: [scriptedModel, plain, deep] });
    const heard: unknown[] = [];
    rig.conversation.onDidHappen(event => {
      if (event.type === 'thinking_level_changed') heard.push(event.level);
    });
    try {
      rig.conversation.models.setThinkingLevel('xhigh');
      assert.equal(rig.conversation.state.effectiveLevel, 'high');
      assert.ok(!rig.chat.status.current.thinkingLevels.includes('xhigh'));
      await rig.conversation.models.set(plain);
      assert.deepEqual(
        [rig.conversation.state.effectiveLevel, rig.conversation.forHooks.thinkingLevel()],
        ['off', 'off'],
      );
      rig.conversation.models.setThinkingLevel('medium');
      await rig.conversation.models.set(deep);
      assert.equal(rig.conversation.state.effectiveLevel, 'medium');
      rig.conversation.models.setThinkingLevel('xhigh');
      assert.deepEqual(heard, ['high', 'off', 'medium', 'xhigh'], 'a change of the model tells of it too');
    } finally {
      await rig.close();
    }
  });
});
