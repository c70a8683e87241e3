import assert from 'node:assert/strict';
import type { ScriptedApi } from '../support/scripted-llm';
import { eachWithUnknownModel } from './support/each-with-model';

const APIS: readonly ScriptedApi[] = [
  'anthropic-messages',
  'openai-completions',
  'openai-responses',
  'google-generative-ai',
  'mistral-conversations',
  'bedrock-converse-stream',
  'azure-openai-responses',
];

describe('the bundle that ships', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithUnknownModel();

  for (const api of APIS) {
    it(`holds a whole client for ${api}: a tool call of the model runs, and its result comes back`, async () => {
      const { baseUrl } = llm.model(api);
      const provider = { baseUrl, api, apiKey: llm.apiKey, models: [{ id: 'one' }] };
      place.file('agent/models.json', JSON.stringify({ providers: { family: provider } }));
      place.file('work/notes.txt', 'three little words\n');
      llm.reply(
        { text: 'I read it.', toolCalls: [{ name: 'read', arguments: { path: 'notes.txt' } }] },
        { text: `read with ${api}` },
      );
      // Bedrock's client takes its credentials from here alone, and speaks HTTP/2 unless it is told otherwise.
      const env = { AWS_BEARER_TOKEN_BEDROCK: llm.apiKey, AWS_BEDROCK_FORCE_HTTP1: '1' };
      const args = ['-p', 'read the notes', '--model', 'family/one', '--no-session'];
      const { stdout, stderr } = await place.run(args, { env });
      assert.equal(stdout, `read with ${api}\n`, stderr);
      assert.match(JSON.stringify(llm.requests[1]?.body), /three little words/);
    });
  }
});
