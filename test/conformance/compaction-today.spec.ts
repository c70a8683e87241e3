import assert from 'node:assert/strict';
import type { SessionEvent } from '../../src/session/ports/session-events';
import type { RigOptions } from '../support/conversation-rig';
import type { Script } from '../support/scripted-stream';
import { COMPACT_SOON, Stage } from './support';

const LONG = 'x'.repeat(400);
const TOO_LONG: Script = { stopReason: 'error', errorMessage: 'prompt is too long: 213462 tokens > 200000 maximum' };
const LISTENER = `// @pi-dialect pi
export default pi => { for (const name of ['session_before_compact', 'session_compact']) pi.on(name, () => {}); };\n`;

describe('compaction as of today', () => {
  let stage: Stage | undefined;
  let told: SessionEvent[] = [];

  async function open(script: readonly Script[], options: RigOptions = {}): Promise<Stage> {
    stage = await Stage.open(script, { extensions: { 'listener.ts': LISTENER }, ...options });
    told = [];
    stage.chat.conversation.onDidHappen(event => void told.push(event));
    return stage;
  }

  afterEach(async () => {
    await stage?.end();
    stage = undefined;
  });

  const causes = (on: Stage): readonly unknown[] =>
    on.seen
      .filter(({ name }) => name.includes('compact'))
      .map(({ name, payload }) => [name, payload['reason'], payload['willRetry']]);

  it('asks no hook when there is nothing to summarize', async () => {
    const on = await open([{ text: 'hi' }]);
    await on.chat.submit('hello');
    await assert.rejects(on.chat.conversation.run.compact(), { message: 'Nothing to compact (session too small)' });
    assert.deepEqual(causes(on), []);
    const end = told.find(event => event.type === 'compaction_end');
    assert.equal(end?.errorMessage, 'Compaction failed: Nothing to compact (session too small)');
  });

  it('tells hooks why: the person asked', async () => {
    const on = await open([{ text: LONG }, { text: LONG }, { text: 'summary' }, { text: 'prefix' }], {
      settings: COMPACT_SOON,
    });
    await on.chat.submit('one');
    await on.chat.submit('two');
    await on.chat.conversation.run.compact();
    assert.deepEqual(causes(on), [
      ['session_before_compact', 'manual', false],
      ['session_compact', 'manual', false],
    ]);
  });

  it('tells hooks why: a request did not fit, and is sent again', async () => {
    const on = await open([{ text: LONG }, TOO_LONG, { text: 'summary' }, { text: 'prefix' }, { text: 'fits' }], {
      settings: COMPACT_SOON,
    });
    await on.chat.submit('one');
    await on.chat.submit('two');
    assert.deepEqual(causes(on), [
      ['session_before_compact', 'overflow', true],
      ['session_compact', 'overflow', true],
    ]);
    assert.equal(on.chat.conversation.run.agent.messages.at(-1)?.role, 'assistant');
  });

  it('that cannot help after an overflow begins none, and says so', async () => {
    const on = await open([TOO_LONG]);
    await on.chat.submit('one');
    assert.deepEqual(causes(on), []);
    assert.ok(!told.some(({ type }) => type.startsWith('compaction')));
    const notice = on.rig.items('notice').at(-1);
    assert.match(notice?.text ?? '', /could not be summarized: Nothing to compact/);
    assert.deepEqual(
      notice?.actions?.map(({ command }) => command),
      ['pickModel'],
      'another summary would not help',
    );
  });
});
