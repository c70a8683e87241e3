import assert from 'node:assert/strict';
import { hookline, until } from './support/extension';

describe('typed API keys', () => {
  it('are kept, listed, told of and deleted', async () => {
    const { keys } = (await hookline()).ui;
    const told: string[] = [];
    const subscription = keys.onDidChange(provider => told.push(provider));
    try {
      await keys.set('host-test', 'secret');
      assert.equal(await keys.get('host-test'), 'secret');
      assert.ok((await keys.list()).includes('host-test'));
      await until('the change is told', () => told.includes('host-test'));
      await keys.delete('host-test');
      assert.equal(await keys.get('host-test'), undefined);
      assert.ok(!(await keys.list()).includes('host-test'));
    } finally {
      subscription.dispose();
    }
  });
});
