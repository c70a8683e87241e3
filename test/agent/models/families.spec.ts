import assert from 'node:assert/strict';
import type { AssistantMessage, Context } from '@mariozechner/pi-ai';
import { Type } from 'typebox';
import { failureOf } from '../../../src/agent/models/requests/request-failure';
import { createStreamFn, type ModelStreamFn } from '../../../src/agent/models/requests/stream';
import { ScriptedLlm, type ScriptedApi } from '../../support/scripted-llm';

/** The provider families; pi-ai's real client of each talks to a server on 127.0.0.1. */
const FAMILIES: readonly (readonly [family: string, api: ScriptedApi])[] = [
  ['Anthropic', 'anthropic-messages'],
  ['OpenAI completions', 'openai-completions'],
  ['OpenAI responses', 'openai-responses'],
  ['Google', 'google-generative-ai'],
  ['Mistral', 'mistral-conversations'],
  ['Bedrock', 'bedrock-converse-stream'],
  ['Azure', 'azure-openai-responses'],
];

/** Bedrock's client reads its credentials here; it speaks HTTP/2 unless it is told otherwise. */
const BEDROCK_ENVIRONMENT = { AWS_BEARER_TOKEN_BEDROCK: 'scripted-key', AWS_BEDROCK_FORCE_HTTP1: '1' };

const bash = { name: 'bash', description: 'Run a command', parameters: Type.Object({ command: Type.String() }) };
const context: Context = {
  systemPrompt: 'You are a test.',
  messages: [{ role: 'user', content: 'run it', timestamp: 1 }],
  tools: [bash],
};

function textOf(message: AssistantMessage): string {
  return message.content.map(block => (block.type === 'text' ? block.text : '')).join('');
}

describe('pi-ai’s real clients', () => {
  let llm: ScriptedLlm;
  let stream: ModelStreamFn;
  const saved = new Map<string, string | undefined>();

  before(() => {
    for (const [name, value] of Object.entries(BEDROCK_ENVIRONMENT)) {
      saved.set(name, process.env[name]);
      process.env[name] = value;
    }
  });
  after(() => {
    for (const [name, value] of saved) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  });
  beforeEach(async () => {
    llm = await ScriptedLlm.start();
    stream = createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: llm.apiKey }) });
  });
  afterEach(() => llm.stop());

  for (const [family, api] of FAMILIES) {
    it(`of ${family} stream text and a tool call, and take its result in the second turn`, async () => {
      const args = { command: 'echo "ä\\n" \'b\' `c`' };
      const usage = { input: 100, output: 7, cacheRead: api === 'mistral-conversations' ? 0 : 40 };
      llm.reply(
        { text: ['I ', 'run it.'], toolCalls: [{ name: 'bash', arguments: args, pieceSize: 3 }], usage },
        { text: 'Done.' },
      );
      const model = llm.model(api);
      const deltas: string[] = [];
      const reply = stream(model, context);
      for await (const event of reply) if (event.type === 'text_delta') deltas.push(event.delta);
      const first = await reply.result();
      assert.equal(first.errorMessage, undefined);
      assert.equal(first.stopReason, 'toolUse');
      assert.equal(deltas.join(''), 'I run it.');
      assert.equal(textOf(first), 'I run it.');
      const call = first.content.find(block => block.type === 'toolCall');
      assert.deepEqual([call?.name, call?.arguments], ['bash', args]);
      assert.deepEqual(
        [first.usage.input, first.usage.output, first.usage.cacheRead, first.usage.totalTokens],
        [usage.input, usage.output, usage.cacheRead, usage.input + usage.output + usage.cacheRead],
      );
      assert.ok(first.usage.cost.total > 0);
      const second = await stream(model, {
        ...context,
        messages: [
          ...context.messages,
          first,
          {
            role: 'toolResult',
            toolCallId: call!.id,
            toolName: 'bash',
            content: [{ type: 'text', text: 'ran-it-42' }],
            isError: false,
            timestamp: 2,
          },
        ],
      }).result();
      assert.equal(second.errorMessage, undefined);
      assert.equal(textOf(second), 'Done.');
      assert.deepEqual(
        llm.requests.map(request => request.api),
        [api, api],
      );
      assert.match(JSON.stringify(llm.requests[0]?.body), /You are a test\./);
      assert.match(JSON.stringify(llm.requests[1]?.body), /ran-it-42/);
      assert.match(JSON.stringify(llm.requests[0]?.headers), /scripted-key/, 'the key is sent');
    });

    // Bedrock's client does not put the status into its text.
    if (api !== 'bedrock-converse-stream') {
      it(`of ${family} say with which status they were refused`, async () => {
        for (const [status, cause, retryable] of [
          [404, 'not-found', false],
          [429, 'rate-limit', true],
          [503, 'server', true],
        ] as const) {
          llm.fail(status, { message: 'code 500 of 502 is "overloaded" at http://127.0.0.1:504/429' });
          const refused = await stream(llm.model(api), context).result();
          assert.deepEqual(failureOf(refused), { cause, status, retryable });
          assert.deepEqual(failureOf(structuredClone(refused)), { cause, status, retryable }, 'read from its text');
        }
      });
    }

    it(`of ${family} are told apart when they refuse, asked once, and end when aborted`, async () => {
      llm.fail(401, { message: 'words of the provider' });
      const refused = await stream(llm.model(api), context).result();
      assert.equal(refused.stopReason, 'error');
      assert.match(refused.errorMessage!, /refused the API key \(401\)/);
      assert.match(refused.errorMessage!, /^Provider "scripted"/);
      assert.match(refused.errorMessage!, /words of the provider/);
      assert.equal(llm.requests.length, 1, 'the client must not retry behind our back');

      const held = llm.hold({ text: ['first ', 'second'] }, 0);
      const abort = new AbortController();
      const reply = stream(llm.model(api), context, { signal: abort.signal });
      await held.reached;
      abort.abort();
      assert.equal((await reply.result()).stopReason, 'aborted');
    });
  }
});
