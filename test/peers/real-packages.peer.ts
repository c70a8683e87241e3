import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { approvable, PackageApproval } from '../../src/packages/approval/package-approval';
import { readDeclarations } from '../../src/packages/declared';
import { readInstalled } from '../../src/packages/installed';
import { eachWithUnknownModel } from '../modes/support/each-with-model';
import { RpcHost } from '../modes/support/rpc';
import { describePeer, peerFolder, piToday, TODAY } from './peers';

/** A command as `get_commands` tells it. */
interface Told {
  readonly name: string;
  readonly sourceInfo: Readonly<Record<string, unknown>>;
}

const NAMES = [
  'pi-subagents',
  'pi-mcp-adapter',
  'pi-web-access',
  'pi-prompt-template-model',
  'pi-mermaid',
  'pi-aliases',
];

/** Packages as npm has them now, unchanged; scripts/peers/packages pins their versions. */
describePeer('packages of pi', 'packages', folder => {
  let servers: Server[] = [];
  const { place, llm } = eachWithUnknownModel();
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
    servers = [];
  });

  /** As a person approves them; read once, as that takes long. */
  let approvals = '';
  before(async function () {
    this.timeout(240_000);
    const agentDir = mkdtempSync(join(tmpdir(), 'hookline-approvals-'));
    try {
      approvals = await approvalsOf(agentDir, folder);
    } finally {
      rmSync(agentDir, { recursive: true, force: true });
    }
  });

  /** Lays the packages where pi installs them, declares some, and approves all. */
  const use = (...packages: readonly unknown[]): void => {
    place.useLlm(llm, { packages });
    layPackages(place.agentDir, folder);
    place.file('agent/hookline/packages.json', approvals);
  };
  const commands = async (host: RpcHost): Promise<readonly Told[]> =>
    (await host.data<{ readonly commands: readonly Told[] }>('get_commands')).commands;
  const sent = (): string => JSON.stringify(llm.requests.map(({ body }) => body['messages']));
  const listen = async (answer: RequestListener): Promise<string> => {
    const server = createServer(answer);
    servers.push(server);
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  it('all load side by side, each with what it adds', async function () {
    this.timeout(240_000);
    use(...NAMES.map(name => `npm:${name}`), join(folder, 'node_modules/@agentuity/pi/dist/index.js'));
    // Each alone before: what is compiled for the first time takes long, and is kept.
    const settings = readFileSync(join(place.agentDir, 'settings.json'), 'utf8');
    for (const name of NAMES) {
      place.useLlm(llm, { packages: [`npm:${name}`] });
      const alone = RpcHost.start(place, ['--no-session']);
      const own = (await commands(alone)).filter(({ sourceInfo }) => sourceInfo['source'] === `npm:${name}`);
      assert.ok(own.length > 0, name);
      await alone.close();
    }
    place.file('agent/settings.json', settings);
    const host = RpcHost.start(place, ['--no-session']);
    const found = await commands(host);
    for (const [name, owner] of [
      ['subagents', 'npm:pi-subagents'],
      ['skill:pi-subagents', 'npm:pi-subagents'],
      ['review-loop', 'npm:pi-subagents'],
      ['mcp', 'npm:pi-mcp-adapter'],
      ['websearch', 'npm:pi-web-access'],
      ['prompt-tool', 'npm:pi-prompt-template-model'],
      ['pi-mermaid', 'npm:pi-mermaid'],
      ['clear', 'npm:pi-aliases'],
    ]) {
      assert.equal(found.find(command => command.name === name)?.sourceInfo['source'], owner, name);
    }
    const { stderr } = await host.close();
    assert.doesNotMatch(stderr, /was not loaded|Warning: (?!.*[Aa]gentuity)/);
  });

  it('have the same parts as in pi, and one that pi installs is seen here', async () => {
    const pi = piToday(peerFolder(TODAY));
    use('npm:pi-aliases', {
      source: 'npm:pi-subagents',
      extensions: [],
      prompts: ['!review-loop.md'],
      skills: ['council-mode'],
    });
    place.file('mine/package.json', JSON.stringify({ name: 'mine', pi: { extensions: ['src/*.ts', '!src/not.ts'] } }));
    place.file('mine/src/one.ts', `export default pi => pi.registerCommand('one', { handler: () => {} });`);
    place.file('mine/src/not.ts', `export default pi => pi.registerCommand('not', { handler: () => {} });`);
    place.file('repo/prompts/from-git.md', 'Do it.');
    place.file('repo/skills/git-skill/SKILL.md', '---\nname: git-skill\ndescription: x\n---\nDo it.');
    const git = (...args: readonly string[]): unknown =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.org', ...args], {
        cwd: join(place.root, 'repo'),
      });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'first');
    const local = {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: `url.file://${join(place.root, 'repo')}.insteadOf`,
      GIT_CONFIG_VALUE_0: 'https://example.org/owner/repo',
    };
    for (const args of [
      ['install', '../mine'],
      ['install', 'git:example.org/owner/repo', '-l', '--approve'],
    ]) {
      const { code, stderr } = await place.run(args, { ...pi, env: { ...pi.env, PI_OFFLINE: '', ...local } });
      assert.equal(code, 0, stderr);
    }
    assert.ok(existsSync(join(place.cwd, '.pi/git/example.org/owner/repo/prompts/from-git.md')));
    const seen = async (program: object, ...approving: readonly string[]): Promise<readonly string[]> => {
      const host = RpcHost.start(place, ['--no-session', '--approve', ...approving], program);
      const found = await commands(host);
      await host.close();
      return found
        .filter(({ sourceInfo }) => sourceInfo['origin'] === 'package')
        .map(
          ({ name, sourceInfo: { changelogPath: _, path, ...rest } }) =>
            `${name} ${realpathSync(String(path))} ${JSON.stringify(Object.entries(rest).sort())}`,
        );
    };
    const ours = await seen({}, '--approve-packages');
    assert.deepEqual(ours, await seen(pi));
    const names = ours.map(line => line.split(' ')[0]);
    for (const name of ['clear', 'one', 'from-git', 'council', 'skill:git-skill', 'skill:council-mode']) {
      assert.ok(names.includes(name), name);
    }
    for (const name of ['not', 'review-loop', 'subagents', 'skill:pi-subagents']) {
      assert.ok(!names.includes(name), name);
    }
  });

  it('pi-mcp-adapter: a tool of a local MCP server is called', async () => {
    use('npm:pi-mcp-adapter');
    const server = place.file('server.mjs', MCP_SERVER);
    place.file(
      'work/.mcp.json',
      JSON.stringify({ mcpServers: { local: { command: process.execPath, args: [server] } } }),
    );
    llm.reply(
      { toolCalls: [{ name: 'mcp', arguments: { connect: 'local' } }] },
      { toolCalls: [{ name: 'mcp', arguments: { tool: 'local_greet', args: { name: 'Ada' } } }] },
      { text: 'done' },
    );
    const { code, stderr } = await place.run(['-p', 'go']);
    assert.equal(code, 0, stderr);
    assert.match(sent(), /Hello Ada from the local server/);
  });

  it('pi-subagents: a task is delegated, and a gate of the folder holds in the subagent', async () => {
    use('npm:pi-subagents');
    place.file('agent/extensions/subagent/config.json', JSON.stringify({ asyncByDefault: false }));
    place.file('work/.pi/extensions/gate.ts', GATE);
    place.file('work/kept.txt', 'kept');
    place.file(
      'agent/agents/cleaner.md',
      '---\nname: cleaner\ndescription: Cleans up.\ntools: bash, read\n---\nYou clean up.',
    );
    llm.reply(
      { toolCalls: [{ name: 'subagent', arguments: { agent: 'cleaner', task: 'Remove kept.txt.' } }] },
      { toolCalls: [{ name: 'bash', arguments: { command: 'rm kept.txt' } }] },
      { text: 'The file stays, as bash was refused.' },
      { text: 'done' },
    );
    const { code, stdout, stderr } = await place.run(['-p', 'go']);
    assert.deepEqual({ code, stdout }, { code: 0, stdout: 'done\n' }, stderr);
    const [, first, second, last] = llm.requests.map(({ body }) => JSON.stringify(body));
    assert.match(String(first), /Task: Remove kept\.txt\..*You clean up\./s);
    assert.match(String(second), /bash is not for agents/);
    assert.match(String(last), /The file stays, as bash was refused/);
    assert.ok(existsSync(join(place.cwd, 'kept.txt')));
  });

  it('pi-web-access: a page of a local server is fetched and read', async () => {
    use('npm:pi-web-access');
    const text = 'The harbour master counts the boats every evening before the lamps are lit. '.repeat(20);
    const address = await listen((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(
        `<html><head><title>Harbour</title></head><body><article><h1>Harbour</h1><p>${text}</p></article></body></html>`,
      );
    });
    place.file('.pi/web-search.json', JSON.stringify({ ssrf: { allowRanges: ['127.0.0.0/8'] } }));
    place.file('agent/web-search.json', JSON.stringify({ ssrf: { allowRanges: ['127.0.0.0/8'] } }));
    llm.reply({ toolCalls: [{ name: 'fetch_content', arguments: { url: `${address}/page` } }] }, { text: 'read' });
    const { code, stderr } = await place.run(['-p', 'go']);
    assert.equal(code, 0, stderr);
    assert.match(sent(), /The harbour master counts the boats/);
  });

  it('pi-prompt-template-model and pi-aliases: a template switches the model, and /clear begins a session', async () => {
    use('npm:pi-prompt-template-model', 'npm:pi-aliases');
    place.file('agent/prompts/quick.md', '---\ndescription: Quick.\nmodel: scripted/two\n---\nAnswer: $@');
    llm.reply({ text: 'first' });
    const host = RpcHost.start(place);
    const state = (): Promise<{ readonly sessionId: string }> => host.data('get_state');
    await host.prompt('/quick now');
    assert.equal(llm.requests[0]?.body['model'], 'two');
    assert.match(sent(), /Answer: now/);
    const before = await state();
    await host.data('prompt', { message: '/clear' });
    const after = await state();
    assert.notEqual(after.sessionId, before.sessionId);
    await host.close();
  });

  it('@agentuity/pi: the models of a gateway are listed, and one of them answers', async () => {
    const offered = { id: 'gate-1', name: 'Gate One', api: 'anthropic-messages', input_modalities: ['text'] };
    const gateway = await listen((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ success: true, data: { anthropic: [offered] } }));
    });
    use(join(folder, 'node_modules/@agentuity/pi/dist/index.js'));
    const local = place.file('local-gateway.mjs', localGateway(gateway, llm.model('anthropic-messages').baseUrl));
    const env = { AGENTUITY_SDK_KEY: 'gateway-key', NODE_OPTIONS: `--import "${pathToFileURL(local).href}"` };
    const { stdout } = await place.run(['--list-models', 'gate'], { env });
    assert.match(stdout, /agentuity\/anthropic-messages\s+gate-1/);
    llm.reply({ text: 'through the gateway' });
    const answer = await place.run(['--model', 'agentuity/anthropic-messages/gate-1', '-p', 'go'], { env });
    assert.equal(answer.stdout, 'through the gateway\n', answer.stderr);
    assert.equal(llm.requests.at(-1)?.body['model'], 'gate-1');
  });

  it('pi-mermaid: a diagram is drawn', async () => {
    use('npm:pi-mermaid');
    llm.reply({ text: 'See:\n\n```mermaid\ngraph TD\n  Start --> End\n```\n' });
    const host = RpcHost.start(place);
    await host.prompt('draw it');
    const drawn = await host.next(
      message => message.type === 'message_end' && JSON.stringify(message).includes('│'),
      'the diagram',
    );
    assert.match(JSON.stringify(drawn), /Start/);
    await host.close();
  });
});

