import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportTo } from '../../../src/export/write-export';
import { v1View } from '../../../src/hook-contract/session/session-view';
import { Rig } from '../../support/conversation-rig';
import { COMPACT_SOON, Stage } from '../../conformance/support';
import type { Script } from '../../support/scripted-stream';

const LONG = 'x'.repeat(400);

type Line = Readonly<Record<string, unknown>>;

const hook = (body: string, dialect = 'pi'): string => `// @pi-dialect ${dialect}\nexport default pi => { ${body} };\n`;

describe('the lines of a session', () => {
  let stage: Stage | undefined;

  async function open(script: readonly Script[], extensions: Readonly<Record<string, string>> = {}): Promise<Stage> {
    const branchSummary = { skipPrompt: false, reserveTokens: 100 };
    stage = await Stage.open(script, { extensions, settings: { ...COMPACT_SOON, branchSummary } });
    return stage;
  }

  afterEach(async () => {
    await stage?.end();
    stage = undefined;
  });

  const last = (lines: readonly Line[], type: string): Line => {
    const found = lines.findLast(line => line['type'] === type);
    assert.ok(found, `there is no ${type}`);
    return found;
  };
  const said = (lines: readonly Line[], role: string): readonly Line[] =>
    lines.filter(({ message }) => (message as { readonly role?: string } | undefined)?.role === role);

  it('have ids as pi makes them, and begin with model and thinking level', async () => {
    const on = await open([{ text: 'one' }, { text: 'two' }]);
    await on.chat.submit('first');
    await on.chat.submit('second');
    const [header, ...lines] = await on.entries();
    assert.match(String(header?.['id']), /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    for (const { id } of lines) assert.match(String(id), /^[\da-f]{8}$/);
    const types = lines.map(({ type }) => type);
    assert.deepEqual(types.slice(0, 2), ['model_change', 'thinking_level_change']);
    assert.equal(types.filter(type => type === 'model_change' || type === 'thinking_level_change').length, 2);
  });

  it('begin with them also when others are chosen before the first prompt', async () => {
    const on = await open([{ text: 'one' }]);
    on.chat.conversation.models.setThinkingLevel('high');
    await on.chat.submit('first');
    const [, ...lines] = await on.entries();
    const beginning = lines.slice(0, 3).map(({ type, thinkingLevel }) => [type, thinkingLevel]);
    assert.deepEqual(beginning, [
      ['model_change', undefined],
      ['thinking_level_change', 'medium'],
      ['thinking_level_change', 'high'],
    ]);
  });

  it('say how long answers and tools took, and how much the model thought', async () => {
    const calls = [{ id: 'c', name: 'bash', args: { command: 'echo hi' } }];
    const unknown = [{ id: 'd', name: 'nowhere', args: {} }];
    const on = await open([{ calls }, { calls: unknown }, { stopReason: 'error', errorMessage: '400 no' }]);
    await on.chat.submit('first');
    const lines = await on.entries();
    const kept = (role: string): readonly Line[] => said(lines, role).map(({ message }) => message as Line);
    assert.deepEqual(
      kept('assistant').map(({ thinkingLevel, durationMs }) => [thinkingLevel, typeof durationMs]),
      Array.from({ length: 3 }, () => ['medium', 'number']),
    );
    assert.deepEqual(
      kept('toolResult').map(({ durationMs }) => typeof durationMs),
      ['number', 'undefined'],
    );
  });

  it('say the thinking level again on another branch', async () => {
    const on = await open([{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
    await on.chat.submit('first');
    await on.chat.submit('/thinking high');
    await on.chat.submit('second');
    const [answer] = said(await on.entries(), 'assistant');
    await on.chat.conversation.tree.navigate(String(answer?.['id']));
    await on.chat.submit('third');
    const lines = await on.entries();
    const again = last(lines, 'thinking_level_change');
    assert.deepEqual([again['thinkingLevel'], again['parentId']], ['high', answer?.['id']]);
    assert.equal(said(lines, 'user').at(-1)?.['parentId'], again['id']);
  });

  it('name what was left, and what its summary took', async () => {
    const on = await open([{ text: 'one' }, { text: 'two' }, { text: 'left', totalTokens: 33 }]);
    await on.chat.submit('first');
    await on.chat.submit('second');
    const before = await on.entries();
    const [answer] = said(before, 'assistant');
    await on.chat.conversation.tree.navigate(String(answer?.['id']), { summarize: true });
    const summary = last(await on.entries(), 'branch_summary');
    assert.equal(summary['fromId'], before.at(-1)?.['id']);
    assert.equal(summary['parentId'], answer?.['id']);
    assert.equal((summary['usage'] as { readonly totalTokens: number }).totalTokens, 33);
  });

  describe('of a compaction that keeps nothing', () => {
    const NOTHING = hook(`pi.on('session_before_compact', () => ({
      compaction: { summary: 'all of it', firstKeptEntryId: null, tokensBefore: 1 } }));`);
    const OLDER = hook(`pi.on('session_compact', () => {});`, 'ext');

    async function compacted(): Promise<Stage> {
      const on = await open([{ text: LONG }, { text: LONG }, { text: 'three' }], {
        'nothing.ts': NOTHING,
        'older.ts': OLDER,
      });
      await on.chat.submit('first');
      await on.chat.submit('second');
      await on.chat.conversation.run.compact();
      return on;
    }

    it('the compaction names itself, and the model gets its summary and what follows', async () => {
      const on = await compacted();
      await on.chat.submit('third');
      const entry = last(await on.entries(), 'compaction');
      assert.equal(entry['firstKeptEntryId'], entry['id']);
      const request = on.request(-1);
      assert.equal(request.length, 2);
      assert.match(request[0] ?? '', /all of it/);
      assert.equal(request[1], 'user: third');
      const told = on.seen.find(({ name, hook: file }) => name === 'session_compact' && file === 'older.ts');
      const { firstKeptEntryId, firstKeptEntryIndex } = told?.payload['compactionEntry'] as Record<string, unknown>;
      const view = v1View(on.chat.conversation.forHooks);
      assert.equal(firstKeptEntryId, entry['id']);
      assert.equal(view[Number(firstKeptEntryIndex)]?.id, entry['id'], 'by index it is itself, too');
    });

    it('it reads back, stands in the tree and in exports', async () => {
      const on = await compacted();
      await on.chat.conversation.store.flush();
      const { messages } = on.chat.conversation.store.buildSessionContext();
      const { root } = on.rig;
      const roots = on.chat.conversation.store.getTree();
      assert.ok(JSON.stringify(roots).includes('all of it'));
      for (const name of ['out.md', 'out.html', 'out.jsonl']) {
        const file = await exportTo(on.chat.conversation.store, root, join(root, name));
        assert.ok(readFileSync(file, 'utf8').includes('all of it'), name);
        assert.ok(readFileSync(file, 'utf8').includes('first'), `${name} shows what was summarized`);
      }
      await on.end(true);
      stage = undefined;
      const rig = await Rig.open([], { root, resume: true });
      assert.deepEqual(rig.conversation.store.buildSessionContext().messages, messages);
      await rig.close();
    });
  });
});
