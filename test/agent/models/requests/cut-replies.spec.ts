import assert from 'node:assert/strict';
import type { Api, AssistantMessage, Model } from '@mariozechner/pi-ai';
import { Type } from 'typebox';
import { failureOf } from '../../../../src/agent/models/requests/request-failure';
import { createStreamFn } from '../../../../src/agent/models/requests/stream';
import { ScriptedLlm, type ScriptedApi, type ScriptedReply } from '../../../support/scripted-llm';

/** What says in each API that the reply is over; up to there a cut is an error. */
const MARKS: Readonly<Partial<Record<ScriptedApi, RegExp>>> = {
  'anthropic-messages': /"type":"message_stop"/,
  'openai-completions': /"finish_reason":"[a-z_]+"/,
  'openai-responses': /"type":"response.completed"/,
  'azure-openai-responses': /"type":"response.completed"/,
  'google-generative-ai': /"finishReason":"[A-Z_]+"/,
  'mistral-conversations': /"finish_reason":"[a-z_]+"/,
};
const REPLIES: Readonly<Record<string, ScriptedReply>> = {
  'of text': { text: ['Hello ', 'world'] },
  'with a tool call': { text: ['Go.'], toolCalls: [{ name: 'bash', arguments: { command: 'rm -r x' } }] },
};
const context = {
  systemPrompt: 'You are a test.',
  messages: [{ role: 'user' as const, content: 'hi', timestamp: 1 }],
  tools: [{ name: 'bash', description: 'Run a command', parameters: Type.Object({ command: Type.String() }) }],
};

describe('a reply that is cut before its end', function () {
  this.timeout(120_000);
  let llm: ScriptedLlm;

  before(async () => (llm = await ScriptedLlm.start()));
  after(() => llm.stop());

  const ask = (model: Model<Api>): Promise<AssistantMessage> => {
    const stream = createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: llm.apiKey }) });
    return stream(model, context).result();
  };

  for (const [api, mark] of Object.entries(MARKS)) {
    for (const compat of api === 'openai-completions' ? [undefined, { supportsFinishReason: false }] : [undefined]) {
      const note = compat === undefined ? '' : ' whose server gives no finish reason';
      for (const [kind, reply] of Object.entries(REPLIES)) {
        it(`${api}${note}: a reply ${kind} is an error that is tried again at each of its bytes`, async () => {
          const model = { ...llm.model(api as ScriptedApi), ...(compat === undefined ? {} : { compat }) };
          let total = Number.POSITIVE_INFINITY;
          const wrong: string[] = [];
          for (let bytes = 0; bytes < total; bytes += step(total)) {
            const sent = llm.cutBytes(reply, bytes);
            const message = await ask(model);
            const whole = await sent;
            total = whole.length;
            const got = whole.toString('utf8', 0, bytes);
            const isOver = mark.test(got) || (compat !== undefined && got.includes('[DONE]'));
            const isRetried = message.stopReason === 'error' && failureOf(message)?.retryable === true;
            if (!isOver && !isRetried) wrong.push(`${bytes}: ${message.stopReason} after ${got.slice(-60)}`);
          }
          assert.deepEqual(wrong, []);
          assert.ok(total > 200, 'there is something to be cut');
          llm.reply(reply);
          assert.match((await ask(model)).stopReason, /^(?:stop|toolUse)$/, 'whole, it is no error');
        });
      }
    }
  }
});

/** Each 7th byte falls into every part of every event. */
function step(total: number): number {
  return Number.isFinite(total) ? 7 : 1;
}
