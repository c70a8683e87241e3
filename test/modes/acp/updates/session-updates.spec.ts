import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientCapabilities } from '@agentclientprotocol/sdk';
import type { AgentEvent } from '../../../../src/agent/run/events';
import type { ToolOutcome } from '../../../../src/agent/tools/tool';
import { silentLog } from '../../../../src/base/log';
import { SessionUpdates } from '../../../../src/modes/acp/updates/session-updates';
import { ToolCalls } from '../../../../src/modes/acp/updates/tool-calls';
import { Rig, until, type RigOptions } from '../../../support/conversation-rig';
import type { Script } from '../../../support/scripted-stream';
import { RecordingClient, SHOWS_ALL } from './recording-client';

const extension = (body: string): string =>
  `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";\nexport default function (pi: ExtensionAPI) { ${body} }`;

describe('the updates of a conversation', () => {
  let rig: Rig | undefined;
  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  /** Runs one prompt of a client. */
  async function run(
    script: readonly Script[],
    options: RigOptions = {},
    capabilities: ClientCapabilities = {},
  ): Promise<{ readonly client: RecordingClient; readonly updates: SessionUpdates; readonly opened: Rig }> {
    const opened = (rig = await Rig.open(script, options));
    const client = new RecordingClient(capabilities);
    const updates = new SessionUpdates({ client, conversation: opened.conversation, cwd: opened.cwd });
    await opened.conversation.prompt('go', { source: 'rpc' });
    await updates.whenTold();
    return { client, updates, opened };
  }

  it('tell thoughts and texts in pieces of one message each, and not the prompt', async () => {
    const { client } = await run([{ thinking: 'Hm.', text: 'Hello' }]);
    assert.deepEqual(client.texts('agent_thought_chunk'), ['Hm.']);
    assert.deepEqual(client.texts('agent_message_chunk'), ['Hello']);
    assert.deepEqual(client.of('user_message_chunk'), []);
    const ids = [...client.of('agent_thought_chunk'), ...client.of('agent_message_chunk')].map(one => one.messageId);
    assert.equal(new Set(ids).size, 2);
  });

  it('tell the message that a hook sends for the user, and what a hook displays', async () => {
    const hook = extension(
      'pi.registerCommand("go", { handler: async () => { pi.sendMessage({ customType: "x", content: "Look", display: true }); pi.sendMessage({ customType: "x", content: "Secret", display: false }); pi.sendUserMessage("From a hook"); } });',
    );
    const opened = (rig = await Rig.open([{ text: 'Yes' }], { extensions: { 'a.ts': hook } }));
    const client = new RecordingClient();
    new SessionUpdates({ client, conversation: opened.conversation, cwd: opened.cwd });
    await opened.conversation.prompt('/go', { source: 'rpc' });
    await opened.conversation.run.waitForSettled();
    assert.deepEqual(client.texts('user_message_chunk'), ['From a hook']);
    assert.deepEqual(client.texts('agent_message_chunk'), ['Look', 'Yes']);
  });

  it('tell a call from its arguments to its result, with its change from the start', async () => {
    const edit = { path: 'a.txt', edits: [{ oldText: 'two', newText: 'TWO' }] };
    const { client, opened } = await run([{ calls: [{ id: 'c', name: 'edit', args: edit }] }, { text: 'ok' }], {
      files: { 'a.txt': 'one\ntwo\n' },
    });
    const path = join(opened.cwd, 'a.txt');
    const diff = { type: 'diff', path, oldText: 'one\ntwo\n', newText: 'one\nTWO\n' };
    const [first, begun, ended, ...more] = client.call('c');
    assert.deepEqual(more, []);
    assert.ok(first?.sessionUpdate === 'tool_call');
    assert.deepEqual(
      [first.title, first.name, first.kind, first.status, first.rawInput, first.content],
      ['a.txt', 'edit', 'edit', 'pending', edit, [diff]],
    );
    assert.equal(first.locations?.[0]?.path, path);
    assert.ok(begun?.sessionUpdate === 'tool_call_update' && ended?.sessionUpdate === 'tool_call_update');
    assert.equal(begun.status, 'in_progress');
    assert.equal(ended.status, 'completed');
    const [change, text] = ended.content ?? [];
    assert.deepEqual(change, diff);
    assert.equal(text?.type, 'content');
  });

  it('tell the input that a hook changes before the call runs', async () => {
    const hook = extension('pi.on("tool_call", e => { e.input.command = "echo changed"; });');
    const { client } = await run(
      [{ calls: [{ id: 'c', name: 'bash', args: { command: 'echo first' } }] }, { text: 'ok' }],
      { extensions: { 'a.ts': hook } },
    );
    const told = client.call('c').map(one => ('rawInput' in one ? one.rawInput : 'status' in one ? one.status : '?'));
    assert.deepEqual(told.slice(0, 3), [{ command: 'echo first' }, { command: 'echo changed' }, 'in_progress']);
  });

  it('tell that a hook blocked a call, why, and its name; it never is in progress', async () => {
    const hook = extension('pi.on("tool_call", () => ({ block: true, reason: "too early" }));');
    const { client } = await run(
      [{ calls: [{ id: 'c', name: 'bash', args: { command: 'echo no' } }] }, { text: 'ok' }],
      { extensions: { 'guard.ts': hook } },
    );
    const last = client.call('c').at(-1);
    assert.ok(last?.sessionUpdate === 'tool_call_update');
    assert.equal(last.status, 'failed');
    assert.match(JSON.stringify(last.content), /guard.*too early/);
    assert.equal(JSON.stringify(client.call('c')).includes('in_progress'), false);
  });

  it('end a call as failed whose answer was not complete', async () => {
    const call = { id: 'c', name: 'bash', args: { command: 'echo no' } };
    const { client, opened } = await run([{ text: 'ok' }]);
    const { events } = opened.conversation;
    const content = [{ type: 'toolCall' as const, ...call, arguments: call.args }];
    const message = { role: 'assistant' as const, content, stopReason: 'aborted' as const };
    const step = {
      type: 'message_update',
      message,
      assistantMessageEvent: { type: 'toolcall_end', contentIndex: 0, toolCall: content[0], partial: message },
    };
    events.fire({ type: 'step', step: step as never, byUser: false });
    events.fire({ type: 'step', step: { type: 'message_end', message } as never, byUser: false });
    assert.deepEqual(
      client.call('c').map(one => 'status' in one && one.status),
      ['pending', 'failed'],
    );
  });

  /** Lets a call of `bash` happen in an idle conversation. */
  async function command(capabilities: ClientCapabilities, outcome: ToolOutcome): Promise<RecordingClient> {
    const { client, updates, opened } = await run([{ text: 'ok' }], {}, capabilities);
    const { events } = opened.conversation;
    const call = { toolCallId: 'c', toolName: 'bash' };
    const step = (one: AgentEvent): void => events.fire({ type: 'step', step: one, byUser: false });
    step({ type: 'tool_execution_start', ...call, args: { command: 'false' } });
    if (outcome.type !== 'blocked') {
      events.fire({ type: 'tool_clock', toolCallId: 'c', isRunning: true });
      events.fire({ type: 'command_output', toolCallId: 'c', chunk: 'all of it' });
      events.fire({ type: 'command_end', toolCallId: 'c', exitCode: 1, signal: null });
    }
    const result = { content: [{ type: 'text' as const, text: 'of it' }], details: {}, isError: true };
    step({ type: 'tool_execution_end', ...call, result, isError: true, outcome });
    await updates.whenTold();
    return client;
  }

  it('give the output of a command to a terminal of the client, and the result as text to others', async () => {
    const shown = await command(SHOWS_ALL, { type: 'failed' });
    const [declared, ...later] = shown.call('c');
    assert.ok(declared?.sessionUpdate === 'tool_call');
    assert.deepEqual(declared.content, [{ type: 'terminal', terminalId: 'c' }]);
    assert.deepEqual(declared._meta, { terminal_info: { terminal_id: 'c', cwd: rig?.cwd } });
    const meta = later.map(({ _meta }) => _meta);
    assert.deepEqual(meta, [
      undefined,
      { terminal_output: { terminal_id: 'c', data: 'all of it' } },
      { terminal_exit: { terminal_id: 'c', exit_code: 1, signal: null } },
      undefined,
    ]);
    assert.equal('content' in (later.at(-1) ?? {}), false);
    await rig?.close();
    const plain = await command({}, { type: 'failed' });
    assert.equal(JSON.stringify(plain.updates).includes('terminal'), false);
    const last = plain.call('c').at(-1);
    assert.ok(last?.sessionUpdate === 'tool_call_update');
    assert.deepEqual(last.content, [{ type: 'content', content: { type: 'text', text: 'of it' } }]);
  });

  it('say in the place of a terminal why a command was blocked', async () => {
    const client = await command(SHOWS_ALL, { type: 'blocked', reason: 'not now', by: '/hooks/guard.ts' });
    assert.match(JSON.stringify(client.call('c').at(-1)), /"failed".*guard\.ts: not now/);
  });

  it('name the call that made a nested one, and end it as failed with that call', async () => {
    const { client, opened } = await run([{ text: 'ok' }]);
    const step = (one: AgentEvent): void => opened.conversation.events.fire({ type: 'step', step: one, byUser: false });
    step({ type: 'tool_execution_start', toolCallId: 'a', toolName: 'agent', args: {} });
    const nested = { toolCallId: 'a/1', toolName: 'read', parentToolCallId: 'a' };
    step({ type: 'tool_execution_start', ...nested, args: { path: 'x.ts', offset: 3 } });
    const result = { content: [], details: {} };
    step({
      type: 'tool_execution_end',
      toolCallId: 'a',
      toolName: 'agent',
      result,
      isError: false,
      outcome: { type: 'done' },
    });
    step({ type: 'tool_execution_end', ...nested, result, isError: false, outcome: { type: 'done' } });
    const [begun, ended, ...more] = client.call('a/1');
    assert.ok(begun?.sessionUpdate === 'tool_call' && ended?.sessionUpdate === 'tool_call_update');
    assert.deepEqual(begun._meta, { parentToolCallId: 'a' });
    assert.deepEqual(begun.locations, [{ path: join(opened.cwd, 'x.ts'), line: 3 }]);
    assert.equal(ended.status, 'failed');
    assert.deepEqual(more, []);
  });

  it('end a call as failed that was stopped while it ran', async () => {
    const opened = (rig = await Rig.open([{ calls: [{ id: 'c', name: 'bash', args: { command: 'sleep 30' } }] }]));
    const client = new RecordingClient();
    const updates = new SessionUpdates({ client, conversation: opened.conversation, cwd: opened.cwd });
    const done = opened.conversation.prompt('go', { source: 'rpc' });
    await until(() => client.call('c')[1], 'the call to begin');
    await opened.conversation.run.stop();
    await done;
    await updates.whenTold();
    assert.deepEqual(
      client.call('c').map(one => 'status' in one && one.status),
      ['pending', 'in_progress', 'failed'],
    );
  });

  it('show a question a call that runs as running, and the call afterwards with its output again, unless it ended', async () => {
    const client = new RecordingClient();
    const calls = new ToolCalls({ client, cwd: tmpdir(), tools: () => [], log: silentLog });
    calls.announce({ toolCallId: 'c', name: 'bash', input: { command: 'ls' } });
    assert.equal((await calls.permissionCall('c')).status, 'pending');
    calls.begin('c');
    calls.addOutput('c', 'a.txt');
    assert.equal((await calls.permissionCall('c')).status, 'in_progress');
    calls.restore('c');
    const content = [{ type: 'content', content: { type: 'text', text: 'a.txt' } }];
    const again = { sessionUpdate: 'tool_call_update', toolCallId: 'c', title: 'ls', kind: 'execute', content };
    assert.deepEqual(client.call('c').at(-1), again);
    calls.fail('c', 'stopped');
    const { length } = client.updates;
    calls.restore('c');
    assert.equal(client.updates.length, length);
  });

  it('are all told before the prompt is answered, also those of a call that ends before its file was read', async () => {
    const client = new RecordingClient();
    const calls = new ToolCalls({ client, cwd: tmpdir(), tools: () => [], log: silentLog });
    calls.announce({ toolCallId: 'c', name: 'write', input: { path: 'none/a.txt', content: 'new' } });
    calls.endRun();
    assert.deepEqual(client.call('c'), []);
    await calls.whenTold();
    const told = client.call('c').map(update => ('status' in update ? update.status : undefined));
    assert.deepEqual(told, ['pending', 'failed']);
  });

  it('tell the plan of the todo tool', async () => {
    const todos = [
      { content: 'one', status: 'completed' },
      { content: 'two', status: 'abandoned' },
      { content: 'three', status: 'in_progress' },
    ];
    const { client } = await run([{ calls: [{ id: 'c', name: 'todo', args: { todos } }] }, { text: 'ok' }], {
      settings: { todo: { enabled: true, reminders: false } },
    });
    const [plan] = client.of('plan');
    assert.deepEqual(
      plan?.entries.map(({ content, status }) => [content, status]),
      [
        ['one', 'completed'],
        ['two (given up)', 'completed'],
        ['three', 'in_progress'],
      ],
    );
  });

  it('tell usage after an answer, once', async () => {
    const { client, updates } = await run([{ text: 'ok', totalTokens: 15 }]);
    updates.tellUsage();
    assert.deepEqual(client.of('usage_update'), [
      { sessionUpdate: 'usage_update', used: 15, size: 1000, cost: { amount: 0, currency: 'USD' } },
    ]);
  });

  it('tell a notice once: as a notice where the client shows them, else as a text', async () => {
    for (const [capabilities, notices, texts] of [
      [SHOWS_ALL, 1, 0],
      [{}, 0, 1],
    ] as const) {
      const opened = (rig = await Rig.open([]));
      opened.conversation.events.notice('warning', 'Mind the gap');
      const client = new RecordingClient(capabilities);
      const updates = new SessionUpdates({ client, conversation: opened.conversation, cwd: opened.cwd });
      assert.equal(client.of('notice').length, notices);
      assert.deepEqual(client.texts('agent_message_chunk'), Array(texts).fill('Hookline: Mind the gap\n\n'));
      updates.dispose();
      opened.conversation.events.notice('warning', 'Too late');
      assert.equal(client.updates.length, 1);
      await opened.close();
      rig = undefined;
    }
  });

  it('tell a compaction once: as such where the client shows them, else as a text', async () => {
    const compaction = (client: RecordingClient): unknown[] =>
      client.of('compaction_update').map(({ status, summary }) => [status, summary?.length]);
    for (const capabilities of [SHOWS_ALL, {}]) {
      const opened = (rig = await Rig.open([]));
      const client = new RecordingClient(capabilities);
      new SessionUpdates({ client, conversation: opened.conversation, cwd: opened.cwd });
      const { events } = opened.conversation;
      events.fire({ type: 'compaction_start', reason: 'manual' });
      events.notice('info', 'Earlier conversation summarized', { about: 'compaction' });
      const result = { summary: 'All', firstKeptEntryId: 'x', tokensBefore: 9, estimatedTokensAfter: 3 };
      events.fire({ type: 'compaction_end', reason: 'manual', result, aborted: false, willRetry: false } as never);
      const isShown = capabilities === SHOWS_ALL;
      assert.deepEqual(
        compaction(client),
        isShown
          ? [
              ['in_progress', undefined],
              ['completed', 1],
            ]
          : [],
      );
      const texts = [...client.texts('agent_message_chunk'), ...client.of('notice').map(({ title }) => title)];
      assert.equal(texts.length, isShown ? 0 : 1);
      await opened.close();
      rig = undefined;
    }
  });

  it('show a question all of a command, and the change of a file as it is then', async () => {
    const { client, updates, opened } = await run([{ text: 'ok' }], { files: { 'a.txt': 'old' } });
    const command = await updates.permissionCall('unknown', { toolName: 'bash', input: { command: 'rm\u202e -r x' } });
    assert.deepEqual([command.kind, command.status, command.title], ['execute', 'pending', 'rm⟦U+202E⟧ -r x']);
    assert.match(JSON.stringify(command.content), /rm⟦U\+202E⟧ -r x/);
    const input = { path: 'a.txt', content: 'new' };
    const write = await updates.permissionCall('other', { toolName: 'write', input });
    const path = join(opened.cwd, 'a.txt');
    assert.deepEqual(write.content, [{ type: 'diff', path, oldText: 'old', newText: 'new' }]);
    assert.deepEqual(client.call('unknown'), []);
  });
});
