import assert from 'node:assert/strict';
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
    const run = opened.chat.inbox.submit('go');
    await until(
      () => opened.items('tool').find(tool => tool.name === 'bash' && tool.state.type === 'running'),
      'the tool',
    );
    await opened.chat.run.stop();
    await run;
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
    await opened.chat.inbox.submit('first');
    await stopInTool(opened);
    assert.equal(opened.model.requests.length, 2);
    assert.ok(!opened.chat.store.getEntries().some(entry => entry.type === 'compaction'));
  });
});
