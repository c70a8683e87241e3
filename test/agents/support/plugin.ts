import assert from 'node:assert/strict';
import type { FiredId } from '../../../src/guard/fire/fired-agents';
import { usePlaces } from './agent-tests';
import { realAgent } from './real-agents';

/** An agent that loads our plugin: the status says whether it did, because nothing else shows a plugin that failed to load. */
export function describePlugin(id: FiredId): void {
  const agent = realAgent(id);

  describe(`the plugin in ${agent.title}`, () => {
    const place = usePlaces(agent);
    const status = async (): Promise<string> => (await place().command('guard', 'status', id)).stdout;

    it('is not known to be loaded before a session, nor when the agent is started without plugins', async () => {
      assert.match(await status(), /its plugin has told of no event since it was written/);
      await place().run([place().shell('mkdir free')], { args: ['--pure'] });
      assert.ok(place().hasMade('free'));
      assert.match(await status(), /its plugin has told of no event since it was written/);
    });

    it('is loaded after a session with a call', async () => {
      await place().run([place().shell('mkdir free')]);
      assert.match(await status(), /its plugin is loaded/);
    });
  });
}
