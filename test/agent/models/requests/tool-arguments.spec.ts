import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAssistantMessageEventStream, type Api, type AssistantMessage, type Model } from '@mariozechner/pi-ai';
import { Type } from 'typebox';
import { emptyMessage } from '../../../../src/agent/models/requests/empty-message';
import { createStreamFn } from '../../../../src/agent/models/requests/stream';
import { runToolCalls, toolCallsOf } from '../../../../src/agent/run/tool-calls';
import type { AnyTool } from '../../../../src/agent/tools/tool';
import { behindGate } from '../../../support/gated-tool';
import { ScriptedLlm, type ScriptedApi, type ScriptedToolCall } from '../../../support/scripted-llm';
import { tried } from '../../../support/tried';

const APIS: readonly ScriptedApi[] = ['anthropic-messages', 'openai-completions', 'openai-responses'];
const NO_OBJECTS: readonly string[] = [
  '{"path":"f.txt","content":"say "hello" to all"}',
  '{"path":"f.txt","content":"x"} I hope this helps',
  '{"path":"f.txt","content":"x"',
  '{"command":"cd build; rm -rf ./build/',
  '{"path":"a"}{"path":"b"}',
  'null',
  '["f.txt"]',
  '"f.txt"',
  '"{\\"path\\":\\"f.txt\\"}"',
  '7',
  'true',
  'write f.txt',
];
const parameters = Type.Object({ path: Type.Optional(Type.String()), command: Type.Optional(Type.String()) });
const context = {
  systemPrompt: 'You are a test.',
  messages: [{ role: 'user' as const, content: 'hi', timestamp: 1 }],
  tools: [{ name: 'write', description: 'Write', parameters }],
};

/** Runs the calls of an answer; what the tool got, and the texts of the results by the id of their call. */
async function run(message: AssistantMessage) {
  const got: unknown[] = [];
  const write = {
    name: 'write',
    description: 'Write',
    parameters,
    execute: (_id: string, params: unknown) => {
      got.push(params);
      return Promise.resolve({ content: [{ type: 'text', text: 'written' }], details: {} });
    },
  } as unknown as AnyTool;
  const { signal } = new AbortController();
  const results = new Map<string, string>();
  const batch = { calls: toolCallsOf(message), tools: [behindGate(write)], signal, order: 'sideBySide' } as const;
  for await (const step of runToolCalls(batch)) {
    if ('role' in step) results.set(step.toolCallId, JSON.stringify([step.isError, step.content]));
  }
  return { got, results };
}

describe('arguments of a call', () => {
  let llm: ScriptedLlm;
  const auth = { requestAuth: () => Promise.resolve({ apiKey: 'key' }) };

  before(async () => (llm = await ScriptedLlm.start()));
  after(() => llm.stop());

  const ask = (api: ScriptedApi, ...toolCalls: readonly ScriptedToolCall[]): Promise<AssistantMessage> => {
    llm.reply({ toolCalls });
    return createStreamFn(auth)(llm.model(api), context).result();
  };

  for (const api of APIS) {
    it(`never run when they are no JSON object, and the model gets its own text: ${api}`, async () => {
      for (const text of NO_OBJECTS) {
        tried();
        const bad = { name: 'write', arguments: [text.slice(0, 5), text.slice(5)] };
        const message = await ask(api, bad, { name: 'write', arguments: { path: 'good' } });
        assert.equal(message.stopReason, 'toolUse', text);
        const calls = toolCallsOf(message);
        assert.deepEqual(
          calls.map(call => call.arguments),
          [{}, { path: 'good' }],
          text,
        );
        const { got, results } = await run(message);
        assert.deepEqual(got, [{ path: 'good' }], text);
        const result = results.get(calls[0]!.id) ?? '';
        assert.ok(result.startsWith('[true,') && result.includes(JSON.stringify(text).slice(1, -1)), result);
      }
    });

    it(`are none when there is no text: ${api}`, async () => {
      assert.deepEqual((await run(await ask(api, { name: 'write', arguments: [] }))).got, [{}]);
    });

    it(`stay with their call when all calls have one id: ${api}`, async () => {
      const paths = ['a', 'b', 'c'];
      const message = await ask(api, ...paths.map(path => ({ id: 'same', name: 'write', arguments: { path } })));
      const { got, results } = await run(message);
      tried(paths.length);
      assert.deepEqual(
        got,
        paths.map(path => ({ path })),
      );
      const answered = toolCallsOf(message).map(({ id }) => id.split('|')[0]);
      assert.equal(new Set(answered).size, 3, 'a provider finds the call of each result');
      assert.equal(results.size, 3);
    });
  }
});

