import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { until, type RigOptions } from '../support/conversation-rig';
import { rounds } from '../support/long-run';
import { textOf } from '../support/recorder';
import { seedHook, seedIt, seedModule, seedText } from '../support/seeds';
import type { Script } from '../support/scripted-stream';
import { call, COMPACT_SOON, Stage } from './support';
import { isSaid } from '../support/said';

const LONG = 'x'.repeat(400);

describe('session hooks of the documents', () => {
  let stage: Stage | undefined;
  afterEach(async () => {
    await stage?.end();
    stage = undefined;
  });

  async function open(script: readonly Script[], text: string, options: RigOptions = {}): Promise<Stage> {
    stage = await Stage.open(script, { hooks: { 'hook.ts': text }, ...options });
    return stage;
  }

  for (const [document, word] of [
    ['v1', 'clear'],
    ['tree', 'new'],
  ] as const) {
    const id = `${document}-notify-session`;

    seedIt(`${id}: names every step of a session’s life, and the file`, async () => {
      const on = await open([{ text: 'hi' }], `// @pi-dialect ${document}\n${seedModule(id)}`);
      const first = on.chat.store.getSessionFile()!;
      await on.chat.inbox.submit('hello');
      await on.chat.store.flush();
      await on.chat.sessions.newSession();
      const second = on.chat.store.getSessionFile()!;
      await on.chat.sessions.switchTo(first);
      const entry = on.chat.store.getEntries().find(isSaid)!;
      await on.chat.sessions.fork(entry.id);
      const third = on.chat.store.getSessionFile()!;
      assert.deepEqual(
        on.notices,
        [
          ['start', first],
          [`before_${word}`, first],
          [word, second],
          ['before_switch', second],
          ['switch', first],
          ['before_branch', first],
          ['branch', third],
        ].map(([reason, file]) => `Session ${reason ?? ''}: ${file ?? ''} info`),
      );
      assert.equal(new Set([first, second, third]).size, 3);
    });

    seedIt(`${document}-session-cancel: cancels the new session, and branches without restoring messages`, async () => {
      const on = await open([{ text: 'one' }, { text: 'two' }], seedModule(`${document}-session-cancel`));
      await on.chat.inbox.submit('first');
      await on.chat.inbox.submit('second');
      const file = on.chat.store.getSessionFile();
      assert.deepEqual(await on.chat.sessions.newSession(), { cancelled: true });
      assert.equal(on.chat.store.getSessionFile(), file);
      const entry = on.chat.store
        .getEntries()
        .findLast(candidate => textOf((candidate as { message?: object }).message ?? {}) === 'second')!;
      await on.chat.sessions.fork(entry.id);
      assert.notEqual(on.chat.store.getSessionFile(), file);
      assert.equal(on.chat.run.agent.messages.length, 5, 'the messages in memory stay');
      assert.equal(on.chat.composer.text, 'second');
      const header = on.chat.store.getHeader() as { parentSession?: string };
      assert.equal(header.parentSession, file);
    });
  }

  seedIt('the two notifying hooks differ in nothing but blanks, so that only a person can tell their dialect', () => {
    const bare = (id: string): string => seedText(seedHook(id)).replace(/\s/g, '');
    assert.equal(bare('v1-notify-session'), bare('tree-notify-session'));
  });

  const compacting = {
    before: '',
    inside: 'pi.on("session", async (event: any, ctx: any) => { if (event.reason !== "before_compact") return;',
    after: '});',
  };

  async function compacted(text: string): Promise<Stage> {
    const on = await open([{ text: LONG }, { text: LONG }, { text: 'after' }], text, { settings: COMPACT_SOON });
    await on.chat.inbox.submit('first');
    await on.chat.inbox.submit('second');
    await on.chat.run.compact();
    await on.chat.inbox.submit('third');
    return on;
  }

  seedIt('v1-compaction-keep-recent: the summary stands before the recent turns', async () => {
    const on = await compacted(seedModule('v1-compaction-keep-recent', compacting));
    const [summary, ...rest] = on.request(-1);
    assert.match(summary ?? '', /Your custom summary\.\.\./);
    assert.deepEqual(rest, [`assistant: ${LONG}`, 'user: third']);
    const entry = (await on.entries()).find(candidate => candidate['type'] === 'compaction');
    assert.equal(entry?.['fromHook'], true);
  });

  seedIt('v1-compaction-keep-nothing: the summary is all there is', async () => {
    const on = await compacted(seedModule('v1-compaction-keep-nothing', compacting));
    const [summary, ...rest] = on.request(-1);
    assert.match(summary ?? '', /Complete summary of all work\.\.\./);
    assert.deepEqual(rest, ['user: third']);
  });

  seedIt('tree-compaction: summary and details are stored', async () => {
    const inside = `${compacting.inside} const { preparation } = event;`;
    const on = await compacted(seedModule('tree-compaction', { ...compacting, inside }));
    assert.match(on.request(-1)[0] ?? '', /Your summary\.\.\./);
    const entry = (await on.entries()).find(candidate => candidate['type'] === 'compaction');
    assert.deepEqual([entry?.['details'], entry?.['fromHook']], [{}, true]);
  });

  seedIt('v1-custom-compaction: lists what the user said, and keeps the recent turns', async () => {
    const on = await compacted(seedModule('v1-custom-compaction'));
    const [summary, ...rest] = on.request(-1);
    // Messages of users hold parts here, which the document's hook calls complex.
    assert.match(summary ?? '', /User requests:\n- \[complex\]/);
    assert.deepEqual(rest, [`assistant: ${LONG}`, 'user: third']);
    assert.equal(on.rig.model.requests.length, 3, 'no request was made for a summary');
  });

  describe('exec', () => {
    let bin: string;
    const path = process.env['PATH'];
    before(() => {
      bin = mkdtempSync(join(tmpdir(), 'hookline slow '));
      for (const name of ['slow-command', 'long-command']) {
        writeFileSync(join(bin, name), '#!/bin/sh\nexec sleep 60\n');
        chmodSync(join(bin, name), 0o755);
      }
      process.env['PATH'] = `${bin}${delimiter}${path ?? ''}`;
    });
    after(() => {
      process.env['PATH'] = path;
      rmSync(bin, { recursive: true, force: true });
    });

    const inside =
      'pi.on("session", async (event: any, ctx: any) => { if (event.reason !== "start") return; void (async () => {';
    const behind = 'ctx.ui.notify(JSON.stringify(result), "info"); })(); });';
    // The document aborts nothing itself: its controller does so here after a moment.
    const impatient =
      'const AbortController = class extends globalThis.AbortController { constructor() { super(); setTimeout(() => this.abort(), 50); } };';

    async function result(text: string): Promise<Readonly<Record<string, unknown>>> {
      const on = await open([], text);
      const notice = await until(() => on.notices.find(text_ => text_.startsWith('{')), 'the result');
      return JSON.parse(notice.replace(/ info$/, '')) as Record<string, unknown>;
    }

    seedIt('v1-exec: gives stdout, stderr and code', async () => {
      const got = await result(seedModule('v1-exec', { inside, after: behind }));
      assert.deepEqual(Object.keys(got).sort(), ['code', 'killed', 'stderr', 'stdout']);
      assert.equal(got['killed'], false);
      assert.notEqual(got['code'], 0, 'the folder is no repository');
      assert.match(String(got['stderr']), /repository/);
    });

    seedIt('v1-exec-abort: ends with killed', async () => {
      const got = await result(seedModule('v1-exec-abort', { before: impatient, inside, after: behind }));
      assert.equal(got['killed'], true);
    });

    seedIt('v1-exec-timeout, tree-exec-timeout: end with killed after the time they name', async () => {
      // The documents name five seconds.
      const hasty = (id: string): string =>
        seedModule(id, { inside, after: behind }).replaceAll('timeout: 5000', `timeout: ${rounds(500, 5_000)}`);
      const logged: unknown[] = [];
      const { log } = console;
      // eslint-disable-next-line no-console -- the document's hook speaks through it
      console.log = (...args: unknown[]) => logged.push(...args);
      try {
        const on = await open([], hasty('v1-exec-timeout'), {
          globalHooks: { 'tree.ts': hasty('tree-exec-timeout') },
        });
        const notices = await until(() => {
          const found = on.notices.filter(text => text.startsWith('{'));
          return found.length === 2 ? found : undefined;
        }, 'both results');
        assert.ok(notices.every(text => text.includes('"killed":true')));
        assert.deepEqual(logged, ['Command timed out']);
      } finally {
        // eslint-disable-next-line no-console -- see above
        console.log = log;
      }
    }).timeout(30_000);

    seedIt('tree-exec-status: tells the output when the code is 0', async () => {
      const got = await result(seedModule('tree-exec-status', { inside, after: behind }));
      assert.equal(typeof got['code'], 'number');
    });
  });

  describe('what a hook says on its own account', () => {
    seedIt('tree-send-message: a custom message starts a turn', async () => {
      const around = { inside: 'pi.registerCommand("go", { handler: async (ctx: any) => {', after: '} });' };
      const on = await open([{ text: 'looking' }], seedModule('tree-send-message', around));
      await on.chat.inbox.submit('/go');
      await until(() => (on.rig.model.requests.length === 1 && on.chat.run.isIdle ? true : undefined), 'the turn');
      assert.deepEqual(on.request(0), ['user: External trigger: build failed']);
      assert.deepEqual(
        on.rig.items('custom').map(item => [item.customType, item.text]),
        [['my-hook', 'External trigger: build failed']],
      );
      const stored = on.chat.store.getEntries().find(entry => entry.type === 'custom_message') as {
        customType?: string;
      };
      assert.equal(stored.customType, 'my-hook');
    });

    seedIt(
      'tree-append-entry, tree-restore-state: state outlives the session file’s reload, unseen by the model',
      async () => {
        const text = seedModule('tree-append-entry', {
          inside: `${seedText(seedHook('tree-restore-state')).replace(
            '// Reconstruct state from entry.data',
            'ctx.ui.notify("count " + (entry as any).data.count, "info");',
          )}\npi.registerCommand("keep", { handler: async (ctx: any) => {`,
          after: '} });',
        });
        const first = await open([{ text: 'hi' }], text);
        await first.chat.inbox.submit('/keep');
        await first.chat.inbox.submit('hello');
        assert.deepEqual(first.request(0), ['user: hello']);
        assert.deepEqual(first.notices, []);
        await first.end(true);
        const again = await open([], text, { root: first.rig.root, resume: true });
        assert.deepEqual(again.notices, ['count 42 info']);
        const file = again.chat.store.getSessionFile()!;
        await again.chat.sessions.newSession();
        await again.chat.sessions.switchTo(file);
        assert.deepEqual(again.notices, ['count 42 info', 'count 42 info']);
      },
    );

    seedIt('tree-stats-command: counts the messages of the session', async () => {
      const on = await open([call('ls', {}), { text: 'ok' }], seedModule('tree-stats-command'));
      assert.ok(
        on.chat.commands.some(({ name, description }) => name === 'stats' && description === 'Show session statistics'),
      );
      await on.chat.inbox.submit('hello');
      await on.chat.inbox.submit('/stats');
      assert.deepEqual(on.notices, ['4 messages in session info']);
      assert.equal(on.rig.model.requests.length, 2, 'a command is not sent to the model');
    });

    seedIt('tree-renderer: draws the message in the theme’s accent', async () => {
      const on = await open([], seedModule('tree-renderer'));
      const [hook] = on.rig.host.runner.loaded;
      const render = hook?.renderers.get('my-hook');
      assert.ok(render);
      const message = { role: 'custom', customType: 'my-hook', content: 'built', display: true };
      const component = render(message, { expanded: false, width: 40 }, on.rig.host.theme.current) as {
        render(width: number): string[];
      };
      const [line] = component.render(40);
      assert.match(line ?? '', /\[MY-HOOK\] built/);
      assert.ok(line?.includes('\u001b['), 'in colour');
    });

    seedIt('tree-inject: the message is stored, shown, and sent after the user’s on this and later turns', async () => {
      const on = await open([{ text: 'one' }, { text: 'two' }], seedModule('tree-inject'));
      await on.chat.inbox.submit('first');
      assert.deepEqual(on.request(0), ['user: first', 'user: Additional context...']);
      assert.deepEqual(
        on.rig.items('custom').map(item => [item.customType, item.text]),
        [['context-injection', 'Additional context...']],
      );
      await on.chat.inbox.submit('second');
      assert.deepEqual(on.request(1), [
        'user: first',
        'user: Additional context...',
        'assistant: one',
        'user: second',
        'user: Additional context...',
      ]);
      const stored = (await on.entries()).filter(entry => entry['type'] === 'custom_message');
      assert.deepEqual(
        stored.map(entry => entry['customType']),
        ['context-injection', 'context-injection'],
      );
    });

    seedIt(
      'tree-context-pruning: prunes what the model sees by rules kept in the session, which stays whole',
      async () => {
        const before = `type PruneRule = { word: string };
        const applyPruning = (messages: any[], rules: PruneRule[]) =>
          messages.filter(message => !rules.some(rule => JSON.stringify(message.content).includes(rule.word)));\n`;
        const on = await open([{ text: 'one' }, { text: 'two' }], seedModule('tree-context-pruning', { before }));
        await on.chat.inbox.submit('a secret word');
        on.chat.store.appendCustomEntry('prune-rules', [{ word: 'secret' }]);
        await on.chat.inbox.submit('second');
        assert.deepEqual(on.request(0), ['user: a secret word']);
        assert.deepEqual(on.request(1), ['assistant: one', 'user: second']);
        assert.equal(textOf(on.chat.run.agent.messages[1]!), 'a secret word');
      },
    );
  });

  describe('guards', () => {
    const tool = `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { Type } from "@sinclair/typebox";
export default function (pi: ExtensionAPI) {
  pi.registerTool({ name: "my-custom-tool", label: "Mine", description: "Mine", parameters: Type.Object({}),
    async execute() { return { content: [{ type: "text", text: "done" }], details: { someField: "some field" } }; } });
}\n`;
    for (const document of ['v1', 'tree'] as const) {
      seedIt(`${document}-bash-guard, ${document}-custom-guard: narrow what the tools gave`, async () => {
        const logged: string[] = [];
        const { log } = console;
        // eslint-disable-next-line no-console -- the document's hook speaks through it
        console.log = (...args: unknown[]) => logged.push(args.join(' '));
        try {
          const on = await open(
            [call('bash', { command: 'seq 1 3000' }), call('my-custom-tool', {}), { text: 'ok' }],
            seedModule(`${document}-custom-guard`),
            { globalHooks: { 'bash.ts': seedModule(`${document}-bash-guard`) }, extensions: { 'tool.ts': tool } },
          );
          await on.chat.inbox.submit('go');
          assert.deepEqual(on.outcomes('tool_result'), Array<string>(4).fill('tool_result: nothing'));
          assert.match(logged[0] ?? '', /^Full output at: .*pi-bash-.*\.log$/);
          assert.equal(logged[1], 'some field');
          assert.equal(logged.length, 2);
        } finally {
          // eslint-disable-next-line no-console -- see above
          console.log = log;
        }
      });
    }
  });

  describe('observers see each step with the fields that are named', () => {
    const observers: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
      'v1-agent-events': { agent_start: [], agent_end: ['messages'] },
      'v1-turn-events': { turn_start: ['turnIndex', 'timestamp'], turn_end: ['turnIndex', 'message', 'toolResults'] },
      'tree-agent-events': { agent_start: [], agent_end: ['messages'] },
      'tree-turn-events': { turn_start: ['turnIndex', 'timestamp'], turn_end: ['turnIndex', 'message', 'toolResults'] },
      'ext-agent-start': { agent_start: [] },
      'ext-agent-end': { agent_end: ['messages'] },
      'ext-turn-start': { turn_start: ['turnIndex', 'timestamp'] },
      'ext-turn-end': { turn_end: ['turnIndex', 'message', 'toolResults'] },
      'ext-message-events': {
        message_start: ['message'],
        message_update: ['message', 'assistantMessageEvent'],
        message_end: ['message'],
      },
      'ext-tool-execution': {
        tool_execution_start: ['toolCallId', 'toolName', 'args'],
        tool_execution_update: ['partialResult'],
        tool_execution_end: ['result', 'isError'],
      },
      'ext-narrowing': { tool_call: ['toolCallId', 'toolName', 'input'] },
    };
    for (const [id, events] of Object.entries(observers)) {
      seedIt(`${id}: ${Object.keys(events).join(', ')}`, async () => {
        const files = { 'hook.ts': seedModule(id) };
        // News of output comes only between two parts of it.
        const command = 'tool_execution_update' in events ? 'echo one; sleep 0.3; echo two' : 'echo one';
        const on = await Stage.open(
          [call('bash', { command }), { text: 'ok' }],
          id.startsWith('ext') ? { extensions: files } : { hooks: files },
        );
        stage = on;
        await on.chat.inbox.submit('go');
        for (const [event, fields] of Object.entries(events)) {
          const seen = on.seen.filter(candidate => candidate.name === event);
          assert.ok(seen.length > 0, `${event} was not seen`);
          for (const one of seen) {
            assert.equal(one.outcome, 'nothing');
            assert.deepEqual(
              fields.filter(field => !one.fields.includes(field)),
              [],
              `fields that ${event} lacks`,
            );
          }
        }
      });
    }
  });
});
