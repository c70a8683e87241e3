import assert from 'node:assert/strict';
import { after } from 'mocha';
import { ALLOWED, withAllowances } from './hooks-allowed';
import { lineOf, NO_PEER, PEERS, PLANS, scenarioFor } from './hooks-scenarios';
import { ours, theirs } from './hooks-sides';
import { describePeer } from './peers';

const used = new Set<string>();
let ran = 0;
let planned = 0;

for (const peer of PEERS) {
  describePeer('hooks see what they see in the real pi', peer.version, folder => {
    for (const plan of PLANS) {
      const scenario = scenarioFor(peer, plan);
      if (scenario === undefined) continue;
      planned += 1;
      it(plan.name, async () => {
        const real = (await theirs(folder, peer.commands, scenario)).map(lineOf);
        const own = (await ours(scenario)).map(lineOf);
        assert.ok(real.length > 0, 'the real pi’s hook heard nothing');
        const compared = withAllowances({ version: peer.version, plan: plan.name, real, own }, id => used.add(id));
        ran += 1;
        assert.deepEqual(compared.own, compared.real);
      });
    }
  });
}

describe('hooks of dialects without a peer', () => {
  it('are those of v2, which was never built, and of oh-my-pi, which needs Bun', () => {
    assert.deepEqual(
      NO_PEER.map(([dialect]) => dialect),
      ['v2', 'omp'],
    );
    assert.ok(PEERS.every(peer => NO_PEER.every(([dialect]) => dialect !== peer.dialect)));
  });
});

after(function unusedAllowances() {
  // A part of the scenarios needs a part of the allowances.
  if (ran < planned) return;
  const unused = ALLOWED.map(allowance => allowance.id).filter(id => !used.has(id));
  assert.deepEqual(unused, [], 'allowed differences that no longer exist');
});