/** Answers each request with what a test wrote. */
class RawServer {
  body = '';
  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async start(): Promise<RawServer> {
    const server = createServer();
    const started = await new Promise<RawServer>(resolve => {
      server.listen(0, '127.0.0.1', () => resolve(new RawServer(server, (server.address() as AddressInfo).port)));
    });
    server.on('request', (request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(started.body);
    });
    return started;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }
}

type Piece = readonly [
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  text: string | object | null,
];

const completions = (pieces: readonly Piece[]): string => {
  const deltas = pieces.map(([index, id, name, text]) => ({
    tool_calls: [{ index, id, function: { name, arguments: text } }],
  }));
  const chunks = [
    ...deltas.map(delta => ({ id: 'c', choices: [{ index: 0, delta, finish_reason: null as string | null }] })),
    { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  ];
  return [...chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'].join('');
};

/** Two calls whose events are mixed: added, added, deltas, done, done. */
const responses = (index: number | undefined, text: (path: string) => unknown, doneText = text): string => {
  const items = ['a', 'b'].map(path => ({
    path,
    at: { output_index: index, item_id: `fc_${path}` },
    item: { type: 'function_call', id: `fc_${path}`, call_id: `call_${path}`, name: 'write' },
  }));
  const events = [
    ...items.map(({ at, item }) => ({ type: 'response.output_item.added', ...at, item: { ...item, arguments: '' } })),
    ...items.map(({ at, path }) => ({ type: 'response.function_call_arguments.delta', ...at, delta: text(path) })),
    ...items.map(({ at, path }) => ({
      type: 'response.function_call_arguments.done',
      ...at,
      arguments: doneText(path),
    })),
    ...items.map(({ at, item, path }) => ({
      type: 'response.output_item.done',
      ...at,
      item: { ...item, arguments: doneText(path) },
    })),
    { type: 'response.completed', response: { id: 'r', status: 'completed' } },
  ];
  return events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
};

const anthropic = (blocks: readonly (readonly [index: number, id: string, text: string, ends: boolean])[]): string => {
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage: { input_tokens: 1 } };
  const events = [
    { type: 'message_start', message },
    ...blocks.flatMap(([index, id, text, ends]) => [
      { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name: 'write', input: {} } },
      { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: text } },
      ...(ends ? [{ type: 'content_block_stop', index }] : []),
    ]),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ];
  return events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
};

