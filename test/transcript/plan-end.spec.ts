import assert from 'node:assert/strict';
import { PLAN_TOOL } from '../../src/agent/tools/plan-facts';
import { planEnd, type PlanDetails } from '../../src/transcript/plan-end';

const endOf = (details: PlanDetails): ReturnType<typeof planEnd> => planEnd(PLAN_TOOL, details);

describe('what became of a plan', () => {
  it('is approved, with the mode and the text of the user if there is one', () => {
    assert.deepEqual(endOf({ accepted: true, mode: 'ask' }), { type: 'approved', mode: 'ask' });
    assert.deepEqual(endOf({ accepted: true, mode: 'auto', plan: '# Mine' }), {
      type: 'approved',
      mode: 'auto',
      edited: '# Mine',
    });
  });

  it('is sent back with a wish, and otherwise refused', () => {
    assert.deepEqual(endOf({ accepted: false, feedback: 'smaller' }), { type: 'sentBack', wish: 'smaller' });
    assert.deepEqual(endOf({ accepted: false }), { type: 'refused' });
  });

  it('is known without a mode from sessions of other versions', () => {
    assert.deepEqual(planEnd(PLAN_TOOL, { accepted: true }), { type: 'approved' });
    assert.deepEqual(planEnd(PLAN_TOOL, { accepted: true, mode: 'plan' }), { type: 'approved' });
    assert.deepEqual(planEnd(PLAN_TOOL, { accepted: true, mode: 'newer' }), { type: 'approved' });
    assert.deepEqual(planEnd(PLAN_TOOL, { accepted: false, feedback: 7 }), { type: 'refused' });
  });

  it('is unknown without an answer, and for another tool whose details look the same', () => {
    for (const details of [undefined, null, [], 'accepted', {}, { accepted: 'yes' }]) {
      assert.equal(planEnd(PLAN_TOOL, details), undefined);
    }
    assert.equal(planEnd('vote', { accepted: true, mode: 'ask' }), undefined);
    assert.equal(planEnd('vote', { accepted: false, feedback: 'smaller' }), undefined);
  });
});
