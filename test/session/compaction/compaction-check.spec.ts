import assert from 'node:assert/strict';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';

const SHRINK = `export default pi => { pi.on("session_before_compact", event => ({
  compaction: { summary: "in short", firstKeptEntryId: event.preparation.firstKeptEntryId, tokensBefore: 1 } })); };`;
/** The scripted model has room for 1,000 tokens: from 900 on a context is full. */
const SETTINGS: NonNullable<RigOptions['settings']> = {
  compaction: { enabled: true, reserveTokens: 100, keepRecentTokens: 5 },
  retry: { enabled: false, maxRetries: 0, baseDelayMs: 1, maxAgentDelayMs: 1 },
};
const OVERFLOW: Script = { stopReason: 'error', errorMessage: 'prompt is too long: 2000 tokens > 1000 maximum' };
const LONG = 'word '.repeat(500);

describe('whether a context must shrink', () => {
  const rigs: Rig[] = [];

  afterEach(async () => {
    for (const rig of rigs.splice(0)) await rig.close();
  });

  async function open(script: readonly Script[], options: RigOptions = {}): Promise<Rig> {
    const rig = await Rig.open(script, { hooks: { 'shrink.ts': SHRINK }, settings: SETTINGS, ...options });
    rigs.push(rig);
    return rig;
  }

  /** Steps of compactions and what was said, in order. */
  function watch({ chat }: Rig): string[] {
    const seen: string[] = [];
    chat.conversation.onDidHappen(event => {
      if (event.type === 'compaction_start') seen.push(`compaction: ${event.reason}`);
      if (event.type === 'message_end' && event.message.role === 'assistant') seen.push(event.message.stopReason);
    });
    return seen;
  }

  it('is asked of the first answer after a compaction, when that does not fit', async () => {
    const rig = await open([{ text: 'one' }, OVERFLOW, { text: 'it fits', totalTokens: 300 }]);
    await rig.chat.submit('first');
    await rig.conversation.run.compact();
    const seen = watch(rig);
    await rig.chat.submit(`second ${LONG}`);
    assert.deepEqual(seen, ['error', 'compaction: overflow', 'stop']);
  });

  it('is asked once for an answer that does not fit; that it did not help is told', async () => {
    const rig = await open([{ text: 'one' }, OVERFLOW, OVERFLOW]);
    await rig.chat.submit('first');
    const seen = watch(rig);
    const ends: unknown[] = [];
    rig.conversation.onDidHappen(event => {
      if (event.type === 'compaction_end') ends.push([event.willRetry, event.errorMessage]);
    });
    await rig.chat.submit(`second ${LONG}`);
    assert.deepEqual(seen, ['error', 'compaction: overflow', 'error']);
    assert.equal(ends.length, 2);
    assert.match(JSON.stringify(ends[1]), /^\[false,"Context overflow recovery failed after one/);
    const notice = rig.items('notice').at(-1);
    assert.equal(notice?.level, 'error');
    assert.match(notice.text, /still does not fit/);
  });

  it('is asked between two turns of one run, whose next request is then short', async () => {
    const calls = [{ id: 'c', name: 'bash', args: { command: 'echo found' } }];
    const rig = await open([{ text: LONG }, { text: 'calls', calls, totalTokens: 950 }, { text: 'done' }]);
    await rig.chat.submit('first');
    const seen = watch(rig);
    await rig.chat.submit('second');
    assert.deepEqual(seen, ['toolUse', 'compaction: threshold', 'stop']);
    const sent = JSON.stringify(rig.model.requests.at(-1)?.messages);
    assert.ok(sent.includes('in short') && sent.includes('found') && !sent.includes(LONG), sent);
    assert.equal(rig.items('tool').at(-1)?.state.type, 'done');
    await rig.chat.submit('third');
    assert.ok(!JSON.stringify(rig.model.requests.at(-1)?.messages).includes(LONG));
  });

  it('between two turns can be stopped, and the run with it', async () => {
    const calls = [{ id: 'c', name: 'bash', args: { command: 'echo found' } }];
    const rig = await open([{ text: LONG }, { text: 'calls', calls, totalTokens: 950 }, 'hang'], { hooks: {} });
    await rig.chat.submit('first');
    const running = rig.chat.submit('second');
    await until(() => (rig.model.requests.length === 3 ? true : undefined), 'the summary');
    assert.equal(rig.conversation.run.phase.type, 'compacting');
    await rig.conversation.run.stop();
    await running;
    assert.equal(rig.model.requests.length, 3);
    assert.equal(rig.conversation.run.agent.messages.at(-1)?.role, 'assistant');
    assert.ok(!rig.conversation.store.getBranch().some(({ type }) => type === 'compaction'));
  });

  it('is asked before a prompt although the run before it was stopped, and not after that run', async () => {
    const rig = await open([{ text: 'one', totalTokens: 300 }, 'hang', { text: 'three', totalTokens: 300 }]);
    await rig.chat.submit('first');
    const seen = watch(rig);
    const stopped = rig.chat.submit(`second ${LONG}`);
    await until(() => (rig.model.requests.length === 2 ? true : undefined), 'the second request');
    await rig.conversation.run.stop();
    await stopped;
    await rig.chat.submit('third');
    assert.deepEqual(seen, ['aborted', 'compaction: threshold', 'stop']);
  });

  it('is asked of an answer that failed for another reason', async () => {
    const rig = await open([
      { text: 'one', totalTokens: 300 },
      { stopReason: 'error', errorMessage: 'no such thing' },
    ]);
    await rig.chat.submit('first');
    const seen = watch(rig);
    await rig.chat.submit(`second ${LONG}`);
    assert.deepEqual(seen, ['error', 'compaction: threshold']);
  });

  it('is told of each session for itself', async () => {
    const rig = await open([
      { text: 'one', totalTokens: 300 },
      { text: 'two', totalTokens: 400 },
    ]);
    await rig.chat.submit('first');
    await rig.conversation.run.compact();
    assert.equal(rig.conversation.status.contextUsage?.tokens, null);
    const file = rig.conversation.store.getSessionFile() ?? '';
    await rig.conversation.sessions.newSession();
    assert.equal(rig.conversation.status.contextUsage.tokens, 0);
    await rig.chat.submit('second');
    assert.equal(rig.conversation.status.contextUsage.tokens, 400);
    await rig.conversation.sessions.switchTo(file);
    assert.equal(
      rig.conversation.status.contextUsage.tokens,
      null,
      'the last count speaks of the time before the compaction',
    );
  });

  for (const deliverAs of ['steer', 'followUp']) {
    it(`lets what was queued meanwhile (${deliverAs}) open the run that goes on`, async () => {
      const hook = `export default pi => { pi.on("session_before_compact", async (event, ctx) => {
        pi.sendUserMessage("meanwhile", { deliverAs: "${deliverAs}" });
        while (!ctx.hasPendingMessages()) await new Promise(resolve => setImmediate(resolve));
        return { compaction: { summary: "in short", firstKeptEntryId: event.preparation.firstKeptEntryId, tokensBefore: 1 } };
      }); };`;
      const rig = await open(
        [
          { text: 'one', totalTokens: 950 },
          { text: 'two', totalTokens: 300 },
        ],
        { hooks: { 'shrink.ts': hook } },
      );
      await rig.chat.submit('first');
      const [, request] = rig.model.requests;
      assert.deepEqual(request?.messages.at(-1)?.content, [{ type: 'text', text: 'meanwhile' }]);
      assert.equal(rig.model.requests.length, 2);
    });
  }
});
