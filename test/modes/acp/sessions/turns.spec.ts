import assert from 'node:assert/strict';
import { refusal } from '../../support/acp';
import { eachWithModel } from '../../support/each-with-model';
import { OneSession } from '../support/one-session';

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

  it('answers a prompt after the run, with the reason of its end', async () => {
    const session = await OneSession.open(place);
    llm.reply({ text: 'hello' }, { text: 'cut', stopReason: 'length' });
    assert.equal(await session.prompt('hi'), 'end_turn');
    assert.equal(session.said, 'hello');
    assert.equal(await session.prompt('again'), 'max_tokens');
    await session.end();
  });

  for (const [api, reason] of [
    ['anthropic-messages', 'refusal'],
    ['openai-completions', 'content filter'],
  ] as const) {
    it(`answers with a refusal when the provider gives a ${reason}, and goes on afterwards`, async () => {
      const { baseUrl } = llm.model(api);
      place.useLlm(llm, {}, [{ id: 'one', api, baseUrl }]);
      const session = await OneSession.open(place);
      llm.reply({ text: 'I', declines: true });
      assert.equal(await session.prompt('hi'), 'refusal');
      assert.equal(llm.requests.length, 1);
      llm.reply({ text: 'again' });
      assert.equal(await session.prompt('go'), 'end_turn');
      await session.end();
    });
  }

  it('answers after the retry of a failed request', async () => {
    const session = await OneSession.open(place);
    llm.fail(529, { message: 'overloaded' });
    llm.reply({ text: 'at last' });
    assert.equal(await session.prompt('hi'), 'end_turn');
    assert.match(session.said, /at last$/);
    await session.end();
  });

  it('answers with the message of the provider when the request fails', async () => {
    const session = await OneSession.open(place);
    llm.fail(400, { message: 'the prompt is strange' });
    assert.match(await refusal(session.prompt('hi'), -32_603), /the prompt is strange/);
    llm.reply({ text: 'fine' });
    assert.equal(await session.prompt('hi'), 'end_turn');
    await session.end();
  });

  it('answers after a run that a hook starts at the end of the first', async () => {
    place.hook('more.ts', RUNS_OF_HOOKS);
    const session = await OneSession.open(place);
    llm.reply({ text: 'one. ' }, { text: 'two.' });
    assert.equal(await session.prompt('hi'), 'end_turn');
    assert.equal(session.said, 'one. two.');
    assert.equal(llm.pending, 0);
    await session.end();
  });

  it('queues a second prompt and answers each on its own', async () => {
    const session = await OneSession.open(place);
    const held = llm.hold({ text: 'first. ' });
    llm.reply({ text: 'second.', stopReason: 'length' });
    const first = session.prompt('one');
    await held.reached;
    const second = session.prompt('two');
    held.release();
    assert.equal(await first, 'end_turn');
    assert.equal(await second, 'max_tokens');
    assert.equal(session.said, 'first. second.');
    await session.end();
  });

  it('runs a command of a hook at once, also during a turn and beside one that never returns', async () => {
    place.hook('commands.ts', COMMANDS);
    const session = await OneSession.open(place);
    const hangs = session.prompt('/hang');
    const held = llm.hold({ text: 'done' });
    const turn = session.prompt('hi');
    await held.reached;
    assert.equal(await session.prompt('/quiet'), 'end_turn');
    held.release();
    assert.equal(await turn, 'end_turn');
    session.editor.notify('session/cancel', { sessionId: session.id });
    assert.equal(await hangs, 'cancelled');
    await session.end();
  });

  it('answers a command that starts a run after that run', async () => {
    place.hook('commands.ts', COMMANDS);
    const session = await OneSession.open(place);
    llm.reply({ text: 'ran' });
    assert.equal(await session.prompt('/run'), 'end_turn');
    assert.match(session.said, /ran/);
    await session.end();
  });

  it('sends an unknown command to the model', async () => {
    const session = await OneSession.open(place);
    llm.otherwise(({ body }) => ({ text: JSON.stringify(body['messages']) }));
    await session.prompt('/nothing like it');
    assert.match(session.said, /\/nothing like it/);
    await session.end();
  });

  it('gives a steering message to the run that goes on, and asks for a prompt when there is none', async () => {
    const session = await OneSession.open(place);
    const steer = async (text: string): Promise<string> => {
      const params = { sessionId: session.id, prompt: [{ type: 'text', text }] };
      return (await session.editor.request('_session/steering', params)).outcome;
    };
    assert.equal(await steer('early'), 'promptRequired');
    const held = llm.hold({ text: 'first. ' });
    llm.otherwise(({ body }) => ({
      text: JSON.stringify(body['messages']).includes('turn left') ? 'left.' : 'right.',
    }));
    const turn = session.prompt('go');
    await held.reached;
    assert.equal(await steer('turn left'), 'injected');
    assert.equal(await steer('/name turned'), 'promptRequired');
    held.release();
    assert.equal(await turn, 'end_turn');
    assert.equal(session.said, 'first. left.');
    await session.end();
  });

  it('says how to log in when the model has no key', async () => {
    place.file('agent/models.json', JSON.stringify({ providers: {} }));
    place.file(
      'agent/settings.json',
      JSON.stringify({ defaultProvider: 'anthropic', defaultModel: 'claude-opus-4-5' }),
    );
    const session = await OneSession.open(place);
    assert.match(await refusal(session.prompt('hi'), -32_000), /Anthropic/);
    await session.end();
  });

  it('show hidden characters in what hooks name', async () => {
    place.hook('hides.ts', HIDES);
    const session = await OneSession.open(place);
    llm.reply({ text: 'done' });
    await session.prompt('go');
    await session.prompt('/hide');
    await session.editor.update(session.id, 'session_info_update', ({ title }) => title === 'a name⟦U+202E⟧');
    await session.editor.update(session.id, 'notice', ({ title }) => title.includes('an error⟦U+202E⟧⟦U+001B⟧[31m'));
    await session.editor.update(session.id, 'available_commands_update', ({ availableCommands }) =>
      availableCommands.some(({ name, description }) => name === 'hide' && description === 'safe⟦U+202E⟧'),
    );
    const { sessions } = await session.editor.request('session/list', {});
    assert.equal(sessions[0]?.title, 'a name⟦U+202E⟧');
    await session.end();
  });
});
