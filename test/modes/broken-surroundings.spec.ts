import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CliPlace, type RunOptions } from './support/cli';
import { RpcHost } from './support/rpc';

/** Code that sets the clock of a process back by three years. */
const PAST = `const Now = Date;
const earlier = () => Now.now() - 3 * 365 * 24 * 60 * 60 * 1000;
globalThis.Date = class extends Now {
  constructor(...parts) {
    if (parts.length > 0) super(...parts);
    else super(earlier());
  }
  static now() {
    return earlier();
  }
};
`;
const GATE = "export default pi => pi.on('tool_call', () => ({ block: true, reason: 'not here' }));\n";

/** What `hookline doctor` says of these is in doctor.spec.ts. The demo model answers. */
describe('a run in broken surroundings', function () {
  this.timeout(120_000);
  let place: CliPlace;
  beforeEach(async () => (place = await CliPlace.make()));
  afterEach(() => place.remove());

  const hasMade = (name: string): boolean => existsSync(join(place.cwd, name));
  const savedTexts = (): string => JSON.stringify(place.entries());
  /** A folder for PATH with nothing but a shell. */
  const onlyShell = (): string => {
    const bin = join(place.root, 'bin');
    mkdirSync(bin);
    symlinkSync('/bin/sh', join(bin, 'sh'));
    return bin;
  };

  it('without git works, and names git where a package needs it', async () => {
    const env = { PATH: onlyShell() };
    const { code, stderr } = await place.run(['-p', 'run `echo > made`'], { env });
    assert.deepEqual([code, stderr, hasMade('made')], [0, '', true]);
    assert.equal(place.sessionFiles().length, 1);
    const install = await place.run(['install', 'git:example.org/owner/name'], { env });
    assert.equal(install.code, 1);
    assert.match(install.stderr, /^hookline: git was not found\. Install it, or make sure that it is in the PATH\.$/m);
  });

  it('without a shell says which one is missing, and saves the session', async () => {
    const shellPath = join(place.root, 'no-shell');
    place.file('agent/settings.json', JSON.stringify({ shellPath }));
    const { code, stdout } = await place.run(['-p', 'run `touch made`']);
    assert.equal(code, 0);
    assert.ok(stdout.includes(`Custom shell path not found: ${shellPath}`), stdout);
    assert.equal(hasMade('made'), false);
    assert.ok(savedTexts().includes(`Custom shell path not found: ${shellPath}`));
  });

  it('without ripgrep says where it was looked for and what to do, and saves the session', async () => {
    // Beside the one of the tests is the ripgrep of the project.
    const copy = join(place.root, 'copy');
    cpSync(dirname(dirname(place.cliPath)), copy, { recursive: true });
    const env = { PATH: onlyShell() };
    for (const prompt of ['find *.ts', 'search for TODO in .']) {
      const { code, stdout, stderr } = await place.run(['-p', '-c', prompt], {
        env,
        cli: join(copy, 'dist', 'cli.js'),
      });
      assert.equal(code, 0, stderr);
      assert.match(stdout, /Cannot search: ripgrep \(rg\) was not found\..*Install ripgrep so that `rg` is on PATH/);
    }
    assert.match(savedTexts(), /find \*\.ts.*ripgrep \(rg\) was not found.*search for TODO/);
  });

  describe('with a home that cannot be written', () => {
    const broken = (): RunOptions & { readonly env: Record<string, string> } => {
      const home = place.file('home', 'no folder');
      return { env: { HOME: home, USERPROFILE: home, PI_CODING_AGENT_DIR: join(home, '.pi', 'agent') } };
    };
    const SAID = /^Error: The session could not be written: ENOTDIR: .*home/m;

    for (const mode of ['text', 'json'] as const) {
      it(`answers in ${mode} mode, says once what is not saved, and ends with 1`, async () => {
        const { code, stdout, stderr } = await place.run(['-p', '--mode', mode, 'run `touch made`'], broken());
        assert.deepEqual([code, hasMade('made')], [1, true]);
        assert.match(stdout, /bash (?:is done and printed nothing|returned)/);
        assert.match(stderr, SAID);
        assert.equal(stderr.match(/^Error: /gm)?.length, 1, stderr);
        assert.doesNotMatch(stderr, /^ {4}at /m);
      });
    }

    it('blocks by a hook of the folder', async () => {
      place.hook('gate.ts', GATE);
      const { code, stdout, stderr } = await place.run(['-p', '--approve', 'run `touch made`'], broken());
      assert.deepEqual([code, hasMade('made')], [1, false]);
      assert.match(stdout, /not here/);
      assert.doesNotMatch(stderr, /^ {4}at /m);
    });

    it('keeps the messages in RPC mode, and writes all of them once the home can be written', async () => {
      const { env } = broken();
      const host = RpcHost.start(place, [], { env });
      await host.prompt('run `touch first`');
      assert.match(JSON.stringify(await host.data('get_messages')), /touch first/);
      rmSync(join(place.root, 'home'));
      await host.prompt('run `touch second`');
      const { stderr } = await host.close();
      assert.match(stderr, SAID);
      assert.deepEqual([hasMade('first'), hasMade('second')], [true, true]);
      const sessions = join(env['PI_CODING_AGENT_DIR'] ?? '', 'sessions');
      const saved = readdirSync(sessions, { recursive: true, encoding: 'utf8' }).filter(name =>
        name.endsWith('.jsonl'),
      );
      assert.equal(saved.length, 1);
      assert.match(readFileSync(join(sessions, saved[0] ?? ''), 'utf8'), /touch first.*touch second/s);
    });
  });

  describe('with a clock in the past', () => {
    const past = (): RunOptions => {
      const file = place.file('past.mjs', PAST);
      return { env: { NODE_OPTIONS: `--import=${pathToFileURL(file).href}` } };
    };

    it('saves a session, continues it, and blocks by a hook of the folder', async () => {
      const first = await place.run(['-p', 'run `touch first`'], past());
      assert.deepEqual([first.code, first.stderr, hasMade('first')], [0, '', true]);
      const [name = ''] = place.sessionFiles();
      assert.equal(Number(/[/\\](\d{4})-[^/\\]*$/.exec(name)?.[1]) < new Date().getFullYear() - 1, true, name);
      place.hook('gate.ts', GATE);
      const second = await place.run(['-p', '-c', 'run `touch second`'], past());
      assert.deepEqual([second.code, hasMade('second')], [0, false]);
      assert.equal(place.sessionFiles().length, 1);
      assert.match(savedTexts(), /touch first.*not here/);
    });

    it('continues a session that was written later', async () => {
      await place.run(['-p', 'run `touch first`']);
      const [name = ''] = place.sessionFiles();
      const later = new Date(Date.now() + 90 * 24 * 60 * 60 * 1000);
      for (const path of [name, dirname(name)]) utimesSync(path, later, later);
      const { code, stderr } = await place.run(['-p', '-c', 'run `touch second`']);
      assert.deepEqual([code, stderr, hasMade('second')], [0, '', true]);
      assert.deepEqual(place.sessionFiles(), [name]);
      assert.match(savedTexts(), /touch first.*touch second/);
    });
  });
});
