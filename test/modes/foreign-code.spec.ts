import assert from 'node:assert/strict';
import { eachWithUnknownModel } from './support/each-with-model';

describe('what hooks do to the process of the command line', function () {
  this.timeout(60_000);
  const { place, llm } = eachWithUnknownModel();

  for (const call of ['process.exit(0)', 'process.reallyExit(0)', 'process.abort()', 'process.kill(process.pid, 9)']) {
    it(`${call} in a handler ends nothing: the run goes on, with its output and its code`, async () => {
      place.useLlm(llm);
      llm.reply({ text: 'the answer' });
      const hook = place.hook('ender.ts', `export default pi => {\n  pi.on('agent_start', () => { ${call}; });\n};\n`);
      const { code, stdout, stderr } = await place.run(['-p', 'x']);
      assert.deepEqual({ code, stdout }, { code: 0, stdout: 'the answer\n' });
      assert.ok(stderr.includes(`${hook} called process.`), stderr);
      assert.match(stderr, /ender\.ts:2/);
    });
  }

  it('an endless loop in a gate is stopped, its calls are blocked, and the run goes on', async () => {
    place.useLlm(llm, { hookLoopLimit: 100 });
    llm.reply({ toolCalls: [{ name: 'ls', arguments: {} }] }, { text: 'blocked, I see' });
    place.hook(
      'gate.ts',
      `export default pi => {\n  pi.on('tool_call', async () => {\n    for (;;) await null;\n  });\n};\n`,
    );
    const { code, stdout, stderr } = await place.run(['-p', 'x']);
    assert.deepEqual({ code, stdout }, { code: 0, stdout: 'blocked, I see\n' });
    assert.match(stderr, /Stopped: endless loop at .*gate\.ts:3\./);
    assert.match(JSON.stringify(llm.requests[1]?.body['messages']), /Stopped: endless loop at .*gate\.ts:3\./);
  });
});
