import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { RipgrepLocator } from '../../src/agent/tools/search/ripgrep';
import { programRows } from '../../src/modes/doctor/machine-rows';
import type { DoctorReport, DoctorRow } from '../../src/modes/doctor/report';
import type { Ended, RunOptions } from './support/cli';
import { eachWithModel } from './support/each-with-model';

const KEY = 'sk-this-is-secret';

describe('hookline doctor', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();

  const doctor = (options: RunOptions = {}): Promise<Ended> => place.run(['doctor'], options);
  const report = async (options: RunOptions = {}): Promise<DoctorReport & { readonly code: number | null }> => {
    const { stdout, code } = await place.run(['doctor', '--json'], options);
    return { ...(JSON.parse(stdout) as DoctorReport), code };
  };
  const row = (rows: readonly DoctorRow[], name: string): DoctorRow => {
    const found = rows.find(each => each.name.endsWith(name));
    assert.ok(found, `${name} in ${JSON.stringify(rows)}`);
    return found;
  };
  const filesBelow = (): readonly string[] =>
    readdirSync(place.root, { recursive: true, encoding: 'utf8' })
      .filter(path => !path.startsWith('.cache'))
      .sort();

  it('says what is found, and ends with 0 where nothing is wrong', async () => {
    place.hook('fine.ts', 'export default () => {};\n');
    const { stdout, stderr, code } = await doctor();
    assert.equal(stderr, '');
    assert.equal(code, 0, stdout);
    for (const line of [
      /^ {2}Hookline: \d/m,
      /^ {2}Node: \d/m,
      /^ {2}git: \d/m,
      /^ {2}ripgrep: \d/m,
      /^ {2}Shell: /m,
      /^ {2}This folder: trusted$/m,
      /fine\.ts: runs$/m,
      /^No problem was found\.$/m,
    ]) {
      assert.match(stdout, line);
    }
  });

  it('writes nothing', async () => {
    place.hook('fine.ts', 'export default () => {};\n');
    const before = filesBelow();
    await doctor();
    assert.deepEqual(filesBelow(), before);
  });

  it('runs no code of a folder that is trusted, and none of one that is not', async () => {
    const marker = join(place.root, 'ran');
    place.hook(
      'eager.ts',
      `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '');\nexport default () => {};\n`,
    );
    const bin = join(place.cwd, 'bin');
    mkdirSync(bin);
    place.file('work/bin/git', `#!/bin/sh\ntouch ${JSON.stringify(marker)}\n`);
    const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    const trusted = await report({ env });
    assert.equal(row(trusted.hooks, 'eager.ts').value, 'runs');
    assert.match(
      row(trusted.programs, 'git').value,
      /bin\/git \(in this folder, so it was not asked for its version\)$/,
    );
    place.leaveUndecided();
    const { trust, hooks, code } = await report({ env });
    assert.match(row(trust, 'This folder').problem ?? '', /^Not used: \.pi\/hooks; .* run "hookline trust" in it\.$/);
    assert.equal(row(hooks, 'eager.ts').value, 'does not run, because this folder is not trusted');
    assert.equal(code, 1);
    assert.equal(existsSync(marker), false);
  });

  it('prints no key', async () => {
    place.file('agent/auth.json', JSON.stringify({ anthropic: { type: 'api_key', key: KEY } }));
    place.file(
      'agent/models.json',
      JSON.stringify({ providers: { own: { baseUrl: 'nonsense', apiKey: KEY, models: 1 } } }),
    );
    const env = { ANTHROPIC_API_KEY: KEY };
    const said = [await doctor({ env }), await place.run(['doctor', '--json'], { env })];
    for (const { stdout, stderr } of said) assert.equal(`${stdout}${stderr}`.includes(KEY), false);
    assert.match(said[0]?.stdout ?? '', /models\.json: has a problem/);
  });

  it('names what a tool changed', async () => {
    const hook = place.hook('gate.ts', 'export default () => {};\n');
    llm.reply(
      { toolCalls: [{ name: 'bash', arguments: { command: `echo >> ${JSON.stringify(hook)}` } }] },
      { text: 'done' },
    );
    await place.run(['-p', 'go']);
    const { hooks, code } = await report();
    const { value, problem = '' } = row(hooks, 'gate.ts');
    assert.equal(value, 'waits');
    assert.match(problem, /^A tool changed this hook.* See "hookline hooks diff"\.$/);
    assert.equal(code, 1);
  });

  it('lists the decisions about other folders', async () => {
    place.file('agent/trust.json', JSON.stringify({ [place.cwd]: true, '/elsewhere': false }));
    assert.equal(row((await report()).trust, '/elsewhere').value, 'not trusted');
  });

  it('refuses other arguments', async () => {
    const { stderr, code } = await place.run(['doctor', '--fix']);
    assert.match(stderr, /^hookline: hookline doctor does not take "--fix"\./);
    assert.equal(code, 1);
  });

  describe('in broken surroundings', () => {
    const problem = async (part: keyof DoctorReport, name: string, options: RunOptions): Promise<string> => {
      const { code, ...all } = await report(options);
      assert.equal(code, 1);
      return row(all[part], name).problem ?? '';
    };

    it('says what does not work without git', async () => {
      const bin = join(place.root, 'bin');
      mkdirSync(bin);
      symlinkSync('/bin/sh', join(bin, 'sh'));
      const said = await problem('programs', 'git', { env: { PATH: bin } });
      assert.equal(said, 'Hooks that use git, and packages from git, do not work. Install git.');
    });

    it('says what does not work without a shell', async () => {
      place.useLlm(llm, { shellPath: join(place.root, 'no-shell') });
      const said = await problem('programs', 'Shell', {});
      assert.equal(said, 'The tool bash does not work. Install bash, or set shellPath in settings.json.');
    });

    it('says what does not work without ripgrep', async () => {
      const { platform, arch, execPath } = process;
      const machine = {
        platform,
        arch,
        execPath,
        env: { PATH: place.root },
        packaged: () => Promise.resolve(undefined),
      };
      const places = { cwd: place.cwd, agentDir: place.agentDir, distDir: '', jitiDir: '', version: '' };
      const folders = { ...places, storageDir: place.root, stateDir: place.root };
      const rows = await programRows(folders, process, new RipgrepLocator(place.root, machine));
      const said = row(rows, 'ripgrep').problem;
      assert.equal(said, 'The tools grep and find do not work. Install ripgrep, so that rg is on PATH.');
    });

    it('says what cannot be saved in a home that cannot be written', async () => {
      const home = place.file('home', 'no folder');
      const env = { HOME: home, USERPROFILE: home, PI_CODING_AGENT_DIR: join(home, '.pi', 'agent') };
      const { places, code } = await report({ env });
      assert.equal(code, 1);
      assert.equal(
        row(places, 'Agent folder').problem,
        `${home} is not a folder. Settings, keys and sessions cannot be saved.`,
      );
      assert.match(row(places, 'State').problem ?? '', /Approvals of hooks and the guard cannot be saved\.$/);
    });

    it('says that a clock is in the past', async () => {
      const later = new Date(Date.now() + 90 * 24 * 60 * 60 * 1000);
      utimesSync(place.agentDir, later, later);
      const said = await problem('versions', 'Clock', {});
      assert.match(said, /^The clock is wrong: .*agent was written at .*Set the clock\.$/);
    });

    it('tells the rest when settings cannot be read', async () => {
      place.file('agent/settings.json', '{');
      place.file('agent/trust.json', '{');
      const { versions, hooks, trust, code } = await report();
      assert.equal(code, 1);
      assert.match(row(versions, 'Hookline').value, /^\d/);
      assert.ok(hooks.some(({ name, problem: said }) => name.endsWith('settings.json') && said !== undefined));
      assert.match(row(trust, 'This folder').problem ?? 'trusted', /trust\.json|trusted/);
    });
  });
});
