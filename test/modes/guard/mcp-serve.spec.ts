import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliPlace, ended, until } from '../support/cli';
import { McpClient, outcomeOf } from '../support/mcp-client';

/** A hook with tools, and a gate for them. */
const hookThatNotes = (file: string): string => `
import { Type } from '@sinclair/typebox';
import { appendFileSync } from 'node:fs';

const text = (text: string) => ({ content: [{ type: 'text' as const, text }], details: {} });
const note = (line: string) => appendFileSync(${JSON.stringify(file)}, line + '\\n');

export default function (pi) {
  pi.registerTool({
    name: 'deploy', label: 'Deploy', description: 'Puts a version online.',
    parameters: Type.Object({ version: Type.String(), dry: Type.Optional(Type.Boolean()) }),
    async execute(id, { version }, signal, onUpdate, ctx) {
      note('deploys ' + version + ' for ' + ctx.agent?.name);
      return text('deployed ' + version);
    },
  });
  pi.registerTool({
    name: 'wait', label: 'Wait', description: '', parameters: Type.Object({}),
    async execute(id, params, signal, onUpdate) {
      note('waits');
      onUpdate?.(text('half of it'));
      await new Promise<void>(resolve => signal?.addEventListener('abort', () => resolve()));
      note('aborted');
      throw new Error('aborted');
    },
  });
  pi.registerTool({
    name: 'fail', label: 'Fail', description: '', parameters: Type.Object({}),
    async execute() { throw new Error('no disk'); },
  });
  pi.registerTool({
    name: 'picture', label: 'Picture', description: '', parameters: Type.Object({}),
    async execute() {
      return { content: [{ type: 'image' as const, data: 'aGk=', mimeType: 'image/png' }], details: {} };
    },
  });
  pi.on('tool_call', event => {
    note('gate ' + event.toolName + ' ' + JSON.stringify(event.input));
    if (event.input.version === '13') return { block: true, reason: 'Not on a Friday.' };
  });
  pi.on('tool_result', event => {
    if (event.toolName !== 'deploy' || event.isError) return;
    return { content: [{ type: 'text', text: event.content[0].text + ' (reviewed)' }] };
  });
}
`;

/** A hook with one tool, whose text is known. */
const toolHook = (name: string, text = name): string => `
import { Type } from '@sinclair/typebox';
export default function (pi) {
  pi.registerTool({
    name: ${JSON.stringify(name)}, label: 'A tool', description: '', parameters: Type.Object({}),
    async execute() { return { content: [{ type: 'text' as const, text: ${JSON.stringify(text)} }], details: {} }; },
  });
}
`;

/** A hook whose tool waits for a file, and that blocks version 13. */
const slowHook = (seen: string, go: string): string => `
import { Type } from '@sinclair/typebox';
import { appendFileSync, existsSync } from 'node:fs';
export default function (pi) {
  pi.registerTool({
    name: 'slow', label: 'Slow', description: '', parameters: Type.Object({ version: Type.String() }),
    async execute() {
      appendFileSync(${JSON.stringify(seen)}, 'waits\\n');
      while (!existsSync(${JSON.stringify(go)})) await new Promise(resolve => setTimeout(resolve, 20));
      appendFileSync(${JSON.stringify(seen)}, 'goes on\\n');
      return { content: [{ type: 'text' as const, text: 'old code' }], details: {} };
    },
  });
  pi.on('tool_call', event => event.input.version === '13' ? { block: true, reason: 'Not on a Friday.' } : undefined);
}
`;

