import assert from 'node:assert/strict';
import { LazyModule } from '../../../src/hook-load/modules/lazy-module';

describe('a module that ships and is loaded late', () => {
  it('loads the parts that the code mentions, and asks no more about those that are there', async () => {
    const loads: string[] = [];
    const part = (name: string) => ({
      names: [name],
      load: () => Promise.resolve({ [name]: loads.push(name) }),
    });
    const module = new LazyModule({ specifier: 'a', parts: [part('one'), part('two')] });
    await module.load(name => name === 'one');
    const asked: string[] = [];
    await module.load(name => {
      asked.push(name);
      return true;
    });
    assert.deepEqual([loads, asked], [['one', 'two'], ['two']]);
  });
});
