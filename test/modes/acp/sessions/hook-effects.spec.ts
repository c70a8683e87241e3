import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { eachWithModel } from '../../support/each-with-model';
import { OneSession, textIn } from '../support/one-session';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Handlers and tools, one for each test. */
const EFFECTS = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
const none = { type: 'object', properties: {} } as const;
export default (pi: ExtensionAPI) => {
  pi.on('tool_call', event => {
    if (event.toolName === 'write') event.input.content = 'of the hook';
    if (event.toolName === 'ls') return { block: true, reason: 'not listed' };
    return undefined;
  });
  pi.on('input', event => (event.text === 'mine' ? { action: 'handled' } : { action: 'continue' }));
  pi.registerTool({ name: 'picture', label: 'picture', description: 'a picture', parameters: none,
    async execute() { return { content: [{ type: 'image', data: '${PIXEL}', mimeType: 'image/png' }], details: {} }; } });
  pi.registerTool({ name: 'outer', label: 'outer', description: 'runs another', parameters: none,
    async execute(id, args, signal, update, ctx) {
      await ctx.executeTool('read', { path: 'file.txt' });
      return { content: [{ type: 'text', text: 'outer ended' }], details: {} };
    } });
  pi.registerCommand('rename', { description: 'names the session', handler: async () => { pi.setSessionName('A name'); } });
  pi.registerCommand('later', { description: 'speaks later', handler: async () => {
    setTimeout(() => {
      pi.sendMessage({ customType: 'note', content: 'a note of the hook', display: true });
      pi.sendUserMessage('a task of the hook');
    }, 20);
  } });
};
`;

describe('What hooks do, over ACP', function () {
  this.timeout(120_000);
  let session: OneSession;
  afterEach(() => session.end());
  const { place, llm } = eachWithModel();
  beforeEach(async () => {
    place.hook('effects.ts', EFFECTS);
    session = await OneSession.open(place, { args: ['--approve-tools', 'auto'] });
  });

  const runCall = async (name: string, input: object = {}, id = 'call'): Promise<void> => {
    llm.reply({ toolCalls: [{ id, name, arguments: input as Record<string, unknown> }] }, { text: 'done' });
    await session.run('go');
  };

  it('shows the input that a hook changed before the call runs', async () => {
    await runCall('write', { path: 'file.txt', content: 'of the model' });
    const updates = session.call('call');
    assert.deepEqual(updates[0]?.rawInput, { path: 'file.txt', content: 'of the model' });
    const changed = updates.findIndex(({ rawInput }) =>
      (JSON.stringify(rawInput) as string | undefined)?.includes('of the hook'),
    );
    const begun = updates.findIndex(({ status }) => status === 'in_progress');
    assert.ok(changed > 0 && changed < begun);
    assert.match(JSON.stringify(updates[changed]?.content), /"newText":"of the hook"/);
    assert.equal(readFileSync(`${place.cwd}/file.txt`, 'utf8'), 'of the hook');
  });

  it('shows that a call was blocked, why, and by which hook', async () => {
    await runCall('ls');
    assert.deepEqual(session.statuses('call'), ['pending', 'failed']);
    assert.match(textIn(session.shown('call')), /effects.*not listed/);
  });

  it('shows the image of a result', async () => {
    await runCall('picture');
    const { content = [] } = session.shown('call');
    assert.deepEqual(content, [{ type: 'content', content: { type: 'image', data: PIXEL, mimeType: 'image/png' } }]);
  });

  it('names the call that runs a nested one', async () => {
    place.file('work/file.txt', 'text');
    await runCall('outer');
    const nested = session.all('tool_call').find(({ toolCallId }) => toolCallId !== 'call');
    assert.equal(nested?.name, 'read');
    assert.deepEqual(nested._meta, { parentToolCallId: 'call' });
    assert.equal(session.shown(nested.toolCallId).status, 'completed');
  });

  it('shows the todo list as plan until it is over, and the usage after each answer', async () => {
    const plans = (): readonly unknown[] => session.all('plan').map(({ entries }) => entries);
    await runCall('todo', { todos: [{ content: 'one', status: 'in_progress' }] });
    const begun = [{ content: 'one', status: 'in_progress', priority: 'medium' }];
    assert.deepEqual(plans(), [begun]);
    await runCall('todo', { todos: [{ content: 'one', status: 'completed' }] }, 'later');
    const ended = [{ content: 'one', status: 'completed', priority: 'medium' }];
    assert.deepEqual(plans(), [begun, ended]);
    assert.equal(llm.requests.length, 4, 'nothing reminds the agent');
    const before = session.all('usage_update').length;
    llm.reply({ text: 'more', usage: { input: 1234, output: 5 } });
    await session.run('more');
    assert.deepEqual(plans(), [begun, ended, []]);
    const after = session.all('usage_update');
    assert.equal(after.length, before + 1);
    assert.equal(after.at(-1)?.used, 1239);
  });

  it('answers a prompt that a hook handles without a run', async () => {
    await session.run('mine');
    assert.deepEqual(llm.requests, []);
    assert.equal(session.said, '');
  });

  it('tells the name that a hook gives the session', async () => {
    await session.run('/rename');
    await session.editor.update(session.id, 'session_info_update', ({ title }) => title === 'A name');
  });

  it('shows what a hook sends between turns, and the run that follows', async () => {
    await session.run('/later');
    llm.reply({ text: 'done for the hook' });
    await session.editor.update(
      session.id,
      'user_message_chunk',
      ({ content }) => content.type === 'text' && content.text === 'a task of the hook',
    );
    await session.editor.until(() => session.said.includes('done for the hook'), 'the answer');
    assert.match(session.said, /a note of the hook/);
  });

  it('tells the commands of a hook file that was added', async () => {
    place.hook(
      'added.ts',
      "export default (pi: any) => pi.registerCommand('added', { description: 'x', handler() {} });\n",
    );
    await session.run('/reload');
    await session.editor.update(session.id, 'available_commands_update', ({ availableCommands }) =>
      availableCommands.some(({ name }) => name === 'added'),
    );
  });
});

describe('The todo list, over ACP', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel({ todo: { enabled: false } });

  it('is not there when the settings say so', async () => {
    const session = await OneSession.open(place);
    llm.reply({ text: 'done' });
    await session.run('go');
    assert.ok(JSON.stringify(llm.requests[0]).includes('"bash"'));
    assert.ok(!JSON.stringify(llm.requests[0]).includes('todo'));
    await session.end();
  });
});
