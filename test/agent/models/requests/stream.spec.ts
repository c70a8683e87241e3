import assert from 'node:assert/strict';
import {
  createAssistantMessageEventStream,
  type Api,
  type AssistantMessage,
  type AssistantMessageEvent,
  type AssistantMessageEventStream,
  type Context,
  type Message,
  type Model,
  type StreamOptions,
} from '@mariozechner/pi-ai';
import { Type } from 'typebox';
import { emptyMessage } from '../../../../src/agent/models/requests/empty-message';
import { MISSING_KEY_DIAGNOSTIC } from '../../../../src/agent/models/keys/missing-key';
import { failureOf } from '../../../../src/agent/models/requests/request-failure';
import {
  createStreamFn,
  type AssistantMessageStream,
  type ModelStreamFn,
} from '../../../../src/agent/models/requests/stream';
import { planRetry } from '../../../../src/session/requests/retry-plan';
import { ScriptedLlm, type ScriptedApi } from '../../../support/scripted-llm';

const APIS: readonly ScriptedApi[] = ['anthropic-messages', 'openai-completions', 'openai-responses'];
/** Words by which hooks know that trying again helps. */
const RETRYABLE =
  /overloaded|rate limit|too many requests|429|500|502|503|504|service unavailable|server error|internal error|connection error/i;

const bash = { name: 'bash', description: 'Run a command', parameters: Type.Object({ command: Type.String() }) };
const prompt = (text: string): Context => ({
  systemPrompt: 'You are a test.',
  messages: [{ role: 'user', content: text, timestamp: 1 }],
  tools: [bash],
});

