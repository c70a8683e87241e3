import assert from 'node:assert/strict';
import { defined } from '../../../src/base/defined';
import { endState } from '../../../src/chat/cards/present-verdict';
import { withWords } from '../../../src/hook-run/tool-call/denial-words';
import { hookRef } from '../../../src/transcript/hook-ref';
import type { Question } from '../../../src/session/ports/dialogs';
import type { GateItem } from '../../../src/protocol/items/chat-item';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';

const extension = (body: string): string =>
  `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";\nexport default function (pi: ExtensionAPI) { ${body} }`;
const CHANGES = extension('pi.on("tool_call", e => { e.input.command = "echo two"; });');
const ASKS = extension(
  'pi.on("tool_call", async (e, ctx) => (await ctx.ui.confirm("Allow?", "")) ? undefined : { block: true, reason: "Blocked by user" });',
);
const PICKS = extension(
  'pi.on("tool_call", async (e, ctx) => { const a = await ctx.ui.select("Which?", ["Run", "Leave"]); return { block: true, reason: `got ${a}` }; });',
);
const LETS = extension('pi.on("tool_call", async (e, ctx) => { await ctx.ui.confirm("Sure?", ""); });');
const REDACTS = extension('pi.on("tool_result", e => ({ content: [{ type: "text", text: "nothing to see" }] }));');
const bash = (id: string, command: string): Script => ({ calls: [{ id, name: 'bash', args: { command } }] });
const DONE: Script = { text: 'done' };

