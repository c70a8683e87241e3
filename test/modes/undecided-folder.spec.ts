import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MCP_SERVER } from '../support/scripted-mcp';
import { eachWithUnknownModel } from './support/each-with-model';
import { RpcHost } from './support/rpc';

/** What code of the folder writes its name into when it runs. */
const RAN = 'ran';

/** Commands that end by themselves. `<name>` stands for what {@link arrange} made. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  '-p': ['-p', 'go'],
  '--mode json': ['--mode', 'json', 'go'],
  '-p with a hook of the command line': ['-p', '-e', '<own>', 'go'],
  '-p with the session of the folder': ['-p', '--session', '<session>', 'go'],
  '--continue': ['-p', '--continue', 'go'],
  '--fork': ['-p', '--fork', '<session>', 'go'],
  '--list-models': ['--list-models'],
  '--help': ['--help'],
  '--version': ['--version'],
  '--export': ['--export', '<session>', '<out>'],
  'mcp list': ['mcp', 'list'],
  'mcp list --json': ['mcp', 'list', '--json'],
  'mcp login': ['mcp', 'login', 'planted'],
  'mcp logout': ['mcp', 'logout', 'planted'],
  'mcp add -l': ['mcp', 'add', 'mine', '-l', '--', 'true'],
  list: ['list'],
  config: ['config'],
  'config -l': ['config', '-l', '--on', 'extensions/p.ts'],
  update: ['update', '--extensions'],
  'update of a package of the folder': ['update', '<package>'],
  'install -l': ['install', '-l', '<package>', '--approve-packages'],
  'remove -l': ['remove', '-l', '<package>'],
  'hooks diff': ['hooks', 'diff'],
  'hooks approve': ['hooks', 'approve'],
  'hooks reject': ['hooks', 'reject'],
  'hooks run-again': ['hooks', 'run-again'],
  replay: ['replay', '<log>'],
  'auth check': ['auth', 'check', '--provider', 'scripted'],
  'trust --remove': ['trust', '--remove'],
  trust: ['trust'],
};

const LOG = `${JSON.stringify({
  ...{ run: 'r', seq: 1, at: 1, conversation: 'c', hook: '/elsewhere/h.ts', nth: 0, ms: 1, askedMs: 0 },
  ...{ event: 'tool_call', registeredAs: 'tool_call', tool: 'bash', toolCallId: 't1', outcome: { type: 'nothing' } },
  payload: { type: 'tool_call', toolCallId: 't1', toolName: 'bash', input: { command: 'ls' } },
})}\n`;

describe('a cloned repository that nobody has decided about', function () {
  this.timeout(240_000);
  const { place, llm } = eachWithUnknownModel();
  beforeEach(() => llm.otherwise(() => ({ text: 'an answer' })));

  const ran = (): readonly string[] => readdirSync(join(place.root, RAN)).toSorted();
  const program = (name: string, then: string): string => {
    const path = place.file(`work/bin/${name}`, `#!/bin/sh\n: > "${join(place.root, RAN, name)}"\n${then}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const module = (path: string, name: string, body = ''): string =>
    place.file(
      path,
      `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(join(place.root, RAN, name))}, '');\nexport default pi => { ${body} };\n`,
    );

  /** A folder with each kind of trap. Returns what the placeholders of commands stand for. */
  function arrange(): Readonly<Record<string, string>> {
    mkdirSync(join(place.root, RAN));
    module('work/.pi/extensions/e.ts', 'extension', "pi.registerFlag('planted', { type: 'boolean' });");
    module('work/.pi/extensions/folder/index.ts', 'extension folder');
    module('work/.pi/hooks/h.ts', 'hook');
    module('work/.omp/hooks/pre/o.ts', 'hook of omp');
    module('work/.pi/named.ts', 'extension that its settings name');
    module('work/other/named.ts', 'hook that its settings name');
    module('work/relative.ts', 'hook that a relative path of the user names');
    const pack = join(place.cwd, '.pi', 'package');
    module('work/.pi/package/extensions/p.ts', 'package');
    place.file('work/.pi/package/package.json', JSON.stringify({ name: 'planted', version: '1.0.0' }));
    place.file('work/.pi/SYSTEM.md', 'mark-planted');
    place.file('work/.pi/skills/s/SKILL.md', '---\ndescription: mark-planted\n---\n');
    const server = (name: string): object => ({
      command: program(name, `exec "${process.execPath}" "${MCP_SERVER}" '{}'`),
      exposure: 'direct',
    });
    const header = `!"${program('header', 'echo key')}"`;
    const mcpServers = {
      planted: server('server'),
      web: { url: 'http://127.0.0.1:9/mcp', headers: { 'X-Key': header } },
    };
    place.file('work/.pi/mcp.json', JSON.stringify({ mcpServers }));
    place.file(
      'work/.pi/settings.json',
      JSON.stringify({
        shellPath: program('shell', 'exec /bin/sh "$@"'),
        shellCommandPrefix: `: > "${join(place.root, RAN, 'prefix')}"`,
        npmCommand: [program('npm', 'exit 1')],
        extensions: ['named.ts'],
        hooks: ['other/named.ts', 'relative.ts'],
        packages: ['package', 'npm:planted-dependency'],
        defaultProjectTrust: 'always',
      }),
    );
    place.useLlm(llm, { hooks: ['relative.ts'] });
    const header0 = {
      type: 'session',
      version: 3,
      id: 'planted',
      timestamp: '2026-01-01T00:00:00.000Z',
      cwd: place.cwd,
    };
    return {
      '<own>': place.file('own.ts', 'export default () => {};\n'),
      '<session>': place.file('planted.jsonl', `${JSON.stringify(header0)}\n`),
      '<out>': join(place.root, 'out.html'),
      '<package>': pack,
      '<log>': place.file('run.jsonl', LOG),
    };
  }

  const runsBash = (): void =>
    llm.reply({ toolCalls: [{ name: 'bash', arguments: { command: 'true' } }] }, { text: 'done' });
  const filled = (args: readonly string[], names: Readonly<Record<string, string>>): readonly string[] =>
    args.map(argument => names[argument] ?? argument);

  it('runs everything once it is trusted: the traps of these tests work', async () => {
    arrange();
    runsBash();
    const { stderr } = await place.run(['-p', '--approve-packages', 'go']);
    await place.run(['update', '--extensions'], { env: { PI_OFFLINE: '' } });
    assert.doesNotMatch(stderr, /not trusted/);
    assert.deepEqual(ran(), [
      ...['extension', 'extension folder', 'extension that its settings name', 'header', 'hook', 'hook of omp'],
      ...['hook that a relative path of the user names', 'hook that its settings name', 'npm', 'package', 'prefix'],
      ...['server', 'shell'],
    ]);
    assert.match(JSON.stringify(llm.requests[0]?.body), /mark-planted/);
  });

  for (const [what, args] of Object.entries(COMMANDS)) {
    it(`runs nothing of it: ${what}`, async () => {
      const names = arrange();
      place.leaveUndecided();
      runsBash();
      await place.run(filled(args, names), { env: { PI_OFFLINE: '' } });
      assert.deepEqual(ran(), []);
      assert.doesNotMatch(JSON.stringify(llm.requests.map(({ body }) => body)), /mark-planted/);
    });
  }

  it('runs nothing of it: RPC mode, with a prompt, a command of the client and a new session', async () => {
    arrange();
    place.leaveUndecided();
    const host = RpcHost.start(place);
    runsBash();
    await host.prompt('go');
    await host.data('bash', { command: 'true' });
    await host.data('new_session');
    runsBash();
    await host.prompt('go');
    await host.close();
    assert.deepEqual(ran(), []);
  });

  it('runs nothing of it where a session from there is continued in a trusted folder', async () => {
    const names = arrange(); // The decision is about this folder.
    place.leaveUndecided();
    mkdirSync(join(place.root, 'trusted'));
    place.file('agent/trust.json', JSON.stringify({ [join(place.root, 'trusted')]: true }));
    runsBash();
    const { stderr } = await place.run(filled(['-p', '--session', '<session>', 'go'], names), {
      cwd: join(place.root, 'trusted'),
    });
    assert.deepEqual(ran(), []);
    assert.match(stderr, /this folder is not trusted, because nobody has decided to trust it/);
  });

  it('runs nothing of it where a tool starts hookline there from a folder that has nothing to trust', async () => {
    arrange();
    place.leaveUndecided();
    mkdirSync(join(place.root, 'plain', 'clone'), { recursive: true });
    execFileSync('cp', ['-r', `${place.cwd}/.`, join(place.root, 'plain', 'clone')]);
    const command = `cd clone && "${process.execPath}" "${place.cliPath}" -p inner 2>&1`;
    llm.reply({ toolCalls: [{ name: 'bash', arguments: { command } }] }, { text: 'inner answer' }, { text: 'done' });
    await place.run(['-p', 'outer'], { cwd: join(place.root, 'plain') });
    assert.deepEqual(ran(), []);
    assert.match(JSON.stringify(llm.requests.at(-1)?.body), /inner answer/);
  });

  it('runs nothing of it that comes while RPC mode is running', async () => {
    mkdirSync(join(place.root, RAN));
    place.leaveUndecided();
    place.useLlm(llm);
    const host = RpcHost.start(place);
    await host.prompt('go');
    plantLater();
    runsBash();
    await host.prompt('go');
    await host.data('bash', { command: 'true' });
    const { stderr } = await host.close();
    assert.deepEqual(ran(), []);
    assert.equal(stderr.match(/this folder is not trusted/g)?.length, 1, stderr);
  });

  function plantLater(): void {
    module('work/.pi/extensions/e.ts', 'extension');
    place.file('work/.pi/settings.json', JSON.stringify({ shellPath: program('shell', 'exec /bin/sh "$@"') }));
  }

  it('says once what it does not use and how to go on, and nothing where nothing is unused', async () => {
    arrange();
    place.leaveUndecided();
    const expected =
      'Warning: this folder is not trusted, because nobody has decided to trust it. Not used: .pi/settings.json, .pi/mcp.json, .pi/extensions, .pi/hooks, .pi/skills, .pi/SYSTEM.md, .omp/hooks, relative.ts. To trust it, run "hookline trust" in it. To use it only once, start with --approve.\n';
    for (const args of [
      ['-p', 'go'],
      ['--list-models'],
      ['--help'],
      ['mcp', 'list'],
      ['list'],
      ['config'],
      ['hooks', 'diff'],
    ]) {
      assert.equal((await place.run(args)).stderr, expected, args.join(' '));
    }
    mkdirSync(join(place.root, 'plain'));
    place.useLlm(llm);
    for (const args of [['-p', 'go'], ['--list-models'], ['--help'], ['mcp', 'list'], ['list'], ['config']]) {
      assert.equal((await place.run(args, { cwd: join(place.root, 'plain') })).stderr, '', args.join(' '));
    }
  });

  it('says so after the first package or server of a folder was declared in it', async () => {
    place.leaveUndecided();
    place.file('pack/package.json', JSON.stringify({ name: 'pack', version: '1.0.0' }));
    place.file('pack/extensions/p.ts', 'export default () => {};\n');
    const line = (part: string): string =>
      `Warning: this folder is not trusted, because nobody has decided to trust it. Not used: ${part}. `;
    const installed = await place.run(['install', '-l', join(place.root, 'pack'), '--approve-packages']);
    assert.equal(installed.code, 0, installed.stderr);
    assert.ok(installed.stderr.includes(line('.pi/settings.json')), installed.stderr);
    const added = await place.run(['mcp', 'add', 'mine', '-l', '--', 'true']);
    assert.ok(added.stderr.startsWith(line('.pi/settings.json, .pi/mcp.json')), added.stderr);
  });

  it('runs hooks of the agent folder and of the command line as before', async () => {
    arrange();
    place.leaveUndecided();
    module('agent/extensions/own.ts', 'own extension');
    module('agent/hooks/own.ts', 'own hook');
    const named = module('elsewhere/named.ts', 'named hook');
    const inside = module('work/.pi/hooks/inside.ts', 'named hook of the folder');
    await place.run(['-p', '--hook', named, '-e', inside, 'go']);
    assert.deepEqual(ran(), ['named hook', 'named hook of the folder', 'own extension', 'own hook']);
  });

  it('refuses the tools that its hooks would check, and says so once', async () => {
    place.leaveUndecided();
    place.useLlm(llm);
    place.hook('gate.ts', "export default pi => { pi.on('tool_call', () => undefined); };\n");
    const write = { name: 'write', arguments: { path: 'made.txt', content: 'x' } };
    llm.reply({ toolCalls: [write] }, { toolCalls: [write] }, { text: 'done' });
    const { code, stderr } = await place.run(['-p', 'go']);
    assert.equal(existsSync(join(place.cwd, 'made.txt')), false);
    assert.equal(
      stderr,
      'Warning: this folder is not trusted, because nobody has decided to trust it. Not used: .pi/hooks. The tools that its hooks check are refused. To trust it, run "hookline trust" in it. To use it only once, start with --approve.\n',
    );
    assert.equal(code, 0);
    const sent = JSON.stringify(llm.requests[1]?.body['messages']);
    assert.match(sent, /gate\.ts checks tool calls, but is held back: this folder is not trusted, because nobody has/);
    assert.doesNotMatch(sent, /hookline trust|--approve/, 'the model is not told how to trust it');
  });

  it('is trusted by hookline trust, by a decision about a folder above, and by --approve once', async () => {
    const trustJson = join(place.agentDir, 'trust.json');
    place.leaveUndecided();
    place.useLlm(llm);
    mkdirSync(join(place.root, RAN));
    module('work/.pi/hooks/h.ts', 'hook');
    const runs = async (...args: readonly string[]): Promise<boolean> => {
      execFileSync('rm', ['-f', join(place.root, RAN, 'hook')]);
      await place.run([...args, '-p', 'go']);
      return ran().length > 0;
    };
    assert.equal(await runs(), false);
    assert.equal(await runs('--approve'), true);
    assert.equal(await runs(), false);
    assert.equal(existsSync(trustJson), false);

    place.file('agent/trust.json', JSON.stringify({ '/~other': false, newer: { deep: [1] } }));
    const trusted = await place.run(['trust']);
    assert.deepEqual(trusted, {
      code: 0,
      stdout: `Trusted: ${place.cwd} and the folders below it (saved in ${trustJson})\nUsed from the next start: .pi/hooks\n`,
      stderr: '',
    });
    assert.equal(
      readFileSync(trustJson, 'utf8'),
      `${JSON.stringify({ [place.cwd]: true, '/~other': false, newer: { deep: [1] } }, null, 2)}\n`,
    );
    assert.equal(await runs(), true);

    const removed = await place.run(['trust', '--remove']);
    assert.deepEqual(removed, { code: 0, stdout: `Forgotten: what was decided about ${place.cwd}\n`, stderr: '' });
    assert.deepEqual(JSON.parse(readFileSync(trustJson, 'utf8')), { '/~other': false, newer: { deep: [1] } });
    assert.equal(await runs(), false);
    const again = await place.run(['trust', '--remove']);
    assert.equal(again.stdout, `Nothing is decided about ${place.cwd} in ${trustJson}.\n`);

    await place.run(['trust'], { cwd: place.root });
    assert.equal(await runs(), true);
    const kept = await place.run(['trust', '--remove']);
    assert.equal(
      kept.stdout,
      `Nothing is decided about ${place.cwd} in ${trustJson}.\n${place.root} above it is trusted, and that counts here.\n`,
    );
  });

  it('hookline trust refuses what it does not know, and a trust.json that it cannot read, and writes nothing', async () => {
    const wrong = await place.run(['trust', 'there']);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /hookline trust does not take "there"/);
    const file = place.file('agent/trust.json', '{ "x": tru');
    for (const args of [['trust'], ['trust', '--remove']]) {
      const { code, stdout, stderr } = await place.run(args);
      assert.equal(code, 1);
      assert.equal(stdout, '');
      assert.ok(stderr.startsWith(`hookline: ${file} is not JSON`), stderr);
      assert.equal(readFileSync(file, 'utf8'), '{ "x": tru');
    }
    assert.match((await place.run(['trust', '--help'])).stdout, /hookline trust --remove/);
  });
});
