import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Api, Model } from '@mariozechner/pi-ai';
import { createStreamFn, type RequestOptions } from '../../../../src/agent/models/requests/stream';
import { Rig, type RigOptions } from '../../../support/conversation-rig';
import { ScriptedLlm } from '../../../support/scripted-llm';

const PI = "import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';\n";
/** A cache of five minutes is refreshed after 270 s. */
const DELAY_MS = 270_000;
/** Dear enough that a refresh pays also while nobody works. */
const MODEL: Partial<Model<Api>> = {
  promptCache: { short: 300 },
  cost: { input: 100, output: 100, cacheRead: 1, cacheWrite: 125 },
};
const LARGE = { text: 'one', usage: { input: 100, output: 7, cacheRead: 100_000 } };

describe('a prompt cache that is kept warm', () => {
  let llm: ScriptedLlm;
  let rig: Rig;
  const asked: RequestOptions[] = [];

  beforeEach(async () => {
    llm = await ScriptedLlm.start();
    asked.length = 0;
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.now() });
  });
  afterEach(async () => {
    mock.timers.reset();
    await rig.close();
    await llm.stop();
  });

  /** Lets what is ready happen. */
  async function breath(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve));
  }

  async function open(settings: RigOptions['settings'], more: RigOptions = {}, model = MODEL): Promise<void> {
    const stream = createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: llm.apiKey }) });
    rig = await Rig.open([], {
      models: [llm.model('openai-completions', model)],
      stream: (given, context, options) => {
        asked.push(options);
        return stream(given, context, options);
      },
      ...more,
      settings: { ...settings },
    });
    llm.reply(LARGE);
    await rig.chat.submit('first');
    llm.otherwise(() => ({ text: 'w', usage: { input: 10, output: 1, cacheRead: 100_000 } }));
  }

  /** Lets time pass; how many requests there were since. `expected`: so many are waited for. */
  async function pass(expected: number, ms = DELAY_MS): Promise<number> {
    const before = llm.requests.length;
    const recorded = warms().length;
    mock.timers.tick(ms);
    const guard = performance.now() + 30_000;
    while (warms().length < recorded + expected && performance.now() < guard) await breath();
    for (let turn = 0; turn < 10; turn++) await breath();
    return llm.requests.length - before;
  }
  const warms = () => rig.conversation.store.getEntries().filter(({ type }) => type === 'usage');

  it('has its request repeated with one token of output, which counts for the session', async () => {
    await open({});
    const cost = rig.conversation.state.spending.current?.cost.total ?? 0;
    assert.equal(await pass(0, DELAY_MS - 1), 0);
    assert.equal(await pass(1, 1), 1);
    const [first, again] = llm.requests.map(({ body }) => body);
    assert.deepEqual(again?.['messages'], first?.['messages']);
    assert.deepEqual(again?.['tools'], first?.['tools']);
    assert.deepEqual([asked[1]?.maxTokens, asked[1]?.disableContinuation, asked[1]?.maxRetries], [1, true, 0]);
    const [entry] = warms();
    assert.ok(entry !== undefined && 'kind' in entry);
    assert.equal(entry.kind, 'cache_warm');
    assert.ok((rig.conversation.state.spending.current?.cost.total ?? 0) > cost);
    assert.equal(rig.conversation.run.agent.messages.at(-1)?.role, 'assistant', 'the conversation did not change');
    assert.equal(await pass(1), 1, 'and again');
  });

  it('is kept for half an hour after a run', async () => {
    await open({});
    for (let minutes = 4.5; minutes < 30; minutes += 4.5) assert.equal(await pass(1), 1, `${minutes} minutes later`);
    assert.equal(await pass(0), 0);
  });

  for (const [name, settings, model] of [
    ['with the setting off', { cacheWarming: 'off' }, MODEL],
    ['after a run with "streaming"', { cacheWarming: 'streaming' }, MODEL],
    ['where nothing is known about its lifetime', {}, { cost: MODEL.cost! }],
    ['where that saves nothing', {}, { promptCache: MODEL.promptCache! }],
  ] as const) {
    it(`is left alone ${name}`, async () => {
      await open(settings, {}, model);
      assert.equal(await pass(0), 0);
      assert.deepEqual(warms(), []);
    });
  }

  it('is left alone when the conversation is another one, and when it is closed', async () => {
    await open({});
    await rig.conversation.sessions.newSession();
    assert.equal(await pass(0), 0);
  });

  for (const [action, model, count] of [
    ['stop', MODEL, 0],
    ['warm', { promptCache: { short: 300 } }, 1],
    ['magic', MODEL, 1],
  ] as const) {
    it(`follows a hook that says "${action}"`, async () => {
      const hook = `${PI}export default (pi: ExtensionAPI) => { pi.on('cache_warming_decision', () => ({ action: '${action}' as any })); };`;
      await open({}, { extensions: { 'warm.ts': hook } }, model);
      assert.equal(await pass(count), count);
    });
  }

  it('is mentioned in the chat on request, in one line', async () => {
    await open({ showCacheMissNotices: true });
    await pass(1);
    await pass(1);
    assert.deepEqual(
      rig.items('notice').map(({ text }) => text),
      ['The prompt cache was kept warm: $0.2022'],
    );
  });
});
