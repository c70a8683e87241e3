import assert from 'node:assert/strict';
import { findEnvKeys, getEnvApiKey } from '@mariozechner/pi-ai/compat';
import { allKeyVariables, keyVariables } from '../../../../src/agent/models/keys/missing-key';
import { loadProviders } from '../../../../src/agent/models/pi-ai';

/** An environment that has every variable. */
const everything = new Proxy<Record<string, string>>({}, { get: () => 'set', has: () => true });
const sorted = (names: readonly string[]): readonly string[] => [...names].sort();

describe('the variables that hold keys of providers', () => {
  it('are those that pi-ai reads, for each of its providers', async () => {
    const { builtinProviders } = await loadProviders();
    const ids = builtinProviders().map(({ id }) => id);
    assert.ok(ids.length > 30, String(ids.length));
    const differing = ids.flatMap(id => {
      // Bedrock's are many and used together; pi-ai does not list them.
      if (id === 'amazon-bedrock') return [];
      // Of those that it lists, pi-ai takes some for no key.
      const read = (findEnvKeys(id, everything) ?? []).filter(name => getEnvApiKey(id, { [name]: 'set' }) === 'set');
      const [ours, theirs] = [sorted(keyVariables(id)), sorted(read)];
      return ours.join() === theirs.join() ? [] : [`${id}: ${ours.join()} and not ${theirs.join()}`];
    });
    assert.deepEqual(differing, []);
    assert.equal(findEnvKeys('amazon-bedrock', everything), undefined);
  });

  it('are all hidden where keys are hidden', async () => {
    const { builtinProviders } = await loadProviders();
    const hidden = new Set(allKeyVariables());
    const shown = builtinProviders().flatMap(({ id }) => findEnvKeys(id, everything) ?? []);
    assert.deepEqual(
      shown.filter(name => !hidden.has(name)),
      [],
    );
  });

  it('include the tokens of GitHub, which pi-ai once read for Copilot', () => {
    const hidden = new Set(allKeyVariables());
    for (const name of ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN']) assert.ok(hidden.has(name), name);
  });
});