async function collect(stream: AssistantMessageStream): Promise<AssistantMessageEvent[]> {
  const events: AssistantMessageEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

function textOf(message: AssistantMessage): string {
  return message.content.map(block => (block.type === 'text' ? block.text : '')).join('');
}

/** A client as pi-ai's are: a text in the message, and the response for whoever asked to see it. */
function refusing(text: string, status?: number) {
  return (model: Model<Api>, _context: Context, options: StreamOptions = {}): AssistantMessageEventStream => {
    const reply = createAssistantMessageEventStream();
    const tell = async (): Promise<void> => {
      if (status !== undefined) await options.onResponse?.({ status, headers: {} }, model);
      const error = { ...emptyMessage(model), stopReason: 'error' as const, errorMessage: text };
      reply.push({ type: 'error', reason: 'error', error });
    };
    void tell();
    return reply;
  };
}

for (const api of APIS) {
  describe(`createStreamFn over pi-ai's ${api} client`, () => {
    let llm: ScriptedLlm;
    let model: Model<Api>;
    let stream: ModelStreamFn;

    beforeEach(async () => {
      llm = await ScriptedLlm.start();
      model = llm.model(api);
      stream = createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: llm.apiKey }) });
    });
    afterEach(() => llm.stop());

    it('streams thinking and text with usage', async () => {
      llm.reply({
        thinking: ['Let me ', 'see.'],
        text: ['Hel', 'lo ', 'Wörld'],
        usage: { input: 100, output: 7, cacheRead: 40 },
      });
      const reply = stream(model, prompt('hi'), { reasoning: 'low' });
      const events = await collect(reply);
      const message = await reply.result();
      assert.equal(events[0]?.type, 'start');
      assert.equal(events.at(-1)?.type, 'done');
      assert.deepEqual(
        events.flatMap(event => (event.type === 'text_delta' ? [event.delta] : [])),
        ['Hel', 'lo ', 'Wörld'],
      );
      assert.equal(message.stopReason, 'stop');
      assert.equal(textOf(message), 'Hello Wörld');
      assert.ok(message.content.some(block => block.type === 'thinking' && block.thinking.startsWith('Let me see.')));
      assert.deepEqual(
        [message.usage.input, message.usage.output, message.usage.cacheRead, message.usage.totalTokens],
        [100, 7, 40, 147],
      );
      assert.ok(message.usage.cost.total > 0);
    });

    it('puts a tool call together from split JSON, and sends its result in the second turn', async () => {
      const args = { command: 'echo "ä\\n" \'b\' `c`' };
      llm.reply({ text: 'I run it.', toolCalls: [{ name: 'bash', arguments: args, pieceSize: 3 }] }, { text: 'Done.' });
      const context = prompt('run it');
      const first = await stream(model, context).result();
      assert.equal(first.stopReason, 'toolUse');
      const call = first.content.find(block => block.type === 'toolCall');
      assert.deepEqual(call?.arguments, args);
      const second = await stream(model, {
        ...context,
        messages: [
          ...context.messages,
          first,
          {
            role: 'toolResult',
            toolCallId: call.id,
            toolName: 'bash',
            content: [{ type: 'text', text: 'ran-it-42' }],
            isError: false,
            timestamp: 2,
          },
        ],
      }).result();
      assert.equal(textOf(second), 'Done.');
      assert.match(JSON.stringify(llm.requests[1]?.body), /ran-it-42/);
      assert.equal(llm.requests.length, 2);
    });

    it('sends no result without its call, and none twice: a provider refuses the whole request for one', async () => {
      llm.reply({ toolCalls: [{ name: 'bash', arguments: {} }] }, { text: 'Done.' });
      const { messages, ...context } = prompt('run it');
      const first = await stream(model, { ...context, messages }).result();
      const call = first.content.find(block => block.type === 'toolCall');
      const result = (toolCallId: string, text: string): Message => ({
        role: 'toolResult',
        toolCallId,
        toolName: 'bash',
        content: [{ type: 'text', text }],
        isError: false,
        timestamp: 2,
      });
      const id = call?.id ?? '';
      const failed: AssistantMessage = { ...first, stopReason: 'error' };
      const said = [result(id, 'call-is-gone'), ...messages, first, result(id, 'kept'), result(id, 'again')];
      await stream(model, { ...context, messages: [...said, failed, result(id, 'call-failed')] }).result();
      const told = JSON.stringify(llm.requests[1]?.body);
      assert.deepEqual(told.match(/kept|again|call-is-gone|call-failed/g), ['kept']);
    });

    it('settles its result though nobody iterates', async () => {
      llm.reply({ text: 'quiet' });
      assert.equal(textOf(await stream(model, prompt('hi')).result()), 'quiet');
    });

    for (const [status, says, isRetryable] of [
      [401, /Provider "scripted" refused the API key \(401\).*Hookline: Set API Key…/, false],
      [403, /Provider "scripted" does not allow this request with this key \(403\)/, false],
      [404, /knows no model "scripted-model".*\(404\)/, false],
      [429, /Provider "scripted" asks to slow down \(429\)/, true],
      [500, /Provider "scripted" failed on its own side \(500\)/, true],
      [529, /failed on its own side \(529\)/, true],
    ] as const) {
      it(`names provider and status ${status}, keeps the provider's words, and asks once`, async () => {
        llm.fail(status, { message: 'words of the provider', retryAfter: 1 });
        const message = await stream(model, prompt('hi')).result();
        assert.equal(message.stopReason, 'error');
        assert.match(message.errorMessage!, says);
        assert.match(message.errorMessage!, /words of the provider/);
        assert.equal(llm.requests.length, 1, 'the client must not retry behind our back');
        const { retryable, status: told } = failureOf(message) ?? {};
        assert.deepEqual([retryable, told], [isRetryable, status]);
      });
    }

    it('keeps an overflow recognisable', async () => {
      const { isContextOverflow } = await import('@mariozechner/pi-ai');
      llm.fail(400, { message: 'prompt is too long: 300000 tokens > 200000 maximum' });
      const message = await stream(model, prompt('hi')).result();
      assert.ok(isContextOverflow(message));
      assert.deepEqual(failureOf(message), { cause: 'overflow', status: 400, retryable: false });
      assert.match(message.errorMessage!, /Provider "scripted" did not accept the request/);
    });

    it('reports a stream cut in the middle and keeps what had come', async () => {
      llm.cut({ text: ['first ', 'second ', 'third'] }, 5);
      const message = await stream(model, prompt('hi')).result();
      assert.equal(message.stopReason, 'error');
      assert.match(message.errorMessage!, /reply of provider "scripted" was cut in the middle/);
      assert.match(message.errorMessage!, RETRYABLE);
      assert.equal(failureOf(message)?.retryable, true);
      assert.match(textOf(message), /^first /);
    });

    it('never takes cut arguments of a tool for whole ones, also when the body ends properly', async () => {
      const reply = { toolCalls: [{ name: 'bash', arguments: ['{"command":"rm -rf /', 'tmp/x"}'] }] };
      // As many events as bring the first half of the arguments and not the second.
      llm.cut(reply, 3, 'end');
      const message = await stream(model, prompt('hi')).result();
      assert.equal(message.stopReason, 'error');
      assert.match(message.errorMessage!, /was cut in the middle/);
      assert.equal(failureOf(message)?.cause, 'cut');
    });

    it('aborts while the provider is silent', async () => {
      const held = llm.hold();
      const abort = new AbortController();
      const reply = stream(model, prompt('hi'), { signal: abort.signal });
      const request = await held.reached;
      abort.abort();
      const message = await reply.result();
      assert.equal(message.stopReason, 'aborted');
      assert.equal(await request.closed, true, 'the connection is closed');
    });

    it('aborts in the middle of a text and keeps what had come', async () => {
      const held = llm.hold({ text: ['first ', 'second'] }, 5);
      const abort = new AbortController();
      const reply = stream(model, prompt('hi'), { signal: abort.signal });
      for await (const event of reply) if (event.type === 'text_delta') abort.abort();
      const message = await reply.result();
      assert.equal(message.stopReason, 'aborted');
      assert.match(textOf(message), /^first /);
      assert.equal(await (await held.reached).closed, true);
    });

    it('does not even ask when aborted before', async () => {
      const message = await stream(model, prompt('hi'), { signal: AbortSignal.abort() }).result();
      assert.equal(message.stopReason, 'aborted');
      assert.equal(llm.requests.length, 0);
    });

    it('names an address that cannot be reached', async () => {
      const unreachable = await ScriptedLlm.unreachableModel(api);
      const message = await stream(unreachable, prompt('hi')).result();
      assert.equal(message.stopReason, 'error');
      assert.ok(message.errorMessage!.includes(`provider "scripted" could not be reached at ${unreachable.baseUrl}`));
      assert.match(message.errorMessage!, RETRYABLE);
      assert.equal(failureOf(message)?.retryable, true);
    });

    it('says how to set a key when there is none', async () => {
      const keyless = createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: undefined }) });
      const message = await keyless({ ...model, provider: 'anthropic' }, prompt('hi')).result();
      assert.equal(message.stopReason, 'error');
      assert.match(
        message.errorMessage!,
        /No API key for provider "anthropic".*Hookline: Set API Key….*ANTHROPIC_API_KEY/,
      );
      assert.equal(message.diagnostics?.[0]?.type, MISSING_KEY_DIAGNOSTIC);
      assert.equal(llm.requests.length, 0);
    });
  });
}