describe('why a tool ran, and what the person said to it', () => {
  let rig: Rig;
  afterEach(() => rig.close());

  async function open(script: readonly Script[], extensions: RigOptions['extensions'] = {}): Promise<void> {
    rig = await Rig.open(script, { extensions });
  }

  function answering(answer: boolean | undefined): void {
    rig.dialogs.addView({
      show: (_question: Question, reply) => {
        queueMicrotask(() => reply(answer));
        return { dispose: () => undefined };
      },
    });
  }

  const card = () => rig.items('tool')[0]!;
  const gate = (): Promise<GateItem> =>
    until(() => rig.items('gate').find(({ state }) => state.type === 'open'), 'the question');

  it('tells before and after of the input and of the result as a difference', async () => {
    await open([bash('c', 'echo one'), DONE], { 'a.ts': CHANGES, 'b.ts': REDACTS });
    await rig.chat.submit('go');
    const [call, result] = card().verdicts;
    assert.deepEqual(call?.changes, [
      { member: 'input', diff: ' 1 {\n-2   "command": "echo one"\n+2   "command": "echo two"\n 3 }' },
    ]);
    assert.equal(result?.changes?.[0]?.member, 'content');
    assert.match(result.changes[0].diff, /-1 two[^]*\+1 nothing to see/);
    assert.match(call.hook.path, /a\.ts$/);
    assert.equal(call.hook.line, 2);
  });

  it('keeps secrets out of the differences', async () => {
    const leaks = extension('pi.on("tool_call", e => { e.input.command = "echo API_KEY=abcdefgh"; });');
    await open([bash('c', 'echo one'), DONE], { 'a.ts': leaks });
    await rig.chat.submit('go');
    const text = JSON.stringify(card().verdicts[0]?.changes);
    assert.ok(text.includes('[redacted]') && !text.includes('abcdefgh'), text);
  });

  it('names what the person was asked and answered', async () => {
    await open([bash('c', 'echo one'), DONE], { 'a.ts': ASKS });
    answering(false);
    await rig.chat.submit('go');
    assert.deepEqual(card().verdicts[0]?.asked, [{ question: 'Allow?', answer: 'No' }]);
    assert.equal(card().state.type, 'blocked');
  });

  it('says that the input was changed after the approval, and shows what the model had asked for', async () => {
    await open([bash('c', 'echo one'), DONE], { 'a.ts': ASKS, 'b.ts': CHANGES });
    answering(true);
    await rig.chat.submit('go');
    assert.deepEqual(
      card().verdicts.map(({ afterApproval }) => afterApproval),
      [undefined, true],
    );
    assert.match(card().args, /echo two/);
    assert.match(card().modelArgs ?? '', /echo one/);
  });

  it('carries the message of a denial to the model, while the hook gets its plain no', async () => {
    await open([bash('c', 'echo one'), DONE], { 'a.ts': ASKS });
    const page = rig.page();
    const running = rig.chat.submit('go');
    const { id, canDeny } = await gate();
    assert.equal(canDeny, true);
    page.send({ type: 'deny', id, message: ' use the other folder ' });
    await running;
    const told = JSON.stringify(rig.model.requests.at(-1)?.messages);
    assert.match(told, /Blocked by user\\n\\nThe user says: use the other folder"/);
    const state = card().state;
    assert.ok(state.type === 'blocked' && /other folder/.test(state.reason));
    assert.equal(state.denied, undefined, 'a hook blocked it');
    assert.deepEqual(rig.items('gate')[0]?.state, { type: 'answered', answer: 'Denied' });
    assert.deepEqual(card().verdicts[0]?.asked, [{ question: 'Allow?', answer: 'No' }]);
  });

  it('shows the message of a denial that an earlier version stored only in the reason', () => {
    const reason = 'The user did not allow this call.';
    const stateOf = (given: string, says?: string) => {
      const why = { by: 'person', ...defined({ says }) } as const;
      const verdict = { hook: hookRef('/gate.ts'), event: 'tool_call', durationMs: 1, outcome: 'blocked' } as const;
      const outcome = { type: 'blocked', reason: given, by: '/gate.ts' } as const;
      const state = endState(outcome, [{ ...verdict, approvalReason: why }], undefined);
      return state.type === 'blocked' ? state.denied : undefined;
    };
    const [first, second] = ['use the other\n\nfolder', 'The user says: no'];
    assert.deepEqual(stateOf(withWords(reason, first)), { says: first });
    assert.deepEqual(stateOf(withWords(reason, second), second), { says: second });
    assert.deepEqual(stateOf(reason), {});
  });

  it('carries it as well when it is said where the editor asks, and offers that for calls only', async () => {
    const asks = extension(
      'pi.registerCommand("ask", { handler: async (_a, ctx) => { await ctx.ui.confirm("Go?", ""); } });',
    );
    await open([bash('c', 'echo one'), DONE], { 'a.ts': ASKS, 'b.ts': asks });
    const offers: boolean[] = [];
    rig.dialogs.addView({
      show: ({ canDeny }, answer) => {
        offers.push(canDeny === true);
        answer(canDeny === true ? { denied: 'use the other folder' } : false);
        return { dispose: () => undefined };
      },
    });
    await rig.chat.submit('go');
    const told = JSON.stringify(rig.model.requests.at(-1)?.messages);
    assert.match(told, /Blocked by user\\n\\nThe user says: use the other folder"/);
    assert.deepEqual(card().verdicts[0]?.asked, [{ question: 'Allow?', answer: 'No' }]);
    await rig.chat.submit('/ask');
    assert.deepEqual(offers, [true, false]);
  });

  it('keeps what was typed as a secret off its card, and every other answer on it', async () => {
    const asks = extension(
      'pi.registerCommand("ask", { handler: async (_a, ctx) => { const key = await ctx.ui.input("API key?", "sk-"); const name = await ctx.ui.input("Name?"); ctx.ui.notify(name + " has " + key.length, "info"); } });',
    );
    await open([], { 'a.ts': asks });
    rig.dialogs.addView({
      show: ({ title }, answer) => {
        answer(title === 'Name?' ? 'Ada' : 'sk-very-private');
        return { dispose: () => undefined };
      },
    });
    await rig.chat.submit('/ask');
    assert.deepEqual(
      rig.items('gate').map(({ state }) => state),
      [
        { type: 'answered', answer: '[redacted]' },
        { type: 'answered', answer: 'Ada' },
      ],
    );
    assert.ok(
      rig.items('notice').some(({ text }) => text.includes('Ada has 15')),
      'the hook has it as it was typed',
    );
    assert.ok(!JSON.stringify(rig.chat.model.items).includes('very-private'));
  });

  it('gives a denied choice to the hook as undefined', async () => {
    await open([bash('c', 'echo one'), DONE], { 'a.ts': PICKS });
    const page = rig.page();
    const running = rig.chat.submit('go');
    page.send({ type: 'deny', id: (await gate()).id, message: 'neither' });
    await running;
    assert.match(JSON.stringify(rig.model.requests.at(-1)?.messages), /got undefined\\n\\nThe user says: neither/);
  });

  it('does not lose the message when the hook lets the call pass all the same', async () => {
    await open([bash('c', 'echo one'), DONE, DONE], { 'a.ts': LETS });
    const page = rig.page();
    const running = rig.chat.submit('go');
    page.send({ type: 'deny', id: (await gate()).id, message: 'I said no' });
    await running;
    assert.equal(card().state.type, 'done');
    assert.match(JSON.stringify(rig.model.requests.at(-1)?.messages), /I said no/);
  });

  it('takes no denial for a question that is about no tool call', async () => {
    await open([], {
      'a.ts': extension(
        'pi.registerCommand("ask", { handler: async (_a, ctx) => { await ctx.ui.confirm("Go?", ""); } });',
      ),
    });
    const page = rig.page();
    const running = rig.chat.submit('/ask');
    const { id, canDeny } = await gate();
    assert.equal(canDeny, undefined);
    page.send({ type: 'deny', id, message: 'x' });
    page.send({ type: 'answer', id, answer: true });
    await running;
    assert.deepEqual(rig.items('gate')[0]?.state, { type: 'answered', answer: 'Yes' });
  });

  it('closes the question as cancelled when the run is stopped', async () => {
    await open([bash('c', 'echo one')], { 'a.ts': ASKS });
    const running = rig.chat.submit('go');
    await gate();
    await rig.conversation.run.stop();
    await running;
    assert.deepEqual(rig.items('gate')[0]?.state, { type: 'cancelled' });
  });
});

describe('a tool that the person runs again', () => {
  let rig: Rig;
  afterEach(() => rig.close());

  it('goes through the hooks, stands in the session, and the model reads of it', async () => {
    const seen = extension(
      'pi.on("tool_call", e => { if (e.toolCallId.startsWith("again-")) e.input.command += " seen"; });',
    );
    rig = await Rig.open([bash('c', 'echo one'), DONE, DONE], { extensions: { 'a.ts': seen } });
    await rig.chat.submit('go');
    const page = rig.page();
    page.send({ type: 'runAgain', id: 'tool:c' });
    const second = await until(
      () => rig.items('tool').find(({ byUser, state }) => byUser && state.type === 'done'),
      'the card',
    );
    assert.match(second.output, /one seen/);
    await rig.conversation.run.waitForIdle();
    await rig.chat.submit('and?');
    assert.match(JSON.stringify(rig.model.requests.at(-1)?.messages), /The user ran bash again[^]*one seen/);
    await rig.close(true);
    rig = await Rig.open([], { root: rig.root, resume: true, extensions: { 'a.ts': seen } });
    const again = rig.items('tool').filter(({ byUser }) => byUser);
    assert.deepEqual(
      again.map(({ name, state, output }) => [name, state.type, output.trim()]),
      [['bash', 'done', 'one seen']],
    );
  });

  it('can be blocked as any other call', async () => {
    const blocks = extension(
      'pi.on("tool_call", e => e.toolCallId.startsWith("again-") ? { block: true, reason: "once is enough" } : undefined);',
    );
    rig = await Rig.open([bash('c', 'echo one'), DONE], { extensions: { 'a.ts': blocks } });
    await rig.chat.submit('go');
    await rig.chat.runAgain('tool:c');
    const state = rig.items('tool').at(-1)?.state;
    assert.ok(state?.type === 'blocked' && state.reason === 'once is enough');
  });

  it('can be stopped, and waits for the agent', async () => {
    rig = await Rig.open([bash('c', 'test -e again && exec sleep 60; touch again'), DONE, 'hang']);
    await rig.chat.submit('go');
    const running = rig.chat.runAgain('tool:c');
    await until(
      () => rig.items('tool').find(({ byUser, state }) => byUser && state.type === 'running'),
      'the second run',
    );
    await rig.conversation.run.stop();
    await running;
    assert.equal(rig.items('tool').at(-1)?.state.type, 'stopped');
    const hanging = rig.chat.submit('hang');
    await until(() => (rig.conversation.run.isIdle ? undefined : true), 'the run');
    await assert.rejects(rig.chat.runAgain('tool:c'), /is working/);
    await rig.conversation.run.stop();
    await hanging;
  });
});
