/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-argument -- as hooks use them */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InertScope } from '../../../src/hook-load/ownership/inert-scope';
import type { Foreign } from '../../support/hook-host';
import { itOnPosix } from '../../support/platform';

describe('what hooks of a replay get of Node', () => {
  const withheld: string[] = [];
  let folder: string;
  let file: string;
  let scope: InertScope;
  beforeEach(() => {
    withheld.length = 0;
    folder = mkdtempSync(join(tmpdir(), 'hookline harmless '));
    file = join(folder, 'kept');
    writeFileSync(file, 'kept');
    const onDidThrow = (error: unknown): never => assert.fail(String(error));
    scope = new InertScope({ owner: 'h', onDidThrow }, action => withheld.push(action));
  });
  afterEach(async () => {
    await scope.release();
    rmSync(folder, { recursive: true });
  });
  const module = (name: string): Foreign => scope.builtin(name);
  const process_ = (): Foreign => Reflect.get(scope.globals, 'process');
  const isRefused = (action: string, act: () => unknown): void => {
    assert.throws(act, { message: `${action} is not done in a replay.` });
    assert.equal(withheld.pop(), action);
  };

  it('writes no file by way of streams and of flags', async () => {
    const fs = module('node:fs');
    const fresh = join(folder, 'fresh');
    for (const name of ['WriteStream', 'FileWriteStream', 'createWriteStream']) {
      isRefused(`fs.${name}`, () => new fs[name](file));
    }
    isRefused('fs.createReadStream', () => fs.createReadStream(file, { flags: 'w' }));
    isRefused('fs.ReadStream', () => new fs.ReadStream(fresh, { flags: 'a+' }));
    isRefused('fs.readFileSync', () => fs.readFileSync(file, { flag: 'w+' }));
    isRefused('fs.openSync', () => fs.openSync(fresh, fs.constants.O_CREAT));
    await assert.rejects(module('fs/promises').readFile(file, { flag: 'w+' }), /is not done in a replay/);
    assert.deepEqual([existsSync(fresh), readFileSync(file, 'utf8')], [false, 'kept']);
  });

  it('reads files in every way', async () => {
    const fs = module('fs');
    for (const stream of [fs.createReadStream(file, 'utf8'), new fs.ReadStream(file, { encoding: 'utf8' })]) {
      assert.deepEqual(await stream.toArray(), ['kept']);
    }
    assert.equal(fs.readFileSync(file, { encoding: 'utf8', flag: 'r' }), 'kept');
    assert.equal(await fs.promises.readFile(file, 'utf8'), 'kept');
    fs.closeSync(fs.openSync(file, fs.constants.O_RDONLY));
    assert.ok(fs.createReadStream(file).destroy() instanceof fs.ReadStream);
    assert.equal(typeof fs.WriteStream.prototype.open, 'function', 'as modules that wrap it look it up');
    assert.deepEqual(withheld, []);
  });

  it('starts and asks nothing by way of modules that are not owned', async () => {
    isRefused('cluster.fork', () => module('cluster').fork());
    isRefused('inspector.open', () => module('node:inspector').open());
    isRefused('inspector/promises.Session', () => new (module('inspector/promises').Session)());
    isRefused('dns.lookup', () => module('dns').lookup('localhost', () => undefined));
    for (const lookup of [module('dns').promises.lookup, module('dns/promises').lookup]) {
      await assert.rejects(lookup('localhost'), { message: 'dns/promises.lookup is not done in a replay.' });
    }
    if (isBuiltin('node:sqlite')) {
      isRefused('sqlite.DatabaseSync', () => new (module('node:sqlite').DatabaseSync)(join(folder, 'db')));
    }
  });

  it('goes on where a hook sets up name servers while it loads', () => {
    const { getDefaultResultOrder, setDefaultResultOrder } = module('dns');
    const before: unknown = getDefaultResultOrder();
    setDefaultResultOrder(before === 'ipv4first' ? 'verbatim' : 'ipv4first');
    assert.equal(getDefaultResultOrder(), before);
    assert.deepEqual(withheld, ['dns.setDefaultResultOrder']);
  });

  itOnPosix('neither ends nor moves the process, and keeps what is set to itself', () => {
    const own = process_();
    const acts = ['kill', 'exit', 'abort', 'reallyExit', 'chdir', 'setuid', 'setgid', 'setegid', 'setgroups'];
    for (const name of acts) isRefused(`process.${name}`, () => own[name]());
    isRefused('process.exit', () => own.on('SIGUSR2', () => undefined).exit(1));
    isRefused('process.umask', () => own.umask(0o77));
    isRefused('process.kill', () => module('node:process').kill(process.pid));
    isRefused('process.exit', () => own.getBuiltinModule('process').exit());
    own.env['HOOKLINE_REPLAYED'] = 1;
    own.exitCode = 3;
    assert.equal(own.env['HOOKLINE_REPLAYED'], '1');
    delete own.env['PATH'];
    assert.notEqual(process.env['PATH'], undefined);
    writeFileSync(file, 'HOOKLINE_LOADED=yes\nHOOKLINE_REPLAYED=no\n');
    own.loadEnvFile(file);
    assert.deepEqual([own.env['HOOKLINE_LOADED'], own.env['HOOKLINE_REPLAYED']], ['yes', '1']);
    assert.deepEqual(
      [process.env['HOOKLINE_REPLAYED'], process.env['HOOKLINE_LOADED'], process.exitCode],
      [undefined, undefined, undefined],
    );
    assert.deepEqual([typeof own.cwd(), own.pid, typeof own.umask()], ['string', process.pid, 'number']);
  });
});
