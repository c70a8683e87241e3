import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SessionStore } from '../../src/agent/session/store';
import { ended, until } from './support/cli';
import { eachWithUnknownModel } from './support/each-with-model';
import { RpcHost } from './support/rpc';

const LOST = 'Another window or program has taken over this session. What was running here was stopped.';

describe('a window that takes over the session of a run', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithUnknownModel();

  let window: SessionStore | undefined;
  afterEach(async () => {
    await window?.dispose();
    window = undefined;
  });

  /** Takes over when the tool of the run has begun. Resolves with the content of the file at that moment. */
  async function takeOver(): Promise<string> {
    await until(() => existsSync(join(place.cwd, 'started')), 'the tool');
    const [file = assert.fail('no session')] = place.sessionFiles();
    window = await SessionStore.open(file);
    await window.takeOver();
    return readFileSync(file, 'utf8');
  }

  const begins = (): void => {
    place.useLlm(llm);
    llm.reply({ toolCalls: [{ name: 'bash', arguments: { command: 'touch started; sleep 60; touch ran' } }] });
  };

  for (const mode of ['text', 'json'] as const) {
    it(`in ${mode} mode ends it with code 1`, async () => {
      begins();
      const run = place.start(['-p', '--mode', mode, 'go']);
      run.stdin.end();
      const end = ended(run);
      const taken = await takeOver();
      const { code, stderr } = await end;
      assert.equal(code, 1);
      assert.ok(stderr.includes(`Error: ${LOST}`), stderr);
      assert.deepEqual([existsSync(join(place.cwd, 'ran')), llm.requests.length], [false, 1]);
      assert.equal(readFileSync(place.sessionFiles()[0] ?? '', 'utf8'), taken);
    });
  }

  it('in RPC mode ends it, and the next prompt is refused', async () => {
    begins();
    const host = RpcHost.start(place);
    await host.data('prompt', { message: 'go' });
    const taken = await takeOver();
    await host.event('agent_settled');
    assert.match(await host.error('prompt', { message: 'and now' }), /can only be read/);
    assert.match(await host.error('bash', { command: 'touch ran' }), /can only be read/);
    host.child.stdin.end();
    const { stderr } = await host.ended;
    assert.ok(stderr.includes(`Error: ${LOST}`), stderr);
    assert.deepEqual([existsSync(join(place.cwd, 'ran')), llm.requests.length], [false, 1]);
    assert.equal(readFileSync(place.sessionFiles()[0] ?? '', 'utf8'), taken);
  });
});