const A = '{"path":"a"}';
const B = '{"path":"b"}';
const json = (path: string): string => JSON.stringify({ path });
/** What servers send, and the paths that the tool gets; `bad` counts the calls that get an error. */
const WIRES: readonly (readonly [name: string, api: ScriptedApi, body: string, paths: string[], bad?: number])[] = [
  ['all calls have index 0', 'openai-completions', completions([[0, 'x', 'write', A], [0, 'y', 'write', B]]), ['a', 'b']], // prettier-ignore
  ['all calls have index 0 and come in pieces', 'openai-completions', completions([[0, 'x', 'write', ''], [0, undefined, undefined, A], [0, 'y', 'write', ''], [0, undefined, undefined, B]]), ['a', 'b']], // prettier-ignore
  ['all calls have index 0 and one id', 'openai-completions', completions([[0, 'x', 'write', A], [0, 'x', 'write', B]]), ['a', 'b']], // prettier-ignore
  ['no call has an index', 'openai-completions', completions([[undefined, 'x', 'write', '{"path"'], [undefined, undefined, undefined, ':"a"}'], [undefined, 'y', 'write', B]]), ['a', 'b']], // prettier-ignore
  ['the first of two calls with index 0 lacks a brace', 'openai-completions', completions([[0, 'x', 'write', '{"path":"a"'], [0, 'y', 'write', B]]), ['b'], 1], // prettier-ignore
  ['two objects in one call', 'openai-completions', completions([[0, 'x', 'write', A], [0, undefined, undefined, B]]), [], 1], // prettier-ignore
  ['the id changes within a call', 'openai-completions', completions([[0, 'x', 'write', ''], [0, 'y', undefined, '{"path"'], [0, 'z', 'write', ':"a"}']]), ['a']], // prettier-ignore
  ['the id and the name stand in each piece', 'openai-completions', completions([[0, 'x', 'write', ''], [0, 'x', 'write', '{"path"'], [0, 'x', 'write', ':"a"}'], [0, 'x', 'write', '']]), ['a']], // prettier-ignore
  ['arguments are an object', 'openai-completions', completions([[0, 'x', 'write', { path: 'a' }], [1, 'y', 'write', { path: 'b' }]]), ['a', 'b']], // prettier-ignore
  ['arguments are a list', 'openai-completions', completions([[0, 'x', 'write', ['a']]]), [], 1],
  ['arguments are null at first', 'openai-completions', completions([[0, 'x', 'write', null], [0, undefined, undefined, A]]), ['a']], // prettier-ignore
  ['all calls have output_index 0', 'openai-responses', responses(0, json), ['a', 'b']],
  ['no call has an output_index', 'openai-responses', responses(undefined, json), ['a', 'b']],
  ['the last text is an object', 'openai-responses', responses(0, json, path => ({ path })), ['a', 'b']],
  ['the last text is null', 'openai-responses', responses(0, json, () => null), ['a', 'b']],
  ['all blocks have index 0', 'anthropic-messages', anthropic([[0, 'x', A, true], [0, 'y', B, true]]), ['a', 'b']], // prettier-ignore
  ['a block never ends', 'anthropic-messages', anthropic([[0, 'x', A, false], [1, 'y', '{"path":"b', false]]), ['a'], 1], // prettier-ignore
];

describe('calls of servers that number them in their own way', () => {
  let server: RawServer;
  before(async () => (server = await RawServer.start()));
  after(() => server.stop());

  for (const [name, api, body, paths, bad = 0] of WIRES) {
    it(`${api}: ${name}`, async () => {
      server.body = body;
      const baseUrl = `http://127.0.0.1:${server.port}`;
      const model = { ...(await ScriptedLlm.unreachableModel(api)), baseUrl };
      const stream = createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: 'key' }) });
      const message = await stream(model, context).result();
      assert.equal(message.stopReason, 'toolUse', message.errorMessage);
      const { got, results } = await run(message);
      assert.deepEqual(
        got,
        paths.map(path => ({ path })),
      );
      const errors = [...results.values()].filter(result => result.startsWith('[true,'));
      assert.equal(errors.length, bad);
      assert.equal(results.size, paths.length + bad);
    });
  }
});

