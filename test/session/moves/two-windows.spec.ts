import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';

const bash = (command: string): Script => ({ calls: [{ id: 'c', name: 'bash', args: { command } }] });

const handler = (body: string): string =>
  `export default function (pi) { pi.on('tool_call', async (event, ctx) => { ${body} }); }`;

/** Each opens a dialog of a hook about the call. */
const DIALOGS: Readonly<Record<string, string>> = {
  confirm: `if (!(await ctx.ui.confirm('Sure?', event.input.command))) return { block: true };`,
  select: `if ((await ctx.ui.select(event.input.command, ['Go'])) !== 'Go') return { block: true };`,
  input: `if (!(await ctx.ui.input('Why?'))) return { block: true };`,
  editor: `if (!(await ctx.ui.editor('Why?', ''))) return { block: true };`,
  'confirm whose answer does not count': `await ctx.ui.confirm('Sure?', event.input.command);`,
};

describe('a session that another window takes over', () => {
  const open: Rig[] = [];
  afterEach(async () => {
    const [first, ...others] = open.splice(0);
    for (const other of others) await other.close(true);
    await first?.close();
  });

  async function window(script: readonly Script[], options: RigOptions = {}): Promise<Rig> {
    const rig = await Rig.open(script, { ...options, ...(open[0] === undefined ? {} : { root: open[0].root }) });
    open.push(rig);
    return rig;
  }

  /** A window whose agent waits in a question about a call. */
  async function asking(options: RigOptions = { approvals: { mode: 'ask' } }) {
    const first = await window([{ text: 'Hello.' }, bash('touch ran'), { text: 'done' }], options);
    await first.chat.submit('hi');
    const run = first.chat.submit('go');
    const question = await until(() => first.items('gate').find(({ state }) => state.type === 'open'), 'a question');
    return { first, run, question };
  }

  const second = (script: readonly Script[] = []): Promise<Rig> => window(script, { resume: true });
  const fileOf = (rig: Rig): string => rig.conversation.store.getSessionFile() ?? assert.fail('no file');
  const ran = (rig: Rig): boolean => existsSync(join(rig.cwd, 'ran'));
  const errors = (rig: Rig): readonly string[] =>
    rig.items('notice').flatMap(({ level, text }) => (level === 'error' ? [text] : []));
  const LOST = 'Another window or program has taken over this session. What was running here was stopped.';

  it('closes its question, and runs nothing', async () => {
    const { first, run, question } = await asking();
    const other = await second();
    await other.conversation.takeOver();
    const before = readFileSync(fileOf(first));
    await run;
    assert.deepEqual(first.items('gate').find(({ id }) => id === question.id)?.state, { type: 'cancelled' });
    assert.deepEqual([first.dialogs.size, ran(first), first.conversation.run.isSettled], [0, false, true]);
    assert.equal(first.model.requests.length, 2);
    assert.deepEqual(errors(first), [LOST]);
    assert.deepEqual(first.items('notice').at(-1)?.actions, [{ label: 'Take Over', command: 'takeOverSession' }]);
    assert.deepEqual(readFileSync(fileOf(first)), before);
  });

  it('is asked about nothing more: a late yes does not count', async () => {
    const { first, run, question } = await asking();
    const page = first.page();
    const other = await second();
    await other.conversation.takeOver();
    page.send({ type: 'answer', id: question.id, answer: 'Allow once' });
    await run;
    page.send({ type: 'answer', id: question.id, answer: 'Allow once' });
    assert.equal(ran(first), false);
  });

  it('runs nothing after a yes, when nobody noticed that its lock was deleted and taken', async () => {
    const { first, run, question } = await asking();
    rmSync(`${fileOf(first)}.lock`);
    const other = await second();
    assert.equal(other.conversation.store.access.kind, 'write');
    first.page().send({ type: 'answer', id: question.id, answer: 'Allow once' });
    await run;
    assert.equal(ran(first), false);
    assert.deepEqual(errors(first), [LOST]);
  });

  for (const [name, body] of Object.entries(DIALOGS)) {
    it(`refuses what a hook asks with ${name}`, async () => {
      const { first, run } = await asking({ hooks: { 'a.ts': handler(body) } });
      await (await second()).chat.conversation.takeOver();
      await run;
      assert.deepEqual([first.dialogs.size, ran(first)], [0, false]);
    });
  }

  it('closes the dialog of a command of a hook', async () => {
    const command = `export default function (pi) { pi.registerCommand('ask', { description: '', handler: async (args, ctx) => { ctx.ui.notify(String(await ctx.ui.confirm('Sure?', ''))); } }); }`;
    const first = await window([{ text: 'Hello.' }], { hooks: { 'a.ts': command } });
    await first.chat.submit('hi');
    const asked = first.chat.submit('/ask');
    await until(() => first.items('gate').find(({ state }) => state.type === 'open'), 'a question');
    await (await second()).chat.conversation.takeOver();
    await asked;
    assert.deepEqual(errors(first), [LOST]);
    assert.equal(first.items('notice').at(-1)?.text, 'false');
  });

  it('stops a tool that runs', async () => {
    const first = await window([bash('touch started; sleep 60; touch ran'), { text: 'done' }]);
    const run = first.chat.submit('go');
    await until(() => (existsSync(join(first.cwd, 'started')) ? true : undefined), 'the command');
    await (await second()).chat.conversation.takeOver();
    await run;
    assert.equal(ran(first), false);
    assert.deepEqual([first.items('tool')[0]?.state.type, errors(first)], ['stopped', [LOST]]);
  });

  it('stops an answer, and what waits returns to the composer', async () => {
    const first = await window([{ text: 'Hello.' }, 'hang', { text: 'more' }]);
    await first.chat.submit('hi');
    const run = first.chat.submit('go');
    await until(() => (first.model.requests.length === 2 ? true : undefined), 'the second request');
    void first.chat.submit('and then this');
    await until(() => (first.conversation.inbox.waiting.hasTexts ? true : undefined), 'the queue');
    const { key } = first.conversation.state;
    first.page().send({ type: 'draft', text: 'my draft', conversation: key, was: '' });
    await (await second()).chat.conversation.takeOver();
    await run;
    const { text } = first.chat.composer.draft;
    assert.deepEqual([text.includes('and then this'), text.includes('my draft')], [true, true]);
    assert.deepEqual([first.model.requests.length, errors(first)], [2, [LOST]]);
  });

  it('stops a command of the person, and starts no other', async () => {
    const first = await window([{ text: 'Hello.' }]);
    await first.chat.submit('hi');
    const shell = first.chat.submit('!touch started; sleep 60; touch ran');
    await until(() => (existsSync(join(first.cwd, 'started')) ? true : undefined), 'the command');
    await (await second()).chat.conversation.takeOver();
    await shell;
    assert.deepEqual(errors(first).slice(0, 1), [LOST]);
    await first.chat.submit('!touch ran');
    assert.equal(ran(first), false);
    assert.equal(first.chat.composer.draft.text, '!touch ran');
  });

  it('begins nothing more: no prompt, no retry, no repeated call, no summary', async () => {
    const first = await window([bash('echo x >> ran'), { text: 'Hello.' }]);
    await first.chat.submit('go');
    await (await second()).chat.conversation.takeOver();
    await first.chat.submit('a prompt');
    await assert.rejects(first.chat.runAgain(first.items('tool')[0]?.id ?? ''), /can only be read/);
    await assert.rejects(first.conversation.run.compact(), /can only be read/);
    await assert.rejects(first.conversation.run.run([]), /can only be read/);
    assert.equal(first.chat.composer.draft.text, 'a prompt');
    assert.equal(readFileSync(join(first.cwd, 'ran'), 'utf8'), 'x\n');
    assert.equal(first.model.requests.length, 2);
    assert.equal(errors(first)[0], 'Another window or program has taken over this session.');
  });

  it('shows in the other window which call waits, until that window has the session', async () => {
    const { run } = await asking();
    const other = await second([{ text: 'I go on.' }]);
    const state = (): unknown => other.items('tool')[0]?.state;
    assert.deepEqual(state(), { type: 'elsewhere' });
    await other.conversation.takeOver();
    await run;
    assert.deepEqual(state(), { type: 'skipped', reason: 'No result was recorded.' });
    await other.chat.submit('go on');
    assert.equal(other.items('assistant').at(-1)?.blocks[0]?.text, 'I go on.');
  });

  it('shows only the last calls as waiting elsewhere, and of these only those without a result', async () => {
    const calls = ['echo a', 'touch ran'].map((command, index) => ({
      id: `c${index}`,
      name: 'bash',
      args: { command },
    }));
    const first = await window([{ calls }, { text: 'done' }], {
      hooks: {
        'a.ts': handler(`if (event.input.command === 'touch ran') await ctx.ui.confirm('Sure?', '');`),
        'b.ts': `// @pi-dialect v1\nexport default function (pi) { pi.on('tool_result', () => undefined); }`,
      },
    });
    void first.chat.submit('go');
    await until(() => first.items('gate').find(({ state }) => state.type === 'open'), 'a question');
    const other = await second();
    assert.deepEqual(
      other.items('tool').map(({ state }) => state.type),
      ['done', 'elsewhere'],
    );
  });

  it('comes back to the window that lost it', async () => {
    const { first, run } = await asking();
    const other = await second();
    await other.conversation.takeOver();
    await run;
    await first.conversation.takeOver();
    await first.chat.submit('and now');
    assert.equal(first.items('assistant').at(-1)?.blocks[0]?.text, 'done');
    await until(() => errors(other)[0], 'the notice in the other window');
    assert.deepEqual(errors(other), ['Another window or program has taken over this session.']);
  });
});
