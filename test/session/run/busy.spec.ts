import assert from 'node:assert/strict';
import { COMPACT_SOON, Stage } from '../../conformance/support';
import { until, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';

const LONG = 'x'.repeat(400);

/** Says at each of these events whether the agent is idle. */
const telling = (dialect: string, events: readonly string[]): string => `// @pi-dialect ${dialect}
export default pi => {
  for (const name of ${JSON.stringify(events)}) pi.on(name, (event, ctx) => { ctx.ui.notify(name + ' ' + ctx.isIdle()); });
};\n`;

const hook = (body: string): string => `// @pi-dialect pi\nexport default pi => { ${body} };\n`;

describe('when the agent is busy', () => {
  let stage: Stage | undefined;

  async function open(script: readonly Script[], text: string, options: RigOptions = {}): Promise<Stage> {
    stage = await Stage.open(script, { extensions: { 'busy.ts': text }, ...options });
    return stage;
  }

  afterEach(async () => {
    await stage?.end();
    stage = undefined;
  });

  const said = (on: Stage): readonly string[] => on.notices.map(text => text.replace(/ info$/, ''));
  const settled = (on: Stage): readonly unknown[] =>
    on.seen.filter(({ name }) => name === 'agent_settled').map(({ payload }) => payload['aborted']);

  it("for today's files: from before_agent_start until all that followed is over", async () => {
    const events = ['input', 'before_agent_start', 'agent_start', 'turn_end', 'agent_end', 'agent_settled'];
    const on = await open([{ text: 'hi' }], telling('pi', events));
    await on.chat.submit('hello');
    assert.deepEqual(said(on), [
      'input true',
      ...['before_agent_start false', 'agent_start false', 'turn_end false', 'agent_end false'],
      'agent_settled true',
    ]);
  });

  it('for older files: no more in agent_end', async () => {
    const on = await open([{ text: 'hi' }], telling('ext', ['before_agent_start', 'turn_end', 'agent_end']));
    await on.chat.submit('hello');
    assert.deepEqual(said(on), ['before_agent_start false', 'turn_end false', 'agent_end true']);
  });

  it('while the context is checked and shrunk before a prompt, and while another try is waited for', async () => {
    const retry = { enabled: true, maxRetries: 1, baseDelayMs: 0, maxAgentDelayMs: 0 };
    const full: Script = { text: LONG, totalTokens: 950 };
    const busy: Script = { stopReason: 'error', errorMessage: '503 overloaded' };
    const on = await open(
      [{ text: LONG }, full, { text: 'so far' }, { text: 'prefix' }, busy, { text: 'hi', totalTokens: 20 }],
      telling('pi', ['session_before_compact', 'session_compact', 'auto_retry_start', 'agent_settled']),
      { settings: { ...COMPACT_SOON, retry } },
    );
    await on.chat.submit('one');
    await on.chat.submit('two');
    await on.chat.submit('three');
    const busyAt = said(on).filter(text => text.endsWith('false'));
    assert.deepEqual(busyAt, ['session_before_compact false', 'session_compact false', 'auto_retry_start false']);
  });

  it('a message that is sent while a run begins joins it', async () => {
    const on = await open(
      [{ text: 'hi' }],
      hook(`pi.on('before_agent_start', () => {
        pi.sendMessage({ customType: 'n', content: 'meanwhile', display: true }, { triggerTurn: true });
      });`),
    );
    await on.chat.submit('hello');
    assert.deepEqual(on.request(0).slice(-2), ['user: hello', 'user: meanwhile']);
    assert.equal(on.rig.model.requests.length, 1);
  });

  it('a message that is sent at the end of a run goes on with it', async () => {
    const on = await open(
      [{ text: 'one' }, { text: 'two' }],
      hook(`let sent = false;
        pi.on('agent_end', () => {
          if (sent) return;
          sent = true;
          pi.sendMessage({ customType: 'n', content: 'and on', display: true }, { triggerTurn: true });
        });
        pi.on('agent_settled', () => {});`),
    );
    await on.chat.submit('hello');
    assert.deepEqual(on.request(1).slice(-1), ['user: and on']);
    assert.deepEqual(settled(on), [false]);
  });

  it('a text that is sent there needs a way to join', async () => {
    const on = await open(
      [{ text: 'one' }, { text: 'two' }],
      hook(`let sent = false;
        pi.on('agent_end', () => {
          if (sent) return;
          sent = true;
          pi.sendUserMessage('refused');
          pi.sendUserMessage('taken', { deliverAs: 'followUp' });
        });`),
    );
    await on.chat.submit('hello');
    assert.deepEqual(on.request(1).slice(-1), ['user: taken']);
    assert.match(on.errors.splice(0)[0]?.message ?? '', /Agent is already processing/);
  });

  it('what is sent when all is settled begins a run of its own', async () => {
    const on = await open(
      [{ text: 'one' }, { text: 'two' }],
      hook(`let sent = false;
        pi.on('agent_settled', () => { if (!sent) pi.sendUserMessage('again'); sent = true; });`),
    );
    await on.chat.submit('hello');
    await until(() => (settled(on).length === 2 ? true : undefined), 'the second run');
    assert.deepEqual(on.request(1).slice(-1), ['user: again']);
  });

  it('an abort by a hook while a run begins ends it as soon as it exists', async () => {
    const on = await open(
      [],
      hook(`pi.on('before_agent_start', (event, ctx) => { ctx.abort(); });
        pi.on('agent_settled', () => {});`),
    );
    await on.chat.submit('hello');
    assert.equal(on.rig.model.requests.length, 0);
    const told = on.chat.conversation.run.agent.messages.filter(({ role }) => role !== 'system');
    assert.deepEqual(
      told.map(message => (message.role === 'assistant' ? message.stopReason : message.role)),
      ['user', 'aborted'],
    );
    assert.deepEqual(settled(on), [true]);
    assert.equal(on.chat.conversation.run.isSettled, true);
  });
});
