import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestPermissionRequest, ToolCallContent } from '@agentclientprotocol/sdk';
import type { ScriptedToolCall } from '../../../support/scripted-llm';
import { eachWithModel } from '../../support/each-with-model';
import { choose, OneSession, textIn } from '../support/one-session';

/** Asks before each reading, and counts the calls that it saw. */
const ASKS_AND_COUNTS = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
export default (pi: ExtensionAPI) => {
  let calls = 0;
  pi.on('tool_call', async (event, ctx) => {
    calls += 1;
    if (event.toolName !== 'read') return undefined;
    const isAllowed = await ctx.ui.confirm('Read it?', String(event.input.path));
    return isAllowed ? undefined : { block: true, reason: 'not this one' };
  });
  pi.registerCommand('count', { description: 'tells the calls', handler: async (_args, ctx) => { ctx.ui.notify(calls + ' calls', 'info'); } });
};
`;

const SUBAGENT = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
import { createAgentSession, SessionManager } from '@mariozechner/pi-coding-agent';
export default (pi: ExtensionAPI) => {
  pi.registerTool({
    name: 'delegate', label: 'delegate', description: 'lets an agent do it', parameters: { type: 'object', properties: {} },
    async execute(id, args, signal, update, ctx) {
      const { session } = await createAgentSession({ cwd: ctx.cwd, model: ctx.model, sessionManager: SessionManager.inMemory() });
      try {
        await session.prompt('make the file');
        return { content: [{ type: 'text', text: 'the agent ended' }], details: {} };
      } finally {
        session.dispose();
      }
    },
  });
};
`;

type Diff = Extract<ToolCallContent, { type: 'diff' }>;

