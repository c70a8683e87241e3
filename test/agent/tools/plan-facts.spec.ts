import assert from 'node:assert/strict';
import { toolFacts } from '../../../src/agent/tools';
import { PLAN_TOOL, presentedPlan } from '../../../src/agent/tools/plan-facts';

describe('the facts of the plan tool', () => {
  const titleOf = (plan: string): string => toolFacts(PLAN_TOOL).summarize({ plan });

  it('take the first line of the plan as its title, without the marks of a heading', () => {
    assert.equal(titleOf('\n\n## Move the parser\n\n1. Look'), 'Move the parser');
    assert.equal(titleOf('#1 is the bug\r\nmore'), '#1 is the bug');
    assert.equal(titleOf(' Move\tit '), 'Move it');
    assert.equal(titleOf(''), '');
  });

  it('clip a title that is long', () => {
    const title = titleOf(`# ${'x'.repeat(300)}`);
    assert.match(title, /^x+…$/);
    assert.ok(title.length <= 120, title);
  });

  it('know a plan only among the arguments of this tool', () => {
    assert.equal(presentedPlan(PLAN_TOOL, { plan: '# Mine' }), '# Mine');
    assert.equal(presentedPlan('read', { plan: '# Mine' }), undefined);
    for (const args of [{}, { plan: '' }, { plan: 1 }, { plan: ['# Mine'] }]) {
      assert.equal(presentedPlan(PLAN_TOOL, args), undefined);
    }
  });
});
