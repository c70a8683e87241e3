import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until, type RigOptions } from '../support/conversation-rig';
import type { Reply, Script } from '../support/scripted-stream';
import { Stage } from './support';

const bash = (id: string, command: string): NonNullable<Reply['calls']>[number] => ({
  id,
  name: 'bash',
  args: { command },
});

const extension = (body: string): string => `export default (pi: ExtensionAPI) => {${body}};\n`;

const LONG: Script = { calls: [bash('a', 'sleep 20'), bash('b', 'sleep 20')] };

/** Notes the steps of calls, and looks at none before it runs. */
const OBSERVER = extension(`
  for (const name of ['tool_execution_start', 'tool_execution_end', 'agent_end']) pi.on(name, () => {});
`);

describe('the calls of one answer', () => {
  let stage: Stage | undefined;

  async function open(script: readonly Script[], options: RigOptions = {}): Promise<Stage> {
    stage = await Stage.open(script, options);
    return stage;
  }

  afterEach(async () => {
    await stage?.end();
    stage = undefined;
  });

  const steps = (on: Stage): readonly string[] =>
    on.seen
      .filter(({ payload }) => 'toolCallId' in payload)
      .map(({ name, payload }) => `${name} ${String(payload['toolCallId'])}`);

  it('run side by side: start, start, end, end, results in the order of the calls, two cards at work', async () => {
    const wait = bash('a', 'until [ -e b ]; do sleep 0.01; done; until [ -e go ]; do sleep 0.01; done; echo first');
    const on = await open([{ calls: [wait, bash('b', 'touch b; echo second')] }, { text: 'ok' }], {
      extensions: { 'observer.ts': OBSERVER },
    });
    const run = on.chat.submit('go');
    await until(() => on.rig.items('tool').find(({ state }) => state.type === 'done'), 'the second call');
    assert.deepEqual(
      on.rig.items('tool').map(({ state }) => state.type),
      ['running', 'done'],
    );
    const meeting = await on.rig.conversation.shells.run('touch go', true);
    await run;
    await meeting.recorded;
    const order = steps(on);
    assert.deepEqual(order.slice(0, 2), ['tool_execution_start a', 'tool_execution_start b']);
    assert.deepEqual(order.slice(2), ['tool_execution_end b', 'tool_execution_end a']);
    assert.deepEqual(on.request(1).slice(-2), ['toolResult: first\n', 'toolResult: second\n']);
    assert.deepEqual([on.tool(0).output, on.tool(1).output], ['first\n', 'second\n']);
  });

  it('run side by side when only files of today look at them: verdicts in order, a blocked one ends at once (P2)', async () => {
    const looks = `// @pi-dialect pi
      export default pi => {
        for (const name of ['tool_execution_start', 'tool_result', 'tool_execution_end']) pi.on(name, () => {});
        pi.on('tool_call', event => (event.toolCallId === 'b' ? { block: true, reason: 'not b' } : undefined));
      };\n`;
    const meet = (mine: string, other: string): string => `touch ${mine}; until [ -e ${other} ]; do sleep 0.01; done`;
    const calls = [bash('a', meet('A', 'C')), bash('b', 'true'), bash('c', meet('C', 'A'))];
    const on = await open([{ calls }, { text: 'ok' }], { extensions: { 'looks.ts': looks } });
    await on.chat.submit('go');
    assert.deepEqual(steps(on).slice(0, 7), [
      ...['tool_execution_start a', 'tool_call a'],
      ...['tool_execution_start b', 'tool_call b', 'tool_execution_end b'],
      ...['tool_execution_start c', 'tool_call c'],
    ]);
    assert.deepEqual(steps(on).slice(7).toSorted(), [
      ...['tool_execution_end a', 'tool_execution_end c', 'tool_result a', 'tool_result c'],
    ]);
    assert.deepEqual(
      on.rig.items('tool').map(({ state }) => state.type),
      ['done', 'blocked', 'done'],
    );
  });

  it('run one after the other as soon as an older file looks at calls, verdict and run of each (C39)', async () => {
    for (const event of ['tool_call', 'tool_result']) {
      const looks = extension(`
        for (const name of ['tool_execution_start', 'tool_execution_end']) pi.on(name, () => {});
        pi.on('${event}', () => {});
      `);
      const on = await open([{ calls: [bash('a', 'true'), bash('b', 'true')] }, { text: 'ok' }], {
        extensions: { 'looks.ts': looks },
      });
      await on.chat.submit('go');
      const perCall = (id: string): readonly string[] =>
        ['tool_execution_start', event, 'tool_execution_end'].map(name => `${name} ${id}`);
      assert.deepEqual(steps(on), [...perCall('a'), ...perCall('b')]);
      await on.end();
      stage = undefined;
    }
  });

  it('that work on one file take turns, and each card tells what its call did', async () => {
    const edit = (id: string, oldText: string, newText: string) => ({
      id,
      name: 'edit',
      args: { path: 'notes.txt', oldText, newText },
    });
    const on = await open(
      [{ calls: [edit('a', 'one', 'eins'), edit('b', 'two', 'zwei'), bash('c', 'true')] }, { text: 'ok' }],
      { files: { 'notes.txt': 'one two\n' } },
    );
    await on.chat.submit('go');
    assert.equal(readFileSync(join(on.cwd, 'notes.txt'), 'utf8'), 'eins zwei\n');
    const { records } = on.rig.changes.tracker.journal;
    assert.deepEqual(
      records.map(({ call }) => call),
      ['a', 'b'],
    );
    const [first, second] = records;
    assert.deepEqual(first?.after, second?.before);
  });

  it('that are stopped all end, and an answer that says so is told, saved and shown once', async () => {
    const on = await open([LONG], { extensions: { 'observer.ts': OBSERVER } });
    const run = on.chat.submit('go');
    await until(
      () => (on.rig.items('tool').filter(({ state }) => state.type === 'running').length === 2 ? true : undefined),
      'both calls',
    );
    await on.chat.conversation.run.stop();
    await run;
    assert.equal(on.rig.model.requests.length, 1);
    const end = on.seen.findLast(({ name }) => name === 'agent_end')?.payload['messages'] as { role: string }[];
    assert.deepEqual(
      end.map(({ role }) => role),
      ['user', 'assistant', 'toolResult', 'toolResult', 'assistant'],
    );
    const saved = (await on.entries()).flatMap(entry => (entry['type'] === 'message' ? [entry['message']] : []));
    const last = saved.at(-1) as { readonly role: string; readonly stopReason: string; readonly content: unknown };
    assert.deepEqual([last.role, last.stopReason, last.content], ['assistant', 'aborted', []]);
    const stopped = (): number => on.rig.items('assistant').filter(({ state }) => state === 'aborted').length;
    assert.equal(stopped(), 1);
    await on.chat.conversation.open();
    assert.equal(stopped(), 1);
  });
});
