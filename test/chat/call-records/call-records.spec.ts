import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { StreamFn } from '../../../src/agent/run/loop';
import { CallRecords } from '../../../src/chat/call-records/call-records';
import type { Question } from '../../../src/session/ports/dialogs';
import { silentLog } from '../../../src/base/log';
import type { ToolItem } from '../../../src/protocol/items/chat-item';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';
import { answer, type Script } from '../../support/scripted-stream';
import { isSaid } from '../../support/said';

const extension = (body: string): string =>
  `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";\nexport default function (pi: ExtensionAPI) { ${body} }`;
const WATCHES = extension('pi.on("tool_call", () => undefined); pi.on("tool_result", () => undefined);');
const ASKS = extension(
  'pi.on("tool_call", async (e, ctx) => (await ctx.ui.confirm("Allow?", "")) ? undefined : { block: true, reason: "Not on my machine" });',
);
const asksOf = (call: string, runtime: string): string =>
  `export default function (pi: import("${runtime}").ExtensionAPI) {
    pi.on("tool_call", async (e, ctx) => { if (e.toolCallId === "${call}") await ctx.ui.confirm("Allow?", ""); });
  }`;
const CHANGES = extension('pi.on("tool_call", e => { e.input.command = "echo two TOKEN=abcdefgh"; });');
const SLOW_GATE = extension('pi.on("tool_call", () => new Promise(resolve => setTimeout(resolve, 400)));');
const bash = (id: string, command: string): Script => ({ calls: [{ id, name: 'bash', args: { command } }] });
const DONE: Script = { text: 'done' };

