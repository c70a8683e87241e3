import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { eachWithModel } from '../../support/each-with-model';
import { OneSession } from '../support/one-session';

/** Tells on stderr which text of an answer came. */
const HEARS = `export default (pi: any) => {
  pi.on('message_update', ({ assistantMessageEvent: event }: any) => {
    if (event.type === 'text_delta') console.error('heard: ' + event.delta);
  });
};
`;

describe('A session that is loaded over ACP while it runs', function () {
  this.timeout(120_000);
  let session: OneSession;

  afterEach(() => session.end());
  const { place, llm } = eachWithModel();
  beforeEach(async () => {
    place.hook('hears.ts', HEARS);
    session = await OneSession.open(place, { args: ['--approve-tools', 'auto'] });
  });

  const load = (): Promise<unknown> =>
    session.editor.request('session/load', { sessionId: session.id, cwd: place.cwd, mcpServers: [] });
  /** The texts of messages from an update on, neighbours of one message as one. */
  const texts = (from: number): readonly string[] => {
    let last: unknown;
    return session.updates.slice(from).reduce<string[]>((all, update) => {
      const text = textOf(update);
      if (text === undefined) return all;
      const { messageId } = update as { readonly messageId?: unknown };
      if (messageId === last) all.push((all.pop() ?? '') + text);
      else all.push(text);
      last = messageId;
      return all;
    }, []);
  };

  it('is sent the start of the answer that streams, then the rest of it', async () => {
    const held = llm.hold({ text: ['half ', 'an answer'] }, 3);
    const answered = session.run('a question');
    await session.editor.until(() => session.said === 'half ', 'the start of the answer');
    const from = session.updates.length;
    await load();
    assert.deepEqual(texts(from), ['a question', 'half ']);
    held.release();
    await answered;
    assert.deepEqual(texts(from), ['a question', 'half an answer']);
  });

  it('is sent a call that runs as it is, then its end', async () => {
    llm.reply(
      { toolCalls: [{ id: 'call', name: 'bash', arguments: { command: 'until [ -e go ]; do sleep 0.05; done' } }] },
      { text: 'done' },
    );
    const answered = session.run('wait');
    await session.editor.until(() => session.statuses('call').includes('in_progress'), 'the start of the command');
    const { length } = session.call('call');
    await load();
    assert.deepEqual(
      session
        .call('call')
        .slice(length)
        .map(({ sessionUpdate, status }) => [sessionUpdate, status]),
      [['tool_call', 'in_progress']],
    );
    place.file(`${place.cwd.slice(place.root.length + 1)}/go`, '');
    await answered;
    assert.deepEqual(session.statuses('call').slice(-2), ['in_progress', 'completed']);
  });

  it('is sent what was said before what happens meanwhile, also when the editor reads slowly', async () => {
    const long = (letter: string): string => letter.padEnd(300_000);
    llm.reply({ text: long('a') }, { text: long('b') }, { text: long('c') });
    for (const question of ['one', 'two', 'three']) await session.run(question);
    const held = llm.hold({ text: ['half ', 'an answer'] }, 3);
    const answered = session.run('four');
    await session.editor.until(() => session.said.endsWith('half '), 'the start of the answer');
    const from = session.updates.length;
    const loaded = load();
    await session.editor.update(session.id, 'user_message_chunk', () => true, from);
    session.editor.read(false);
    held.release();
    while (!session.editor.stderr.includes('heard: an answer')) await setImmediate();
    session.editor.read(true);
    await answered;
    const told = texts(from).map(text => text.slice(0, 20).trim());
    assert.deepEqual(told, ['one', 'a', 'two', 'b', 'three', 'c', 'four', 'half an answer']);
    await loaded;
  });
});

function textOf(update: SessionUpdate): string | undefined {
  if (update.sessionUpdate !== 'agent_message_chunk' && update.sessionUpdate !== 'user_message_chunk') return undefined;
  return update.content.type === 'text' ? update.content.text : undefined;
}
