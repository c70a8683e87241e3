import assert from 'node:assert/strict';
import { createStreamFn } from '../../../../src/agent/models/requests/stream';
import { Rig, until, type RigOptions } from '../../../support/conversation-rig';
import { ScriptedLlm } from '../../../support/scripted-llm';
import { responsesFrames } from '../../../support/scripted-llm/openai-responses';
import { toWireReply } from '../../../support/scripted-llm/reply';
import { ScriptedSocket } from '../../../support/scripted-socket';

const CLAIMS = { 'https://api.openai.com/auth': { chatgpt_account_id: 'account' } };
const TOKEN = ['e30', Buffer.from(JSON.stringify(CLAIMS)).toString('base64'), 'signature'].join('.');

interface Asked {
  readonly previous_response_id?: string;
  readonly input: readonly { readonly role?: string }[];
}

describe('the web socket of Codex', () => {
  let socket: ScriptedSocket;
  let llm: ScriptedLlm;
  const asked: Asked[] = [];

  beforeEach(async () => {
    llm = await ScriptedLlm.start();
    asked.length = 0;
    socket = await ScriptedSocket.start(text => {
      asked.push(JSON.parse(text) as Asked);
      const frames = responsesFrames(toWireReply({ text: 'fine' }, asked.length, 'codex'));
      return frames.map(frame =>
        String(frame)
          .replace(/^event:.*\n/, '')
          .replace(/^data: /, ''),
      );
    });
  });
  afterEach(async () => {
    await socket.stop();
    await llm.stop();
  });

  function open(settings: RigOptions['settings'] = {}): Promise<Rig> {
    const baseUrl = `http://127.0.0.1:${socket.port}`;
    return Rig.open([], {
      models: [{ ...llm.model('openai-responses'), api: 'openai-codex-responses', provider: 'openai-codex', baseUrl }],
      stream: createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: TOKEN }) }),
      settings,
    });
  }
  const noneOpen = () => (socket.open === 0 ? true : undefined);

  it('stays open for a session, gets only what is new, and is closed with it', async () => {
    const rig = await open();
    await rig.chat.submit('first');
    await rig.chat.submit('second');
    assert.deepEqual(
      asked.map(({ previous_response_id: previous, input }) => [previous !== undefined, input.map(({ role }) => role)]),
      [
        [false, ['developer', 'user']],
        [true, ['user']],
      ],
    );
    assert.deepEqual([socket.connections, socket.open], [1, 1]);
    await rig.conversation.sessions.newSession();
    await until(noneOpen, 'the connection of the old session to be closed');
    await rig.chat.submit('third');
    assert.deepEqual([socket.connections, socket.open], [2, 1]);
    await rig.close();
    await until(noneOpen, 'the connection to be closed');
  });

  it('gets the whole conversation where the settings want no more of it', async () => {
    const rig = await open({ transport: 'websocket' });
    await rig.chat.submit('first');
    await rig.chat.submit('second');
    await rig.close();
    assert.deepEqual(
      asked.map(({ previous_response_id: previous, input }) => [previous, input.map(({ role }) => role)]),
      [
        [undefined, ['developer', 'user']],
        [undefined, ['developer', 'user', 'assistant', 'user']],
      ],
    );
  });

  it('is not opened where the settings say so', async () => {
    const rig = await open({ transport: 'sse' });
    await rig.chat.submit('first');
    await rig.close();
    assert.equal(socket.connections, 0);
  });
});
