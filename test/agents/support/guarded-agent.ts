import type { FiredId } from '../../../src/guard/fire/fired-agents';
import { usePlaces } from './agent-tests';
import { describeConfiguration, type AgentTraits } from './configuration';
import { describeDecisions } from './decisions';
import { realAgent } from './real-agents';
import { SeenEffects } from './seen-effects';
import { describeTampering } from './tampering';
import { describeWithoutHost } from './without-host';

/** The tests that each agent passes. What they see is a column of the table of effects; `order` is its place there. */
export function describeGuardedAgent(
  id: FiredId,
  { order, ...traits }: AgentTraits & { readonly order: number },
): void {
  const agent = realAgent(id);
  const effects = new SeenEffects();

  describe(`hooks guard ${agent.title}`, () => {
    const tests = { id, agent, effects, place: usePlaces(agent) };
    after(() => effects.write(id, agent.title, order));

    describeDecisions(tests);
    describe('without a host that answers', () => describeWithoutHost(tests));
    describeConfiguration(tests, traits);
    describeTampering(tests, traits.own);
  });
}
