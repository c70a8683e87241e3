import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareCompaction } from '../../src/agent/compaction/plan';
import type { AgentMessage } from '../../src/agent/messages';
import { SessionStore } from '../../src/agent/session/store';
import { discoverHooks } from '../../src/hook-load/files/discover';
import type { RigOptions } from '../support/conversation-rig';
import { answer, type Script } from '../support/scripted-stream';
import { COMPACT_SOON, Stage } from './support';
import { isSaid } from '../support/said';

const LONG = 'x'.repeat(400);
const V1 = 'import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";\n';
const EXT = 'import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";\n';

/** Edge cases about sessions, compaction and files; see also test/hook-run and edges-agent. */
describe('edge cases with sessions', () => {
  let stage: Stage | undefined;
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'hookline edge '))));
  afterEach(async () => {
    await stage?.end();
    stage = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(script: readonly Script[], options: RigOptions): Promise<Stage> {
    stage = await Stage.open(script, options);
    return stage;
  }

  const user = (text: string): AgentMessage & { role: 'user' } => ({ role: 'user', content: text, timestamp: 1 });
  const messageIds = (on: Stage): readonly string[] =>
    on.chat.conversation.store
      .getEntries()
      .filter(isSaid)
      .map(entry => entry.id);

  describe('compaction', () => {
    const compactor = (code: string): string =>
      `${V1}export default (pi: HookAPI) => { pi.on("session", async (event: any, ctx) => { if (event.reason === "before_compact") { ${code} } }); };\n`;
    const keeping = (index: string): string =>
      compactor(
        `return { compactionEntry: { type: "compaction", timestamp: "", summary: "same words", firstKeptEntryIndex: ${index}, tokensBefore: 1 } };`,
      );

    async function twoTurns(hook: string | undefined, more: readonly Script[] = []): Promise<Stage> {
      const on = await open([{ text: LONG }, { text: LONG }, ...more], {
        settings: COMPACT_SOON,
        ...(hook === undefined ? {} : { hooks: { 'hook.ts': hook } }),
      });
      await on.chat.submit('first');
      await on.chat.submit('second');
      return on;
    }

    it('firstKeptEntryIndex = entries.length: the next request has the summary only', async () => {
      const on = await twoTurns(keeping('event.entries.length'), [{ text: 'ok' }]);
      await on.chat.conversation.run.compact();
      assert.deepEqual(
        on.chat.conversation.run.agent.messages.map(message => message.role),
        ['system', 'compactionSummary'],
      );
      await on.chat.submit('third');
      assert.equal(on.request(-1).length, 2);
    });

    it('a second compaction knows the summary of the first; right after one there is nothing to do', async () => {
      const hook = compactor(
        'ctx.ui.notify("previous: " + event.previousSummary, "info"); return { compactionEntry: { type: "compaction", timestamp: "", summary: "one", firstKeptEntryIndex: event.cutPoint.firstKeptEntryIndex, tokensBefore: 1 } };',
      );
      const on = await twoTurns(hook, [{ text: LONG, totalTokens: 300 }]);
      await on.chat.conversation.run.compact();
      await assert.rejects(on.chat.conversation.run.compact(), /^Error: Already compacted$/);
      await on.chat.submit('third');
      await on.chat.conversation.run.compact();
      assert.deepEqual(
        on.notices.filter(text => text.startsWith('previous')),
        ['previous: undefined info', 'previous: one info'],
      );
    });

    it('of two compactions with the same words the new one is told', async () => {
      const on = await twoTurns(keeping('event.entries.length'), [{ text: LONG, totalTokens: 300 }]);
      await on.chat.conversation.run.compact();
      await on.chat.submit('third');
      await on.chat.conversation.run.compact();
      const told = on.seen
        .filter(seen => seen.event === 'session_compact')
        .map(({ payload }) => (payload['compactionEntry'] as { id: string }).id);
      const stored = on.chat.conversation.store.getEntries().filter(entry => entry.type === 'compaction');
      assert.equal(stored.length, 2);
      assert.deepEqual(
        told,
        stored.map(entry => entry.id),
      );
    });

    const store = (...messages: readonly (AgentMessage | 'model' | 'label')[]): SessionStore => {
      const made = SessionStore.inMemory(folder);
      for (const message of messages) {
        if (message === 'model') made.appendModelChange('p', 'm');
        else if (message === 'label') made.appendLabelChange(made.getLeafId()!, 'x');
        else made.appendMessage(message as never);
      }
      return made;
    };
    const result = (text: string): AgentMessage => ({
      role: 'toolResult',
      toolCallId: 't',
      toolName: 'bash',
      content: [{ type: 'text', text }],
      isError: false,
      timestamp: 1,
    });
    const bash = (output: string): AgentMessage => ({
      role: 'bashExecution',
      command: 'ls',
      output,
      exitCode: 0,
      cancelled: false,
      truncated: false,
      timestamp: 1,
    });
    /** Indices into the path: first kept entry, start of the turn that is cut through. */
    const cut = (of: SessionStore, keepRecentTokens: number): readonly [number, number] => {
      const plan = prepareCompaction(of.getBranch(), { enabled: true, reserveTokens: 0, keepRecentTokens });
      assert.ok(plan.kind === 'ready');
      return [plan.preparation.cutPoint.firstKeptEntryIndex, plan.preparation.cutPoint.turnStartIndex];
    };

    it('the budget may be filled exactly; an oversized result at the end stays with its call', async () => {
      const turns = store(user(LONG), answer({ text: LONG }), user(LONG), answer({ text: LONG }));
      assert.deepEqual(cut(turns, 200), [2, -1]);
      assert.deepEqual(cut(turns, 201), [1, 0]);
      const oversized = store(user('a'), answer({ text: 'b' }), user('c'), answer({ text: 'd' }), result(LONG));
      assert.deepEqual(cut(oversized, 50), [3, 2]);
      await Promise.resolve();
    });

    it('a setting in front of a user message goes with it, and splits no turn', () => {
      const turns = store(user(LONG), answer({ text: LONG }), 'model', user(LONG), answer({ text: LONG }));
      assert.deepEqual(cut(turns, 200), [2, -1]);
    });

    it('a command of the user begins a turn and may stand at a cut', () => {
      const turns = store(
        user(LONG),
        answer({ text: LONG }),
        bash(LONG),
        answer({ text: LONG }),
        answer({ text: LONG }),
      );
      const [kept, turnStart] = cut(turns, 100);
      assert.deepEqual([kept, turnStart], [4, 2]);
      assert.equal(cut(turns, 250)[0], 2);
    });
  });

  it('a file found in the folder and named in the settings is loaded once', () => {
    const hooks = join(folder, '.pi', 'hooks');
    mkdirSync(hooks, { recursive: true });
    writeFileSync(join(hooks, 'a.ts'), 'export default () => {};');
    const { files, problems } = discoverHooks({
      agentDir: join(folder, 'agent'),
      cwd: folder,
      includeProject: true,
      home: folder,
      settingsPaths: [
        { path: '.pi/hooks/a.ts', from: 'settings' },
        { path: join(hooks, 'a.ts'), from: 'settings' },
      ],
    });
    assert.deepEqual([files.map(file => file.path), problems], [[join(hooks, 'a.ts')], []]);
  });

  it('hooks: links to .ts yes, folders and .js no; extensions: .js too', async () => {
    const work = join(folder, 'work', '.pi');
    const hook = (name: string): string =>
      `export default pi => { pi.registerCommand("${name}", { handler: async () => {} }); };\n`;
    mkdirSync(join(work, 'hooks', 'sub'), { recursive: true });
    mkdirSync(join(work, 'extensions'));
    writeFileSync(join(folder, 'elsewhere.ts'), hook('linked'));
    symlinkSync(join(folder, 'elsewhere.ts'), join(work, 'hooks', 'link.ts'));
    writeFileSync(join(work, 'hooks', 'sub', 'inner.ts'), hook('inner'));
    writeFileSync(join(work, 'hooks', 'script.js'), hook('script'));
    writeFileSync(join(work, 'extensions', 'script.js'), hook('extension'));
    const on = await open([], { root: folder });
    assert.deepEqual(
      on.chat.commands.filter(command => command.source === 'hook').map(command => command.name),
      ['linked', 'extension'],
    );
  });

  it('what appendEntry keeps outlives a reload, is no context, and counts for no compaction', async () => {
    const hook = `${EXT}export default (pi: ExtensionAPI) => {
  pi.registerCommand("keep", { handler: async args => { pi.appendEntry("mine", { text: "y".repeat(4000) }); } });
  pi.registerCommand("count", { handler: async (_args, ctx) => {
    ctx.ui.notify(String(ctx.sessionManager.getEntries().filter(entry => entry.type === "custom").length), "info"); } });
};\n`;
    const options = { extensions: { 'hook.ts': hook }, settings: COMPACT_SOON };
    const first = await open([{ text: LONG }, { text: LONG }, { text: 'summary' }, { text: 'turn' }], {
      ...options,
      root: folder,
    });
    await first.chat.submit('one');
    await first.chat.submit('two');
    await first.chat.submit('/keep');
    assert.doesNotMatch(JSON.stringify(first.rig.model.requests), /yyyy/);
    await first.end(true);
    const again = await open([{ text: 'summary' }, { text: 'turn' }], { ...options, root: folder, resume: true });
    await again.chat.submit('/count');
    await again.rig.host.reload();
    await again.chat.submit('/count');
    assert.deepEqual(again.notices, ['1 info', '1 info']);
    const plan = prepareCompaction(again.rig.conversation.store.getBranch(), COMPACT_SOON.compaction);
    assert.ok(plan.kind === 'ready');
    assert.deepEqual(
      plan.preparation.messagesToKeep.map(message => message.role),
      ['assistant'],
    );
  });

  it('a message with display false is sent and not shown', async () => {
    const on = await open([{ text: 'ok' }], {});
    await on.chat.conversation.inbox.sendCustom(
      { customType: 'quiet', content: 'psst', display: false },
      { triggerTurn: false },
    );
    await on.chat.submit('go');
    assert.deepEqual(on.request(0), ['user: psst', 'user: go']);
    assert.deepEqual(on.rig.items('custom'), []);
  });

  it('going to where one is tells nobody', async () => {
    const names = ['session_before_tree', 'session_tree'];
    const hook = `${EXT}export default (pi: ExtensionAPI) => { for (const name of ${JSON.stringify(names)}) pi.on(name as never, () => {}); };\n`;
    const on = await open([{ text: 'one' }], { extensions: { 'hook.ts': hook } });
    await on.chat.submit('first');
    assert.deepEqual(await on.chat.conversation.tree.navigate(on.chat.conversation.store.getLeafId()!), {
      cancelled: false,
    });
    assert.deepEqual(on.seen, []);
  });

  it('a fork from the first message is an empty session that names its parent', async () => {
    const on = await open([{ text: 'one' }], {});
    await on.chat.submit('first');
    const file = on.chat.conversation.store.getSessionFile();
    await on.chat.conversation.sessions.fork(messageIds(on)[0]!);
    assert.deepEqual(messageIds(on), []);
    assert.deepEqual(
      on.chat.conversation.run.agent.messages.map(({ role }) => role),
      ['system'],
    );
    assert.equal((on.chat.conversation.store.getHeader() as { parentSession?: string }).parentSession, file);
  });

  it('a fork leaves no hole where a label stood', async () => {
    const on = await open([{ text: 'one' }, { text: 'two' }, { text: 'three' }, { text: 'four' }], {});
    await on.chat.submit('first');
    on.chat.conversation.store.appendLabelChange(messageIds(on)[0]!, 'begin');
    await on.chat.submit('second');
    await on.chat.submit('third');
    await on.chat.conversation.sessions.fork(messageIds(on)[4]!);
    assert.equal(on.chat.conversation.store.getLabel(messageIds(on)[0]!), 'begin');
    await on.chat.submit('instead');
    assert.deepEqual(on.request(-1), [
      'user: first',
      'assistant: one',
      'user: second',
      'assistant: two',
      'user: instead',
    ]);
  });

  describe('old and damaged session files', () => {
    const header = { type: 'session', id: 's', timestamp: '2025-12-01T00:00:00.000Z', cwd: '/somewhere' };
    const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
    const message = (text: string): string =>
      line({ type: 'message', timestamp: '2025-12-01T00:00:00.000Z', message: user(text) });
    const noCwd = { ...header, cwd: undefined };
    const files: Readonly<Record<string, readonly [text: string, texts: readonly string[]]>> = {
      'a header without cwd': [line(noCwd) + message('a'), ['a']],
      'a header with a provider': [
        line({ ...header, provider: 'p', modelId: 'm', thinkingLevel: 'low' }) + message('a'),
        ['a'],
      ],
      'a line that is none': [line(header) + message('a') + '{"type":"mess\n' + message('b'), ['a', 'b']],
      'no newline at the end': [line(header) + message('a') + message('b').trimEnd(), ['a', 'b']],
      'nothing in it': ['', []],
      'a header that does not stand first': [message('a') + line(header) + message('b'), ['a', 'b']],
    };
    for (const [what, [text, texts]] of Object.entries(files)) {
      it(what, async () => {
        const file = join(folder, 'old.jsonl');
        writeFileSync(file, text);
        const store = await SessionStore.open(file, { cwd: folder });
        try {
          const { messages } = store.buildSessionContext();
          assert.deepEqual(
            messages.map(read => ('content' in read ? read.content : undefined)),
            texts,
          );
        } finally {
          await store.dispose();
        }
      });
    }
  });

  it('an old compaction that points at the header keeps nothing before it', async () => {
    const file = join(folder, 'old.jsonl');
    const timestamp = '2025-12-01T00:00:00.000Z';
    const lines = [
      { type: 'session', id: 's', timestamp, cwd: folder },
      { type: 'message', timestamp, message: user('before') },
      { type: 'compaction', timestamp, summary: 'SUM', firstKeptEntryIndex: 0, tokensBefore: 1 },
      { type: 'message', timestamp, message: user('after') },
    ];
    writeFileSync(file, lines.map(line => `${JSON.stringify(line)}\n`).join(''));
    const store = await SessionStore.open(file);
    const { messages } = store.buildSessionContext();
    await store.dispose();
    assert.deepEqual(
      messages.map(message => message.role),
      ['compactionSummary', 'user'],
    );
    assert.equal((messages[1] as { content?: unknown }).content, 'after');
  });

  it('what setup writes is in the agent before session_switch; when cancelled, setup is not called', async () => {
    const hook = (cancel: boolean): string => `${EXT}export default (pi: ExtensionAPI) => {
  pi.on("session_before_switch", () => (${String(cancel)} ? { cancel: true } : undefined));
  pi.on("session_switch", (_event, ctx) => { ctx.ui.notify("switched, " + ctx.sessionManager.getBranch().length, "info"); });
  pi.registerCommand("fresh", { handler: async (_args, ctx) => {
    const outcome = await ctx.newSession({ setup: async sm => {
      ctx.ui.notify("setup", "info");
      sm.appendMessage({ role: "user", content: [{ type: "text", text: "set up" }], timestamp: 1 });
    } });
    ctx.ui.notify(JSON.stringify(outcome), "info");
  } });
};\n`;
    const on = await open([], { extensions: { 'hook.ts': hook(false) } });
    const inAgent: string[][] = [];
    on.rig.host.records.onDidDispatch(record => {
      if (record.event === 'session_switch') {
        inAgent.push(on.chat.conversation.run.agent.messages.map(message => message.role));
      }
    });
    await on.chat.submit('/fresh');
    assert.deepEqual(on.notices, ['setup info', 'switched, 1 info', '{"cancelled":false} info']);
    assert.deepEqual(inAgent, [['user']]);
    await on.end();
    const cancelled = await open([], { extensions: { 'hook.ts': hook(true) } });
    await cancelled.chat.submit('/fresh');
    assert.deepEqual(cancelled.notices, ['{"cancelled":true} info']);
  });
});