describe('createStreamFn', () => {
  const auth = { requestAuth: () => Promise.resolve({ apiKey: 'key' }) };
  let llm: ScriptedLlm;
  beforeEach(async () => {
    llm = await ScriptedLlm.start();
  });
  afterEach(() => llm.stop());

  it('reports an API nobody registered', async () => {
    const message = await createStreamFn(auth)({ ...llm.model(), api: 'no-such-api' }, prompt('hi')).result();
    assert.equal(message.stopReason, 'error');
    assert.match(message.errorMessage!, /no-such-api/);
  });

  for (const api of ['anthropic-messages', 'openai-completions'] as const) {
    it(`does not take a refusal for a cut that can be tried again (${api})`, async () => {
      llm.reply({ text: 'I', declines: true });
      const message = await createStreamFn(auth)(llm.model(api), prompt('hi')).result();
      assert.equal(message.stopReason, 'error');
      assert.doesNotMatch(message.errorMessage!, /cut in the middle/);
      assert.equal(failureOf(message)?.retryable, false);
    });
  }

  it('reports a key that cannot be had, in the words of whoever could not get it', async () => {
    const refusing = { requestAuth: () => Promise.reject(new Error('The login of "anthropic" has expired.')) };
    const message = await createStreamFn(refusing)(llm.model(), prompt('hi')).result();
    assert.equal(message.errorMessage, 'The login of "anthropic" has expired.');
  });

  it('sends the headers of the request and lets options win', async () => {
    llm.reply({ text: 'ok' });
    const withHeaders = createStreamFn({
      requestAuth: () => Promise.resolve({ apiKey: 'key', headers: { 'x-one': 'auth', 'x-two': 'auth' } }),
    });
    await withHeaders(llm.model(), prompt('hi'), { headers: { 'x-two': 'options' } }).result();
    const headers = llm.requests.map(request => request.headers);
    assert.deepEqual(
      headers.map(sent => [sent['x-one'], sent['x-two']]),
      [['auth', 'options']],
    );
  });

  it('ends after an abort although the client ignores it', async () => {
    const { registerApiProvider, unregisterApiProviders, createAssistantMessageEventStream } =
      await import('@mariozechner/pi-ai/compat');
    const deaf = () => createAssistantMessageEventStream();
    registerApiProvider({ api: 'deaf', stream: deaf, streamSimple: deaf }, 'stream.spec');
    try {
      const abort = new AbortController();
      const reply = createStreamFn(auth)({ ...llm.model(), api: 'deaf' }, prompt('hi'), { signal: abort.signal });
      abort.abort();
      assert.equal((await reply.result()).stopReason, 'aborted');
    } finally {
      unregisterApiProviders('stream.spec');
    }
  });

  for (const port of [45003, 42900, 50300]) {
    it(`does not take a number in an address for the status: a 404 on port ${port}`, async () => {
      const { registerApiProvider, unregisterApiProviders } = await import('@mariozechner/pi-ai/compat');
      const refuse = refusing('404 no such model');
      registerApiProvider({ api: 'far', stream: refuse, streamSimple: refuse }, 'stream.spec');
      try {
        const model = { ...llm.model(), api: 'far', baseUrl: `http://127.0.0.1:${port}/v1` };
        const message = await createStreamFn(auth)(model, prompt('hi')).result();
        assert.match(message.errorMessage!, new RegExp(`knows no model .*:${port}/v1 \\(404\\)`));
        assert.deepEqual(failureOf(message), { cause: 'not-found', status: 404, retryable: false });
        const settings = {
          retry: { enabled: true, maxRetries: 3, baseDelayMs: 1, maxAgentDelayMs: 1 },
          providerRetry: { maxRetries: 0, maxRetryDelayMs: 60_000 },
        };
        assert.equal(planRetry(message, 0, settings), undefined);
        assert.equal(planRetry(structuredClone(message), 0, settings), undefined, 'nor when read from its file');
      } finally {
        unregisterApiProviders('stream.spec');
      }
    });
  }

  it('takes the status from the response where the client shows it and does not write it', async () => {
    const { registerApiProvider, unregisterApiProviders } = await import('@mariozechner/pi-ai/compat');
    const refuse = refusing('out of order', 503);
    registerApiProvider({ api: 'shown', stream: refuse, streamSimple: refuse }, 'stream.spec');
    const statuses: number[] = [];
    const onResponse = ({ status }: { status: number }): void => void statuses.push(status);
    try {
      const reply = createStreamFn(auth)({ ...llm.model(), api: 'shown' }, prompt('hi'), { onResponse });
      const message = await reply.result();
      assert.deepEqual(failureOf(message), { cause: 'server', status: 503, retryable: true });
      assert.match(message.errorMessage!, /^Provider "scripted" failed on its own side \(503\)\.\nout of order$/);
      assert.deepEqual(statuses, [503], 'whoever asked to see responses still does');
    } finally {
      unregisterApiProviders('stream.spec');
    }
  });

  it('refuses a tool call that the output limit cut', async () => {
    llm.reply({ toolCalls: [{ name: 'bash', arguments: ['{"command":"rm -rf /'] }], stopReason: 'length' });
    const message = await createStreamFn(auth)(llm.model('openai-completions'), prompt('hi')).result();
    assert.equal(message.stopReason, 'error');
    assert.match(message.errorMessage!, /output limit.*tool "bash"/);
  });

  it('sends instructions in the role that the server knows', async () => {
    const model = { ...llm.model('openai-completions'), reasoning: true };
    const roleFor = async (changes: object): Promise<unknown> => {
      llm.reply({ text: 'yes' });
      await createStreamFn(auth)({ ...model, ...changes }, { systemPrompt: 'be brief', ...prompt('hi') }).result();
      const { messages } = llm.requests.at(-1)!.body as { readonly messages: readonly { readonly role: string }[] };
      return messages[0]?.role;
    };
    assert.equal(await roleFor({}), 'system');
    assert.equal(await roleFor({ provider: 'openai' }), 'developer');
    assert.equal(await roleFor({ compat: { supportsDeveloperRole: true } }), 'developer');
    assert.equal(await roleFor({ provider: 'openai', compat: { supportsDeveloperRole: false } }), 'system');
  });

  it('lets two replies stream at once without mixing them', async () => {
    const models = [llm.model('anthropic-messages'), llm.model('openai-completions')];
    llm.otherwise(request => ({
      toolCalls: [{ name: 'bash', arguments: { command: `${request.api} `.repeat(800) } }],
    }));
    const replies = await Promise.all(models.map(model => createStreamFn(auth)(model, prompt('hi')).result()));
    replies.forEach((message, index) => {
      const [call] = message.content;
      assert.deepEqual(call?.type === 'toolCall' && call.arguments, { command: `${models[index]!.api} `.repeat(800) });
    });
  });
});
