import assert from 'node:assert/strict';
import { eachWithModel } from './support/each-with-model';
import { RpcHost } from './support/rpc';

describe('RPC mode, older protocol,', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();

  it('changes model and thinking, in the order of the commands', async () => {
    const host = RpcHost.startOlder(place, ['--model', 'one', '--thinking', 'low']);
    host.post('set_model', { provider: 'scripted', modelId: 'two' });
    host.post('set_thinking_level', { level: 'high' });
    llm.reply({ text: 'ok' });
    await host.prompt('x');
    assert.equal(llm.requests[0]?.body['model'], 'two');
    assert.equal((await host.event('thinking_level_changed'))['level'], 'high');
    const state = await host.data<{ model: { id: string }; thinkingLevel: string }>('get_state');
    assert.deepEqual([state.model.id, state.thinkingLevel], ['two', 'high']);
    const { models } = await host.data<{ models: { id: string }[] }>('get_available_models');
    assert.deepEqual(models.map(({ id }) => id).sort(), ['one', 'two'], 'no demo beside others');
    const seen: string[] = [];
    for (let i = 0; i < 2; i += 1) seen.push((await host.data<{ model: { id: string } }>('cycle_model')).model.id);
    assert.deepEqual(seen, ['one', 'two']);
    assert.deepEqual(await host.data('cycle_thinking_level'), { level: 'off' }, 'the model knows nothing above high');
    assert.equal(await host.error('set_model', { provider: 'scripted', modelId: 'x' }), 'Model not found: scripted/x');
    const demo = await host.data<{ id: string }>('set_model', { provider: 'demo', modelId: 'offline' });
    assert.equal(demo.id, 'offline', 'by name it is there');
    await host.close();
  });

  it('moves between sessions: new, switched, forked, cloned, named', async () => {
    const host = RpcHost.startOlder(place);
    llm.otherwise(() => ({ text: 'ok' }));
    await host.prompt('the first');
    await host.prompt('the second');
    await host.data('set_session_name', { name: ' trials ' });
    const { sessionFile: file } = await host.data<{ sessionFile: string }>('get_state');
    const { messages } = await host.data<{ messages: { entryId: string; text: string }[] }>('get_fork_messages');
    assert.deepEqual(
      messages.map(({ text }) => text),
      ['the first', 'the second'],
    );
    const second = messages[1]?.entryId;
    const count = async (): Promise<unknown> => (await host.data<Record<string, unknown>>('get_state'))['messageCount'];
    assert.deepEqual(await host.data('fork', { entryId: second }), { text: 'the second', cancelled: false });
    assert.equal(await count(), 2);
    assert.deepEqual(await host.data('new_session'), { cancelled: false });
    assert.equal(await count(), 0);
    assert.deepEqual(await host.data('switch_session', { sessionPath: file }), { cancelled: false });
    const state = await host.data<Record<string, unknown>>('get_state');
    assert.deepEqual([state['messageCount'], state['sessionName'], state['sessionFile']], [4, 'trials', file]);
    assert.deepEqual(await host.data('clone'), { cancelled: false });
    assert.equal(await count(), 4);
    assert.notEqual((await host.data<Record<string, unknown>>('get_state'))['sessionFile'], file);
    assert.ok(!host.messages.some(message => message['method'] === 'set_editor_text'));
    await host.close();
  });

  it('lets a hook keep the session', async () => {
    place.file(
      'work/.pi/extensions/keep.ts',
      `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
       export default (pi: ExtensionAPI) => {
         pi.on('session_before_switch', () => ({ cancel: true }));
         pi.on('session_before_fork', () => ({ cancel: true }));
       };\n`,
    );
    const host = RpcHost.startOlder(place);
    llm.reply({ text: 'ok' });
    await host.prompt('x');
    const { messages } = await host.data<{ messages: { entryId: string }[] }>('get_fork_messages');
    assert.deepEqual(await host.data('new_session'), { cancelled: true });
    assert.deepEqual(await host.data('fork', messages[0]), { text: 'x', cancelled: true });
    assert.deepEqual(await host.data('clone'), { cancelled: true });
    await host.close();
  });

  it('compacts at the wish of the host, tells of it, and can be switched off', async () => {
    place.useLlm(llm, { compaction: { keepRecentTokens: 1 } });
    const host = RpcHost.startOlder(place);
    llm.otherwise(({ body }) => ({
      text: JSON.stringify(body['messages']).includes('kept in mind') ? 'SUMMARY' : 'ok',
    }));
    await host.prompt('the first');
    await host.prompt('the second');
    const result = await host.data<Record<string, unknown>>('compact', { customInstructions: 'kept in mind' });
    assert.match(String(result['summary']), /SUMMARY/);
    assert.equal((await host.event('compaction_start'))['reason'], 'manual');
    const end = await host.event('compaction_end');
    assert.deepEqual([end['reason'], end['aborted'], end['result']], ['manual', false, result]);
    assert.match(await host.error('compact'), /Already compacted|Nothing to compact/);
    await host.data('set_auto_compaction', { enabled: false });
    assert.equal((await host.data<Record<string, unknown>>('get_state'))['autoCompactionEnabled'], false);
    await host.close();
  });

  it('tells of automatic compaction under the names of both versions', async () => {
    place.useLlm(llm, { compaction: { keepRecentTokens: 1 } });
    const host = RpcHost.startOlder(place);
    llm.reply({ text: 'small' }, { text: 'large', usage: { input: 199_000, output: 10 } });
    llm.otherwise(() => ({ text: 'SUMMARY' }));
    await host.prompt('the first');
    await host.prompt('the second');
    for (const [start, end] of [
      ['auto_compaction_start', 'auto_compaction_end'],
      ['compaction_start', 'compaction_end'],
    ] as const) {
      assert.equal((await host.event(start))['reason'], 'threshold');
      const { aborted, willRetry, result, errorMessage } = await host.event(end);
      assert.deepEqual([aborted, willRetry, errorMessage], [false, false, undefined]);
      assert.match(String((result as { summary?: string }).summary), /SUMMARY/);
    }
    await host.close();
  });
});
