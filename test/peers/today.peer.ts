import assert from 'node:assert/strict';
import { CliPlace, type Program } from '../modes/support/cli';
import { RpcHost } from '../modes/support/rpc';
import { ScriptedLlm } from '../support/scripted-llm';
import { describePeer, piToday, TODAY } from './peers';

describePeer('the command line beside that of today', TODAY, folder => {
  let place: CliPlace;
  let llm: ScriptedLlm;
  const sides: Readonly<Record<string, Program>> = { pi: piToday(folder), Hookline: {} };

  beforeEach(async () => {
    place = await CliPlace.make();
    llm = await ScriptedLlm.start();
    place.useLlm(llm);
    place.file(
      'agent/extensions/shout.ts',
      "export default pi => { pi.registerCommand('shout', { description: 'loud', handler: async () => {} }); };\n",
    );
    llm.otherwise(() => ({ text: 'an answer' }));
  });

  afterEach(async () => {
    await place.remove();
    await llm.stop();
  });

  for (const [side, program] of Object.entries(sides)) {
    it(`${side} prints the answer of a scripted model`, async () => {
      const { code, stdout, stderr } = await place.run(['-p', 'a question'], program);
      assert.deepEqual([code, stdout, stderr], [0, 'an answer\n', '']);
    });

    it(`${side} tells a run in lines of JSON`, async () => {
      const { code, stdout } = await place.run(['--mode', 'json', 'a question'], program);
      const lines = stdout.trimEnd().split('\n');
      const types = lines.map(line => (JSON.parse(line) as { readonly type: string }).type);
      assert.deepEqual([code, types[0], types[1]], [0, 'session', 'agent_start']);
    });

    it(`${side} loads an extension and serves its command over RPC`, async () => {
      const host = RpcHost.start(place, [], program);
      const { commands } = await host.data<{ readonly commands: readonly { readonly name: string }[] }>('get_commands');
      assert.ok(commands.some(({ name }) => name === 'shout'));
      assert.equal((await host.close()).code, 0);
    });
  }
});
