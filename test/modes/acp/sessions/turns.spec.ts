import assert from 'node:assert/strict';
import { AcpEditor, AnsweredError, type EditorOptions } from '../../support/acp';
import { eachWithModel } from '../../support/each-with-model';

const RUNS_OF_HOOKS = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
export default (pi: ExtensionAPI) => {
  let ended = 0;
  pi.on('agent_end', () => { if (++ended === 1) pi.sendUserMessage('and one more'); });
};
`;

const COMMANDS = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
export default (pi: ExtensionAPI) => {
  pi.registerCommand('quiet', { description: 'says nothing', handler: async () => {} });
  pi.registerCommand('hang', { description: 'never returns', handler: () => new Promise(() => {}) });
  pi.registerCommand('run', { description: 'starts a run', handler: async () => { pi.sendUserMessage('from the command'); } });
};
`;

const HIDES = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
export default (pi: ExtensionAPI) => {
  pi.registerCommand('hide', { description: 'safe\\u202e', handler: async () => {
    pi.setSessionName('a name\\u202e');
    throw new Error('an error\\u202e\\u001b[31m');
  } });
};
`;

describe('Turns over ACP', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();

  const open = async (options: EditorOptions = {}): Promise<{ editor: AcpEditor; sessionId: string }> => {
    const editor = await AcpEditor.open(place, options);
    const { sessionId } = await editor.request('session/new', { cwd: place.cwd, mcpServers: [] });
    return { editor, sessionId };
  };
  const text = (words: string): object[] => [{ type: 'text', text: words }];
  const refusal = async (request: Promise<unknown>): Promise<AnsweredError> => {
    try {
      await request;
    } catch (error) {
      if (error instanceof AnsweredError) return error;
      throw error;
    }
    throw new Error('It was not refused.');
  };

  it('answers a prompt after the run, with the reason of its end', async () => {
    const { editor, sessionId } = await open();
    llm.reply({ text: 'hello' }, { text: 'cut', stopReason: 'length' });
    const first = await editor.request('session/prompt', { sessionId, prompt: text('hi') });
    assert.equal(first.stopReason, 'end_turn');
    assert.equal(editor.said(sessionId), 'hello');
    const second = await editor.request('session/prompt', { sessionId, prompt: text('again') });
    assert.equal(second.stopReason, 'max_tokens');
    await editor.end();
  });

  for (const [api, reason] of [
    ['anthropic-messages', 'refusal'],
    ['openai-completions', 'content filter'],
  ] as const) {
    it(`answers with a refusal when the provider gives a ${reason}, and goes on afterwards`, async () => {
      const { baseUrl } = llm.model(api);
      place.useLlm(llm, {}, [{ id: 'one', api, baseUrl }]);
      const { editor, sessionId } = await open();
      llm.reply({ text: 'I', declines: true });
      assert.equal((await editor.request('session/prompt', { sessionId, prompt: text('hi') })).stopReason, 'refusal');
      assert.equal(llm.requests.length, 1);
      llm.reply({ text: 'again' });
      assert.equal((await editor.request('session/prompt', { sessionId, prompt: text('go') })).stopReason, 'end_turn');
      await editor.end();
    });
  }

  it('answers after the retry of a failed request', async () => {
    const { editor, sessionId } = await open();
    llm.fail(529, { message: 'overloaded' });
    llm.reply({ text: 'at last' });
    const { stopReason } = await editor.request('session/prompt', { sessionId, prompt: text('hi') });
    assert.equal(stopReason, 'end_turn');
    assert.match(editor.said(sessionId), /at last$/);
    await editor.end();
  });

  it('answers with the message of the provider when the request fails', async () => {
    const { editor, sessionId } = await open();
    llm.fail(400, { message: 'the prompt is strange' });
    const error = await refusal(editor.request('session/prompt', { sessionId, prompt: text('hi') }));
    assert.equal(error.code, -32_603);
    assert.match(error.message, /the prompt is strange/);
    llm.reply({ text: 'fine' });
    assert.equal((await editor.request('session/prompt', { sessionId, prompt: text('hi') })).stopReason, 'end_turn');
    await editor.end();
  });

  it('answers after a run that a hook starts at the end of the first', async () => {
    place.hook('more.ts', RUNS_OF_HOOKS);
    const { editor, sessionId } = await open();
    llm.reply({ text: 'one. ' }, { text: 'two.' });
    const { stopReason } = await editor.request('session/prompt', { sessionId, prompt: text('hi') });
    assert.equal(stopReason, 'end_turn');
    assert.equal(editor.said(sessionId), 'one. two.');
    assert.equal(llm.pending, 0);
    await editor.end();
  });

  it('queues a second prompt and answers each on its own', async () => {
    const { editor, sessionId } = await open();
    const held = llm.hold({ text: 'first. ' });
    llm.reply({ text: 'second.', stopReason: 'length' });
    const first = editor.request('session/prompt', { sessionId, prompt: text('one') });
    await held.reached;
    const second = editor.request('session/prompt', { sessionId, prompt: text('two') });
    held.release();
    assert.equal((await first).stopReason, 'end_turn');
    assert.equal((await second).stopReason, 'max_tokens');
    assert.equal(editor.said(sessionId), 'first. second.');
    await editor.end();
  });

  it('runs a command of a hook at once, also during a turn and beside one that never returns', async () => {
    place.hook('commands.ts', COMMANDS);
    const { editor, sessionId } = await open();
    const hangs = editor.request('session/prompt', { sessionId, prompt: text('/hang') });
    const held = llm.hold({ text: 'done' });
    const turn = editor.request('session/prompt', { sessionId, prompt: text('hi') });
    await held.reached;
    assert.equal(
      (await editor.request('session/prompt', { sessionId, prompt: text('/quiet') })).stopReason,
      'end_turn',
    );
    held.release();
    assert.equal((await turn).stopReason, 'end_turn');
    editor.notify('session/cancel', { sessionId });
    assert.equal((await hangs).stopReason, 'cancelled');
    await editor.end();
  });

  it('answers a command that starts a run after that run', async () => {
    place.hook('commands.ts', COMMANDS);
    const { editor, sessionId } = await open();
    llm.reply({ text: 'ran' });
    const { stopReason } = await editor.request('session/prompt', { sessionId, prompt: text('/run') });
    assert.equal(stopReason, 'end_turn');
    assert.match(editor.said(sessionId), /ran/);
    await editor.end();
  });

  it('sends an unknown command to the model', async () => {
    const { editor, sessionId } = await open();
    llm.otherwise(({ body }) => ({ text: JSON.stringify(body['messages']) }));
    await editor.request('session/prompt', { sessionId, prompt: text('/nothing like it') });
    assert.match(editor.said(sessionId), /\/nothing like it/);
    await editor.end();
  });

  it('gives a steering message to the run that goes on, and asks for a prompt when there is none', async () => {
    const { editor, sessionId } = await open();
    const idle = await editor.request('_session/steering', { sessionId, prompt: text('early') });
    assert.equal(idle.outcome, 'promptRequired');
    const held = llm.hold({ text: 'first. ' });
    llm.otherwise(({ body }) => ({
      text: JSON.stringify(body['messages']).includes('turn left') ? 'left.' : 'right.',
    }));
    const turn = editor.request('session/prompt', { sessionId, prompt: text('go') });
    await held.reached;
    const steered = await editor.request('_session/steering', { sessionId, prompt: text('turn left') });
    assert.equal(steered.outcome, 'injected');
    const command = await editor.request('_session/steering', { sessionId, prompt: text('/name turned') });
    assert.equal(command.outcome, 'promptRequired');
    held.release();
    assert.equal((await turn).stopReason, 'end_turn');
    assert.equal(editor.said(sessionId), 'first. left.');
    await editor.end();
  });

  it('says how to log in when the model has no key', async () => {
    place.file('agent/models.json', JSON.stringify({ providers: {} }));
    place.file(
      'agent/settings.json',
      JSON.stringify({ defaultProvider: 'anthropic', defaultModel: 'claude-opus-4-5' }),
    );
    const { editor, sessionId } = await open();
    const error = await refusal(editor.request('session/prompt', { sessionId, prompt: text('hi') }));
    assert.equal(error.code, -32_000);
    assert.match(error.message, /Anthropic/);
    await editor.end();
  });

  it('show hidden characters in what hooks name', async () => {
    place.hook('hides.ts', HIDES);
    const { editor, sessionId } = await open();
    llm.reply({ text: 'done' });
    await editor.request('session/prompt', { sessionId, prompt: text('go') });
    await editor.request('session/prompt', { sessionId, prompt: text('/hide') });
    await editor.update(sessionId, 'session_info_update', ({ title }) => title === 'a name⟦U+202E⟧');
    await editor.update(sessionId, 'notice', ({ title }) => title.includes('an error⟦U+202E⟧⟦U+001B⟧[31m'));
    await editor.update(sessionId, 'available_commands_update', ({ availableCommands }) =>
      availableCommands.some(({ name, description }) => name === 'hide' && description === 'safe⟦U+202E⟧'),
    );
    const { sessions } = await editor.request('session/list', {});
    assert.equal(sessions[0]?.title, 'a name⟦U+202E⟧');
    await editor.end();
  });
});
