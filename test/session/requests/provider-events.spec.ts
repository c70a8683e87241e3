import assert from 'node:assert/strict';
import { createStreamFn } from '../../../src/agent/models/requests/stream';
import { Rig } from '../../support/conversation-rig';
import { ScriptedLlm, type ScriptedApi } from '../../support/scripted-llm';

const PI = "import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';\n";

/** Notes what happens with a request, in order; a reply's pieces by how many there were in a row. */
const RECORDER = `${PI}export default (pi: ExtensionAPI) => {
  const seen: string[] = (globalThis as any).providerEventsSeen ??= [];
  const note = (text: string) => { if (seen.at(-1) !== text) seen.push(text); };
  pi.on('context', () => note('context'));
  pi.on('before_provider_headers', event => { note('headers'); event.headers['x-trace'] = 'mine'; event.headers['x-known'] = null; });
  pi.on('before_provider_request', () => { note('request'); });
  pi.on('after_provider_response', event => note('response ' + event.status + ' ' + event.headers['content-type']));
  pi.on('provider_stream_event', async event => {
    await new Promise(resolve => setTimeout(resolve, 1));
    note('stream ' + [event.provider, event.api, event.model, typeof event.data].join(' '));
    (globalThis as any).providerData.push(event.data);
  });
  pi.on('message_end', event => note('message ' + event.message.role));
};`;

interface Global {
  providerEventsSeen?: string[];
  providerData?: unknown[];
}

describe('what hooks hear of a request and its reply', () => {
  let llm: ScriptedLlm;
  const told = globalThis as Global;

  beforeEach(async () => {
    llm = await ScriptedLlm.start();
    told.providerEventsSeen = [];
    told.providerData = [];
  });
  afterEach(async () => {
    delete told.providerEventsSeen;
    delete told.providerData;
    await llm.stop();
  });

  async function ask(api: ScriptedApi, extensions: Readonly<Record<string, string>>) {
    const auth = { apiKey: llm.apiKey, headers: { 'x-known': 'of the settings', 'x-other': 'stays' } };
    const rig = await Rig.open([], {
      extensions,
      models: [llm.model(api, { headers: { 'x-known': 'of the settings' } })],
      stream: createStreamFn({ requestAuth: () => Promise.resolve(auth) }),
    });
    const errors: string[] = [];
    rig.host.onError(({ event, message, line }) => errors.push(`${event}:${line}: ${message}`));
    llm.reply({ text: ['Hel', 'lo'] });
    await rig.chat.submit('go');
    const answer = rig.conversation.run.agent.messages.at(-1);
    await rig.close();
    return { headers: llm.requests.at(-1)?.headers ?? {}, answer, errors };
  }

  for (const api of [
    'anthropic-messages',
    'openai-completions',
    'openai-responses',
    'mistral-conversations',
  ] as const) {
    it(`comes in pi's order, and the reply waits for it, from ${api}`, async () => {
      const { headers, answer } = await ask(api, { 'recorder.ts': RECORDER });
      assert.deepEqual(told.providerEventsSeen, [
        'message system',
        'message user',
        'context',
        'headers',
        'request',
        'response 200 text/event-stream',
        `stream scripted ${api} ${llm.model(api).id} object`,
        'message assistant',
      ]);
      assert.ok(told.providerData!.length >= 2, JSON.stringify(told.providerData));
      assert.match(JSON.stringify(told.providerData), /Hel/);
      assert.deepEqual([headers['x-trace'], headers['x-known'], headers['x-other']], ['mine', undefined, 'stays']);
      assert.match(JSON.stringify(answer), /Hello/);
    });
  }

  it('tells the status and headers to a file of ext, too', async () => {
    const hook = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
      export default (pi: ExtensionAPI) => pi.on('after_provider_response', event => { (globalThis as any).providerEventsSeen.push(event.status); });`;
    await ask('openai-completions', { 'older.ts': hook });
    assert.deepEqual(told.providerEventsSeen, [200]);
  });

  it('lets the other handlers see changed headers, and takes back what no header can be, naming it', async () => {
    const bad = `${PI}export default (pi: ExtensionAPI) => {
      pi.on('before_provider_headers', event => { (event.headers as any)['x-other'] = 5; (event.headers as any)['x-new'] = {}; event.headers['x-good'] = 'yes'; });
      pi.on('before_provider_headers', event => { event.headers['x-seen'] = JSON.stringify(event.headers); throw new Error('no'); });
      pi.on('provider_stream_event', () => { throw new Error('broken'); });
    };`;
    const { headers, answer, errors } = await ask('openai-completions', { 'bad.ts': bad });
    assert.deepEqual(JSON.parse(String(headers['x-seen'])), {
      'x-known': 'of the settings',
      'x-other': 'stays',
      'x-good': 'yes',
    });
    assert.deepEqual([headers['x-other'], headers['x-good'], headers['x-new']], ['stays', 'yes', undefined]);
    assert.deepEqual(errors.slice(0, 3), [
      'before_provider_headers:3: returned a wrong shape: "headers.x-other" must be a text, or null to remove it',
      'before_provider_headers:3: returned a wrong shape: "headers.x-new" must be a text, or null to remove it',
      'before_provider_headers:4: no',
    ]);
    assert.equal(errors[3], 'provider_stream_event:5: broken');
    assert.match(JSON.stringify(answer), /Hello/);
  });

  it('does not hold up a stop when a handler hangs in the middle of the reply', async () => {
    const hangs = `${PI}export default (pi: ExtensionAPI) => {
      pi.on('provider_stream_event', () => { (globalThis as any).providerEventsSeen.push('hangs'); return new Promise<void>(() => {}); });
    };`;
    const rig = await Rig.open([], {
      extensions: { 'hangs.ts': hangs },
      models: [llm.model('openai-completions')],
      stream: createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: llm.apiKey }) }),
    });
    llm.reply({ text: ['Hel', 'lo'] });
    const running = rig.chat.submit('go');
    while (told.providerEventsSeen!.length === 0) await new Promise(resolve => setTimeout(resolve, 2));
    await rig.conversation.run.stop();
    await running;
    const answer = rig.conversation.run.agent.messages.at(-1);
    assert.equal(answer?.role === 'assistant' && answer.stopReason, 'aborted');
    await rig.close();
  });

  it('is asked for the headers of a summary as well', async () => {
    const rig = await Rig.open([], {
      extensions: {
        'trace.ts': `${PI}export default (pi: ExtensionAPI) => pi.on('before_provider_headers', event => { event.headers['x-trace'] = 'all'; });`,
      },
      models: [llm.model('openai-completions', { contextWindow: 100_000 })],
      settings: { compaction: { enabled: true, reserveTokens: 100, keepRecentTokens: 5 } },
      stream: createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: llm.apiKey }) }),
    });
    llm.otherwise(() => ({ text: 'x'.repeat(400) }));
    await rig.chat.submit('one');
    await rig.chat.submit('two');
    await rig.chat.submit('/compact');
    assert.deepEqual([...new Set(llm.requests.map(({ headers }) => headers['x-trace']))], ['all']);
    assert.ok(llm.requests.length > 2);
    await rig.close();
  });
});
