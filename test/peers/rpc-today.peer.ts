import assert from 'node:assert/strict';
import type { Message } from '../modes/support/rpc';
import { describePeer, piToday, TODAY } from './peers';
import { masked } from './rpc-mask';
import { STEPS, Talk } from './rpc-steps';

describePeer('an RPC client gets the same records as from pi:', TODAY, folder => {
  const sides: { readonly seen: ReadonlyMap<string, readonly Message[]>; readonly root: string }[] = [];

  before(async function () {
    this.timeout(120_000);
    for (const program of [piToday(folder), {}]) {
      const talk = await Talk.open(program);
      try {
        sides.push({ seen: await talk.takeAll(), root: talk.place.root });
      } finally {
        await talk.close();
      }
    }
  });

  for (const name of Object.keys(STEPS)) {
    it(name, () => {
      const [pi, ours] = sides.map(({ seen, root }) => masked(seen.get(name) ?? [], root));
      assert.deepEqual(ours?.told, pi?.told);
      // Nothing is told of an empty queue that is emptied.
      if (ours?.queue !== undefined) assert.deepEqual(ours.queue, pi?.queue);
    });
  }
});
