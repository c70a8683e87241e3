import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { eachWithModel } from './support/each-with-model';
import { RpcHost } from './support/rpc';

describe('a session that others damage, on the command line,', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();

  for (const what of ['folder', 'lock'] as const) {
    it(`goes on when its ${what} is deleted in a run`, async () => {
      const host = RpcHost.start(place);
      llm.reply({ text: 'one' }, { text: 'two' });
      await host.prompt('first');
      const [file = ''] = place.sessionFiles();
      rmSync(what === 'folder' ? dirname(file) : `${file}.lock`, { recursive: true });
      await host.prompt('second');
      const { code, stderr } = await host.close();
      assert.equal(code, 0);
      assert.deepEqual(place.sessionFiles(), [file]);
      const text = readFileSync(file, 'utf8');
      for (const part of ['first', 'one', 'second', 'two']) assert.ok(text.includes(`"${part}"`), part);
      assert.equal(stderr.includes('deleted by another program'), what === 'folder', stderr);
    });
  }

  it('goes on in a copy when its head is torn, and says so', async () => {
    llm.reply({ text: 'one' }, { text: 'two' });
    assert.equal((await place.run(['-p', 'first'])).code, 0);
    const [file = ''] = place.sessionFiles();
    const torn = readFileSync(file, 'utf8').slice(40);
    writeFileSync(file, torn);
    const { code, stdout, stderr } = await place.run(['-p', '--session', file, 'second']);
    assert.deepEqual([code, stdout], [0, 'two\n']);
    assert.match(stderr, /The first line cannot be read in .*\. The session continues in a copy/);
    assert.equal(readFileSync(file, 'utf8'), torn);
    const copy = place.sessionFiles().find(other => other !== file) ?? '';
    const text = readFileSync(copy, 'utf8');
    for (const part of ['first', 'one', 'second', 'two']) assert.ok(text.includes(`"${part}"`), part);
  });
});
