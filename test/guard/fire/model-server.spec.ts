import assert from 'node:assert/strict';
import type { Api, Context, Model } from '@mariozechner/pi-ai';
import { complete } from '@mariozechner/pi-ai/compat';
import { Type } from 'typebox';
import { ModelServer, type RecordedRequest } from '../../../src/guard/fire/model-server';
import type { ModelApi, ModelTurn } from '../../../src/guard/fire/model-turn';
import { ScriptedLlm } from '../../support/scripted-llm';

const TOUCH: ModelTurn = { tool: 'bash', input: { command: 'touch "it"' } };
const PATHS: Readonly<Record<ModelApi, string>> = {
  'anthropic-messages': '/v1/messages',
  'openai-responses': '/v1/responses',
  'openai-completions': '/v1/chat/completions',
  'google-generative-ai': '/v1beta/models/any:generateContent',
};

describe('the built-in model for checks of other agents', () => {
  let server: ModelServer;
  const start = async (answer: (request: RecordedRequest) => ModelTurn): Promise<void> => {
    server = await ModelServer.start(answer);
  };
  afterEach(() => server.stop());

  for (const [api, path] of Object.entries(PATHS) as [ModelApi, string][]) {
    describe(api, () => {
      const context: Context = {
        systemPrompt: 'You are a test.',
        messages: [{ role: 'user', content: 'go on', timestamp: 1 }],
        tools: [{ name: 'bash', description: 'runs', parameters: Type.Object({ command: Type.String() }) }],
      };

      it('gives a client a call, and a text after its result', async () => {
        await start(({ results }) => (results.length === 0 ? TOUCH : { text: 'that was it' }));
        const llm = await ScriptedLlm.start();
        const model: Model<Api> = {
          ...llm.model(api),
          baseUrl: path === '/v1/messages' ? server.url : `${server.url}/v1`,
        };
        await llm.stop();
        const called = await complete(model, context, { apiKey: 'any' });
        const [call] = called.content;
        assert.ok(call?.type === 'toolCall', JSON.stringify(called));
        assert.deepEqual([call.name, call.arguments, called.stopReason], ['bash', TOUCH.input, 'toolUse']);
        const result = {
          role: 'toolResult' as const,
          toolCallId: call.id,
          toolName: 'bash',
          content: [{ type: 'text' as const, text: 'touched' }],
          isError: false,
          timestamp: 2,
        };
        const after = { ...context, messages: [...context.messages, called, result] };
        const said = await complete(model, after, { apiKey: 'any' });
        assert.deepEqual(
          said.content.map(part => part.type === 'text' && part.text),
          ['that was it'],
        );
        assert.deepEqual(
          server.requests.map(request => [request.api, request.tools, request.results]),
          [
            [api, ['bash'], []],
            [api, ['bash'], ['touched']],
          ],
        );
        assert.ok(server.hasSeen('go on') && server.hasSeen('touched') && !server.hasSeen('that never was'));
      });

      it('answers a client that wants no stream with the same as one value', async () => {
        await start(({ tools }) => (tools.length > 0 ? TOUCH : { text: 'just text' }));
        const whole = async (tools: readonly object[]): Promise<string> => {
          const response = await fetch(server.url + path, {
            method: 'POST',
            body: JSON.stringify({ model: 'm', tools }),
          });
          assert.equal(response.headers.get('content-type'), 'application/json');
          return response.text();
        };
        const call = await whole([{ name: 'bash' }]);
        assert.match(call, /"name":"bash"/);
        assert.match(call, /touch \\+"it\\+"/);
        assert.match(await whole([]), /just text/);
      });
    });
  }

  it('searches for the tools of Codex, and takes what it found for a result', async () => {
    const input = { query: 'deploy' };
    await start(({ results }) => (results.length === 0 ? { tool: 'tool_search', input } : { text: 'done' }));
    const ask = async (items: readonly object[]): Promise<unknown> => {
      const body = JSON.stringify({ model: 'm', input: items });
      const response = await fetch(`${server.url}/v1/responses`, { method: 'POST', body });
      return ((await response.json()) as { readonly output: readonly Record<string, unknown>[] }).output[0];
    };
    const call = (await ask([])) as Record<string, unknown>;
    assert.deepEqual([call['type'], call['execution'], call['arguments']], ['tool_search_call', 'client', input]);
    await ask([call, { type: 'tool_search_output', call_id: call['call_id'], tools: [{ name: 'mcp__hookline' }] }]);
    assert.deepEqual(server.requests.at(-1)?.results, ['[{"name":"mcp__hookline"}]']);
  });

  it('sends a text as input of a tool with free text, in the group of the tool', async () => {
    await start(() => ({ tool: 'apply_patch', namespace: 'files', input: '*** Begin Patch' }));
    const response = await fetch(`${server.url}/v1/responses`, { method: 'POST', body: '{"model":"m"}' });
    const { output } = (await response.json()) as { readonly output: readonly Record<string, unknown>[] };
    const [{ type, name, namespace, input } = {}] = output;
    assert.deepEqual(
      { type, name, namespace, input },
      { type: 'custom_tool_call', name: 'apply_patch', namespace: 'files', input: '*** Begin Patch' },
    );
  });

  it('counts tokens, knows no models, and says what it does not have', async () => {
    await start(() => ({ text: 'unused' }));
    const get = async (path: string, init?: RequestInit): Promise<unknown> =>
      (await fetch(server.url + path, init)).json();
    assert.deepEqual(await get('/v1/messages/count_tokens', { method: 'POST', body: '{}' }), { input_tokens: 10 });
    assert.deepEqual(await get('/v1/models?client_version=1'), { object: 'list', data: [], models: [] });
    const unknown = await fetch(`${server.url}/v1/embeddings`, { method: 'POST', body: '{}' });
    assert.equal(unknown.status, 404);
    assert.match(await unknown.text(), /no \/v1\/embeddings/);
    assert.deepEqual(server.requests, []);
  });
});
