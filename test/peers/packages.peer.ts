import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliPlace, type Program } from '../modes/support/cli';
import { FakeRegistry } from '../support/fake-registry';
import { GitHost } from '../support/git-host';
import { describePeer, piToday, TODAY } from './peers';

describePeer('packages of pi', TODAY, folder => {
  const pi = piToday(folder);
  let place: CliPlace;
  let registry: FakeRegistry;
  let git: GitHost;

  beforeEach(async function () {
    this.timeout(90_000);
    place = await CliPlace.make();
    registry = await FakeRegistry.open();
    git = new GitHost(join(place.root, 'repositories'));
    registry.publish({ name: '@team/pi-tools', version: '1.0.0', files: { 'extensions/a.ts': '' } });
    git.commit('team/tool', { 'extensions/b.ts': '', 'package.json': '{"name":"tool","version":"1.0.0"}' });
  });
  afterEach(async () => {
    await place.remove();
    await registry.close();
  });

  const run = async (program: Program, ...args: string[]): Promise<string> => {
    const own = { ...registry.environment(place.root), ...git.environment(), ...program.env, PI_OFFLINE: '' };
    const { code, stdout, stderr } = await place.run(args, { ...program, env: own });
    assert.equal(code, 0, `${args.join(' ')}: ${stdout}${stderr}`);
    return stdout.trimEnd();
  };
  const ours: Program = {};
  const headOf = (checkout: string): string =>
    execFileSync('git', ['rev-parse', 'HEAD'], { cwd: join(place.agentDir, checkout), encoding: 'utf8' }).trim();
  const settings = (): unknown => JSON.parse(readFileSync(join(place.agentDir, 'settings.json'), 'utf8'));
  const project = (): unknown => JSON.parse(readFileSync(join(place.agentDir, 'npm/package.json'), 'utf8'));
  const SOURCES = ['npm:@team/pi-tools@^1.0.0', 'git:git.test/team/tool'];

  it('are seen, updated and removed by the other when one installed them', async function () {
    this.timeout(120_000);
    for (const [first, second] of [
      [ours, pi],
      [pi, ours],
    ] as const) {
      for (const source of SOURCES) await run(first, 'install', source);
      const [seen, listed] = [await run(second, 'list'), await run(first, 'list')];
      assert.equal(seen, listed);
      assert.ok(seen.includes(join(place.agentDir, 'npm/node_modules/@team/pi-tools')));
      registry.publish({ name: '@team/pi-tools', version: '1.1.0', files: { 'extensions/a.ts': '// new' } });
      git.commit('team/tool', { 'extensions/b.ts': `// ${Math.random()}` });
      await run(second, 'update', '--extensions');
      assert.equal(
        readFileSync(join(place.agentDir, 'npm/node_modules/@team/pi-tools/extensions/a.ts'), 'utf8'),
        '// new',
      );
      assert.equal(git.git('team/tool', 'rev-parse', 'HEAD').trim(), headOf('git/git.test/team/tool'));
      if (first === ours) assert.match(await run(ours, 'update', '--extensions'), /Packages are already up to date$/);
      for (const source of SOURCES) await run(second, 'remove', source);
      assert.match(await run(first, 'list'), /No packages installed\.$/);
      registry.unpublish('@team/pi-tools', '1.1.0');
    }
  });

  it('are declared and laid out the same by both', async function () {
    this.timeout(120_000);
    const results: unknown[] = [];
    for (const program of [ours, pi]) {
      for (const source of [...SOURCES, './own']) {
        place.file('work/own/index.ts', '');
        await run(program, 'install', source);
      }
      results.push([
        settings(),
        project(),
        readFileSync(join(place.agentDir, 'npm/.gitignore'), 'utf8'),
        readFileSync(join(place.agentDir, 'git/.gitignore'), 'utf8'),
      ]);
      for (const source of [...SOURCES, './own']) await run(program, 'remove', source);
    }
    assert.deepEqual(results[0], results[1]);
  });
});
