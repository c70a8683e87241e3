import assert from 'node:assert/strict';
import type { SessionEvent } from '../../../src/session/ports/session-events';
import { COMPACT_SOON, Stage } from '../../conformance/support';
import { until, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';

const LONG = 'x'.repeat(400);
const BROKEN: Script = { stopReason: 'error', errorMessage: 'no such thing' };
const BUSY: Script = { stopReason: 'error', errorMessage: '503 overloaded' };
const TOO_LONG: Script = { stopReason: 'error', errorMessage: 'prompt is too long: 213462 tokens > 200000 maximum' };
const LISTENER = `// @pi-dialect pi
export default pi => { for (const name of ['session_compact', 'session_compact_failed']) pi.on(name, () => {}); };\n`;
const RETRY = { enabled: true, maxRetries: 2, baseDelayMs: 0, maxAgentDelayMs: 0 };
const SLOW_RETRY = { ...RETRY, baseDelayMs: 1_000_000, maxAgentDelayMs: 1_000_000 };

/** A hook that answers before a compaction. */
const answering = (answer: string): string => `// @pi-dialect pi
export default pi => { pi.on('session_before_compact', async (event, ctx) => { ${answer} }); };\n`;

describe('how a compaction ends', () => {
  let stage: Stage | undefined;
  let told: SessionEvent[] = [];

  async function open(script: readonly Script[], options: RigOptions & { hook?: string } = {}): Promise<Stage> {
    const { hook, ...rest } = options;
    const extensions = { 'listener.ts': LISTENER, ...(hook === undefined ? {} : { 'answer.ts': hook }) };
    stage = await Stage.open(script, { extensions, settings: COMPACT_SOON, ...rest });
    told = [];
    stage.chat.conversation.onDidHappen(event => void told.push(event));
    return stage;
  }

  /** Two turns, enough to be summarized. */
  async function filled(script: readonly Script[], options: Parameters<typeof open>[1] = {}): Promise<Stage> {
    const on = await open([{ text: LONG }, { text: LONG }, ...script], options);
    await on.chat.submit('one');
    await on.chat.submit('two');
    return on;
  }

  afterEach(async () => {
    await stage?.end();
    stage = undefined;
  });

  const failures = (on: Stage): readonly unknown[] =>
    on.seen.filter(({ name }) => name === 'session_compact_failed').map(({ payload }) => ({ ...payload }));
  const retries = (): readonly SessionEvent[] => told.filter(({ type }) => type.startsWith('summarization_'));
  const summaryEntry = (on: Stage): Readonly<Record<string, unknown>> => {
    const found = on.chat.conversation.store.getEntries().find(({ type }) => type === 'compaction');
    assert.ok(found);
    return { ...found };
  };

  const FAILED = { type: 'session_compact_failed', reason: 'manual', aborted: false, willRetry: false };

  it('hooks hear that the model made no summary', async () => {
    const on = await filled([BROKEN]);
    await assert.rejects(on.chat.conversation.run.compact(), { message: 'Summarization failed: no such thing' });
    const errorMessage = 'Compaction failed: Summarization failed: no such thing';
    assert.deepEqual(failures(on), [{ ...FAILED, errorMessage, fromExtension: false }]);
    assert.equal(told.find(event => event.type === 'compaction_end')?.errorMessage, errorMessage);
  });

  it('hooks hear that there was nothing to summarize, although none was asked', async () => {
    const on = await open([{ text: 'hi' }], { settings: {} });
    await on.chat.submit('hello');
    await assert.rejects(on.chat.conversation.run.compact());
    const errorMessage = 'Compaction failed: Nothing to compact (session too small)';
    assert.deepEqual(failures(on), [{ ...FAILED, errorMessage, fromExtension: false }]);
  });

  it('hooks hear that one of them cancelled it', async () => {
    const on = await filled([], { hook: answering('return { cancel: true };') });
    await assert.rejects(on.chat.conversation.run.compact(), { message: 'Compaction cancelled' });
    assert.deepEqual(failures(on), [{ ...FAILED, aborted: true, fromExtension: false }]);
  });

  it('hooks hear that the person stopped the request for a summary', async () => {
    const on = await filled(['hang']);
    const compacted = on.chat.conversation.run.compact();
    await until(() => (on.rig.model.requests.length === 3 ? true : undefined), 'the request for a summary');
    await Promise.all([
      assert.rejects(compacted, { message: 'Compaction cancelled' }),
      on.chat.conversation.run.stop(),
    ]);
    assert.deepEqual(failures(on), [{ ...FAILED, aborted: true, fromExtension: false }]);
  });

  it('hooks hear that it was stopped when one of them had made the summary', async () => {
    const own = "return { compaction: { summary: 'mine', firstKeptEntryId: null, tokensBefore: 1 } };";
    const on = await filled([], { hook: answering(`ctx.abort(); ${own}`) });
    await assert.rejects(on.chat.conversation.run.compact(), { message: 'Compaction cancelled' });
    assert.deepEqual(failures(on), [{ ...FAILED, aborted: true, fromExtension: true }]);
  });

  it('hooks hear why one failed that began by itself', async () => {
    const on = await open([{ text: LONG }, { text: LONG, totalTokens: 950 }, BROKEN]);
    await on.chat.submit('one');
    await on.chat.submit('two');
    const errorMessage = 'Auto-compaction failed: Summarization failed: no such thing';
    assert.deepEqual(failures(on), [{ ...FAILED, reason: 'threshold', errorMessage, fromExtension: false }]);
  });

  it('hooks hear that it did not help a request that did not fit', async () => {
    const own = "return { compaction: { summary: 'mine', firstKeptEntryId: null, tokensBefore: 1 } };";
    const on = await filled([TOO_LONG, TOO_LONG], { hook: answering(own) });
    await on.chat.submit('three');
    const [failure] = failures(on) as readonly { readonly errorMessage: string; readonly reason: string }[];
    assert.equal(failure?.reason, 'overflow');
    assert.match(failure.errorMessage, /^Context overflow recovery failed after one compact-and-retry attempt/);
  });

  it('a summary that fails for a passing reason is asked for again, and that is told', async () => {
    const on = await filled([BUSY, { text: 'so far' }, { text: 'prefix' }], {
      settings: { ...COMPACT_SOON, retry: RETRY },
    });
    const outcome = await on.chat.conversation.run.compact();
    assert.deepEqual(retries(), [
      { type: 'summarization_retry_scheduled', attempt: 1, maxAttempts: 2, delayMs: 0, errorMessage: '503 overloaded' },
      { type: 'summarization_retry_attempt_start', source: 'compaction', reason: 'manual' },
      { type: 'summarization_retry_finished' },
    ]);
    assert.deepEqual(failures(on), []);
    assert.equal(summaryEntry(on)['summary'], outcome.summary);
  });

  it('after the last try it fails', async () => {
    const on = await filled([BUSY, BUSY, BUSY], { settings: { ...COMPACT_SOON, retry: RETRY } });
    await assert.rejects(on.chat.conversation.run.compact(), { message: 'Summarization failed: 503 overloaded' });
    const types = retries().map(({ type }) => type.replace('summarization_retry_', ''));
    assert.deepEqual(types, ['scheduled', 'attempt_start', 'scheduled', 'attempt_start', 'finished']);
    assert.equal(failures(on).length, 1);
  });

  it('a stop ends the wait for another try', async () => {
    const on = await filled([BUSY], { settings: { ...COMPACT_SOON, retry: SLOW_RETRY } });
    const compacted = on.chat.conversation.run.compact();
    await until(() => (retries().length === 1 ? true : undefined), 'the wait');
    await Promise.all([
      assert.rejects(compacted, { message: 'Compaction cancelled' }),
      on.chat.conversation.run.stop(),
    ]);
    assert.equal(retries().at(-1)?.type, 'summarization_retry_finished');
    assert.deepEqual(failures(on), [{ ...FAILED, aborted: true, fromExtension: false }]);
  });

  it('the summary of a branch is asked for again, too', async () => {
    const settings = { retry: RETRY, branchSummary: { skipPrompt: false, reserveTokens: 100 } };
    const on = await filled([BUSY, { text: 'left behind' }], { settings });
    const [first] = on.chat.conversation.store.getEntries().filter(({ type }) => type === 'message');
    await on.chat.conversation.tree.navigate(first!.id, { summarize: true });
    assert.deepEqual(retries()[1], { type: 'summarization_retry_attempt_start', source: 'branchSummary' });
    assert.equal(retries().length, 3);
    assert.ok(on.chat.conversation.store.getEntries().some(({ type }) => type === 'branch_summary'));
  });

  it('what the summary took is in the outcome, in the session and in its totals', async () => {
    const on = await filled([
      { text: 'so far', totalTokens: 40 },
      { text: 'prefix', totalTokens: 60 },
    ]);
    const before = on.chat.conversation.state.spending.current!.output;
    const outcome = await on.chat.conversation.run.compact();
    assert.equal(outcome.usage?.totalTokens, 100);
    assert.deepEqual(summaryEntry(on)['usage'], outcome.usage);
    assert.equal(on.chat.conversation.state.spending.current!.output, before + 10);
  });

  it('so is what a hook says that its summary took', async () => {
    const cost = '{ input: 1, output: 2, cacheRead: 0, cacheWrite: 0, total: 3 }';
    const usage = `{ input: 10, output: 20, cacheRead: 0, cacheWrite: 0, totalTokens: 30, cost: ${cost} }`;
    const hook = `// @pi-dialect pi
      export default pi => {
        pi.on('session_before_compact', () => ({
          compaction: { summary: 'mine', firstKeptEntryId: null, tokensBefore: 1, usage: ${usage} } }));
        pi.on('session_before_tree', () => ({ summary: { summary: 'mine as well', usage: ${usage} } }));
      };`;
    const on = await filled([], { hook });
    const before = on.chat.conversation.state.spending.current!;
    const [first] = on.chat.conversation.store.getEntries().filter(({ type }) => type === 'message');
    assert.equal((await on.chat.conversation.run.compact()).usage?.totalTokens, 30);
    assert.equal((summaryEntry(on)['usage'] as { readonly totalTokens: number }).totalTokens, 30);
    await on.chat.conversation.tree.navigate(first!.id, { summarize: true });
    const totals = on.chat.conversation.state.spending.current!;
    assert.deepEqual([totals.output - before.output, totals.cost.total - before.cost.total], [40, 6]);
  });

  it('usage that is none is named and left out', async () => {
    const own = "return { compaction: { summary: 'mine', firstKeptEntryId: null, tokensBefore: 1, usage: 'a lot' } };";
    const on = await filled([], { hook: answering(own) });
    await on.chat.conversation.run.compact();
    assert.equal(summaryEntry(on)['usage'], undefined);
    assert.match(on.errors.splice(0)[0]?.message ?? '', /"compaction.usage" must be the usage of a model's answer/);
  });
});
