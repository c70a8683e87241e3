import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from '../../support/recorder';
import { Rig, until } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';

const LONG = { text: 'x'.repeat(4000), totalTokens: 900 };
const SCRIPT: readonly Script[] = [LONG, LONG, { text: 'three' }, { text: 'four' }];
const SETTINGS = { compaction: { enabled: false, reserveTokens: 10, keepRecentTokens: 1 } };

/** Holds a compaction or a summary of a branch until the file `go` is there; `sends` runs when it is held. */
const holding = (
  ends: string,
  sends = '',
): string => `import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
  import { existsSync } from 'node:fs';
  import { setTimeout as sleep } from 'node:timers/promises';
  export default (pi: ExtensionAPI) => {
    const held = async cwd => {
      ${sends}
      pi.appendEntry('held');
      while (!existsSync(cwd + '/go')) await sleep(2);
    };
    pi.on('session_before_compact', async ({ preparation: { firstKeptEntryId, tokensBefore } }, { cwd }) => {
      await held(cwd);
      ${ends}
    });
    pi.on('session_before_tree', async (event, { cwd }) => {
      await held(cwd);
      return { summary: { summary: 'the branch' } };
    });
  };`;
const SHORTENS = "return { compaction: { summary: 'short', firstKeptEntryId, tokensBefore } };";

