import assert from 'node:assert/strict';
import { planOf } from '../../../../src/modes/acp/updates/plan';

describe('the plan of a session', () => {
  it('shows hidden characters in the todos of the model', () => {
    const plan = planOf([{ content: 'a step\u202e', status: 'pending' }]);
    assert.deepEqual(plan, {
      sessionUpdate: 'plan',
      entries: [{ content: 'a step⟦U+202E⟧', status: 'pending', priority: 'medium' }],
    });
  });
});
