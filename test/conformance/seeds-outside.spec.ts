import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { claim } from '../support/claim';
import { until } from '../support/conversation-rig';
import { seedIt, seedModule } from '../support/seeds';
import { Stage } from './support';

/** The documents' hooks have these built in. */
const TRIGGER = '/tmp/agent-trigger.txt';
const PORT = 3333;

describe('hooks of the documents that listen to the outside', () => {
  let stage: Stage | undefined;
  let giveBack: () => Promise<void>;
  beforeEach(async () => {
    giveBack = await claim('port-3333');
  });
  afterEach(async () => {
    await stage?.end();
    stage = undefined;
    await giveBack();
  });

  for (const document of ['v1', 'tree'] as const) {
    /** What the model was asked last, when it came through this hook. */
    const asked = (on: Stage): string | undefined => on.request(-1).at(-1);

    describe(`${document}-file-watcher`, () => {
      let before: string | undefined;
      beforeEach(() => {
        before = existsSync(TRIGGER) ? readFileSync(TRIGGER, 'utf8') : undefined;
        writeFileSync(TRIGGER, '');
      });
      afterEach(() => {
        if (before === undefined) rmSync(TRIGGER, { force: true });
        else writeFileSync(TRIGGER, before);
      });

      seedIt('wakes the agent with what was written, empties the file, and does so once after reloads', async () => {
        const on = await Stage.open([{ text: 'running' }, { text: 'again' }], {
          hooks: { 'watch.ts': seedModule(`${document}-file-watcher`) },
        });
        stage = on;
        assert.deepEqual(on.notices, [`Watching ${TRIGGER} info`]);
        writeFileSync(TRIGGER, 'Run the tests\n');
        await until(() => (on.rig.model.requests.length === 1 && on.chat.run.isIdle ? true : undefined), 'the run');
        assert.equal(asked(on), 'user: External trigger: Run the tests');
        await until(() => (readFileSync(TRIGGER, 'utf8') === '' ? true : undefined), 'the emptied file');
        for (let reload = 0; reload < 3; reload += 1) await save(on, 'watch.ts', `${document}-file-watcher`, reload);
        writeFileSync(TRIGGER, 'Once more\n');
        await until(
          () => (on.rig.model.requests.length === 2 && on.chat.run.isIdle ? true : undefined),
          'the second run',
        );
        assert.equal(asked(on), 'user: External trigger: Once more');
        const custom = on.rig.items('custom').map(item => item.customType);
        assert.deepEqual(custom, document === 'tree' ? ['file-trigger', 'file-trigger'] : []);
      });

      seedIt('queues what comes while the agent is at work', async () => {
        const on = await Stage.open(['hang'], { hooks: { 'watch.ts': seedModule(`${document}-file-watcher`) } });
        stage = on;
        const run = on.chat.inbox.submit('go');
        await until(() => (on.rig.model.requests.length === 1 ? true : undefined), 'the request');
        writeFileSync(TRIGGER, 'Later\n');
        await until(() => (readFileSync(TRIGGER, 'utf8') === '' ? true : undefined), 'the emptied file');
        assert.equal(on.rig.model.requests.length, 1);
        await on.chat.run.stop();
        await run;
      });
    });

    describe(`${document}-webhook`, () => {
      const post = async (body: string): Promise<string> =>
        (await fetch(`http://127.0.0.1:${PORT}`, { method: 'POST', body })).text();

      seedIt('answers OK and wakes the agent; one listener after reloads, none after the end', async () => {
        await waitFor('port 3333 to be free', () => isFree(PORT));
        const on = await Stage.open([{ text: 'fixing' }, { text: 'again' }, { text: 'empty' }], {
          hooks: { 'webhook.ts': seedModule(`${document}-webhook`) },
        });
        stage = on;
        await until(() => on.notices.find(text => text.startsWith('Webhook listening')), 'the server');
        assert.equal(await post('CI build failed'), 'OK');
        await until(() => (on.rig.model.requests.length === 1 && on.chat.run.isIdle ? true : undefined), 'the run');
        assert.equal(asked(on), 'user: CI build failed');
        for (let reload = 1; reload <= 5; reload += 1) {
          await save(on, 'webhook.ts', `${document}-webhook`, reload);
          await until(() => (on.notices.length > reload ? true : undefined), 'the server after a reload');
        }
        assert.equal(await post('once'), 'OK');
        await until(
          () => (on.rig.model.requests.length === 2 && on.chat.run.isIdle ? true : undefined),
          'the second run',
        );
        assert.equal(await post(''), 'OK');
        await until(
          () => (on.rig.model.requests.length === 3 && on.chat.run.isIdle ? true : undefined),
          'the third run',
        );
        assert.equal(asked(on), 'user: Webhook triggered');
        await on.end();
        stage = undefined;
        assert.ok(await isFree(PORT));
      }).timeout(60_000);
    });
  }
});

/** Saves a hook with a change that matters to nobody, as an editor does. */
async function save(stage: Stage, name: string, id: string, count: number): Promise<void> {
  writeFileSync(join(stage.cwd, '.pi', 'hooks', name), `${seedModule(id)}\n// save ${count}\n`);
  await stage.rig.host.reload();
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, () => {
      server.close(() => resolve(true));
    });
  });
}

async function waitFor(what: string, ask: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000;
  while (!(await ask())) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}
