import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { replay } from '../../../../src/modes/acp/updates/replay';
import { Rig } from '../../../support/conversation-rig';
import { RecordingClient, SHOWS_ALL } from './recording-client';

describe('a session that is loaded', () => {
  let rig: Rig | undefined;
  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  async function replayed(
    opened: Rig,
    client = new RecordingClient(),
    unrecorded: readonly SessionUpdate[] = [],
  ): Promise<RecordingClient> {
    const { store, toolset, todos } = opened.conversation;
    await replay({ client, store, cwd: opened.cwd, tools: toolset.all(), todos: todos.current, unrecorded });
    return client;
  }

  it('is told in order, with changes and plan, and nothing runs or is written', async () => {
    const edit = { path: 'a.txt', edits: [{ oldText: 'two', newText: 'TWO' }] };
    const todos = [{ content: 'one', status: 'pending' }];
    const opened = (rig = await Rig.open(
      [
        { thinking: 'Hm.', text: 'I edit', calls: [{ id: 'c', name: 'edit', args: edit }] },
        { calls: [{ id: 't', name: 'todo', args: { todos } }] },
        { calls: [{ id: 'f', name: 'bash', args: { command: 'exit 3' } }] },
        { text: 'Done' },
      ],
      { files: { 'a.txt': 'one\ntwo\n' }, settings: { todo: { enabled: true, reminders: false } } },
    ));
    await opened.conversation.prompt('Please edit', { source: 'rpc' });
    const file = opened.conversation.store.getSessionFile() ?? '';
    const before = readFileSync(file, 'utf8');
    const client = await replayed(opened);
    assert.deepEqual(client.texts('user_message_chunk'), ['Please edit']);
    assert.deepEqual(client.texts('agent_thought_chunk'), ['Hm.']);
    assert.deepEqual(client.texts('agent_message_chunk'), ['I edit', 'Done']);
    assert.deepEqual(
      client.updates.map(({ sessionUpdate }) => sessionUpdate),
      [
        ...['user_message_chunk', 'agent_thought_chunk', 'agent_message_chunk', 'tool_call', 'tool_call_update'],
        ...['tool_call', 'tool_call_update', 'tool_call', 'tool_call_update', 'agent_message_chunk', 'plan'],
      ],
    );
    const path = join(opened.cwd, 'a.txt');
    const ended = client.of('tool_call_update');
    assert.deepEqual(
      ended.map(({ status }) => status),
      ['completed', 'completed', 'failed'],
    );
    const [edited] = ended;
    assert.deepEqual(edited?.locations, [{ path, line: 1 }]);
    assert.deepEqual(edited.content?.at(0), { type: 'diff', path, oldText: 'one\ntwo', newText: 'one\nTWO' });
    assert.equal(readFileSync(file, 'utf8'), before);
    assert.equal(opened.model.requests.length, 4);
  });

  it('shows images, what hooks displayed, summaries, and calls without a result as failed unless they go on', async () => {
    const opened = (rig = await Rig.open([]));
    const { store } = opened.conversation;
    const image = { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' };
    store.appendMessage({ role: 'user', content: [{ type: 'text', text: 'See' }, image], timestamp: 1 });
    store.appendCustomMessageEntry('x', 'Shown', true);
    store.appendCustomMessageEntry('x', 'Hidden', false);
    store.appendMessage({
      ...({ role: 'assistant', api: 'a', provider: 'p', model: 'm', stopReason: 'toolUse', timestamp: 1 } as const),
      content: [{ type: 'toolCall', id: 'c', name: 'bash', arguments: { command: 'ls' } }],
      usage: {
        input: 0,
        output: 0,
        cacheRead: 0,
        cacheWrite: 0,
        totalTokens: 0,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
      },
    } as never);
    const firstKeptEntryId = store.getPathIds()[0]?.id;
    store.appendRaw({ type: 'compaction', summary: 'All of it', firstKeptEntryId, tokensBefore: 9 });
    const client = await replayed(opened, new RecordingClient(SHOWS_ALL));
    assert.deepEqual(client.texts('user_message_chunk'), ['See[image]']);
    assert.deepEqual(client.texts('agent_message_chunk'), ['Shown']);
    assert.deepEqual(
      client.of('compaction_update').map(({ status }) => status),
      ['completed'],
    );
    assert.deepEqual(
      client.of('tool_call_update').map(({ status }) => status),
      ['failed'],
    );
    const call: SessionUpdate = { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'ls', status: 'in_progress' };
    const running = await replayed(opened, new RecordingClient(), [call]);
    assert.deepEqual(running.of('tool_call_update'), []);
    assert.deepEqual(running.of('tool_call'), [call]);
    const plain = await replayed(opened);
    assert.match(plain.texts('agent_message_chunk').join(), /Hookline: .*All of it/s);
  });

  it('waits where the client reads slowly, and ends when it is aborted', async () => {
    const opened = (rig = await Rig.open([]));
    const { store, toolset } = opened.conversation;
    for (const text of ['one', 'two']) store.appendMessage({ role: 'user', content: text, timestamp: 1 });
    const client = new RecordingClient();
    let drained = (): void => undefined;
    client.unread = new Promise(resolve => (drained = resolve));
    const abort = new AbortController();
    const parts = { client, store, cwd: opened.cwd, tools: toolset.all(), todos: [], unrecorded: [] };
    const done = replay(parts, abort.signal);
    await new Promise(resolve => setImmediate(resolve));
    assert.deepEqual(client.texts('user_message_chunk'), ['one']);
    abort.abort();
    drained();
    await done;
    assert.deepEqual(client.texts('user_message_chunk'), ['one']);
  });
});
