import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { ToolResultMessage } from '../../../src/agent/messages';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';

const sleeps: Script = { calls: [{ id: 's1', name: 'bash', args: { command: 'sleep 20' } }] };
const plans: Script = {
  calls: [{ id: 't1', name: 'todo', args: { todos: [{ content: 'a', status: 'pending' }] } }],
};

describe('stopping', () => {
  let rig: Rig | undefined;

  async function open(script: readonly Script[], options: RigOptions = {}): Promise<Rig> {
    rig = await Rig.open(script, options);
    return rig;
  }

  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  /** Sends a text and stops while `bash` runs; resolves when the submission is through. */
  async function stopInTool(opened: Rig): Promise<void> {
    const run = opened.chat.submit('go');
    await until(
      () => opened.items('tool').find(tool => tool.name === 'bash' && tool.state.type === 'running'),
      'the tool',
    );
    await opened.chat.conversation.run.stop();
    await run;
  }

  for (const [name, hook] of [
    [
      'run side by side',
      "pi.on('tool_call', event => (event.toolCallId === 'a' ? new Promise(() => undefined) : undefined))",
    ],
    [
      'must not run at once',
      `pi.registerTool({ name: 'alone', label: 'a', description: 'd', executionMode: 'sequential',
      parameters: { type: 'object', properties: {} }, execute: async () => ({ content: [] }) })`,
    ],
  ] as const) {
    it(`writes a result for each call that had not started, where calls ${name}`, async () => {
      const calls = [
        { id: 'a', name: 'bash', args: { command: 'sleep 20' } },
        { id: 'b', name: 'bash', args: { command: 'echo ran > b.txt' } },
        { id: 'c', name: name === 'must not run at once' ? 'alone' : 'ls', args: {} },
      ];
      const opened = await open([{ calls }], {
        extensions: { 'x.ts': `// @pi-dialect ext\nexport default pi => { ${hook} };` },
      });
      const run = opened.chat.submit('go');
      await until(() => opened.items('tool').find(tool => tool.name === 'bash'), 'the first call');
      await opened.chat.conversation.run.stop();
      await run;
      await opened.chat.conversation.store.flush();
      const results = readFileSync(opened.chat.conversation.store.getSessionFile() ?? '', 'utf8')
        .trimEnd()
        .split('\n')
        .map(line => (JSON.parse(line) as { message?: ToolResultMessage }).message)
        .filter(message => message?.role === 'toolResult')
        .map(message => [message?.toolCallId, message?.content, message?.isError]);
      const aborted = [{ type: 'text', text: 'Operation aborted' }];
      assert.deepEqual(results.slice(1), [
        ['b', aborted, true],
        ['c', aborted, true],
      ]);
    });
  }

  it('inside a tool ends it all: no reminder of open todos starts the agent again', async () => {
    const opened = await open([plans, sleeps, { text: 'restarted' }], {
      settings: { todo: { enabled: true, reminders: true } },
    });
    await stopInTool(opened);
    assert.equal(opened.model.requests.length, 2);
    assert.equal(opened.chat.status.current.phase.type, 'idle');
  });

  it('inside a tool ends it all: nothing is summarized afterwards', async () => {
    const opened = await open(
      [{ text: 'x'.repeat(2000), totalTokens: 100 }, { ...sleeps, totalTokens: 990 }, { text: 'summary' }],
      {
        settings: { compaction: { enabled: true, reserveTokens: 100, keepRecentTokens: 1 } },
      },
    );
    await opened.chat.submit('first');
    await stopInTool(opened);
    assert.equal(opened.model.requests.length, 2);
    assert.ok(!opened.chat.conversation.store.getEntries().some(entry => entry.type === 'compaction'));
  });
});
