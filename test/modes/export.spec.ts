import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { eachWithModel } from './support/each-with-model';
import { RpcHost } from './support/rpc';

describe('exporting without an editor', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();

  it('writes the session of an RPC host where it says, or under a name of its own', async () => {
    const host = RpcHost.start(place);
    llm.reply({ text: 'an **answer**' });
    await host.prompt('a question');
    const { path } = await host.data<{ path: string }>('export_html', { outputPath: 'out/../mine.html' });
    assert.equal(path, 'out/../mine.html');
    assert.match(readFileSync(join(place.cwd, 'mine.html'), 'utf8'), /a question[\s\S]*<strong>answer<\/strong>/);
    const own = await host.data<{ path: string }>('export_html');
    assert.match(own.path, /^pi-session-[\w-]+\.html$/);
    assert.ok(existsSync(join(place.cwd, own.path)));
    assert.equal((await host.close()).code, 0);
  });

  it('writes a session file, or the session of an id, and loads no hook for it', async () => {
    llm.reply({ text: 'an answer' });
    assert.equal((await place.run(['-p', 'a question'])).code, 0);
    place.hook('loud.ts', "export default () => { console.log('loaded'); };\n");
    const [file = ''] = place.sessionFiles();
    const before = readFileSync(file, 'utf8');
    const named = await place.run(['--export', file]);
    const target = join(place.cwd, `pi-session-${basename(file, '.jsonl')}.html`);
    assert.deepEqual(named, { code: 0, stdout: `Exported to: ${basename(target)}\n`, stderr: '' });
    assert.match(readFileSync(target, 'utf8'), /a question[\s\S]*an answer/);
    const id = basename(file, '.jsonl').split('_')[1] ?? '';
    assert.equal((await place.run(['--export', id.slice(0, 8), 'x.md'])).code, 0);
    assert.match(readFileSync(join(place.cwd, 'x.md'), 'utf8'), /> a question/);
    assert.equal(readFileSync(file, 'utf8'), before);
  });

  it('says what is wrong, naming it', async () => {
    const missing = await place.run(['--export', 'none.jsonl']);
    assert.deepEqual([missing.code, missing.stdout], [1, '']);
    assert.match(missing.stderr, /^hookline: Session file not found: .*none\.jsonl\n$/);
    assert.match(
      (await place.run(['--export', 'abc'])).stderr,
      /--export: no session has an id that begins with "abc"/,
    );
    assert.match((await place.run(['--export', 'a.jsonl', 'b.html', 'c'])).stderr, /not also "c"/);
  });
});
