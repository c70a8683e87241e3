import assert from 'node:assert/strict';
import { loadPiAi, releaseSession } from '../../../src/agent/models/pi-ai';

describe('what clients keep for a session', () => {
  it('is let go of by its id, and a client that fails at it keeps no session from its end', async () => {
    const { registerSessionResourceCleanup } = await loadPiAi();
    const released: unknown[] = [];
    const drop = [
      registerSessionResourceCleanup(() => {
        throw new Error('the socket is gone');
      }),
      registerSessionResourceCleanup(id => void released.push(id)),
    ];
    try {
      await releaseSession('s1');
    } finally {
      for (const each of drop) each();
    }
    assert.deepEqual(released, ['s1']);
  });
});