function layPackages(agentDir: string, folder: string): void {
  mkdirSync(join(agentDir, 'npm'), { recursive: true });
  symlinkSync(join(folder, 'node_modules'), join(agentDir, 'npm', 'node_modules'));
}

async function approvalsOf(agentDir: string, folder: string): Promise<string> {
  layPackages(agentDir, folder);
  const list = { entries: NAMES.map(name => `npm:${name}`), from: '', base: agentDir, scope: 'user' } as const;
  const approval = new PackageApproval({ agentDir, howTo: '' });
  for (const declared of readDeclarations({ places: { agentDir, cwd: agentDir }, lists: [list] }).packages) {
    const installed = await readInstalled(declared);
    if ('problem' in installed) throw new Error(installed.problem.message);
    await approval.approve(approvable(installed), []);
  }
  approval.dispose();
  return readFileSync(approval.file.path, 'utf8');
}

/** Loaded before the program: the package knows its gateway by a fixed address, which stands for local servers here. */
function localGateway(models: string, requests: string): string {
  return `const real = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  if (!url.hostname.endsWith('.agentuity.cloud')) return real(input, init);
  return real((url.pathname === '/models' ? ${JSON.stringify(models)} : ${JSON.stringify(requests)}) + url.pathname, init);
};`;
}

const GATE = `export default (pi) => pi.on('tool_call', event =>
  event.toolName === 'bash' ? { block: true, reason: 'bash is not for agents' } : undefined);`;

/** Lines of JSON-RPC over stdio, by hand. */
const MCP_SERVER = `import { createInterface } from 'node:readline';
const say = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize') {
    say({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'local', version: '1' } } });
  } else if (method === 'tools/list') {
    const inputSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    say({ id, result: { tools: [{ name: 'greet', description: 'Greets.', inputSchema }] } });
  } else if (method === 'tools/call') {
    say({ id, result: { content: [{ type: 'text', text: 'Hello ' + params.arguments.name + ' from the local server' }] } });
  } else if (method === 'ping') say({ id, result: {} });
  else say({ id, error: { code: -32601, message: 'no such method' } });
});`;
