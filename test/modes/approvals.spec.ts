import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CliPlace } from './support/cli';
import { RpcHost } from './support/rpc';

describe('approvals on the command line', () => {
  let place: CliPlace;
  beforeEach(async () => {
    place = await CliPlace.make();
  });
  afterEach(() => place.remove());

  const made = (name: string): boolean => existsSync(join(place.cwd, name));

  it('are none by default: hooks alone decide, as in pi', async () => {
    const { code } = await place.run(['-p', 'run `touch made`']);
    assert.deepEqual([code, made('made')], [0, true]);
  });

  for (const mode of ['text', 'json']) {
    it(`are refused in ${mode} mode, where nobody can be asked, and it is said`, async () => {
      const { stderr } = await place.run(['--mode', mode, '--approve-tools', 'ask', '-p', 'run `touch made`']);
      assert.equal(made('made'), false);
      assert.match(stderr, /Warning: bash needs approval.*--approve-tools auto/);
    });
  }

  it('ask the client of RPC mode by confirm', async () => {
    const host = RpcHost.start(place, ['--approve-tools', 'ask']);
    for (const confirmed of [false, true]) {
      const asked = host.ui('confirm', host.messages.length);
      const over = host.prompt('run `touch made`');
      const question = await asked;
      assert.deepEqual([question['title'], question['message']], ['Run this command?', 'touch made']);
      host.answer(question, { confirmed });
      await over;
      assert.equal(made('made'), confirmed);
    }
    await host.close();
  });

  it('let nothing but reading happen in plan mode', async () => {
    await place.run(['--approve-tools', 'plan', '-p', 'run `touch made`']);
    assert.equal(made('made'), false);
  });

  it('keep file tools from places that code is run from, and say how to allow it', async () => {
    const prompt = 'write .vscode/tasks.json: {}';
    const refused = await place.run(['-p', prompt]);
    assert.equal(made('.vscode'), false);
    assert.match(refused.stderr, /--allow-path .*tasks\.json/);
    await place.run(['--allow-path', '.vscode/**', '-p', prompt]);
    assert.equal(made('.vscode/tasks.json'), true);
  });
});