describe('what is sent during a compaction that a person asked for', () => {
  let rig: Rig;
  let over: Promise<unknown>;
  afterEach(() => rig.close());

  async function hold(
    hook = holding(SHORTENS),
    { script = SCRIPT, by }: { readonly script?: readonly Script[]; readonly by?: 'program' } = {},
  ): Promise<void> {
    rig = await Rig.open(script, { extensions: { 'hold.ts': hook }, settings: SETTINGS });
    await rig.chat.submit('one');
    await rig.chat.submit('two');
    over = rig.conversation.run.compact(undefined, by).catch((error: unknown) => error);
    await isHeld();
  }
  const isHeld = (): Promise<true> =>
    until(
      () => rig.conversation.store.getEntries().some(entry => JSON.stringify(entry).includes('held')) || undefined,
      'hold',
    );
  const release = async (): Promise<unknown> => {
    writeFileSync(join(rig.cwd, 'go'), '');
    return over;
  };
  const { stringify } = JSON;
  const asked = (at: number): readonly string[] =>
    (rig.model.requests.at(at)?.messages ?? []).filter(({ role }) => role === 'user').map(textOf);
  const inQueue = (): number => {
    const { followUps, steering } = rig.conversation.run.agent;
    return followUps.messages.length + steering.messages.length;
  };
  const answered = async (text: string): Promise<void> => {
    await until(() => rig.items('assistant').some(item => stringify(item).includes(text)) || undefined, text);
    await rig.conversation.run.waitForSettled();
  };

  for (const delivery of ['steer', 'followUp'] as const) {
    it(`begins a run when it is over (${delivery})`, async () => {
      await hold();
      await rig.chat.submit('later', { delivery });
      assert.deepEqual([rig.items('user').at(-1)?.state, rig.model.requests.length], [delivery, 2]);
      await release();
      await answered('three');
      assert.match(asked(2)[0] ?? '', /short/);
      assert.equal(asked(2).at(-1), 'later');
      assert.deepEqual([inQueue(), rig.items('user').at(-1)?.state], [0, 'sent']);
    });

    it(`begins a run when it is over, sent by a program (${delivery})`, async () => {
      await hold(holding(SHORTENS), { by: 'program' });
      const told: string[] = [];
      const onAccepted = (disposition: string): void => void told.push(disposition);
      await rig.conversation.inbox.send({ text: 'later', images: [], source: 'rpc', delivery, onAccepted });
      assert.deepEqual(told, ['queued']);
      await release();
      await answered('three');
      assert.equal(asked(2).at(-1), 'later');
      assert.equal(inQueue(), 0);
    });
  }

  it('joins one run, in order', async () => {
    await hold(holding(SHORTENS), { script: [LONG, LONG, { text: 'three' }, { text: 'four' }, { text: 'five' }] });
    for (const text of ['first', 'second', 'third']) await rig.chat.submit(text);
    await release();
    await answered('four');
    const texts = rig.conversation.run.agent.messages.filter(({ role }) => role === 'user').map(textOf);
    assert.deepEqual(texts.slice(-3), ['first', 'second', 'third']);
    assert.equal(rig.items('user').filter(({ state }) => state !== 'sent').length, 0);
  });

  it('begins a run when a hook sent it', async () => {
    const texts = `pi.sendUserMessage('from a hook', { deliverAs: 'followUp' });`;
    await hold(holding(SHORTENS, texts));
    await release();
    await answered('three');
    assert.equal(asked(2).at(-1), 'from a hook');
  });

  it('begins a run when it is a message of a hook that wants one', async () => {
    const message = `pi.sendMessage({ customType: 'n', content: 'a note', display: true }, { triggerTurn: true });`;
    await hold(holding(SHORTENS, message));
    await release();
    await answered('three');
    assert.equal(asked(2).at(-1), 'a note');
  });

  for (const [how, ends, script] of [
    ['fails', 'return undefined;', [LONG, LONG, { stopReason: 'error', errorMessage: '400 no' }, { text: 'three' }]],
    ['is declined', 'return { cancel: true };', [LONG, LONG, { text: 'three' }]],
  ] as const) {
    it(`begins a run when the compaction ${how}`, async () => {
      await hold(holding(ends), { script });
      await rig.chat.submit('later');
      assert.ok((await release()) instanceof Error);
      await answered('three');
      assert.equal(asked(-1).at(-1), 'later');
    });
  }

  it('goes back to the composer when the person stops', async () => {
    await hold();
    await rig.chat.submit('later');
    await Promise.all([rig.conversation.run.stop(), release()]);
    await rig.conversation.run.waitForSettled();
    assert.deepEqual([rig.chat.composer.text, inQueue(), rig.model.requests.length], ['later', 0, 2]);
  });

  it('waits for the next run when a program stops', async () => {
    await hold(holding(SHORTENS), { by: 'program' });
    await rig.conversation.inbox.send({ text: 'later', images: [], source: 'rpc', delivery: 'steer' });
    await Promise.all([rig.conversation.run.stop('program'), release()]);
    await rig.conversation.run.waitForSettled();
    assert.deepEqual([inQueue(), rig.model.requests.length], [1, 2]);
    await rig.conversation.inbox.send({ text: 'now', images: [], source: 'rpc', delivery: undefined });
    assert.deepEqual([asked(2).slice(-2), inQueue()], [['now', 'later'], 0]);
  });

  it('goes back to the composer when it is refused, with the reason', async () => {
    await hold();
    await rig.chat.submit('later');
    Object.assign(rig.conversation.ports.models, { hasKey: () => Promise.resolve(false) });
    await release();
    await until(() => rig.chat.composer.text || undefined, 'the text');
    assert.deepEqual([rig.chat.composer.text, inQueue(), rig.model.requests.length], ['later', 0, 2]);
    assert.match(rig.items('notice').at(-1)?.text ?? '', /No API key/);
  });

  it('waits for the next run when it only steers the agent, as in pi', async () => {
    await hold(holding(SHORTENS), { by: 'program' });
    assert.equal(await rig.conversation.inbox.queue('later', [], 'steer'), 'queued');
    await release();
    await rig.conversation.run.waitForSettled();
    assert.deepEqual([inQueue(), rig.model.requests.length], [1, 2]);
    await rig.chat.submit('now');
    assert.deepEqual(asked(2).slice(-2), ['now', 'later']);
  });

  it('is in the session when it is a command', async () => {
    await hold();
    const { outcome, recorded } = await rig.conversation.shells.run('echo said', false);
    assert.match(outcome.output, /said/);
    await release();
    await recorded;
    await rig.chat.submit('go on');
    assert.match(asked(2).join('\n'), /echo said/);
  });

  it('begins a run when a branch was summarized', async () => {
    await hold();
    await release();
    await over;
    const [, second] = rig.conversation.store
      .getEntries()
      .filter(entry => JSON.stringify(entry).includes('"role":"user"'));
    assert.ok(second);
    rmSync(join(rig.cwd, 'go'));
    const entries = rig.conversation.store.getEntries().length;
    over = rig.conversation.tree.navigate(second.id, { summarize: true });
    await until(() => (rig.conversation.store.getEntries().length > entries ? true : undefined), 'the hold');
    await rig.chat.submit('later');
    await release();
    await answered('three');
    assert.equal(asked(2).at(-1), 'later');
  });
});
