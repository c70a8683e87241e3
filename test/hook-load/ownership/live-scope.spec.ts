import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { LiveScope, withoutActing } from '../../../src/hook-load/ownership/live-scope';
import type { OwnershipScope } from '../../../src/hook-load/ownership/scope';
import { Loading } from '../support/loading';
import { TempFiles } from '../support/temp-files';
import { itOnPosix } from '../../support/platform';

type Act = (path: string) => unknown;

/** What handlers do with the path of a file that is not there; each makes it. */
const ACTS: Readonly<Record<string, string>> = {
  'a named import': `import { writeFileSync } from 'node:fs'; export default () => path => writeFileSync(path, 'x');`,
  'the default import': `import fs from 'fs'; export default () => path => fs.appendFileSync(path, 'x');`,
  'a namespace': `import * as fs from 'fs'; export default () => path => fs.mkdirSync(path);`,
  'promises of fs': `import { promises } from 'fs'; export default () => path => promises.writeFile(path, 'x');`,
  'fs/promises': `import { writeFile } from 'node:fs/promises'; export default () => path => writeFile(path, 'x');`,
  'a function taken while loading': `const { writeFileSync } = require('fs'); export default () => path => writeFileSync(path, 'x');`,
  'open for writing': `import { closeSync, openSync } from 'fs'; export default () => path => closeSync(openSync(path, 'w'));`,
  execSync: `import { execFileSync } from 'child_process'; export default () => path => execFileSync('touch', [path]);`,
  'promisified exec': `import { execFile } from 'child_process'; import { promisify } from 'util';
    const run = promisify(execFile); export default () => path => run('touch', [path]);`,
  'the process': `export default () => path => process.getBuiltinModule('fs').writeFileSync(path, 'x');`,
  'the global object': `export default () => path => globalThis.process.getBuiltinModule('fs').writeFileSync(path, 'x');`,
};

class Dry extends Loading {
  override scope(owner = 'h'): OwnershipScope {
    const scope = new LiveScope({ owner, onDidThrow: error => assert.fail(String(error)) });
    this.scopes.push(scope);
    return scope;
  }
}

describe('a running hook in a dry fire', () => {
  let loading: Dry;
  afterEach(() => loading.end());

  const given = async (text: string): Promise<Act> => {
    loading = new Dry(new TempFiles({ 'h.ts': text, 'kept.txt': 'kept' }));
    return (await loading.run('h.ts')) as Act;
  };

  for (const [name, text] of Object.entries(ACTS)) {
    itOnPosix(`makes nothing by way of ${name}, and does so in a real call beside it`, async () => {
      const act = await given(text);
      const path = loading.files.path('made');
      const refused: string[] = [];
      const dry = withoutActing(
        action => refused.push(action),
        async () => {
          await Promise.resolve();
          await act(path);
        },
      );
      await assert.rejects(dry, /is not done in a test with an event/);
      assert.deepEqual([existsSync(path), refused.length], [false, 1], refused.join());
      await act(path);
      assert.equal(existsSync(path), true);
      rmSync(path, { recursive: true });
    });
  }

  it('reads, waits and remembers as always, and asks no server', async () => {
    const act = await given(`import { readFileSync } from 'fs';
      let calls = 0;
      export default () => async path => {
        await new Promise(done => setTimeout(done, 1));
        process.env.HOOKLINE_DRY = 'yes';
        return [++calls, readFileSync(path, 'utf8'), await fetch('http://127.0.0.1:9').catch(error => error.message)];
      };`);
    const path = loading.files.path('kept.txt');
    const answer = await withoutActing(
      () => undefined,
      async () => await act(path),
    );
    assert.deepEqual(answer, [1, 'kept', 'fetch is not done in a test with an event.']);
    assert.equal(process.env['HOOKLINE_DRY'], undefined);
    assert.equal(readFileSync(path, 'utf8'), 'kept');
  });
});
