import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seedIt, seedModule } from '../support/seeds';
import { ScriptedLlm } from '../support/scripted-llm';
import type { Script } from '../support/scripted-stream';
import { COMPACT_SOON, Stage } from './support';

/** Compacts as it is told: `/compact C1@4` keeps from index 4. `/go` lets the model speak without a further message. */
const DIRECTOR = `import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";
export default function (pi: HookAPI) {
  pi.on("session", async (event) => {
    if (event.reason !== "before_compact") return;
    const [summary, index] = event.customInstructions!.split("@");
    return { compactionEntry: { type: "compaction", timestamp: "", summary, firstKeptEntryIndex: Number(index), tokensBefore: event.tokensBefore } };
  });
}\n`;
const GO = `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
export default function (pi: ExtensionAPI) {
  pi.registerCommand("go", { handler: async (_args, ctx) => {
    pi.sendMessage({ customType: "go", content: "go", display: false }, { triggerTurn: true });
  } });
}\n`;

/** A session of that time, as pi 0.27 wrote it: entries without ids, counted from the header. */
function writeOldSession(root: string, model: { provider: string; id: string; api: string }): void {
  const dir = join(root, 'home', '.pi', 'agent', 'sessions', 'here');
  mkdirSync(dir, { recursive: true });
  const user = (text: string): object => ({ role: 'user', content: text, timestamp: 1 });
  const assistant = (text: string): object => ({
    role: 'assistant',
    content: [{ type: 'text', text }],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: {
      input: 1,
      output: 1,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 2,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason: 'stop',
    timestamp: 1,
  });
  const messages = [user('msg1'), user('msg2'), assistant('msg3'), user('msg4'), assistant('msg5')];
  const lines: object[] = [
    { type: 'session', id: 'old', timestamp: '2025-12-24T12:00:00.000Z', cwd: join(root, 'work') },
    ...messages.map(message => ({ type: 'message', timestamp: '2025-12-24T12:00:00.000Z', message })),
  ];
  writeFileSync(join(dir, 'old.jsonl'), lines.map(line => `${JSON.stringify(line)}\n`).join(''));
}

describe('v2-stacking: the stacking hook of hooks-v2.md', () => {
  let root: string;
  let llm: ScriptedLlm;
  let stage: Stage | undefined;
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'hookline stack '));
    llm = await ScriptedLlm.start();
  });
  afterEach(async () => {
    await stage?.end(true);
    stage = undefined;
    await llm.stop();
    rmSync(root, { recursive: true, force: true });
  });

  async function open(script: readonly Script[], withHook = true): Promise<Stage> {
    stage = await Stage.open(script, {
      root,
      resume: true,
      models: [llm.model('anthropic-messages')],
      settings: COMPACT_SOON,
      hooks: { 'director.ts': DIRECTOR, ...(withHook ? { 'stack.ts': seedModule('v2-stacking') } : {}) },
      extensions: { 'go.ts': GO },
    });
    return stage;
  }

  const types = (on: Stage): readonly string[] => ['session', ...on.chat.store.getBranch().map(entry => entry.type)];
  const texts = (on: Stage): readonly string[] => on.request(-1).map(line => line.replace(/^\w+: /, ''));

  /** The document's "Complex Scenario Trace" up to `/pop`. */
  async function popped(script: readonly Script[]): Promise<Stage> {
    writeOldSession(root, { provider: 'scripted', id: 'scripted-model', api: 'anthropic-messages' });
    const on = await open(script);
    const stack = on.rig.host.infos().find(info => info.path.endsWith('stack.ts'));
    assert.equal(stack?.dialect?.id, 'v2');
    await on.chat.inbox.submit('/compact C1@4');
    assert.deepEqual(types(on).slice(6), ['compaction']);
    await on.chat.inbox.submit('msg6');
    const [summary, ...kept] = texts(on);
    assert.match(summary ?? '', /C1/);
    assert.deepEqual(kept, ['msg4', 'msg5', 'msg6']);
    llm.reply({ text: ['P1'] }, { text: ['S1'] });
    await on.chat.inbox.submit('/pop 2');
    assert.equal(llm.pending, 0);
    return on;
  }

  seedIt('runs the whole complex scenario: [P1, S1, msg10+], then [C2, msg11, msg12]', async () => {
    const on = await popped([{ text: 'msg7' }, { text: 'msg11' }, { text: 'end' }]);
    // Behind the compaction, each index is one more than in the document: the first run writes the thinking level.
    const behind = ['compaction', 'thinking_level_change', 'message', 'message', 'message', 'stack_pop'];
    assert.deepEqual(types(on).slice(6), behind);
    assert.deepEqual(on.notices, ['Crossing compaction, generating pre-pop summary... info', 'Popped to turn 2 info']);
    const pop = on.chat.store.getBranch().at(-1) as unknown as Readonly<Record<string, unknown>>;
    assert.deepEqual([pop['backToIndex'], pop['summary'], pop['prePopSummary']], [2, 'S1', 'P1']);
    // What was summarized: raw [0,2) before the pop, raw [2,9] behind it, whatever the compaction hid.
    const asked = llm.requests.map(request => JSON.stringify(request.body['messages']));
    const numbers = asked.map(text => [...text.matchAll(/msg(\d+)/g)].map(match => match[1]));
    assert.deepEqual(numbers, [['1'], ['2', '3', '4', '5', '6', '7']]);
    assert.match(asked[0] ?? '', /context before this work/);
    assert.match(asked[1] ?? '', /completed work/);

    await on.chat.inbox.submit('msg10');
    assert.deepEqual(texts(on), ['[Summary]\n\nP1', '[Summary]\n\nS1', 'msg10']);

    // The twelfth: a message without an answer.
    await on.chat.inbox.submit('!echo msg12');
    assert.deepEqual(types(on).slice(11), ['stack_pop', 'message', 'message', 'message']);
    await on.chat.inbox.submit('/compact C2@12');
    assert.equal(types(on)[15], 'compaction');
    await on.chat.inbox.submit('/go');
    await on.chat.run.waitForIdle();
    const [summary, eleventh, twelfth, ...more] = texts(on);
    assert.equal(summary, '[Summary]\n\nC2');
    assert.equal(eleventh, 'msg11');
    assert.match(twelfth ?? '', /^Ran `echo msg12`\n```\nmsg12\n+```$/);
    assert.deepEqual(more, []);
  });

  seedIt('without the hook the pop stays in the file word for word, and what it hid comes back', async () => {
    const first = await popped([{ text: 'msg7' }]);
    const line = (await first.entries()).find(entry => entry['type'] === 'stack_pop');
    await first.end(true);
    rmSync(join(root, 'work', '.pi', 'hooks', 'stack.ts'));
    const on = await open([{ text: 'fine' }], false);
    await on.chat.inbox.submit('msg10');
    assert.deepEqual(texts(on).slice(1), ['msg4', 'msg5', 'msg6', 'msg7', 'msg10']);
    assert.deepEqual(
      (await on.entries()).find(entry => entry['type'] === 'stack_pop'),
      line,
    );
    await on.end(true);
    // "User can re-add hook to restore stacking behavior."
    const again = await open([{ text: 'back' }]);
    await again.chat.inbox.submit('msg12');
    assert.deepEqual(texts(again), ['[Summary]\n\nP1', '[Summary]\n\nS1', 'msg10', 'fine', 'msg12']);
  });

  seedIt('asks which turn to pop to, does nothing when that is cancelled, and needs two turns', async () => {
    writeOldSession(root, { provider: 'scripted', id: 'scripted-model', api: 'anthropic-messages' });
    const on = await open([{ text: 'one' }]);
    await on.chat.inbox.submit('/pop');
    assert.deepEqual(
      on.person.questions.map(({ title, dialog }) => [title, dialog]),
      [['Pop to:', { type: 'select', options: ['[1] msg1', '[2] msg2'] }]],
    );
    assert.equal(types(on).includes('stack_pop'), false);
    assert.deepEqual(on.notices, []);
    await on.chat.sessions.newSession();
    await on.chat.inbox.submit('only one');
    await on.chat.inbox.submit('/pop');
    assert.deepEqual(on.notices, ['Need at least 2 turns info']);
  });
});
