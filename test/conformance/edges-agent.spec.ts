import assert from 'node:assert/strict';
import { until, type RigOptions } from '../support/conversation-rig';
import type { Script } from '../support/scripted-stream';
import { call, COMPACT_SOON, Stage } from './support';

const V1 = 'import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";\n';
const EXT = 'import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";\n';
const extension = (code: string): string => `${EXT}export default (pi: ExtensionAPI) => {\n${code}\n};\n`;
const QUICK_RETRY = { retry: { enabled: true, maxRetries: 2, baseDelayMs: 0, maxAgentDelayMs: 0 } };

/** Edge cases about the agent's run; see also test/hook-run and edges-session. */
describe('edge cases with the agent', () => {
  let stage: Stage | undefined;
  afterEach(async () => {
    await stage?.end();
    stage = undefined;
  });

  async function open(script: readonly Script[], options: RigOptions): Promise<Stage> {
    stage = await Stage.open(script, options);
    return stage;
  }

  it('unknown tools and arguments that fail validation reach no hook', async () => {
    const hook = extension('pi.on("tool_call", () => {}); pi.on("tool_result", () => {});');
    const script = [call('nope', {}, 'a'), call('bash', { cmd: 1 }, 'b'), { text: 'ok' }];
    const on = await open(script, { extensions: { 'hook.ts': hook } });
    await on.chat.submit('go');
    assert.deepEqual(on.seen, []);
    const results = on.chat.conversation.run.agent.messages.filter(message => message.role === 'toolResult');
    assert.deepEqual(
      results.map(result => result.isError),
      [true, true],
    );
  });

  for (const [mode, turns] of [
    ['one-at-a-time', ['user: one', 'user: two']],
    ['all', ['user: one,user: two']],
  ] as const) {
    it(`pi.send twice while the agent is at work, steering ${mode}: ${turns.length} more turns`, async () => {
      const hook = `${V1}export default (pi: HookAPI) => {
  let sent = false;
  pi.on("tool_call", async () => { if (!sent) { sent = true; pi.send("one"); pi.send("two"); } });
};\n`;
      const script = [call('bash', { command: 'true' }), { text: 'a' }, { text: 'b' }];
      const on = await open(script, { hooks: { 'hook.ts': hook }, settings: { steeringMode: mode } });
      await on.chat.submit('go');
      const added = on.rig.model.requests.slice(1).map((_, at) => {
        const known = on.request(at).length;
        return on
          .request(at + 1)
          .slice(known)
          .filter(line => line.startsWith('user'))
          .join(',');
      });
      assert.deepEqual(added, turns);
    });
  }

  it('a message that steers skips the rest of the tools, unseen by hooks', async () => {
    const hook = `${V1}export default (pi: HookAPI) => {
  pi.on("tool_call", async () => undefined);
  pi.on("tool_result", async () => { pi.send("stop that"); });
};\n`;
    const script: Script[] = [
      {
        calls: [
          { id: 'a', name: 'bash', args: { command: 'true' } },
          { id: 'b', name: 'bash', args: { command: 'true' } },
        ],
      },
      { text: 'ok' },
    ];
    const on = await open(script, { hooks: { 'hook.ts': hook } });
    await on.chat.submit('go');
    assert.deepEqual(on.outcomes('tool_call', 'tool_result'), ['tool_call: nothing', 'tool_result: nothing']);
    assert.deepEqual(on.request(1).slice(-2), ['toolResult: Skipped due to queued user message.', 'user: stop that']);
    const skipped = on.chat.conversation.run.agent.messages.filter(message => message.role === 'toolResult')[1];
    assert.equal(skipped?.isError, true);
  });

  it('agent_end is told once per attempt, and turns are counted anew', async () => {
    const hook = extension('pi.on("agent_end", () => {}); pi.on("turn_start", () => {});');
    const script: Script[] = [{ stopReason: 'error', errorMessage: '503 overloaded' }, { text: 'fine' }];
    const on = await open(script, { extensions: { 'hook.ts': hook }, settings: QUICK_RETRY });
    await on.chat.submit('go');
    assert.deepEqual(on.outcomes('agent_end').length, 2);
    assert.deepEqual(
      on.seen.filter(seen => seen.name === 'turn_start').map(seen => seen.payload['turnIndex']),
      [0, 0],
    );
  });

  it('a command runs at once while the agent is at work', async () => {
    const hook = extension(
      'pi.registerCommand("now", { handler: async (_args, ctx) => { ctx.ui.notify("idle " + ctx.isIdle(), "info"); } });',
    );
    const on = await open(['hang'], { extensions: { 'hook.ts': hook } });
    const run = on.chat.submit('go');
    await until(() => (on.rig.model.requests.length === 1 ? true : undefined), 'the request');
    await on.chat.submit('/now');
    assert.deepEqual(on.notices, ['idle false info']);
    assert.equal(on.rig.model.requests.length, 1);
    await on.chat.conversation.run.stop();
    await run;
  });

  it('what before_agent_start adds stands after the user’s message, for good', async () => {
    const hook = extension(
      'pi.on("before_agent_start", event => event.prompt === "first" ? { message: { customType: "x", content: "added", display: false } } : undefined);',
    );
    const on = await open([{ text: 'one' }, { text: 'two' }], { extensions: { 'hook.ts': hook } });
    await on.chat.submit('first');
    await on.chat.submit('second');
    assert.deepEqual(on.request(1), ['user: first', 'user: added', 'assistant: one', 'user: second']);
    const types = on.chat.conversation.store.getBranch().map(entry => entry.type);
    assert.deepEqual(types, [
      ...['model_change', 'thinking_level_change', 'message'],
      ...['message', 'custom_message', 'message', 'message', 'message'],
    ]);
  });

  it('a label for an unknown entry is an error that names it', async () => {
    const hook = extension(
      'pi.registerCommand("label", { handler: async (id, ctx) => { try { pi.setLabel(id, "x"); } catch (error) { ctx.ui.notify((error as Error).message, "info"); } } });',
    );
    const on = await open([], { extensions: { 'hook.ts': hook } });
    await on.chat.submit('/label nowhere');
    assert.deepEqual(on.notices, ['Entry nowhere not found info']);
  });

  it('setActiveTools takes the names it knows, and the system prompt follows', async () => {
    const hook = extension(
      'pi.registerCommand("tools", { handler: async () => { pi.setActiveTools(["read", "nope"]); } });',
    );
    const on = await open([{ text: 'one' }, { text: 'two' }], {
      extensions: { 'hook.ts': hook },
      realPrompt: true,
    });
    await on.chat.submit('first');
    await on.chat.submit('/tools');
    await on.chat.submit('second');
    const [before, after] = on.rig.model.requests;
    assert.ok((before?.tools?.length ?? 0) > 1);
    assert.deepEqual(
      after?.tools?.map(tool => tool.name),
      ['read'],
    );
    assert.match(before?.systemPrompt ?? '', /\bbash\b/);
    assert.doesNotMatch(after.systemPrompt ?? 'bash', /\bbash\b/);
  });

  it('sendUserMessage while the agent is at work needs deliverAs; else an error, and nothing is queued', async () => {
    const hook = extension(
      'pi.registerCommand("say", { handler: async args => { pi.sendUserMessage("hello", args === "" ? undefined : { deliverAs: "followUp" }); } });',
    );
    const on = await open(['hang', { text: 'ok' }], { extensions: { 'hook.ts': hook } });
    const run = on.chat.submit('go');
    await until(() => (on.rig.model.requests.length === 1 ? true : undefined), 'the request');
    await on.chat.submit('/say');
    await until(() => (on.errors.length === 1 ? true : undefined), 'the error');
    assert.match(on.errors.splice(0)[0]?.message ?? '', /^Agent is already processing\./);
    assert.equal(on.chat.conversation.inbox.waiting.hasTexts, false);
    await on.chat.submit('/say later');
    await until(() => (on.chat.conversation.inbox.waiting.hasTexts ? true : undefined), 'the queued message');
    await on.chat.conversation.run.stop();
    await run;
  });

  it('ctx.compact() in turn_end ends the run, as /compact does', async () => {
    const long = 'x'.repeat(400);
    const hook = extension(`
  let asked = false;
  pi.on("turn_end", (event, ctx) => {
    if (asked || event.toolResults.length === 0) return;
    asked = true;
    ctx.compact({ onComplete: result => ctx.ui.notify("compacted: " + result.summary, "info"), onError: error => ctx.ui.notify("failed: " + error.message, "info") });
  });
  pi.on("session_before_compact", event => ({ compaction: { summary: "short", firstKeptEntryId: event.preparation.firstKeptEntryId, tokensBefore: 1 } }));`);
    const on = await open([{ text: long }, call('bash', { command: 'true' }), 'hang'], {
      extensions: { 'hook.ts': hook },
      settings: COMPACT_SOON,
    });
    await on.chat.submit('first');
    await on.chat.submit('second');
    await until(() => on.notices.find(text => text.startsWith('compacted') || text.startsWith('failed')), 'the end');
    assert.deepEqual(on.notices, ['compacted: short info']);
    assert.ok(on.chat.conversation.store.getEntries().some(entry => entry.type === 'compaction'));
    assert.equal(on.chat.conversation.run.isIdle, true);
  });

  it('a handler of agent_end that waits for idle keeps nobody waiting', async () => {
    const hook = extension(`
  let command: any;
  pi.registerCommand("keep", { handler: async (_args, ctx) => { command = ctx; } });
  pi.on("agent_end", async (_event, ctx) => { await command.waitForIdle(); ctx.ui.notify("idle", "info"); });`);
    const on = await open([{ text: 'ok' }], { extensions: { 'hook.ts': hook } });
    await on.chat.submit('/keep');
    await on.chat.submit('go');
    await until(() => on.notices.find(text => text === 'idle info'), 'the handler');
  });
});
