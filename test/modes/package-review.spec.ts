import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { runPackageMode } from '../../src/modes/packages/package-mode';
import { FakeRegistry } from '../support/fake-registry';
import { eachWithModel } from './support/each-with-model';

const GATE = `export default pi => {
  console.error('package loaded');
  pi.on('tool_call', event => (event.toolName === 'bash' ? { block: true, reason: 'no' } : undefined));
};
`;

/** A process whose terminal a person types in: each question gets the next answer. */
class Terminal extends EventEmitter {
  readonly stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (): void => undefined });
  readonly stderr = Object.assign(new PassThrough(), { isTTY: true });
  readonly said = { stdout: '', stderr: '' };
  readonly stdout = { write: (text: string): void => void (this.said.stdout += text) };

  constructor(
    readonly env: NodeJS.ProcessEnv,
    answers: readonly string[],
  ) {
    super();
    const waiting = [...answers];
    this.stderr.on('data', (chunk: Buffer) => {
      this.said.stderr += chunk.toString('utf8');
      if (this.said.stderr.split('[yes/no]').length - 1 > answers.length - waiting.length) {
        this.stdin.write(waiting.shift() ?? '');
      }
    });
  }
}

describe('installing packages in a terminal', function () {
  this.timeout(60_000);
  let registry: FakeRegistry;

  const { place, llm } = eachWithModel();
  beforeEach(() => llm.otherwise(() => ({ text: 'an answer' })));
  beforeEach(async () => {
    registry = await FakeRegistry.open();
    registry.publish({ name: 'acme', version: '1.0.0', files: { 'extensions/gate.ts': GATE } });
  });
  afterEach(() => registry.close());

  const env = (): NodeJS.ProcessEnv => ({ ...place.env, ...registry.environment(place.root) });
  async function typed(
    answer: string,
    ...argv: readonly string[]
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
    const [command = '', ...rest] = argv;
    const terminal = new Terminal(env(), [answer]);
    const code = {
      distDir: '',
      jitiDir: resolve('node_modules/jiti/dist'),
      storageDir: '',
      stateDir: join(place.root, 'state'),
      version: '1',
    };
    const surroundings = {
      process: terminal as unknown as NodeJS.Process,
      caller: { env: {}, ppid: 0 },
      cwd: place.cwd,
      code,
    };
    return { code: await runPackageMode(command as 'install', rest, surroundings), ...terminal.said };
  }
  const installed = (): string => join(place.agentDir, 'npm/node_modules/acme');
  const settings = (): string => readFileSync(join(place.agentDir, 'settings.json'), 'utf8');
  /** What a run says, so also whether the package was loaded. */
  const run = async (): Promise<string> => (await place.run(['-p', 'x'])).stderr;

  it('shows what a package would do, and puts nothing in its place without a yes', async () => {
    const before = settings();
    const { code, stdout, stderr } = await typed('no\r', 'install', 'npm:acme');
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /acme 1\.0\.0\n.*published by tester · on 2026-01-02/);
    assert.match(stderr, /! Checks tool calls \(tool_call\).* {2}\(extensions\/gate\.ts:3\)/);
    assert.match(stderr, /None of it has run yet\. Approve this\? \[yes\/no\] no/);
    assert.match(stderr, /\r\n\S*Not approved\. Nothing was changed\.\n$/);
    assert.deepEqual([existsSync(installed()), settings()], [false, before]);
  });

  it('approves it with a yes; an update shows what is different', async () => {
    const first = await typed('yes\r', 'install', 'npm:acme');
    assert.deepEqual([first.code, first.stdout], [0, 'Installed npm:acme\n']);
    assert.equal(await run(), 'package loaded\n');
    const more = `${GATE}void (() => fetch('https://collect.example.net/x'));\n`;
    registry.publish({ name: 'acme', version: '1.1.0', files: { 'extensions/gate.ts': more } });
    const refused = await typed('no\r', 'update', 'npm:acme');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /Changed since 1\.0\.0\n\+ Host collect\.example\.net/);
    assert.match(refused.stderr, /Not approved\. Nothing was changed\.\n$/);
    assert.equal(readFileSync(join(installed(), 'extensions/gate.ts'), 'utf8'), GATE);
    const updated = await typed('yes\r', 'update', 'npm:acme');
    assert.deepEqual([updated.code, updated.stdout], [0, 'Updated 1 package:\n  npm:acme 1.0.0 -> 1.1.0\n']);
    assert.match(await run(), /^package loaded\n/);
  });

  it('approves what install scripts made of it', async () => {
    const scripts = { postinstall: "node -e \"require('fs').writeFileSync('made.txt', 'x')\"" };
    registry.publish({ name: 'acme', version: '1.2.0', manifest: { scripts }, files: { 'extensions/gate.ts': GATE } });
    const { code, stderr } = await typed('yes\r', 'install', 'npm:acme', '--allow-scripts');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /! Script postinstall .*Approve this, and run its install scripts\? \[yes\/no\]/s);
    assert.ok(existsSync(join(installed(), 'made.txt')));
    assert.equal(await run(), 'package loaded\n');
  });

  it('approves all that is updated together, and not only the last', async () => {
    place.file('work/.pi/settings.json', '{}');
    const other = GATE.replace('package loaded', 'other loaded');
    registry.publish({ name: 'other', version: '1.0.0', files: { 'extensions/gate.ts': other } });
    for (const argv of [['npm:acme'], ['npm:other', '--local', '--approve']]) {
      assert.equal((await typed('yes\r', 'install', ...argv)).code, 0);
    }
    const [newAcme, newOther] = [GATE, other].map(text => text.replace('loaded', 'is new'));
    registry.publish({ name: 'acme', version: '1.1.0', files: { 'extensions/gate.ts': newAcme ?? '' } });
    registry.publish({ name: 'other', version: '1.1.0', files: { 'extensions/gate.ts': newOther ?? '' } });
    const argv = ['update', '--extensions', '--approve', '--approve-packages'];
    const { code, stderr } = await typed('', ...argv);
    assert.equal(code, 0, stderr);
    const said = (await place.run(['-p', 'x', '--approve'])).stderr;
    assert.match(said, /^package is new$/m);
    assert.match(said, /^other is new$/m);
  });

  it('approves nothing when its install scripts fail after the yes', async () => {
    assert.equal((await typed('yes\r', 'install', 'npm:acme')).code, 0);
    place.file('agent/npm/node_modules/acme/extensions/gate.ts', GATE.replace('loaded', 'changed by the agent'));
    assert.match(await run(), /its files were changed since it was approved/);
    const scripts = { postinstall: 'exit 1' };
    registry.publish({ name: 'acme', version: '1.1.0', manifest: { scripts }, files: { 'extensions/gate.ts': GATE } });
    const { code, stderr } = await typed('yes\r', 'update', 'npm:acme', '--allow-scripts');
    assert.equal(code, 1);
    assert.match(stderr, /npm:acme was not updated: npm failed/);
    assert.match(await run(), /its files were changed since it was approved/);
  });

  it('is cancelled by Ctrl+C at the question', async () => {
    const { code, stderr } = await typed('\u0003', 'install', 'npm:acme');
    assert.equal(code, 130);
    assert.match(stderr, /\[yes\/no\] \S*\nCanceled\. Nothing was changed\.\n$/);
    assert.ok(!existsSync(installed()));
  });

  it('asks nobody with --approve-packages, nor where there is no terminal', async () => {
    const approving = await place.run(['install', 'npm:acme', '--approve-packages'], {
      env: registry.environment(place.root),
    });
    assert.deepEqual([approving.code, approving.stdout], [0, 'Installed npm:acme\n']);
    assert.equal(await run(), 'package loaded\n');
    registry.publish({ name: 'other', version: '1.0.0', files: { 'extensions/a.ts': GATE } });
    const waiting = await place.run(['install', 'npm:other'], { env: registry.environment(place.root) });
    assert.equal(waiting.code, 0);
    assert.match(waiting.stderr, /Not approved yet, so it will not run: npm:other\. --approve-packages approves/);
    assert.match(await run(), /Package "npm:other" is skipped: it is not approved yet/);
  });
});
