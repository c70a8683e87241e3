import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPACT_SOON, Stage } from '../conformance/support';
import { ScriptedLlm } from '../support/scripted-llm';
import type { Script } from '../support/scripted-stream';
import { exampleText } from './drive';

/** Compacts as it is told: `/compact early work@4` keeps what begins at index 4. */
const DIRECTOR = `import type { HookAPI } from '@mariozechner/pi-coding-agent/hooks';
export default function (pi: HookAPI) {
  pi.on('session', event => {
    if (event.reason !== 'before_compact') return undefined;
    const [summary = '', index] = (event.customInstructions ?? '').split('@');
    const { tokensBefore } = event;
    return { compactionEntry: { type: 'compaction', timestamp: '', summary, firstKeptEntryIndex: Number(index), tokensBefore } };
  });
}\n`;
/** `/go` lets the model speak without a further message of the user. */
const GO = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
export default function (pi: ExtensionAPI) {
  pi.registerCommand('go', { handler: async () => {
    pi.sendMessage({ customType: 'go', content: 'go', display: false }, { triggerTurn: true });
  } });
}\n`;

/** A session as pi 0.27 wrote it: entries without ids, which are counted from the header at index 0. */
function writeOldSession(root: string, model: { provider: string; id: string; api: string }): void {
  const dir = join(root, 'home', '.pi', 'agent', 'sessions', 'here');
  mkdirSync(dir, { recursive: true });
  const timestamp = '2025-12-20T09:00:00.000Z';
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost };
  const user = (text: string): object => ({ role: 'user', content: text, timestamp: 1 });
  const assistant = (text: string): object => ({
    role: 'assistant',
    content: [{ type: 'text', text }],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage,
    stopReason: 'stop',
    timestamp: 1,
  });
  const messages = [user('step 1'), user('step 2'), assistant('step 3'), user('step 4'), assistant('step 5')];
  const lines: object[] = [
    { type: 'session', id: 'old', timestamp, cwd: join(root, 'work') },
    ...messages.map(message => ({ type: 'message', timestamp, message })),
  ];
  writeFileSync(join(dir, 'old.jsonl'), lines.map(line => `${JSON.stringify(line)}\n`).join(''));
}

describe('entries and contexts of v2', () => {
  let root: string;
  let llm: ScriptedLlm;
  let stage: Stage | undefined;
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'hookline fold '));
    llm = await ScriptedLlm.start();
  });
  afterEach(async () => {
    await stage?.end(true);
    stage = undefined;
    await llm.stop();
    rmSync(root, { recursive: true, force: true });
  });

  describe('fold.ts', () => {
    async function open(script: readonly Script[], withHook = true): Promise<Stage> {
      stage = await Stage.open(script, {
        root,
        resume: true,
        models: [llm.model('anthropic-messages')],
        settings: COMPACT_SOON,
        hooks: { 'director.ts': DIRECTOR, ...(withHook ? { 'fold.ts': exampleText('v2', 'fold.ts') } : {}) },
        extensions: { 'go.ts': GO },
      });
      return stage;
    }
    const openOld = (script: readonly Script[]): Promise<Stage> => {
      writeOldSession(root, { provider: 'scripted', id: 'scripted-model', api: 'anthropic-messages' });
      return open(script);
    };
    const types = (on: Stage): readonly string[] => [
      'session',
      ...on.chat.conversation.store.getBranch().map(({ type }) => type),
    ];
    const texts = (on: Stage): readonly string[] => on.request(-1).map(line => line.replace(/^\w+: /, ''));

    /** A compaction left out steps 1 to 3, and then everything from step 2 is folded. */
    async function folded(script: readonly Script[]): Promise<Stage> {
      const on = await openOld(script);
      const info = on.rig.host.infos().find(({ path }) => path.endsWith('fold.ts'));
      assert.equal(info?.dialect?.id, 'v2');
      await on.chat.submit('/compact early work@4');
      assert.deepEqual(types(on).slice(6), ['compaction']);
      await on.chat.submit('step 6');
      const [summary, ...kept] = texts(on);
      assert.match(summary ?? '', /early work/);
      assert.deepEqual(kept, ['step 4', 'step 5', 'step 6']);
      llm.reply({ text: ['the start'] }, { text: ['the middle'] });
      await on.chat.submit('/fold 2');
      assert.equal(llm.pending, 0);
      return on;
    }

    it('folds across a compaction; a later compaction stands for all of it', async () => {
      const on = await folded([{ text: 'step 7' }, { text: 'step 9' }, { text: 'end' }]);
      // The first run also stores the thinking level.
      const since = ['compaction', 'thinking_level_change', 'message', 'message', 'message', 'fold_range'];
      assert.deepEqual(types(on).slice(6), since);
      assert.deepEqual(on.notices, [
        'The beginning was compacted and gets a text of its own info',
        'Folded from entry 2 info',
      ]);
      const entry = on.chat.conversation.store.getBranch().at(-1) as unknown as Readonly<Record<string, unknown>>;
      assert.deepEqual([entry['from'], entry['before'], entry['text']], [2, 'the start', 'the middle']);
      // The entries themselves are summed up, also those that the compaction left out: [0, 2) and from 2 on.
      const asked = llm.requests.map(({ body }) => JSON.stringify(body['messages']));
      assert.deepEqual(
        asked.map(text => [...text.matchAll(/step (\d)/g)].map(match => match[1]).join('')),
        ['1', '234567'],
      );
      assert.match(asked[0] ?? '', /what came first/);
      assert.match(asked[1] ?? '', /what was done/);

      await on.chat.submit('step 8');
      assert.deepEqual(texts(on), ['In short: the start', 'In short: the middle', 'step 8']);

      await on.chat.submit('!echo step 10'); // A message without an answer.
      assert.deepEqual(types(on).slice(11), ['fold_range', 'message', 'message', 'message']);
      // Step 9 has index 13 here, and 12 in a v1 file, which does not get the entries that a hook saved.
      await on.chat.submit('/compact all of it@12');
      assert.equal(types(on)[15], 'compaction');
      await on.chat.submit('/go');
      await on.chat.conversation.run.waitForIdle();
      const [summary, ninth, tenth, ...more] = texts(on);
      assert.equal(summary, 'In short: all of it');
      assert.equal(ninth, 'step 9');
      assert.match(tenth ?? '', /^Ran `echo step 10`\n```\nstep 10\n+```$/);
      assert.deepEqual(more, []);
    });

    it('is undone without the hook, stays in the file word for word, and comes back with the hook', async () => {
      const first = await folded([{ text: 'step 7' }]);
      const line = (await first.entries()).find(entry => entry['type'] === 'fold_range');
      await first.end(true);
      rmSync(join(root, 'work', '.pi', 'hooks', 'fold.ts'));
      const on = await open([{ text: 'fine' }], false);
      await on.chat.submit('step 8');
      assert.deepEqual(texts(on).slice(1), ['step 4', 'step 5', 'step 6', 'step 7', 'step 8']);
      assert.deepEqual(
        (await on.entries()).find(entry => entry['type'] === 'fold_range'),
        line,
      );
      await on.end(true);
      const again = await open([{ text: 'back' }]);
      await again.chat.submit('step 9');
      assert.deepEqual(texts(again), ['In short: the start', 'In short: the middle', 'step 8', 'fine', 'step 9']);
    });

    it('asks from where, does nothing when that is canceled, and needs two prompts', async () => {
      const on = await openOld([{ text: 'one' }]);
      await on.chat.submit('/fold');
      assert.deepEqual(
        on.person.questions.map(({ title, dialog }) => [title, dialog]),
        [['Fold everything from', { type: 'select', options: ['1: step 1', '2: step 2'] }]],
      );
      assert.equal(types(on).includes('fold_range'), false);
      assert.deepEqual(on.notices, []);
      await on.chat.conversation.sessions.newSession();
      await on.chat.submit('only one');
      await on.chat.submit('/fold');
      assert.deepEqual(on.notices, ['There is nothing to fold yet info']);
    });
  });
});
