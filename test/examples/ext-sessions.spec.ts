import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SessionStore } from '../../src/agent/session/store';
import { COMPACT_SOON, Stage } from '../conformance/support';
import type { RigOptions } from '../support/conversation-rig';
import { isSaid } from '../support/said';
import { scriptedModel, type Script } from '../support/scripted-stream';
import { exampleText } from './drive';

const LONG = 'x'.repeat(400);

describe('sessions, models and resources in ext', () => {
  let stage: Stage | undefined;
  afterEach(async () => {
    await stage?.end();
    stage = undefined;
  });

  async function open(name: string, script: readonly Script[], options: RigOptions = {}): Promise<Stage> {
    stage = await Stage.open(script, { ...options, extensions: { [name]: exampleText('ext', name) } });
    const [info] = stage.rig.host.infos();
    assert.equal(info?.dialect?.id, 'ext', info?.dialect?.because);
    return stage;
  }
  const messages = (on: Stage): readonly { readonly id: string }[] =>
    on.chat.conversation.store.getEntries().filter(isSaid);
  const say = async (on: Stage, ...texts: readonly string[]): Promise<void> => {
    for (const text of texts) await on.chat.submit(text);
  };

  describe('todo-list.ts', () => {
    it('has its list again after a switch and a fork: session_start says why it comes', async () => {
      const on = await open('todo-list.ts', [{ text: 'one' }, { text: 'two' }]);
      await say(on, '/todo add early', 'first', 'second');
      const file = on.chat.conversation.store.getSessionFile()!;
      await on.chat.conversation.sessions.newSession();
      assert.deepEqual(on.chat.status.current.hookStatus, []);
      await on.chat.conversation.sessions.switchTo(file);
      assert.deepEqual(on.chat.status.current.hookStatus, ['1 of 1 to do']);
      await say(on, '/todo add late');
      await on.chat.conversation.sessions.fork(messages(on)[2]!.id);
      assert.deepEqual(on.chat.status.current.hookStatus, ['1 of 1 to do']);
      assert.deepEqual(
        on.seen.filter(({ name }) => name === 'session_start').map(({ payload }) => payload['reason']),
        ['new', 'resume', 'fork'],
      );
    });
  });

  describe('stay-here.ts', () => {
    it('cancels new and resumed sessions, which it can tell apart', async () => {
      const on = await open('stay-here.ts', [{ text: 'one' }]);
      await say(on, 'first', '/stay');
      await on.chat.conversation.store.flush();
      const file = on.chat.conversation.store.getSessionFile()!;
      const other = SessionStore.create({ dir: on.chat.conversation.store.getSessionDir(), cwd: on.rig.cwd });
      other.appendMessage({ role: 'user', content: 'elsewhere', timestamp: 1 });
      await other.flush();
      const target = other.getSessionFile()!;
      await other.dispose();
      await say(on, '/new');
      assert.deepEqual(await on.chat.conversation.sessions.switchTo(target), { cancelled: true });
      assert.equal(on.chat.conversation.store.getSessionFile(), file);
      assert.deepEqual(
        on.seen
          .filter(({ name }) => name === 'session_before_switch')
          .map(({ payload }) => [payload['reason'], payload['targetSessionFile']]),
        [
          ['new', undefined],
          ['resume', target],
        ],
      );
    });

    it('cancels a fork', async () => {
      const on = await open('stay-here.ts', [{ text: 'one' }]);
      await say(on, 'first', '/stay');
      const file = on.chat.conversation.store.getSessionFile();
      assert.deepEqual(await on.chat.conversation.sessions.fork(messages(on)[0]!.id), { cancelled: true });
      assert.deepEqual([on.chat.conversation.store.getSessionFile(), on.chat.composer.text], [file, '']);
    });

    it('cancels a compaction, and whoever asked for it is told', async () => {
      const on = await open('stay-here.ts', [{ text: LONG }, { text: LONG }], { settings: COMPACT_SOON });
      await say(on, 'first', 'second', '/stay');
      await assert.rejects(on.chat.conversation.run.compact(), /Compaction cancelled/);
      assert.equal(on.chat.conversation.run.agent.messages.length, 5);
    });

    it('cancels a move in the tree', async () => {
      const on = await open('stay-here.ts', [{ text: 'one' }, { text: 'two' }]);
      await say(on, 'first', 'second', '/stay');
      const leaf = on.chat.conversation.store.getLeafId();
      assert.deepEqual(await on.chat.conversation.tree.navigate(messages(on)[1]!.id), { cancelled: true });
      assert.equal(on.chat.conversation.store.getLeafId(), leaf);
      await say(on, '/stay');
      assert.deepEqual(await on.chat.conversation.tree.navigate(messages(on)[1]!.id), { cancelled: false });
    });
  });

  describe('own-summaries.ts', () => {
    it('summarizes a compaction, which is cut as planned', async () => {
      const script = [{ text: LONG }, { text: LONG }, { text: 'ok' }];
      const on = await open('own-summaries.ts', script, { settings: COMPACT_SOON });
      await say(on, 'first', 'second');
      const { summary } = await on.chat.conversation.run.compact('the tests');
      assert.match(summary, /^\d+ entries about the tests$/);
      const seen = on.seen.find(({ name }) => name === 'session_before_compact');
      assert.equal(seen?.payload['customInstructions'], 'the tests');
      assert.ok(seen.payload['signal'] instanceof AbortSignal);
      await say(on, 'third');
      assert.ok(on.request(-1)[0]?.includes(summary));
      assert.deepEqual(on.request(-1).slice(1), [`assistant: ${LONG}`, 'user: third']);
    });

    it('summarizes and labels a branch that is left, without a request', async () => {
      const on = await open('own-summaries.ts', [{ text: 'one' }, { text: 'two' }, { text: 'ok' }]);
      await say(on, 'first', 'second');
      assert.deepEqual(await on.chat.conversation.tree.navigate(messages(on)[1]!.id, { summarize: true }), {
        cancelled: false,
      });
      const summary = on.chat.conversation.store.getBranch().find(({ type }) => type === 'branch_summary');
      assert.equal((summary as { summary?: string } | undefined)?.summary, 'A branch of 2 entries was left');
      assert.equal(on.chat.conversation.store.getLabel(summary!.id), 'left-a-branch');
      await say(on, 'third');
      assert.match(on.request(-1)[2] ?? '', /^user: [\s\S]*A branch of 2 entries was left/);
      assert.equal(on.rig.model.requests.length, 3);
    });

    it('forks with the whole conversation in memory', async () => {
      const on = await open('own-summaries.ts', [{ text: 'one' }]);
      await say(on, 'first');
      const file = on.chat.conversation.store.getSessionFile();
      await on.chat.conversation.sessions.fork(messages(on)[0]!.id);
      assert.notEqual(on.chat.conversation.store.getSessionFile(), file);
      assert.equal(on.chat.conversation.run.agent.messages.length, 3);
      assert.equal(messages(on).length, 0);
      assert.equal(on.chat.composer.text, 'first');
    });
  });

  describe('model-log.ts', () => {
    it('hears of each model with the one before and why, and once of the end', async () => {
      const other = { ...scriptedModel, id: 'other', name: 'Other' };
      const on = await open('model-log.ts', [{ text: 'one' }], { models: [scriptedModel, other] });
      await say(on, 'first');
      await on.chat.conversation.store.flush();
      const file = on.chat.conversation.store.getSessionFile()!;
      await on.chat.conversation.models.set(other, 'set');
      await on.chat.conversation.models.set(scriptedModel, 'cycle');
      await on.chat.conversation.sessions.newSession();
      await on.chat.conversation.models.set(other);
      await on.chat.conversation.sessions.switchTo(file);
      await on.rig.close(true);
      stage = undefined;
      assert.deepEqual(readFileSync(join(on.cwd, 'models.log'), 'utf8').trimEnd().split('\n'), [
        'scripted -> other (set)',
        'other -> scripted (cycle)',
        'scripted -> other (set)',
        'other -> scripted (restore)',
        'closed',
      ]);
      assert.deepEqual(on.outcomes('session_shutdown'), ['session_shutdown: nothing']);
      assert.deepEqual(on.errors, []);
      rmSync(on.rig.root, { recursive: true, force: true });
    });
  });

  describe('own-resources.ts', () => {
    it('brings a skill for the system prompt and a prompt to type, again after a reload', async () => {
      const skill = '---\nname: gardening\ndescription: Knows when roses are cut.\n---\nCut roses in spring.';
      const on = await open('own-resources.ts', [{ text: 'ok' }, { text: 'ok' }], {
        realPrompt: true,
        files: {
          '.pi/extensions/resources/gardening/SKILL.md': skill,
          '.pi/extensions/resources/water.md': 'Water the $1 in the evening.',
          '.pi/extensions/resources/meadow.json': '{}',
        },
      });
      await say(on, '/water roses');
      assert.deepEqual(on.request(0), ['user: Water the roses in the evening.']);
      const prompt = (at: number): string => on.rig.model.requests[at]?.systemPrompt ?? '';
      assert.match(prompt(0), /Knows when roses are cut\./);
      await on.chat.conversation.forHooks.reload();
      await say(on, 'again');
      assert.match(prompt(1), /Knows when roses are cut\./);
      assert.deepEqual(
        on.seen.filter(({ name }) => name === 'resources_discover').map(({ payload }) => payload['reason']),
        ['reload'],
      );
    });
  });
});
