import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, Stage } from '../conformance/support';
import { freePort, isFree, untilListening } from '../hook-load/ownership/support';
import { until } from '../support/conversation-rig';
import type { Script } from '../support/scripted-stream';
import { exampleText } from './drive';

const MESSAGE = '.pi/inbox/message.txt';
const ERRORS = 'test-errors.txt';

/** The hooks that listen to a file, with the file, what the model gets of it, and what the chat shows. */
const WATCHERS = [
  { dialect: 'v1', name: 'inbox.ts', file: MESSAGE, asked: (text: string) => `user: ${text}`, customType: undefined },
  {
    dialect: 'tree',
    name: 'file-trigger.ts',
    file: ERRORS,
    asked: (text: string) => `user: The tests fail:\n${text}`,
    customType: 'test-errors',
  },
] as const;

describe('hooks of v1 and tree that listen to the outside', () => {
  let stage: Stage | undefined;
  afterEach(async () => {
    await stage?.end();
    stage = undefined;
  });

  async function open(dialect: 'v1' | 'tree', name: string, script: readonly Script[]): Promise<Stage> {
    stage = await Stage.open(script, { hooks: { [name]: exampleText(dialect, name) } });
    assert.equal(stage.rig.host.infos()[0]?.dialect?.id, dialect);
    return stage;
  }
  /** Saves the hook with a change that matters to nobody, as an editor does. */
  async function save(on: Stage, dialect: 'v1' | 'tree', name: string, count: number): Promise<void> {
    writeFileSync(join(on.cwd, '.pi', 'hooks', name), `${exampleText(dialect, name)}\n// save ${count}\n`);
    await on.rig.host.reload();
  }
  const ran = (on: Stage, count: number): Promise<true> =>
    until(
      () => (on.rig.model.requests.length === count && on.chat.conversation.run.isIdle ? true : undefined),
      `run ${count}`,
    );

  for (const { dialect, name, file, asked, customType } of WATCHERS) {
    describe(name, () => {
      it(`${dialect}: wakes the agent with what was written, and once when it was saved again and again`, async () => {
        const on = await open(dialect, name, [{ text: 'running' }, { text: 'again' }]);
        writeFileSync(join(on.cwd, file), 'The build is red\n');
        await ran(on, 1);
        assert.equal(on.request(-1).at(-1), asked('The build is red'));
        for (let count = 1; count <= 3; count += 1) await save(on, dialect, name, count);
        writeFileSync(join(on.cwd, file), 'Once more\n');
        await ran(on, 2);
        assert.equal(on.request(-1).at(-1), asked('Once more'));
        assert.deepEqual(
          on.rig.items('custom').map(item => item.customType),
          customType === undefined ? [] : [customType, customType],
        );
        if (dialect === 'v1') assert.equal(readFileSync(join(on.cwd, file), 'utf8'), '');
      });

      it(`${dialect}: adds what comes while the agent works to the run`, async () => {
        const wait = call('bash', { command: 'until [ -e go-on ]; do sleep 0.02; done' });
        const on = await open(dialect, name, [wait, { text: 'ok' }]);
        const run = on.chat.submit('go');
        await until(() => on.rig.items('tool')[0], 'the tool at work');
        writeFileSync(join(on.cwd, file), 'Meanwhile\n');
        const { steering, followUps } = on.chat.conversation.run.agent;
        await until(() => [...steering.messages, ...followUps.messages][0], 'the message that waits');
        assert.equal(on.rig.model.requests.length, 1);
        writeFileSync(join(on.cwd, 'go-on'), '');
        await run;
        assert.equal(on.request(-1).at(-1), asked('Meanwhile'));
        assert.equal(on.rig.model.requests.length, 2);
      });
    });
  }

  describe('doorbell.ts', () => {
    afterEach(() => {
      delete process.env['DOORBELL_PORT'];
    });

    for (const dialect of ['v1', 'tree'] as const) {
      it(`${dialect}: wakes the agent with what is posted; one listens after reloads, none after the end`, async () => {
        const port = await freePort();
        process.env['DOORBELL_PORT'] = String(port);
        const post = async (body: string): Promise<string> =>
          (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body })).text();
        const on = await open(dialect, 'doorbell.ts', [{ text: 'fixing' }, { text: 'again' }, { text: 'who?' }]);
        await untilListening(port);
        assert.equal(await post('The nightly build is red'), 'heard');
        await ran(on, 1);
        assert.equal(on.request(-1).at(-1), 'user: The nightly build is red');
        for (let count = 1; count <= 5; count += 1) {
          await save(on, dialect, 'doorbell.ts', count);
          assert.equal(on.notices.length, count + 1);
          await untilListening(port);
        }
        assert.equal(await post('once'), 'heard');
        await ran(on, 2);
        assert.equal(await post(''), 'heard');
        await ran(on, 3);
        assert.equal(on.request(-1).at(-1), 'user: Somebody rang and ran away.');
        const shown = on.rig.items('custom').map(item => item.customType);
        assert.deepEqual(shown, dialect === 'tree' ? Array<string>(3).fill('doorbell') : []);
        await on.end();
        stage = undefined;
        assert.ok(await isFree(port));
      }).timeout(60_000);
    }
  });
});