describe('arguments that a provider of a hook gives', () => {
  for (const given of [null, ['f.txt'], 'f.txt', '{"path":"f.txt"}', 7, true, 10n]) {
    it(`are stored as {} with an error: ${typeof given} ${String(given)}`, async () => {
      const model = { ...(await ScriptedLlm.unreachableModel()), api: 'hooks-own' } as Model<Api>;
      const serve = () => {
        const reply = createAssistantMessageEventStream();
        const toolCall = { type: 'toolCall' as const, id: 'x', name: 'write', arguments: given as never };
        const partial = { ...emptyMessage(model), content: [toolCall] };
        const message = { ...partial, stopReason: 'toolUse' as const };
        reply.push({ type: 'start', partial: { ...partial, content: [] } });
        reply.push({ type: 'toolcall_start', contentIndex: 0, partial });
        reply.push({ type: 'toolcall_end', contentIndex: 0, toolCall, partial });
        reply.push({ type: 'done', reason: 'toolUse', message });
        return reply;
      };
      const stream = createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: 'key' }), serve: () => serve })(
        model,
        context,
      );
      const seen: unknown[] = [];
      for await (const event of stream) {
        if (event.type === 'toolcall_start') seen.push(toolCallsOf(event.partial)[0]!.arguments);
        if (event.type === 'toolcall_end') seen.push(event.toolCall.arguments);
      }
      assert.deepEqual(seen, [{}, {}], 'no listener meets what is no object');
      const message = await stream.result();
      const [call] = toolCallsOf(message);
      assert.deepEqual(call!.arguments, {});
      const raw = typeof given === 'bigint' ? 'bigint' : JSON.stringify(given);
      assert.ok(call!.argumentsError!.endsWith(`Received arguments:\n${raw}`), call!.argumentsError);
      const { got, results } = await run(message);
      assert.deepEqual(got, []);
      assert.match(results.get('x')!, /^\[true,/);
    });
  }
});

describe('a backslash in arguments that begins no escape', () => {
  let llm: ScriptedLlm;
  before(async () => (llm = await ScriptedLlm.start()));
  after(() => llm.stop());

  const TEXTS: readonly (readonly [sent: string, meant: string])[] = [
    [String.raw`\usepackage{x}`, String.raw`\usepackage{x}`],
    [String.raw`C:\users\admin`, String.raw`C:\users\admin`],
    [String.raw`'\unicode'`, String.raw`'\unicode'`],
    [String.raw`\u12 and \uXYZ0`, String.raw`\u12 and \uXYZ0`],
    [String.raw`\u00e9 \usepackage`, String.raw`é \usepackage`],
    [String.raw`\\usepackage`, String.raw`\usepackage`],
    [String.raw`\ud83d\ude00`, '😀'],
    [String.raw`\d+\s\w`, String.raw`\d+\s\w`],
  ];

  for (const api of APIS) {
    it(`is kept: ${api}`, async () => {
      const stream = createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: 'key' }) });
      for (const [sent, meant] of TEXTS) {
        for (const size of [1, 3, 100]) {
          const whole = `{"path":"${sent}"}`;
          const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
            whole.slice(at * size, (at + 1) * size),
          );
          llm.reply({ toolCalls: [{ name: 'write', arguments: pieces }] });
          const { got } = await run(await stream(llm.model(api), context).result());
          tried();
          assert.deepEqual(got, [{ path: meant }], `${sent} in pieces of ${size}`);
        }
      }
    });
  }
});

describe('thinking and answer in one chunk', () => {
  let server: RawServer;
  before(async () => (server = await RawServer.start()));
  after(() => server.stop());

  for (const field of ['reasoning_content', 'reasoning', 'reasoning_text'] as const) {
    it(`leaves the thinking in front: ${field}`, async () => {
      const chunk = (delta: object, finish_reason: string | null = null): string =>
        `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
      server.body = [
        chunk({ role: 'assistant', content: 'The answer ', [field]: 'Let me ' }),
        chunk({ [field]: 'see.', content: 'is 4.' }),
        chunk({}, 'stop'),
        'data: [DONE]\n\n',
      ].join('');
      const baseUrl = `http://127.0.0.1:${server.port}`;
      const model = { ...(await ScriptedLlm.unreachableModel('openai-completions')), baseUrl };
      const stream = createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: 'key' }) })(model, context);
      const begun: string[] = [];
      for await (const event of stream) if (event.type.endsWith('_start')) begun.push(event.type);
      const { content } = await stream.result();
      assert.deepEqual(begun, ['thinking_start', 'text_start']);
      assert.deepEqual(
        content.map(block => (block.type === 'thinking' ? block.thinking : block.type === 'text' && block.text)),
        ['Let me see.', 'The answer is 4.'],
      );
    });
  }
});