describe('hookline mcp serve', function () {
  this.timeout(60_000);
  let place: CliPlace;
  beforeEach(async () => (place = await CliPlace.make()));
  afterEach(async () => {
    await place.endLeft(); // The host is no child of the test.
    await place.remove();
  });

  const start = async (name?: string, ...args: readonly string[]): Promise<McpClient> => {
    const client = new McpClient(place.start(['mcp', 'serve', ...args]));
    await client.initialize(name);
    return client;
  };
  const seen = (): readonly string[] => {
    const file = join(place.cwd, 'seen');
    return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  };

  it('lists the tools of hooks, and a call passes the gate, runs and is reviewed', async () => {
    place.hook('tools.ts', hookThatNotes(join(place.cwd, 'seen')));
    const client = await start('claude-code');
    const [deploy] = await client.tools();
    assert.deepEqual(
      { ...deploy, inputSchema: Object.keys(deploy!.inputSchema['properties'] as object) },
      { name: 'deploy', title: 'Deploy', description: 'Puts a version online.', inputSchema: ['version', 'dry'] },
    );
    const { text, isError } = await client.call('deploy', { version: '12' });
    assert.deepEqual([text, isError], ['deployed 12 (reviewed)', false]);
    assert.deepEqual(seen(), ['gate deploy {"version":"12"}', 'deploys 12 for claude']);
    const log = await place.run(['guard', 'log']);
    assert.match(log.stdout, /claude .* deploy: .*12.* – passed/);
  });

  it('a call that a hook blocks does not run, and the reason is the result', async () => {
    place.hook('tools.ts', hookThatNotes(join(place.cwd, 'seen')));
    const client = await start();
    const { text, isError } = await client.call('deploy', { version: '13' });
    assert.match(text, /Not on a Friday\./);
    assert.ok(isError);
    assert.deepEqual(seen(), ['gate deploy {"version":"13"}']);
    assert.match((await place.run(['guard', 'log'])).stdout, /mcp .*blocked by tools\.ts: Not on a Friday\./);
  });

  it('a call that a hook asks about does not run where nobody can be asked', async () => {
    place.hook('tools.ts', hookThatNotes(join(place.cwd, 'seen')));
    place.hook(
      'ask.ts',
      "export default pi => void pi.on('tool_call', async (event, ctx) => void (await ctx.ui.confirm('Sure?', 'Run it?')));",
    );
    const client = await start();
    const { text, isError } = await client.call('deploy', { version: '12' });
    assert.ok(isError);
    assert.match(text, /nobody could be asked/);
    assert.ok(!seen().some(line => line.startsWith('deploys')));
  });

  it('bad calls are errors that say what is wrong, and the server goes on', async () => {
    place.hook('tools.ts', hookThatNotes(join(place.cwd, 'seen')));
    const client = await start();
    const unknown = await client.call('nothing');
    assert.match(unknown.text, /There is no tool "nothing"/);
    const wrong = await client.call('deploy', { version: { number: 1 } });
    assert.match(wrong.text, /version/);
    assert.ok(wrong.isError);
    const missing = await client.call('deploy');
    assert.match(missing.text, /version/);
    assert.deepEqual(seen(), []);
    const failed = await client.call('fail');
    assert.deepEqual([failed.text, failed.isError], ['no disk', true]);
    const picture = await client.call('picture');
    assert.deepEqual(picture.content, [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }]);
    client.child.stdin.write('rubbish\n');
    assert.equal((await client.call('deploy', { version: '1' })).text, 'deployed 1 (reviewed)');
  });

  it('passes progress on, and ends a call that is cancelled', async () => {
    place.hook('tools.ts', hookThatNotes(join(place.cwd, 'seen')));
    const client = await start();
    const { id } = client.startCall('wait', {}, { progressToken: 'p' });
    const { params } = await client.notice('notifications/progress');
    assert.deepEqual(params, { progressToken: 'p', progress: 1, message: 'half of it' });
    client.send({ method: 'notifications/cancelled', params: { requestId: id } });
    await until(() => seen().includes('aborted'), 'the tool to be aborted');
    assert.equal((await client.call('deploy', { version: '1' })).isError, false);
  });

  it('a client that dies ends the server and its calls, and nothing else', async () => {
    place.hook('tools.ts', hookThatNotes(join(place.cwd, 'seen')));
    const bystander = spawn('sleep', ['1000'], { stdio: 'ignore' });
    // The client: it is killed, and its end of the pipes with it.
    const script =
      'const { spawn } = require("node:child_process"); const [node, ...args] = process.argv.slice(1);' +
      'const server = spawn(node, args, { stdio: ["pipe", "pipe", "inherit"] }); process.stdin.pipe(server.stdin);' +
      'server.stdout.pipe(process.stdout); process.stderr.write("pid " + server.pid + "\\n");';
    const holder = spawn(process.execPath, ['-e', script, process.execPath, place.cliPath, 'mcp', 'serve'], {
      cwd: place.cwd,
      env: place.env,
    });
    const client = new McpClient(holder);
    await client.initialize();
    client.startCall('wait');
    await until(() => seen().includes('waits'), 'the tool to begin');
    const pid = Number(/pid (\d+)/.exec(client.stderr)?.[1]);
    holder.kill('SIGKILL');
    await until(() => seen().includes('aborted'), 'the tool to be aborted');
    await until(async () => !(await place.processes()).includes(pid), 'the server to end');
    assert.equal(bystander.exitCode, null);
    assert.equal(bystander.signalCode, null);
    bystander.kill();
    await once(bystander, 'exit');
  });

  it('a saved hook changes the list, and the client is told', async () => {
    place.hook('tools.ts', toolHook('first'));
    const client = await start();
    assert.deepEqual(await client.names(), ['first']);
    place.hook('more.ts', toolHook('second'));
    await client.notice('notifications/tools/list_changed');
    assert.deepEqual([...(await client.names())].sort(), ['first', 'second']);
    assert.equal((await client.call('second')).text, 'second');
  });

  for (const [what, changed] of [
    ['lets all calls pass', toolHook('slow', 'new code')],
    ['is no code', 'export default function ('],
  ] as const) {
    it(`a hook that changes while its tool runs, and then ${what}, is held: the earlier version counts`, async () => {
      const hook = place.hook('tools.ts', slowHook(join(place.cwd, 'seen'), join(place.cwd, 'go')));
      const client = await start();
      const { answer } = client.startCall('slow', { version: '12' });
      await until(() => seen().includes('waits'), 'the tool to begin');
      writeFileSync(hook, changed);
      assert.match((await client.call('slow', { version: '13' })).text, /Not on a Friday\./);
      place.file('work/go', '');
      const first = outcomeOf(await answer);
      assert.deepEqual([first.text, first.isError], ['old code', false]);
      assert.match((await client.call('slow', { version: '13' })).text, /Not on a Friday\./);
      assert.deepEqual(seen(), ['waits', 'goes on']);
      assert.match((await place.run(['hooks', 'diff'])).stdout, /A tool changed this hook/);
    });
  }

  it('hooks of a folder that is not trusted do not run, and the server says why', async () => {
    place.hook('tools.ts', hookThatNotes(join(place.cwd, 'seen')));
    place.leaveUndecided();
    const client = new McpClient(place.start(['mcp', 'serve']));
    const { instructions } = await client.initialize();
    assert.match(String(instructions), /not trusted.*hookline trust/);
    assert.deepEqual(await client.names(), []);
    const { params } = await client.notice('notifications/message');
    assert.match(String(params?.['data']), /not trusted/);
    assert.ok((await client.call('deploy', { version: '1' })).isError);
    assert.deepEqual(seen(), []);
    await place.run(['trust']);
    await client.notice('notifications/tools/list_changed');
    assert.ok((await client.names()).includes('deploy'));
  });

  it('names that clients do not take become valid and stay different', async () => {
    const long = 'a'.repeat(60);
    const names = ['rollout-now', 'rollout_now', 'sign-off', long, `${long}b`];
    for (const [index, name] of names.entries()) place.hook(`${index}.ts`, toolHook(name, `I am ${name}`));
    place.hook(
      'many.ts',
      `
import { Type } from '@sinclair/typebox';
export default function (pi) {
  for (let i = 0; i < 300; i += 1) {
    pi.registerTool({ name: 'tool' + i, label: 'x', description: '', parameters: Type.Object({}),
      async execute() { return { content: [{ type: 'text' as const, text: 'I am tool' + i }], details: {} }; } });
  }
  pi.registerTool({ name: 'hidden', label: 'x', description: '', exposure: 'hidden', parameters: Type.Object({}),
    async execute() { return { content: [], details: {} }; } });
}`,
    );
    const client = await start();
    const offered = await client.names();
    assert.equal(offered.length, 305);
    assert.equal(new Set(offered.map(name => name.replaceAll('-', '_'))).size, 305);
    for (const name of offered) assert.match(name, /^[A-Za-z0-9_-]{1,49}$/);
    const texts = await Promise.all(offered.map(async name => (await client.call(name)).text));
    assert.deepEqual(
      [...texts].sort(),
      [...names, ...Array.from({ length: 300 }, (_, index) => `tool${index}`)].map(name => `I am ${name}`).sort(),
    );
    assert.ok((await client.call('hidden')).isError);
  });

  it('without a host, the list and calls are errors, and it works again when one can be started', async () => {
    place.hook('tools.ts', hookThatNotes(join(place.cwd, 'seen')));
    const state = place.file('state/hookline', 'no folder');
    const env = { XDG_STATE_HOME: join(place.root, 'state') };
    const client = new McpClient(place.start(['mcp', 'serve'], { env }));
    await client.initialize();
    await assert.rejects(client.tools(), /cannot list the tools/);
    const { text, isError } = await client.call('deploy', { version: '1' });
    assert.match(text, /did not run this/);
    assert.ok(isError);
    assert.deepEqual(seen(), []);
    writeFileSync(state, '');
  });

  it('a host that ends fails the calls that run, and the next call starts another one', async () => {
    place.hook('tools.ts', hookThatNotes(join(place.cwd, 'seen')));
    const client = await start();
    const { answer } = client.startCall('wait');
    await until(() => seen().includes('waits'), 'the tool to begin');
    const [, pid] = /process (\d+)/.exec((await place.run(['guard', 'status'])).stdout) ?? [];
    process.kill(Number(pid), 'SIGKILL');
    const { text, isError } = outcomeOf(await answer);
    assert.ok(isError);
    assert.match(text, /host of the guard ended/);
    assert.equal((await client.call('deploy', { version: '2' })).text, 'deployed 2 (reviewed)');
  });

  it('takes another folder, and refuses what is none', async () => {
    place.hook('tools.ts', toolHook('first'));
    const client = new McpClient(place.start(['mcp', 'serve', '--cwd', place.cwd], { cwd: place.root }));
    await client.initialize();
    assert.deepEqual(await client.names(), ['first']);
    const { code, stderr } = await place.run(['mcp', 'serve', '--cwd', 'missing']);
    assert.equal(code, 1);
    assert.match(stderr, /--cwd needs a folder/);
    client.child.stdin.end();
    assert.equal((await ended(client.child)).code, 0);
  });
});
