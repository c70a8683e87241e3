import type { InitializeResponse } from '@agentclientprotocol/sdk';
import spawn from 'cross-spawn';
import assert from 'node:assert/strict';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { npmCommand } from '../../scripts/install.mjs';
import { acpRegistryEntry, type NpmManifest } from '../../scripts/support/acp-registry.ts';
import { HAS_OLDER_NODE, olderNode } from '../../scripts/support/older-node.ts';
import { packCommandLine } from '../../scripts/support/npm-package.ts';
import { makeTestPlace, type TestPlace } from '../../scripts/support/test-place.ts';

const GATE = `import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
export default function (pi: ExtensionAPI) {
  pi.on('tool_call', event => (event.toolName === 'bash' ? { block: true, reason: 'not in CI' } : undefined));
}
`;

/** The package that `npm run package` makes beside the VSIX, installed as a person would, from what the suite has built. */
describe('the command line from npm', () => {
  let place: TestPlace;
  let prefix: string;
  let bin: string;

  before(() => {
    place = makeTestPlace({ workspace: 'none', name: 'in ci' });
    prefix = join(place.home, 'npm prefix');
    bin = process.platform === 'win32' ? prefix : join(prefix, 'bin');
    const npm = npmCommand();
    const args = [
      'install',
      '-g',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--prefix',
      prefix,
      packCommandLine(),
    ];
    const { status, stderr } = spawnSync(npm.file, [...npm.args, ...args], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    mkdirSync(join(place.workspace, '.pi', 'hooks'), { recursive: true });
    writeFileSync(join(place.workspace, '.pi', 'hooks', 'gate.ts'), GATE);
  });
  after(() => place.remove());

  const installed = (): string =>
    join(prefix, ...(process.platform === 'win32' ? [] : ['lib']), 'node_modules', 'hookline');
  const hookline = (node: string, ...args: readonly string[]): SpawnSyncReturns<string> => run(node, args, '');

  const run = (node: string, args: readonly string[], input: string): SpawnSyncReturns<string> =>
    spawn.sync(join(bin, 'hookline'), args, {
      cwd: place.workspace,
      env: { ...place.env, HOME: place.home, PATH: [dirname(node), process.env['PATH']].join(delimiter) },
      input,
      encoding: 'utf8',
    });

  for (const [which, nodeOf] of [
    ['the Node of the tests', () => process.execPath],
    ...(HAS_OLDER_NODE ? [['the oldest line of Node', () => olderNode('oldest')] as const] : []),
  ] as const) {
    it(`runs the agent with a hook of the folder, once this is trusted, under ${which}`, async () => {
      const node = await nodeOf();
      assert.equal(hookline(node, 'trust', '--remove').status, 0);
      const undecided = hookline(node, '--mode', 'json', 'run `touch made`');
      assert.match(undecided.stderr, /^Warning: this folder is not trusted, .* run "hookline trust" in it/);
      assert.doesNotMatch(undecided.stdout, /not in CI/);
      assert.equal(existsSync(join(place.workspace, 'made')), false);
      assert.equal(hookline(node, 'trust').status, 0);
      const { status, stdout, stderr } = hookline(node, '--mode', 'json', 'run `touch made`');
      assert.equal(status, 0, stderr);
      assert.match(stdout, /not in CI/);
    });
  }

  it('serves an editor that starts it as the registry says, and offers a way to log in', () => {
    const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as NpmManifest;
    const { args } = acpRegistryEntry(manifest).distribution.npx;
    const params = { protocolVersion: 1, clientCapabilities: {} };
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const { status, stdout, stderr } = run(process.execPath, args, `${request}\n`);
    assert.equal(status, 0, stderr);
    const { id, result } = JSON.parse(stdout) as { readonly id: number; readonly result: InitializeResponse };
    assert.deepEqual([id, result.protocolVersion, result.agentInfo?.version], [1, 1, manifest.version]);
    // Each is of the type agent or terminal, as the registry wants.
    assert.notDeepEqual(result.authMethods ?? [], []);
  });

  it('brings nothing that only the build or VS Code needs', () => {
    const files = readdirSync(join(installed(), 'dist'));
    assert.ok(files.includes('cli.js'));
    assert.deepEqual(
      files.filter(file => /^(?:extension\..*|webview|examples|meta-.*)$|\.(?:map|stamp)$/.test(file)),
      [],
    );
  });

  it('brings the types for hooks, for tsc', () => {
    const config = { extends: join(installed(), 'dist', 'typings', 'tsconfig.json'), include: ['hooks'] };
    writeFileSync(join(place.workspace, '.pi', 'tsconfig.json'), JSON.stringify(config));
    const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
    const check = (): SpawnSyncReturns<string> =>
      spawnSync(process.execPath, [tsc, '-p', '.pi'], { cwd: place.workspace, encoding: 'utf8' });
    const { status, stdout } = check();
    assert.equal(status, 0, stdout);
    writeFileSync(join(place.workspace, '.pi', 'hooks', 'wrong.ts'), GATE.replace('event.toolName', 'event.tollName'));
    assert.match(check().stdout, /wrong\.ts.*tollName/);
  });
});
