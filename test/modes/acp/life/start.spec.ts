import assert from 'node:assert/strict';
import { WITHOUT_PARENTS } from '../../../support/as-person';
import { AcpEditor, type AnsweredError } from '../../support/acp';
import { ended, until } from '../../support/cli';
import { eachWithUnknownModel } from '../../support/each-with-model';
import { TERMINAL } from '../../support/terminal-program';

describe('An editor that starts ACP mode', function () {
  this.timeout(60_000);
  const { place, llm } = eachWithUnknownModel();

  const authenticate = async (env: Readonly<Record<string, string>> = {}): Promise<object> => {
    const editor = await AcpEditor.open(place, { env });
    try {
      return await editor.request('authenticate', { methodId: 'keys' });
    } finally {
      await editor.end();
    }
  };

  it('is not authenticated without a key, and hears how to get one', async () => {
    await assert.rejects(authenticate(), ({ code, message }: AnsweredError) => {
      assert.equal(code, -32_000);
      assert.match(message, /ANTHROPIC_API_KEY.*auth\.json.*hookline --login/);
      return true;
    });
  });

  it('is authenticated by a key in the environment, in auth.json or in models.json', async () => {
    assert.deepEqual(await authenticate({ ANTHROPIC_API_KEY: 'a key' }), {});
    place.useLlm(llm);
    assert.deepEqual(await authenticate(), {});
    place.file('agent/models.json', '{}');
    place.file('agent/auth.json', JSON.stringify({ openai: { type: 'api_key', key: 'a key' } }));
    assert.deepEqual(await authenticate(), {});
  });

  for (const args of [['acp', '--login'], ['--login']]) {
    it(`logs nobody in where there is no terminal: ${args.join(' ')}`, async () => {
      const { code, stdout, stderr } = await place.run(args);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /A login needs a terminal to ask in/);
    });
  }

  it('is nobody in a terminal, where a person is told what the process waits for', async function () {
    if (process.platform === 'win32') return this.skip();
    const line = JSON.stringify([process.execPath, ...WITHOUT_PARENTS, place.cliPath, 'acp']);
    const terminal = place.start(['-e', TERMINAL, line, ''], { cli: '--no-warnings' });
    let said = '';
    terminal.stdout.on('data', (text: string) => (said += text));
    await until(() => said.includes('started by editors'), 'the hint');
    terminal.kill('SIGTERM');
    await ended(terminal);
    await until(async () => (await place.processes()).length === 0, 'the end of the process');
  });
});
