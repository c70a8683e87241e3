import assert from 'node:assert/strict';
import { LiveScope } from '../../../src/hook-load/ownership/live-scope';
import { OwnershipScope } from '../../../src/hook-load/ownership/scope';
import { Loading } from '../support/loading';
import { TempFiles } from '../support/temp-files';
import { itOnPosix } from '../../support/platform';

const OWNER = '/work/.pi/hooks/ender.ts';

/** Each expression, and what its error must say of the call. */
const CALLS: Readonly<Record<string, string>> = {
  'process.exit(0)': 'process.exit(0)',
  'process.exit()': 'process.exit()',
  'globalThis.process.exit(3)': 'process.exit(3)',
  'named.exit(1)': 'process.exit(1)',
  'exit(4)': 'process.exit(4)',
  'require("process").exit(5)': 'process.exit(5)',
  'process.getBuiltinModule("node:process").exit(6)': 'process.exit(6)',
  'process.reallyExit(7)': 'process.reallyExit(7)',
  'process.abort()': 'process.abort()',
  'process.chdir("/")': 'process.chdir(/)',
  'process.kill(process.pid)': `process.kill(${process.pid})`,
  'process.kill(process.pid, "SIGKILL")': `process.kill(${process.pid}, SIGKILL)`,
  // No signal of this name exists: were these not refused, nothing would be killed.
  'process.kill(0, "SIGNONE")': 'process.kill(0, SIGNONE)',
  'process.kill(-process.pid, "SIGNONE")': `process.kill(${-process.pid}, SIGNONE)`,
  'process.kill(-1, "SIGNONE")': 'process.kill(-1, SIGNONE)',
};

describe('the process as hooks see it', () => {
  let loading: Loading;
  afterEach(() => loading.end());

  for (const kind of ['a load', 'a running hook'] as const) {
    for (const [call, said] of Object.entries(CALLS)) {
      it(`${call} is an error that names the hook (${kind})`, async () => {
        class Named extends Loading {
          override scope(): OwnershipScope {
            const Scope = kind === 'a load' ? OwnershipScope : LiveScope;
            const scope = new Scope({ owner: OWNER, onDidThrow: error => assert.fail(String(error)) });
            this.scopes.push(scope);
            return scope;
          }
        }
        const text = `import named, { exit } from 'node:process';\nexport default () => { ${call}; };\n`;
        loading = new Named(new TempFiles({ 'h.ts': text }));
        const run = await loading.load('h.ts');
        assert.throws(
          () => run.factory(undefined),
          (error: unknown) => {
            assert.ok(error instanceof Error);
            assert.ok(error.message.startsWith(`${OWNER} called ${said}. A hook must not `), error.message);
            return true;
          },
        );
      });
    }
  }

  itOnPosix('lets a hook ask whether a process lives, and end others', async () => {
    const text = `import { spawn } from 'node:child_process';
      import { once } from 'node:events';
      export default async () => {
        const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
        await once(child, 'spawn');
        const lives = process.kill(process.pid, 0);
        process.kill(child.pid, 'SIGKILL');
        const [, signal] = await once(child, 'exit');
        return { lives, signal };
      };`;
    loading = new Loading(new TempFiles({ 'h.ts': text }));
    assert.deepEqual(await loading.run('h.ts'), { lives: true, signal: 'SIGKILL' });
  });
});