describe('Permissions over ACP', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();

  const bash = (id: string, command: string): ScriptedToolCall => ({ id, name: 'bash', arguments: { command } });
  const inPlace = (name: string): string => join(place.cwd, name);
  const diffIn = ({ toolCall }: RequestPermissionRequest): Diff | undefined =>
    toolCall.content?.find((part): part is Diff => part.type === 'diff');

  const EDIT = (oldText: string, newText: string): object => ({ oldText, newText });
  for (const [what, before, edits] of [
    ['CRLF line ends', 'one\r\ntwo\r\nthree\r\n', [EDIT('two\nthree', 'TWO\nTHREE')]],
    ['a byte order mark', '\uFEFFone\ntwo\n', [EDIT('two', 'TWO')]],
    ['text that is matched but for its quotes', 'say “one”  \ntwo\n', [EDIT('say "one"\ntwo', 'say "ONE"\nTWO')]],
    ['several edits', 'one\ntwo\nthree\n', [EDIT('one', 'ONE'), EDIT('three', 'THREE')]],
  ] as const) {
    it(`show the change of a file with ${what} as the edit then makes it`, async () => {
      const path = place.file('work/file.txt', before);
      const session = await OneSession.open(place);
      session.editor.onPermission = asked => choose(asked, 'allow_once');
      llm.reply({ toolCalls: [{ name: 'edit', arguments: { path: 'file.txt', edits } }] }, { text: 'done' });
      await session.run('edit');
      const [asked] = session.editor.permissions;
      assert.ok(asked !== undefined);
      const after = readFileSync(path, 'utf8');
      assert.notEqual(after, before);
      assert.deepEqual(diffIn(asked), { type: 'diff', path, oldText: before, newText: after });
      await session.end();
    });
  }

  it('show a new file whole, which is not there before the answer', async () => {
    const path = inPlace('new.txt');
    const session = await OneSession.open(place);
    session.editor.onPermission = asked => {
      assert.ok(!existsSync(path));
      return choose(asked, 'allow_once');
    };
    const content = 'one\ntwo\n';
    llm.reply({ toolCalls: [{ name: 'write', arguments: { path: 'new.txt', content } }] }, { text: 'done' });
    await session.run('write');
    const [asked] = session.editor.permissions;
    assert.ok(asked !== undefined);
    assert.deepEqual(diffIn(asked), { type: 'diff', path, oldText: null, newText: content });
    assert.equal(readFileSync(path, 'utf8'), content);
    await session.end();
  });

  it('of three parallel calls are each on the call that the hook asks about', async () => {
    place.hook('asks.ts', ASKS_AND_COUNTS);
    const names = ['a.txt', 'b.txt', 'c.txt'];
    for (const name of names) place.file(`work/${name}`, `text of ${name}`);
    const session = await OneSession.open(place);
    session.editor.onPermission = asked =>
      choose(asked, asked.toolCall.toolCallId === 'b.txt' ? 'reject_once' : 'allow_once');
    llm.reply({ toolCalls: names.map(path => ({ id: path, name: 'read', arguments: { path } })) }, { text: 'done' });
    await session.run('read');
    const { permissions } = session.editor;
    assert.deepEqual(permissions.map(({ toolCall }) => toolCall.toolCallId).toSorted(), names);
    for (const { toolCall } of permissions) assert.ok(textIn(toolCall).includes(toolCall.toolCallId));
    assert.match(textIn(session.shown('a.txt')), /text of a/);
    assert.match(textIn(session.shown('b.txt')), /asks.*not this one/);
    assert.match(textIn(session.shown('c.txt')), /text of c/);
    assert.deepEqual(session.statuses('b.txt').at(-1), 'failed');
    await session.end();
  });

  it('keep rules and the state of hooks when the mode changes during the turn', async () => {
    place.hook('asks.ts', ASKS_AND_COUNTS);
    const session = await OneSession.open(place);
    const { editor, id: sessionId } = session;
    editor.onPermission = asked => choose(asked, 'allow_always');
    llm.reply({ toolCalls: [bash('first', 'touch made')] });
    const write = { name: 'write', arguments: { path: 'written.txt', content: 'text' } };
    const toEdits = llm.hold({ toolCalls: [write] });
    const toAsk = llm.hold({ toolCalls: [bash('second', 'touch made')] });
    llm.reply({ text: 'done' });
    const turn = session.run('go');
    await toEdits.reached;
    await editor.request('session/set_mode', { sessionId, modeId: 'edits' });
    toEdits.release();
    await toAsk.reached;
    await editor.request('session/set_mode', { sessionId, modeId: 'ask' });
    toAsk.release();
    await turn;
    assert.deepEqual(
      editor.permissions.map(({ toolCall }) => toolCall.toolCallId),
      ['first'],
    );
    assert.ok(existsSync(inPlace('written.txt')));
    assert.equal(session.shown('second').status, 'completed');
    await session.run('/count');
    await editor.update(sessionId, 'notice', ({ title }) => title.includes('3 calls'));
    await session.end();
  });

  for (const profile of ['everything', 'no elicitation'] as const) {
    it(`show a plan, whose approval changes the mode, to an editor that offers ${profile}`, async () => {
      const session = await OneSession.open(place, { profile, args: ['--approve-tools', 'plan'] });
      const { editor, id: sessionId } = session;
      const plan = { name: 'present_plan', arguments: { plan: '1. Write the file.' } };
      editor.onPermission = asked => choose(asked, editor.permissions.length === 1 ? 'reject_once' : 'allow_always');
      const write = { id: 'write', name: 'write', arguments: { path: 'planned.txt', content: 'text' } };
      llm.reply({ toolCalls: [plan] });
      await session.run('plan');
      assert.deepEqual(session.all('current_mode_update'), []);
      assert.ok(llm.requests.every(({ body }) => !JSON.stringify(body['tools']).includes('"write"')));
      llm.reply({ toolCalls: [plan] }, { toolCalls: [write] }, { text: 'done' });
      await session.run('again');
      for (const { toolCall } of editor.permissions) {
        assert.equal(toolCall.kind, 'switch_mode');
        assert.match(textIn(toolCall), /1\. Write the file\./);
      }
      assert.equal(editor.permissions.length, 2);
      await editor.update(sessionId, 'current_mode_update', ({ currentModeId }) => currentModeId === 'edits');
      await editor.update(sessionId, 'config_option_update', ({ configOptions }) =>
        configOptions.some(({ category, currentValue }) => category === 'mode' && currentValue === 'edits'),
      );
      assert.ok(existsSync(inPlace('planned.txt')), 'the approved edit runs without a further question');
      await session.end();
    });
  }

  it('of an agent that a hook started are shown, say so, and are answered', async () => {
    place.hook('subagent.ts', SUBAGENT);
    const session = await OneSession.open(place);
    const { editor } = session;
    editor.onPermission = asked => choose(asked, 'allow_once');
    llm.reply({ toolCalls: [{ id: 'outer', name: 'delegate', arguments: {} }] });
    llm.reply({ toolCalls: [bash('inner', 'touch inside')] }, { text: 'the agent is done' }, { text: 'done' });
    await session.run('go');
    const asked = editor.permissions.find(({ toolCall }) => toolCall.title?.includes('touch inside'));
    assert.match(asked?.toolCall.title ?? '', /Agent of a hook/);
    assert.ok(existsSync(inPlace('inside')));
    await session.end();
  });

  it('are asked for each time, also after the session was resumed', async () => {
    const session = await OneSession.open(place);
    const { editor, id: sessionId } = session;
    editor.onPermission = asked => choose(asked, 'allow_once');
    const turn = async (id: string): Promise<void> => {
      llm.reply({ toolCalls: [bash(id, 'touch made')] }, { text: 'done' });
      await session.run(id);
    };
    await turn('first');
    await turn('second');
    await editor.request('session/close', { sessionId });
    await editor.request('session/resume', { sessionId, cwd: place.cwd, mcpServers: [] });
    await turn('third');
    assert.deepEqual(
      editor.permissions.map(({ toolCall }) => toolCall.toolCallId),
      ['first', 'second', 'third'],
    );
    await session.end();
  });

  it('are asked for a write outside of the folder, and a denial tells the model', async () => {
    const path = join(place.root, 'outside.txt');
    const session = await OneSession.open(place, { args: ['--approve-tools', 'edits'] });
    const { editor } = session;
    editor.onPermission = asked => choose(asked, editor.permissions.length === 1 ? 'reject_once' : 'allow_once');
    const write = (id: string): ScriptedToolCall => ({ id, name: 'write', arguments: { path, content: 'text' } });
    llm.reply({ toolCalls: [write('denied')] }, { toolCalls: [write('allowed')] }, { text: 'done' });
    await session.run('write');
    assert.equal(session.shown('denied').status, 'failed');
    assert.match(JSON.stringify(llm.requests[1]?.body['messages']), /denied/i);
    assert.equal(session.shown('allowed').status, 'completed');
    assert.equal(readFileSync(path, 'utf8'), 'text');
    assert.equal(editor.permissions.length, 2);
    await session.end();
  });

  it('are not asked for plain reading, nor for what a rule allows', async () => {
    place.file('work/file.txt', 'text');
    const session = await OneSession.open(place);
    const { editor } = session;
    editor.onPermission = asked => choose(asked, 'allow_always');
    llm.reply(
      { toolCalls: [{ name: 'read', arguments: { path: 'file.txt' } }] },
      { toolCalls: [{ name: 'grep', arguments: { pattern: 'text' } }] },
      { toolCalls: [bash('list', 'ls -l')] },
      { toolCalls: [bash('first', 'mkdir -p made')] },
      { toolCalls: [bash('second', 'mkdir -p made')] },
      { text: 'done' },
    );
    await session.run('go');
    assert.deepEqual(
      editor.permissions.map(({ toolCall }) => toolCall.toolCallId),
      ['first'],
    );
    assert.equal(session.shown('second').status, 'completed');
    await session.end();
  });
});