describe('what is known of tool calls after a reload', () => {
  let rig: Rig;
  afterEach(() => rig.close());

  async function open(script: readonly Script[], options: RigOptions = {}): Promise<void> {
    rig = await Rig.open(script, options);
  }

  /** Ends the window and opens it again on the same disk. */
  async function reload(options: RigOptions = {}): Promise<void> {
    await rig.close(true);
    rig = await Rig.open([DONE, DONE], { root: rig.root, resume: true, ...options });
  }

  /** Answers every question alike; what was asked comes to be in the list that it returns. */
  function answering(answer: boolean): readonly Question[] {
    const asked: Question[] = [];
    rig.dialogs.addView({
      show: (question: Question, reply) => {
        asked.push(question);
        queueMicrotask(() => reply(answer));
        return { dispose: () => undefined };
      },
    });
    return asked;
  }

  const cards = (): ToolItem[] => rig.items('tool');
  const recordsDir = (): string => join(rig.root, 'storage', 'calls');
  const recordFile = (): string => join(recordsDir(), readdirSync(recordsDir())[0]!);

  it('is what was known before: who blocked, who was asked, what each hook did and for how long', async () => {
    await open([bash('c1', 'echo one'), bash('c2', 'exit 3'), DONE], { extensions: { 'a.ts': WATCHES, 'b.ts': ASKS } });
    answering(false);
    await rig.chat.submit('go');
    const before = cards();
    assert.deepEqual(
      before.map(({ state }) => state.type),
      ['blocked', 'blocked'],
    );
    await reload();
    assert.deepEqual(cards(), before);
    const [card] = cards();
    assert.match(card?.state.type === 'blocked' ? (card.state.by?.path ?? '') : '', /b\.ts$/);
    assert.deepEqual(
      card?.verdicts.map(({ hook, outcome, asked }) => [hook.name, outcome, asked]),
      [
        ['a.ts', 'nothing', undefined],
        ['b.ts', 'blocked', [{ question: 'Allow?', answer: 'No' }]],
      ],
    );
  });

  it('is how long the tool itself ran, without the hooks before it', async () => {
    await open([bash('c', 'exit 3'), DONE], { extensions: { 'a.ts': SLOW_GATE } });
    const startedAt = performance.now();
    await rig.chat.submit('go');
    const total = performance.now() - startedAt;
    const [live] = cards();
    const ms = live?.state.type === 'failed' ? (live.state.durationMs ?? 0) : 0;
    const gate = live?.verdicts[0]?.durationMs ?? 0;
    assert.ok(ms > 0 && gate >= 390 && ms + gate <= total + 1, `${ms} ms and ${gate} ms of ${total} ms`);
    await reload();
    assert.deepEqual(cards()[0], live);
  });

  it('is nothing about time for a call whose tool never began', async () => {
    await open([{ calls: [{ id: 'c', name: 'nonesuch', args: {} }] }, DONE]);
    await rig.chat.submit('go');
    assert.deepEqual(cards()[0]?.state, { type: 'notFound' });
    await reload();
    assert.deepEqual(cards()[0]?.state, { type: 'notFound' });
    assert.equal(cards()[0]?.unrecorded, undefined);
  });

  for (const [order, asked, runtime] of [
    ['one by one, the first of which asks', 'c1', '@mariozechner/pi-coding-agent'],
    ['side by side, the second of which asks', 'c2', '@earendil-works/pi-coding-agent'],
  ] as const) {
    it(`is that the user stopped it while it waited for its turn: calls ${order}`, async () => {
      const calls = ['c1', 'c2'].map(id => ({ id, name: 'bash', args: { command: 'echo one' } }));
      await open([{ calls }, DONE], { extensions: { 'a.ts': asksOf(asked, runtime) } });
      const run = rig.chat.submit('go');
      const stateOf = (which: boolean): string | undefined =>
        cards().find(({ toolCallId }) => (toolCallId === asked) === which)?.state.type;
      await until(() => (stateOf(true) === 'asking' ? true : undefined), 'the question');
      assert.equal(stateOf(false), 'waiting');
      assert.deepEqual(rig.chat.status.current.phase, { type: 'asking', message: '' });
      await rig.conversation.run.stop('person');
      await run;
      assert.equal(rig.chat.status.current.phase.type, 'idle');
      const before = cards();
      assert.deepEqual(
        before.map(({ state }) => state),
        [{ type: 'stopped' }, { type: 'stopped' }],
      );
      await reload();
      assert.deepEqual(cards(), before);
    });
  }

  it('is that the user stopped it, and how long it ran until then', async () => {
    await open([bash('c', 'sleep 60'), DONE]);
    const run = rig.chat.submit('go');
    await until(() => (cards()[0]?.state.type === 'running' ? true : undefined), 'the command');
    await rig.conversation.run.stop('person');
    await run;
    const [card] = cards();
    assert.ok(card?.state.type === 'stopped' && card.state.durationMs !== undefined);
    await reload();
    assert.deepEqual(cards()[0]?.state, card.state);
  });

  it('is that Hookline blocked it while a guard was missing', async () => {
    await open([bash('c', 'echo one'), DONE], {
      extensions: { 'a.ts': extension('pi.on("tool_call", () => undefined); throw new Error("half saved");') },
    });
    const asked = answering(false);
    await rig.chat.submit('go');
    assert.deepEqual(
      asked.map(({ hook, message }) => [hook.name, message.split('.\n')[0]]),
      [['Hookline', 'a.ts checks tool calls, but failed to load']],
    );
    const [live] = cards();
    assert.ok(live?.state.type === 'blocked' && live.state.by === undefined);
    assert.match(live.state.reason, /^\S.*a\.ts checks tool calls, but failed to load/);
    await reload();
    assert.deepEqual(cards()[0], live);
  });

  it('is what hooks made of the input, and no secret is on disk', async () => {
    await open([bash('c', 'echo one'), DONE], { extensions: { 'a.ts': CHANGES } });
    await rig.chat.submit('go');
    await reload();
    const [card] = cards();
    assert.match(card?.args ?? '', /echo two TOKEN=\[redacted\]/);
    assert.match(card?.modelArgs ?? '', /echo one/);
    assert.match(card?.verdicts[0]?.changes?.[0]?.diff ?? '', /-2 {3}"command": "echo one"/);
    assert.ok(!readFileSync(recordFile(), 'utf8').includes('abcdefgh'));
  });

  it('is how long an answer thought, also in a fork, and the session has no word of it', async () => {
    const message = answer({ thinking: 'Hm.', text: 'Yes.' });
    const stream: StreamFn = async function* () {
      yield { type: 'start', partial: message };
      yield { type: 'thinking_delta', contentIndex: 0, delta: 'Hm.', partial: message };
      await setTimeout(20);
      yield { type: 'thinking_end', contentIndex: 0, content: 'Hm.', partial: message };
      yield { type: 'text_delta', contentIndex: 1, delta: 'Yes.', partial: message };
      yield { type: 'done', reason: 'stop', message };
    };
    const times = (): unknown[] => rig.items('assistant').flatMap(({ blocks }) => blocks.map(each => each.durationMs));
    await open([], { stream });
    await rig.chat.submit('go');
    const live = times();
    assert.ok(typeof live[0] === 'number' && live[0] >= 19, String(live));
    assert.equal(live[1], undefined);
    await reload();
    assert.deepEqual(times(), live);
    await rig.conversation.sessions.clone();
    assert.deepEqual(times(), live);
    const said = rig.conversation.run.agent.messages.find(({ role }) => role === 'assistant');
    assert.deepEqual(said?.role === 'assistant' && said.content[0], { type: 'thinking', thinking: 'Hm.' });
  });

  it('adds no line to the session: pi and hooks find in it what they always did', async () => {
    await open([bash('c', 'echo one'), DONE], { extensions: { 'a.ts': WATCHES } });
    await rig.chat.submit('go');
    const types = rig.conversation.store
      .getEntries()
      .map(entry => (entry as { message?: { role: string } }).message?.role);
    assert.deepEqual(
      types.filter(role => role !== undefined),
      ['system', 'user', 'assistant', 'toolResult', 'assistant'],
    );
    const result = rig.conversation.run.agent.messages.find(({ role }) => role === 'toolResult');
    assert.ok(!JSON.stringify(result).includes('verdict'));
  });

  it('is the same in a fork, and in the session one comes back to', async () => {
    await open([bash('c', 'echo one'), DONE, DONE], { extensions: { 'a.ts': WATCHES } });
    await rig.chat.submit('go');
    const before = cards();
    const first = rig.conversation.store.getSessionFile()!;
    await rig.conversation.store.flush();
    await rig.conversation.sessions.clone();
    assert.notEqual(rig.conversation.store.getSessionFile(), first);
    assert.deepEqual(cards(), before);
    await rig.conversation.sessions.newSession();
    await rig.conversation.sessions.switchTo(first);
    assert.deepEqual(cards(), before);
  });

  it('tells apart calls that bear the same id', async () => {
    await open([bash('same', 'exit 3'), DONE, bash('same', 'true'), DONE]);
    await rig.chat.submit('one');
    const [failed] = cards();
    const asked = rig.conversation.store.getEntries().find(isSaid)!;
    const leaf = rig.conversation.store.getLeafId()!;
    await rig.conversation.tree.navigate(asked.id, { summarize: false });
    await rig.chat.submit('two');
    assert.equal(cards()[0]?.state.type, 'done');
    await reload();
    assert.equal(cards()[0]?.state.type, 'done');
    await rig.conversation.tree.navigate(leaf, { summarize: false });
    assert.deepEqual(cards()[0]?.state, failed?.state);
  });

  describe('where nothing is known', () => {
    async function forgotten(script: readonly Script[], extensions: RigOptions['extensions'] = {}): Promise<ToolItem> {
      await open(script, { extensions });
      answering(false);
      await rig.chat.submit('go');
      await rig.changes.calls.flush();
      rmSync(recordsDir(), { recursive: true });
      await reload();
      return cards()[0]!;
    }

    it('says so, and names no time', async () => {
      const card = await forgotten([bash('c', 'echo one'), DONE], { 'a.ts': WATCHES });
      assert.deepEqual([card.state, card.verdicts, card.unrecorded], [{ type: 'done' }, [], true]);
    });

    for (const [what, body] of [
      ['its default reason', 'return { block: true };'],
      ['a reason that says so', 'return { block: true, reason: "Blocked by user" };'],
    ]) {
      it(`takes a call for blocked that a hook blocked with ${what}`, async () => {
        const card = await forgotten([bash('c', 'echo one'), DONE], {
          'a.ts': extension(`pi.on("tool_call", () => { ${body} });`),
        });
        assert.equal(card.state.type, 'blocked');
        assert.equal(card.state.by, undefined);
      });
    }

    for (const words of ['Blocked by the proxy', 'Blocked: by the proxy']) {
      it(`does not take a command for blocked that failed with "${words}"`, async () => {
        const card = await forgotten([bash('c', `echo ${words}; exit 1`), DONE]);
        assert.deepEqual(card.state, { type: 'failed' });
      });
    }
  });

  describe('on disk', () => {
    it('an older record that says a hook allowed the call is read as no decision', async () => {
      await open([bash('c1', 'true'), DONE], { extensions: { 'a.ts': WATCHES } });
      await rig.chat.submit('go');
      await rig.changes.calls.flush();
      const before = cards();
      const written = readFileSync(recordFile(), 'utf8');
      const older = written.replace('"outcome":"nothing"', '"outcome":"allowed"');
      assert.notEqual(older, written);
      writeFileSync(recordFile(), older);
      await reload();
      assert.equal(before[0]?.verdicts[0]?.outcome, 'nothing');
      assert.deepEqual(cards(), before);
    });

    it('a torn or foreign line is passed over', async () => {
      await open([bash('c1', 'true'), DONE]);
      await rig.chat.submit('go');
      await rig.changes.calls.flush();
      appendFileSync(recordFile(), '{"at":1,"call":"c1","end":"eaten","verdicts":[]}\n{"at":');
      await reload();
      assert.equal(cards()[0]?.state.type, 'done');
      assert.equal(cards()[0]?.unrecorded, undefined);
      await rig.chat.submit('again');
    });

    it('a month later it is forgotten, and a folder that cannot be written loses no answer', async () => {
      await open([bash('c1', 'true'), DONE]);
      mkdirSync(recordsDir(), { recursive: true });
      const old = join(recordsDir(), 'old.jsonl');
      writeFileSync(old, '{}\n');
      const then = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
      utimesSync(old, then, then);
      await new CallRecords(recordsDir(), silentLog).flush();
      assert.deepEqual(readdirSync(recordsDir()), []);
      rmSync(recordsDir(), { recursive: true });
      writeFileSync(recordsDir(), 'in the way');
      await rig.chat.submit('go');
      assert.equal(cards()[0]?.state.type, 'done');
    });

    it('a long record is cut, not lost', async () => {
      const word = 'x'.repeat(80_000);
      await open([bash('c', 'echo one'), DONE], {
        extensions: {
          'a.ts': extension(`pi.on("tool_call", () => ({ block: true, reason: ${JSON.stringify(word)} }));`),
        },
      });
      await rig.chat.submit('go');
      await reload();
      assert.equal(cards()[0]?.state.type, 'blocked');
      assert.ok((cards()[0]?.verdicts[0]?.detail?.length ?? 0) < 3_000);
      assert.ok(readFileSync(recordFile(), 'utf8').length < 10_000);
    });
  });
});
