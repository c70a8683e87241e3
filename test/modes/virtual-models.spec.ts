import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { eachWithUnknownModel } from './support/each-with-model';
import { RpcHost } from './support/rpc';
import { runRouter } from './support/virtual-router';

describe('a virtual model of a hook', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithUnknownModel();

  it('is asked before each request, keeps its state on the branch, and stays chosen; its errors name the hook', async () => {
    const { asked, requests, entries, states, errors } = await runRouter(place, llm, {});
    const reasons = asked.map(each => (each as { readonly reason: string }).reason);
    assert.deepEqual(reasons.slice(0, 5), ['user', 'continuation', 'user', 'retry', 'direct']);
    assert.deepEqual(requests.slice(0, 5), ['one', 'two', 'one', 'two', 'two']);
    assert.deepEqual(entries.slice(0, 4), [
      ['model_change', 'router', 'auto'],
      ['custom', 'pi.virtual-model-state', { provider: 'router', modelId: 'auto', state: { turns: 1 } }],
      ['assistant', 'scripted', 'one', 'high', 'toolUse'],
      ['assistant', 'scripted', 'two', 'high', 'stop'],
    ]);
    assert.deepEqual(states, [
      ['router', 'auto', 'high'],
      ['router', 'auto', 'high'],
      ['router', 'auto', 'high'],
      ['scripted', 'one', 'high'],
    ]);
    const [threw, rubbish, unknown] = errors.map(({ text }) => String(text).replaceAll(place.root, ''));
    assert.match(threw ?? '', /^Virtual model router\/auto: no way \(\/router\.ts:\d+\)$/);
    assert.equal(rubbish, 'Virtual model router/auto: its route (/router.ts) gave no "model".');
    assert.equal(unknown, 'Virtual model router/auto routed to router/nope, which is not a physical model.');
  });

  it('is stopped with the run while its route hangs, and can be asked through the registry', async () => {
    place.useLlm(llm);
    const trace = place.file('trace.txt', '');
    const hook = place.file(
      'hangs.ts',
      `import { writeFileSync } from 'node:fs';
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
export default (pi: ExtensionAPI) => {
  pi.registerVirtualModel({ provider: 'scripted', id: 'slow', name: 'Slow', route: (request, ctx) =>
    request.reason === 'direct' ? { model: ctx.modelRegistry.find('scripted', 'two')!, thinkingLevel: 'off' } : new Promise(() => {}) });
  pi.registerCommand('ask', { handler: async (_args, ctx) => {
    const answer = await ctx.modelRegistry.complete(ctx.modelRegistry.find('scripted', 'slow')!, { messages: [{ role: 'user', content: 'hi', timestamp: 1 }] });
    writeFileSync(${JSON.stringify(trace)}, answer.provider + '/' + answer.model + ' ' + answer.stopReason);
  } });
};
`,
    );
    llm.otherwise(() => ({ text: 'fine' }));
    const host = RpcHost.start(place, ['-e', hook, '--model', 'scripted/slow']);
    await host.data('prompt', { message: 'go' });
    await host.event('turn_start');
    await host.data('abort');
    await host.event('agent_settled');
    await host.data('prompt', { message: '/ask' });
    await host.data('get_state');
    assert.equal((await host.close()).code, 0);
    assert.equal(readFileSync(trace, 'utf8'), 'scripted/two stop');
    assert.deepEqual(
      llm.requests.map(({ body }) => body['model']),
      ['two'],
    );
  });

  it('and a provider are gone once the file that registered them takes them back', async () => {
    place.useLlm(llm);
    const hook = place.file(
      'takes-back.ts',
      `import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
export default (pi: ExtensionAPI) => {
  pi.registerProvider('mine', { baseUrl: 'http://127.0.0.1:9', apiKey: 'k', api: 'anthropic-messages', models: [{ id: 'm' }] });
  pi.registerVirtualModel({ provider: 'router', id: 'auto', name: 'Auto', route: (_request, ctx) => ({ model: ctx.model!, thinkingLevel: 'off' }) });
  pi.registerCommand('drop', { handler: async () => {
    pi.unregisterProvider('mine');
    pi.unregisterVirtualModel('router', 'auto');
  } });
};
`,
    );
    const host = RpcHost.start(place, ['-e', hook]);
    const registered = async (): Promise<readonly string[]> => {
      const { models } = await host.data<{ models: { provider: string; id: string }[] }>('get_available_models');
      return models.map(({ provider, id }) => `${provider}/${id}`).filter(name => /^(mine|router)\//.test(name));
    };
    assert.deepEqual((await registered()).toSorted(), ['mine/m', 'router/auto']);
    await host.data('prompt', { message: '/drop' });
    assert.deepEqual(await registered(), []);
    await host.close();
  });
});
