import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { deferred } from '../../src/base/async/wait';
import { MessageLines } from '../../src/mcp/connection/message-lines';
import { readTools } from '../../src/mcp/connection/server-offer';
import { StdioTransport } from '../../src/mcp/connection/stdio-transport';
import { loginKey, McpAuthFile } from '../../src/mcp/login/mcp-auth-file';
import { serverTool } from '../../src/mcp/tools/server-tool';
import { until } from '../support/conversation-rig';
import { McpRig, textOf } from '../support/mcp-rig';
import { scripted, scriptedHttp } from '../support/scripted-mcp';

const MB = 1024 * 1024;

describe('MCP servers that misbehave', () => {
  let rig: McpRig;
  beforeEach(() => (rig = new McpRig()));
  afterEach(() => rig.close());

  const start = (calls: Readonly<Record<string, object>>, more: object = {}, entry: object = {}): Promise<void> =>
    rig.start({
      s: scripted({ tools: [...Object.keys(calls), 'fine'], calls, ...more }, entry),
      other: scripted({ tools: ['fine'] }),
    });
  const othersGoOn = async (): Promise<void> => {
    assert.equal(textOf(await rig.call('mcp__other__fine')), 'fine {}');
    assert.equal(textOf(await rig.call('mcp__s__fine')), 'fine {}');
  };

  it('never answer: a call ends with the time limit, and with an abort', async () => {
    await start({ hang: { hang: true } }, {}, { timeout: 3 });
    await assert.rejects(rig.call('mcp__s__hang'), /^Error: MCP server "s" did not answer within 3 seconds\.$/);
    const abort = new AbortController();
    const call = rig.call('mcp__s__hang', {}, abort.signal);
    abort.abort();
    await assert.rejects(call, /^Error: Operation aborted$/);
    await othersGoOn();
  });

  it('never answer to the first request: the state says so', async () => {
    await rig.start({ s: scripted({ never: true }, { timeout: 0.3 }) });
    assert.deepEqual(rig.server('s').state, { type: 'failed', error: 'it did not answer within 0.3 seconds' });
  });

  it('never answer to the first request: a restart does not wait for it', async () => {
    const mark = join(rig.root, 'started');
    const starting = rig.start({ s: scripted({ tools: ['fine'], never: mark }) });
    await until(() => (existsSync(mark) ? true : undefined), 'the first start');
    await rig.servers.restart('s');
    await starting;
    assert.equal(textOf(await rig.call('mcp__s__fine')), 'fine {}');
  });

  it('print half of a character: it is kept until the rest comes', async () => {
    const script = `const say = text => process.stderr.write(Buffer.from(text, 'latin1'));
      say('gr\\xc3');
      process.stdin.once('data', () => say('\\xbc\\xc3\\x9fe\\n'));`;
    const spec = { command: process.execPath, args: ['-e', script], cwd: rig.root, env: {} };
    const texts: string[] = [];
    const transport = new StdioTransport(spec, text => texts.push(text));
    await transport.start();
    await until(() => (texts.length > 0 ? true : undefined), 'the first half');
    await transport.send({ jsonrpc: '2.0', method: 'go' });
    await until(() => (texts.join('').endsWith('\n') ? true : undefined), 'the second half');
    await transport.close();
    assert.equal(texts.join(''), 'grüße\n');
  });

  it('cannot be started, or end at once: the state says why, with what they printed', async () => {
    await rig.start({
      absent: { command: '/no/such/program' },
      ends: scripted({ stderr: 'no configuration\n', exit: 3 }),
      unset: { command: 'x', env: { A: '${NO_SUCH_VARIABLE_HERE}' } },
    });
    const error = (name: string): string => {
      const { state } = rig.server(name);
      return 'error' in state ? state.error : state.type;
    };
    assert.match(error('absent'), /^"\/no\/such\/program" cannot be started in .*ENOENT/);
    assert.equal(error('ends'), 'its process ended with code 3\nno configuration');
    assert.match(
      error('unset'),
      /MCP server "unset", env "A": the environment variable NO_SUCH_VARIABLE_HERE is not set/,
    );
  });

  it('die in a call: it fails and says why, and the next one starts them anew', async () => {
    await start({ die: { die: 7 } });
    await assert.rejects(
      rig.call('mcp__s__die'),
      /^Error: MCP server "s" is no longer connected: its process ended with code 7\.\nit broke$/,
    );
    await until(() => (rig.server('s').state.type === 'disconnected' ? true : undefined), 'the state');
    await othersGoOn();
    assert.equal(rig.server('s').state.type, 'connected');
  });

  it('are taken away in a call: it ends at once, and says so', async () => {
    const taken: readonly (readonly [how: string, take: () => Promise<void>, message: RegExp])[] = [
      ['removed', () => rig.start({}), /^Error: MCP server "s" was stopped\.$/],
      ['turned off', () => rig.servers.change('s', { enabled: false }), /^Error: MCP server "s" was stopped\.$/],
      [
        'restarted',
        () => rig.servers.restart('s'),
        /^Error: MCP server "s" is no longer connected: the connection was closed\.$/,
      ],
    ];
    for (const [how, take, message] of taken) {
      await start({ hang: { progress: [3], hang: true } });
      const heard: string[] = [];
      const call = rig.call('mcp__s__hang', {}, undefined, heard);
      const ended = assert.rejects(call, message, how);
      await until(() => (heard.length > 0 ? true : undefined), 'the call to be under way');
      await take();
      await ended;
    }
  });

  it('refuse a call: it says that a login is needed, and so does the state', async () => {
    const { url, child } = await scriptedHttp({ tools: ['no', 'fine'], calls: { no: { refuse: true } } });
    try {
      await rig.start({ far: { url, exposure: 'direct' } });
      await assert.rejects(
        rig.call('mcp__far__no'),
        /^Error: MCP server "far" needs a login\. \/mcp login far logs in\.$/,
      );
      assert.deepEqual(rig.server('far').state, { type: 'needsLogin' });
    } finally {
      child.kill();
    }
  });

  it('hang after a login elsewhere: a prompt can be stopped while they are reconnected', async () => {
    let hangs = false;
    const asked = deferred();
    const server = createServer((_request, response) => {
      if (hangs) asked.resolve();
      else response.writeHead(401).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    try {
      await rig.start({ far: { url, timeout: 1000 } });
      assert.deepEqual(rig.server('far').state, { type: 'needsLogin' });
      const tokens = { access_token: 'from elsewhere', token_type: 'bearer' };
      const logins = new McpAuthFile(join(rig.agentDir, 'mcp-auth.json'));
      await logins.update(loginKey('far', url), () => ({ serverUrl: url, tokens }));
      hangs = true;
      const stop = new AbortController();
      const waiting = rig.servers.beforePrompt(stop.signal);
      await asked.promise;
      stop.abort();
      await waiting;
      assert.deepEqual(rig.server('far').state, { type: 'connecting' });
    } finally {
      server.close().closeAllConnections();
    }
  });

  it('flood both streams with what is no message', async () => {
    await start({ flood: { flood: 20_000, text: 'dry' } });
    assert.equal(textOf(await rig.call('mcp__s__flood')), 'dry');
    const { lines } = rig.server('s').log;
    assert.ok(lines.length <= 1_000, String(lines.length));
    await othersGoOn();
  });

  it('report a change of their tools after each list: they are not asked without a pause', async () => {
    await start({ lists: { lists: true } }, { restless: true });
    for (let round = 0; round < 300; round += 1) await rig.call('mcp__s__fine');
    const lists = Number(textOf(await rig.call('mcp__s__lists')));
    assert.ok(lists >= 2 && lists < 60, String(lists));
  });

  it('send 100 MB: the call fails, and nothing of it is kept', async () => {
    await start({ big: { big: 100 * MB } });
    const before = process.memoryUsage().rss;
    await assert.rejects(rig.call('mcp__s__big'), /^Error: MCP server "s": it sent a message of more than 16 MB$/);
    const grown = (process.memoryUsage().rss - before) / MB;
    assert.ok(grown < 150, `${grown} MB`);
    await othersGoOn();
  });

  it('send 100 MB over HTTP: the call fails too', async () => {
    const { url, child } = await scriptedHttp({ tools: ['big', 'fine'], calls: { big: { big: 20 * MB } } });
    try {
      await rig.start({ far: { url, exposure: 'direct' } });
      await assert.rejects(
        rig.call('mcp__far__big'),
        /^Error: MCP server "far": It sent a message of more than 16 MB\.$/,
      );
      assert.equal(textOf(await rig.call('mcp__far__fine')), 'fine {}');
    } finally {
      child.kill();
    }
  });

  it('print bad JSON, answer twice, and answer with an error', async () => {
    await start({
      junk: { junk: '{"jsonrpc": broken', text: 'fine' },
      twice: { twice: 'once' },
      error: { error: 'no such table' },
    });
    assert.equal(textOf(await rig.call('mcp__s__junk')), 'fine');
    assert.ok(
      rig.server('s').log.lines.some(line => line.includes('a line that is not a message: {"jsonrpc": broken')),
    );
    assert.equal(textOf(await rig.call('mcp__s__twice')), 'once');
    await assert.rejects(rig.call('mcp__s__error'), /^Error: MCP server "s": no such table$/);
    await othersGoOn();
    assert.ok(rig.server('s').log.lines.some(line => line.includes('unknown message ID')));
  });

  it('answer with the codes that the library has for a lost connection and for the time limit', async () => {
    await start({ full: { error: 'the disk is full', code: -32000 }, busy: { error: 'try later', code: -32001 } });
    await assert.rejects(rig.call('mcp__s__full'), /^Error: MCP server "s": the disk is full$/);
    await assert.rejects(rig.call('mcp__s__busy'), /^Error: MCP server "s": try later$/);
    await othersGoOn();
  });

  it('answer with content that is no list: the model reads what it can be, or that it is nothing', async () => {
    await start({
      one: { result: { content: { type: 'text', text: 'alone' } } },
      word: { result: { content: 'alone' } },
    });
    assert.equal(textOf(await rig.call('mcp__s__one')), 'alone');
    assert.equal(textOf(await rig.call('mcp__s__word')), '[a block of content that is not an object]');
    await othersGoOn();
  });

  it('offer tools that cannot be used: the others are there, and the log says which are not', async () => {
    const tools = [
      'fine',
      'fine',
      { name: '', inputSchema: { type: 'object' } },
      { name: 'list', inputSchema: { type: 'array' } },
      { name: 'none' },
      { name: 'bad members', inputSchema: { type: 'object', properties: [] } },
      { name: 'bare', inputSchema: {} },
    ];
    await rig.start({ s: scripted({ tools }) });
    assert.deepEqual(
      rig.servers.tools.all().map(({ name }) => name),
      ['mcp__s__fine', 'mcp__s__bare'],
    );
    assert.deepEqual(rig.server('s').offer?.problems, [
      'The tool "fine" is offered twice; the first counts.',
      'A tool without a name is left out.',
      'The tool "list" is left out, because its "inputSchema" is not the schema of an object.',
      'The tool "none" is left out, because its "inputSchema" is not the schema of an object.',
      'The tool "bad members" is left out, because "properties" of its schema is not an object.',
    ]);
  });

  it('offer endless texts: the model gets the beginning, and the log says so', async () => {
    const long = 'x'.repeat(12 * MB);
    const big = { type: 'object', properties: { a: { description: 'y'.repeat(200_000) } } };
    const tools = [
      { name: 'long', description: long.slice(0, 6 * MB), title: long.slice(0, 1000), inputSchema: { type: 'object' } },
      { name: 'big', inputSchema: big },
      { name: long.slice(0, 300), inputSchema: { type: 'object' } },
      'fine',
    ];
    const toolsFrom = join(rig.root, 'tools.json');
    writeFileSync(toolsFrom, JSON.stringify(tools));
    await rig.start({ s: scripted({ toolsFrom }) });
    const [tool, ...others] = rig.servers.tools.all();
    assert.deepEqual(
      others.map(({ name }) => name),
      ['mcp__s__fine'],
    );
    assert.ok((tool?.description.length ?? 0) < 16_200);
    assert.match(
      tool?.description ?? '',
      /x\n\[Hookline left out the rest of this text: it has 6291456 characters\.\]$/,
    );
    assert.deepEqual(rig.server('s').offer?.problems, [
      'The description of the tool "long" has 6291456 characters; only the first 16000 are used.',
      'The tool "big" is left out, because its schemas have more than 100000 characters.',
      `The tool "${'x'.repeat(39)}…" is left out, because its name is too long.`,
    ]);
    assert.ok(JSON.stringify(rig.server('s').offer).length < 50_000);
  });

  it('offer very many tools: their texts have a limit together', () => {
    const problems: string[] = [];
    const raw = Array.from({ length: 4_000 }, (_, index) => ({
      name: `t${index}`,
      description: 'x'.repeat(10_000),
      inputSchema: { type: 'object' },
    }));
    const tools = readTools(raw, problems);
    assert.ok(JSON.stringify(tools).length <= 2_000_000 + tools.length);
    assert.ok(tools.length > 100 && problems.length === 1, problems.join());
    assert.match(problems[0] ?? '', /^Its tools from "t\d+" on are left out/);
  });

  it('report 200,000 changes of their lists at once: each kind is passed on once', async () => {
    const got: unknown[] = [];
    const lines = new MessageLines({
      onMessage: message => got.push(message),
      onError: error => assert.fail(error),
      onTooLong: reason => assert.fail(reason),
    });
    const change = (kind: string): string =>
      `${JSON.stringify({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` })}\n`;
    const flood = Buffer.from((change('tools').repeat(99) + change('prompts')).repeat(2_000));
    const answer = { jsonrpc: '2.0', id: 1, result: {} };
    for (let at = 0; at < flood.length; at += 65_536) lines.read(flood.subarray(at, at + 65_536));
    lines.read(Buffer.from(`${JSON.stringify(answer)}\n`));
    assert.deepEqual(got, [answer]);
    await new Promise(resolve => setImmediate(resolve));
    assert.deepEqual(
      got.map(message => (message as { method?: string }).method),
      [undefined, 'notifications/tools/list_changed', 'notifications/prompts/list_changed'],
    );
  });

  it('report 200,000 changes of their lists while they are used: they stay connected', async () => {
    await start({ changes: { changes: 200_000, text: 'done' } });
    assert.equal(textOf(await rig.call('mcp__s__changes')), 'done');
    assert.equal(rig.server('s').state.type, 'connected');
    await othersGoOn();
  });

  it('change what they say about a tool: it is told apart from the one before, but not by the order of members', () => {
    const tool = (description: string, inputSchema: object): object => ({ name: 'a', description, inputSchema });
    const [one, other, later] = [
      tool('reads', { type: 'object', required: ['x'] }),
      tool('reads', { required: ['x'], type: 'object' }),
      tool('sends', { type: 'object', required: ['x'] }),
    ];
    const definitions = [one, other, later].map(each => {
      const [read] = readTools([each], []);
      return serverTool({
        ...{ name: 'mcp__s__a', server: 's', reach: 'direct', namespace: {}, tool: read ?? assert.fail() },
        readsResources: () => false,
        call: () => Promise.resolve({}),
      }).definition;
    });
    assert.equal(definitions[0], definitions[1]);
    assert.notEqual(definitions[0], definitions[2]);
  });

  it('have prompts that cannot be listed: their tools are there, and the log says why', async () => {
    await rig.start({ s: scripted({ tools: ['fine'], prompts: 'nothing of this kind' }) });
    assert.equal(textOf(await rig.call('mcp__s__fine')), 'fine {}');
    assert.deepEqual(rig.server('s').offer?.prompts, []);
    assert.ok(rig.server('s').log.lines.some(line => line.includes('nothing of this kind')));
  });

  it('end while they are being started: no process is left, also when it is only about to begin', async () => {
    const file = join(rig.root, 'pids');
    const { command, args } = scripted({ child: file }) as { command: string; args: string[] };
    const transport = new StdioTransport({ command, args, cwd: rig.root, env: {} }, () => undefined);
    const starting = transport.start();
    await transport.close();
    await assert.rejects(starting, /^Error: It was stopped\.$/);
    assert.ok(!existsSync(file));
  });

  it('end while the values for them are looked up: they are not started', async () => {
    const [begun, go, pids] = ['begun', 'go', 'pids'].map(name => join(rig.root, name)) as [string, string, string];
    const value = `!touch '${begun}'; while [ ! -e '${go}' ]; do sleep 0.02; done; echo 1`;
    const starting = rig.start({ s: scripted({ child: pids }, { env: { A: value } }) });
    await until(() => (existsSync(begun) ? true : undefined), 'the command');
    const ending = rig.servers.dispose();
    writeFileSync(go, '');
    await Promise.all([starting, ending]);
    assert.ok(!existsSync(pids));
  });

  it('list what is no list', async () => {
    await rig.start({ s: scripted({ badList: true }) });
    assert.deepEqual(rig.server('s').state, { type: 'failed', error: 'its answer to tools/list has no list "tools"' });
  });

  it('have tools whose names would be alike, or are too long', async () => {
    const long = 'x'.repeat(80);
    await rig.start({
      a: scripted({ tools: ['do it', 'do-it', 'plain', long] }),
      a__b: scripted({ tools: ['c'] }),
      b: scripted({ tools: ['c'] }),
    });
    const names = rig.servers.tools.all().map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    assert.ok(
      names.every(name => /^[A-Za-z0-9_]{1,64}$/.test(name)),
      names.join(),
    );
    assert.match(names[0] ?? '', /^mcp__a__do_it_[0-9a-f]{8}$/);
    assert.match(names[1] ?? '', /^mcp__a__do_it_[0-9a-f]{8}$/);
    assert.equal(names[2], 'mcp__a__plain');
    assert.match(names[3] ?? '', /^mcp__a__x{47}_[0-9a-f]{8}$/);
  });

  it('give images that are texts: the model reads them, since providers refuse a whole request for such an image', async () => {
    const data = Buffer.from('<svg/>').toString('base64');
    const mimeType = 'image/svg+xml';
    const resource = { uri: 'a:b', mimeType, blob: data };
    const content = [
      { type: 'image', data, mimeType },
      { type: 'resource', resource },
    ];
    await start({ draw: { result: { content } } });
    const drawn = await rig.call('mcp__s__draw');
    const text = { type: 'text', text: '<svg/>' };
    assert.deepEqual(drawn.content, [text, text]);
  });

  it('give results that are too long: their middle is left out and all of it is in a file', async () => {
    const text = `${'ä'.repeat(20_000)}\nend`;
    const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' };
    const result = {
      content: [{ type: 'text', text }, image, { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' }],
      structuredContent: { deep: [1] },
      isError: true,
      _meta: { private: 1 },
    };
    await start({ long: { result } });
    const given = await rig.call('mcp__s__long');
    const [part, picture] = given.content;
    const shown = part?.type === 'text' ? part.text : '';
    assert.match(shown, /^Warning: truncated output \(original token count: 10008\)\nTotal output lines: 3\n\nää/);
    assert.match(shown, /ä…\d+ chars truncated…ä/);
    const path = /\[Full output: (\S+) \(read it with offset\/limit\)\]$/.exec(shown)?.[1] ?? '';
    assert.equal(readFileSync(path, 'utf8'), `${text}\n[audio audio/wav omitted]`);
    assert.deepEqual(picture, image);
    assert.equal(given.isError, true);
    assert.deepEqual(given.structuredContent, {
      content: result.content,
      structuredContent: { deep: [1] },
      isError: true,
    });
    assert.deepEqual(given.details, { server: 's', tool: 'long', fullOutputPath: path });
  });
});
