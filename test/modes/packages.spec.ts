import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeRegistry } from '../support/fake-registry';
import { ScriptedLlm } from '../support/scripted-llm';
import { GitHost } from '../support/git-host';
import { CliPlace } from './support/cli';

const TOOLS = {
  name: 'pi-tools',
  files: { 'extensions/a.ts': 'export default () => {};', 'prompts/hello.md': 'Say hello', 'skills/x/SKILL.md': '# x' },
};

describe('hookline install, remove, update, list and config', function () {
  this.timeout(60_000);
  let place: CliPlace;
  let registry: FakeRegistry;
  let git: GitHost;

  beforeEach(async () => {
    place = await CliPlace.make();
    registry = await FakeRegistry.open();
    git = new GitHost(join(place.root, 'repositories'));
    registry.publish({ ...TOOLS, version: '1.0.0' });
  });
  afterEach(async () => {
    await place.remove();
    await registry.close();
  });

  const env = (): Record<string, string> => ({ ...registry.environment(place.root), ...git.environment() });
  const run = async (...args: string[]): Promise<readonly [number | null, string, string]> => {
    const { code, stdout, stderr } = await place.run(args, { env: env() });
    return [code, stdout.trimEnd(), stderr.trimEnd()];
  };
  const settings = (file: string): unknown => JSON.parse(readFileSync(join(place.root, file), 'utf8'));

  it('say what pi says, and end with its codes', async () => {
    const [code, said, told] = await run('install', 'npm:pi-tools');
    assert.deepEqual([code, said], [0, 'Installed npm:pi-tools']);
    assert.match(
      told,
      /^Installing npm:pi-tools…\nDownloaded pi-tools-1\.0\.0\.tgz\nNot approved yet, so it will not run: npm:pi-tools\. /,
    );
    assert.deepEqual(settings('agent/settings.json'), { packages: ['npm:pi-tools'] });
    git.commit('team/tool', { 'extensions/b.ts': '' });
    assert.equal((await run('install', '-l', 'git:git.test/team/tool'))[0], 0);
    place.file('work/own/index.ts', 'export default () => {};');
    assert.equal((await run('install', './own', '--local'))[0], 0);
    assert.deepEqual(settings('work/.pi/settings.json'), { packages: ['git:git.test/team/tool', '../own'] });

    const [, listed] = await run('list');
    assert.deepEqual(listed.split('\n'), [
      'User packages:',
      '  npm:pi-tools',
      `    ${join(place.agentDir, 'npm/node_modules/pi-tools')}`,
      '',
      'Project packages:',
      '  git:git.test/team/tool',
      `    ${join(place.cwd, '.pi/git/git.test/team/tool')}`,
      '  ../own',
      `    ${join(place.cwd, 'own')}`,
    ]);

    assert.equal((await run('update', '--extensions'))[1], 'Packages are already up to date');
    registry.publish({ ...TOOLS, version: '1.2.0' });
    assert.equal((await run('update', 'npm:pi-tools'))[1], 'Updated 1 package:\n  npm:pi-tools 1.0.0 -> 1.2.0');

    assert.deepEqual((await run('uninstall', 'npm:pi-tools')).slice(0, 2), [0, 'Removed npm:pi-tools']);
    assert.deepEqual((await run('remove', 'own', '-l')).slice(0, 2), [0, 'Removed own']);
    assert.deepEqual(await run('remove', 'npm:pi-tools'), [1, '', 'No matching package found for npm:pi-tools']);
    assert.deepEqual(settings('agent/settings.json'), { packages: [] });
  });

  it('refuse what makes no sense, and change nothing then', async () => {
    await run('install', 'npm:pi-tools');
    const refused: readonly (readonly [string, RegExp])[] = [
      ['install', /^hookline: Missing install source\.\nUsage: hookline install <source>/],
      ['install npm:nowhere', /hookline: The npm registry has no such package/],
      ['install npm:../evil', /hookline: Package source "npm:\.\.\/evil": /],
      ['install ./nowhere', /hookline: .*nowhere does not exist/],
      ['install npm:a npm:b', /Unexpected argument npm:b/],
      ['install --frobnicate npm:a', /Unknown option --frobnicate for "install"/],
      ['install -l -na npm:pi-tools', /Project is not trusted\. Use --approve/],
      ['update pi-tools', /No matching package found for pi-tools\. Did you mean npm:pi-tools\?/],
      ['update --all npm:pi-tools', /cannot be combined/],
      ['list npm:pi-tools', /Unexpected argument/],
      ['config --on', /Missing value for --on/],
      ['config --off extensions/z.ts', /no package has a part "extensions\/z\.ts"/],
      ['config npm:other', /No matching package found for npm:other/],
    ];
    for (const [line, message] of refused) {
      const [code, stdout, stderr] = await run(...line.split(' '));
      assert.deepEqual([code, stdout], [1, ''], line);
      assert.match(stderr, message, line);
    }
    assert.deepEqual(settings('agent/settings.json'), { packages: ['npm:pi-tools'] });
    assert.ok(!existsSync(join(place.cwd, '.pi')));
  });

  it('never take their words for a prompt', async () => {
    const llm = await ScriptedLlm.start();
    try {
      place.useLlm(llm);
      await run('list');
      await run('install', 'npm:nowhere');
      const [code, said] = await run('update');
      assert.deepEqual([code, said.includes('hookline update --extensions')], [0, true]);
      for (const command of ['install', 'remove', 'uninstall', 'update', 'list', 'config']) {
        assert.match((await run(command, '--help'))[1], /^Usage: hookline /);
      }
      assert.equal(llm.requests.length, 0);
    } finally {
      await llm.stop();
    }
  });

  it('run install scripts only with --allow-scripts', async () => {
    const scripts = { postinstall: "node -e \"require('fs').writeFileSync('ran.txt', '')\"" };
    registry.publish({ name: 'pi-script', version: '1.0.0', manifest: { scripts } });
    const ran = (): boolean => existsSync(join(place.agentDir, 'npm/node_modules/pi-script/ran.txt'));
    const [code, , told] = await run('install', 'npm:pi-script');
    assert.deepEqual([code, ran()], [0, false]);
    assert.match(told, /Install scripts were not run: pi-script@1\.0\.0\. Install again with --allow-scripts/);
    await run('remove', 'npm:pi-script');
    await run('install', 'npm:pi-script', '--allow-scripts');
    assert.equal(ran(), true);
  });

  it('turn parts on and off as pi does', async () => {
    await run('install', 'npm:pi-tools');
    const off = ['config', '--off', 'prompts/hello.md', '--off', 'skills/x'];
    assert.deepEqual(await run(...off), [
      0,
      'npm:pi-tools\n  [x] extensions/a.ts\n  [ ] skills/x/SKILL.md\n  [ ] prompts/hello.md',
      '',
    ]);
    const filtered = { source: 'npm:pi-tools', prompts: ['-prompts/hello.md'], skills: ['-skills/x/SKILL.md'] };
    assert.deepEqual(settings('agent/settings.json'), { packages: [filtered] });
    const [, local] = await run('config', '-l', 'npm:pi-tools', '--on', 'prompts/hello.md', '--off', 'extensions/a.ts');
    assert.equal(local, 'npm:pi-tools\n  [ ] extensions/a.ts\n  [x] prompts/hello.md\n  [ ] skills/x/SKILL.md');
    assert.deepEqual(settings('work/.pi/settings.json'), {
      packages: [
        {
          source: 'npm:pi-tools',
          autoload: false,
          prompts: ['+prompts/hello.md'],
          extensions: ['-extensions/a.ts'],
        },
      ],
    });
    await run('config', '--on', 'prompts/hello.md', '--on', 'skills/x/SKILL.md');
    assert.deepEqual(settings('agent/settings.json'), { packages: ['npm:pi-tools'] });
  });

  it('leave what is only tried out of the settings, and bring it up to date at each start', async () => {
    const llm = await ScriptedLlm.start();
    try {
      place.useLlm(llm);
      const extension = (flag: string): Record<string, string> => ({
        'extensions/a.ts': `export default pi => pi.registerFlag('${flag}', { type: 'boolean' });`,
      });
      registry.publish({ name: 'pi-tried', version: '1.0.0', files: extension('old-flag') });
      const before = settings('agent/settings.json');
      const attempt = (flag: string, ...more: string[]) =>
        run('-e', 'npm:pi-tried', '--approve-packages', `--${flag}`, ...more, '-p', 'hi');
      llm.reply({ text: 'one' });
      assert.deepEqual((await attempt('old-flag')).slice(0, 2), [0, 'one']);
      registry.publish({ name: 'pi-tried', version: '1.1.0', files: extension('new-flag') });
      llm.reply({ text: 'two' });
      assert.deepEqual(
        (await attempt('old-flag', '--offline')).slice(0, 2),
        [0, 'two'],
        'offline, what is there is used',
      );
      llm.reply({ text: 'three' });
      assert.deepEqual((await attempt('new-flag')).slice(0, 2), [0, 'three']);
      assert.deepEqual(settings('agent/settings.json'), before);
      const [code, , told] = await run('-e', 'npm:nowhere', '-p', 'hi');
      assert.equal(code, 1);
      assert.match(told, /Package "npm:nowhere" cannot be loaded for this run: The npm registry has no such package/);
    } finally {
      await llm.stop();
    }
  });

  it('leave everything as it was when they are stopped by a signal', async () => {
    registry.hold();
    const child = place.start(['install', 'npm:pi-tools'], { env: env() });
    const ended = new Promise<number | null>(resolve => child.once('close', code => resolve(code)));
    await registry.whenHeld();
    child.kill('SIGINT');
    assert.equal(await ended, 130);
    assert.ok(!existsSync(join(place.agentDir, 'npm')) && !existsSync(join(place.agentDir, 'settings.json')));
    assert.deepEqual(await place.processes(), []);
  });
});
