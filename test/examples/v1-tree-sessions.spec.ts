import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { COMPACT_SOON, Stage } from '../conformance/support';
import { until, type RigOptions } from '../support/conversation-rig';
import { textOf } from '../support/recorder';
import { isSaid } from '../support/said';
import type { Script } from '../support/scripted-stream';
import { exampleAs, exampleText } from './drive';

const LONG = 'x'.repeat(400);

describe('sessions and programs in v1 and tree', () => {
  let stage: Stage | undefined;
  afterEach(async () => {
    await stage?.end();
    stage = undefined;
  });

  async function open(
    dialect: 'v1' | 'tree',
    text: string,
    script: readonly Script[],
    options: RigOptions = {},
  ): Promise<Stage> {
    stage = await Stage.open(script, { ...options, hooks: { 'hook.ts': text } });
    const [info] = stage.rig.host.infos();
    assert.equal(info?.dialect?.id, dialect, info?.dialect?.because);
    return stage;
  }

  describe('session-diary.ts', () => {
    for (const [dialect, word] of [
      ['v1', 'clear'],
      ['tree', 'new'],
    ] as const) {
      it(`${dialect}: hears of each step of a session, with the word "${word}" for a new one`, async () => {
        const on = await open(dialect, exampleAs(dialect, 'v1', 'session-diary.ts'), [{ text: 'hi' }]);
        const first = on.chat.conversation.store.getSessionFile()!;
        await on.chat.submit('hello');
        await on.chat.conversation.store.flush();
        await on.chat.conversation.sessions.newSession();
        const second = on.chat.conversation.store.getSessionFile()!;
        await on.chat.conversation.sessions.switchTo(first);
        await on.chat.conversation.sessions.fork(on.chat.conversation.store.getEntries().find(isSaid)!.id);
        const third = on.chat.conversation.store.getSessionFile()!;
        assert.equal(new Set([first, second, third]).size, 3);
        const said = on.notices.map(text =>
          [first, second, third].reduce((all, file, at) => all.replaceAll(basename(file), `file ${at + 1}`), text),
        );
        assert.deepEqual(said, [
          'start: file 1 after no file info',
          `before_${word}: file 1 after no file info`,
          `${word}: file 2 after file 1 info`,
          'before_switch: file 2 after no file info',
          'switch: file 1 after file 2 info',
          'before_branch: file 1 after no file info',
          'branch: file 3 after file 1 info',
        ]);
      });
    }
  });

  describe('one-session.ts', () => {
    for (const dialect of ['v1', 'tree'] as const) {
      it(`${dialect}: keeps the session, and a branch keeps the messages in memory`, async () => {
        const text = exampleText(dialect, 'one-session.ts');
        const on = await open(dialect, text, [{ text: 'one' }, { text: 'two' }]);
        await on.chat.submit('first');
        await on.chat.submit('second');
        const file = on.chat.conversation.store.getSessionFile();
        assert.deepEqual(await on.chat.conversation.sessions.newSession(), { cancelled: true });
        assert.equal(on.chat.conversation.store.getSessionFile(), file);
        const entry = on.chat.conversation.store
          .getEntries()
          .findLast(candidate => textOf((candidate as { message?: object }).message ?? {}) === 'second')!;
        await on.chat.conversation.sessions.fork(entry.id);
        assert.notEqual(on.chat.conversation.store.getSessionFile(), file);
        assert.equal(on.chat.conversation.run.agent.messages.length, 5);
        assert.equal(on.chat.composer.text, 'second');
        assert.equal((on.chat.conversation.store.getHeader() as { parentSession?: string }).parentSession, file);
      });
    }
  });

  /** Compacts two long turns, and asks for a third one. */
  async function compacted(dialect: 'v1' | 'tree', text: string): Promise<Stage> {
    const script = [{ text: LONG }, { text: LONG }, { text: 'after' }];
    const on = await open(dialect, text, script, { settings: COMPACT_SOON });
    await on.chat.submit('first');
    await on.chat.submit('second');
    await on.chat.conversation.run.compact('only the weather');
    await on.chat.submit('third');
    assert.equal(on.rig.model.requests.length, 3, 'no model was asked for the summary');
    return on;
  }
  const compactionIn = async (on: Stage): Promise<Readonly<Record<string, unknown>> | undefined> =>
    (await on.entries()).find(entry => entry['type'] === 'compaction');

  describe('compact-to-requests.ts', () => {
    it('puts its summary before the recent turns, which it keeps', async () => {
      const on = await compacted('v1', exampleText('v1', 'compact-to-requests.ts'));
      const [summary, ...kept] = on.request(-1);
      assert.match(summary ?? '', /The user asked for:\n- first\n/);
      assert.deepEqual(kept, [`assistant: ${LONG}`, 'user: third']);
      assert.equal((await compactionIn(on))?.['fromHook'], true);
    });
  });

  describe('clean-slate.ts', () => {
    it('leaves the summary alone', async () => {
      const on = await compacted('v1', exampleText('v1', 'clean-slate.ts'));
      const [summary, ...kept] = on.request(-1);
      assert.match(summary ?? '', /The slate was wiped after 3 messages\. You asked for: only the weather/);
      assert.deepEqual(kept, ['user: third']);
    });
  });

  describe('numbered-compaction.ts', () => {
    it('stores its summary and its details, and hears of them', async () => {
      const on = await compacted('tree', exampleText('tree', 'numbered-compaction.ts'));
      const [summary, ...kept] = on.request(-1);
      assert.match(summary ?? '', /Compaction 1 left out \d messages\./);
      assert.deepEqual(kept, [`assistant: ${LONG}`, 'user: third']);
      const entry = await compactionIn(on);
      assert.deepEqual([entry?.['details'], entry?.['fromHook']], [{ round: 1, stopped: false }, true]);
      assert.match(on.notices[0] ?? '', /^Compaction 1 left out \d messages\. Of a hook, \d+ tokens info$/);
    });
  });

  describe('health-check.ts', () => {
    const path = process.env['PATH'];
    let bin: string;
    before(() => {
      bin = mkdtempSync(join(tmpdir(), 'hookline programs '));
      const programs = {
        'health-quick': 'echo "$# arguments: $2"; echo careful >&2; exit 3',
        'health-forever': 'exec sleep 60',
      };
      for (const [name, code] of Object.entries(programs)) {
        writeFileSync(join(bin, name), `#!/bin/sh\n${code}\n`);
        chmodSync(join(bin, name), 0o755);
      }
      process.env['PATH'] = `${bin}${delimiter}${path ?? ''}`;
    });
    after(() => {
      process.env['PATH'] = path;
      rmSync(bin, { recursive: true, force: true });
    });

    for (const dialect of ['v1', 'tree'] as const) {
      it(`${dialect}: gets output and code, and is told which programs were killed`, async () => {
        const on = await open(dialect, exampleText(dialect, 'health-check.ts'), []);
        await until(() => (on.notices.length === 3 ? true : undefined), 'the results');
        const results = on.notices.map(text => JSON.parse(text.replace(/ info$/, '')) as Record<string, unknown>);
        const quick = {
          name: 'quick',
          code: 3,
          stdout: '2 arguments: two words\n',
          stderr: 'careful\n',
          killed: false,
        };
        assert.deepEqual(results[0], quick);
        assert.deepEqual(
          results.map(({ name, killed }) => [name, killed]),
          [
            ['quick', false],
            ['late', true],
            ['stopped', true],
          ],
        );
        for (const result of results) assert.deepEqual(Object.keys(result).sort(), Object.keys(quick).sort());
      });
    }
  });
});
