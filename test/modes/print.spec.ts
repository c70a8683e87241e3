import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ended, tooOldNode, until } from './support/cli';
import { eachWithUnknownModel } from './support/each-with-model';
import { rounds } from '../support/long-run';
import { itOnLinux } from '../support/platform';
import { isSaid } from '../support/said';
import { scripted } from '../support/scripted-mcp';

describe('print mode', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithUnknownModel();

  /** Texts of the user in the nth request that reached the model. */
  const asked = (request = 0): string => JSON.stringify(llm.requests[request]?.body['messages'] ?? '');
  const result = (request: number): string => {
    const messages = llm.requests[request]?.body['messages'] as { role: string; content: { content?: unknown }[] }[];
    return JSON.stringify(messages.at(-1)?.content[0]?.content);
  };

  it('prints the last answer of the demo and nothing else', async () => {
    place.hook('chatty.ts', "export default (pi) => { console.log('loaded'); pi.on('tool_call', () => {}); };\n");
    place.file('work/notes.txt', 'three little words\n');
    const { code, stdout, stderr } = await place.run(['-p', 'read notes.txt']);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: 'loaded\n' });
    assert.match(stdout, /^read returned .*three little words/s);
    assert.ok(!stdout.includes('loaded'));
  });

  it('prints the answer although the session cannot be saved, and says so', async () => {
    place.useLlm(llm);
    llm.reply({ text: 'the answer' });
    place.file('agent/sessions', 'a file where the folder should be');
    const { code, stdout, stderr } = await place.run(['-p', 'go']);
    assert.deepEqual([code, stdout], [1, 'the answer\n']);
    assert.match(stderr, /^Error: The session could not be written: .*\n$/, 'said once');
  });

  it('prints in JSON what a hook adds at the start, behind the header', async () => {
    place.useLlm(llm);
    llm.reply({ text: 'done' });
    place.hook('begins.ts', "export default pi => pi.on('session_start', () => pi.appendEntry('begun', 1));\n");
    const { stdout } = await place.run(['--mode', 'json', 'go']);
    const types = stdout
      .trim()
      .split('\n', 3)
      .map(line => (JSON.parse(line) as { type: string }).type);
    assert.deepEqual(types, ['session', 'entry_appended', 'agent_start']);
  });

  it('starts the MCP servers, and none with --no-mcp', async () => {
    place.useLlm(llm);
    const started = join(place.root, 'started');
    place.file('agent/mcp.json', JSON.stringify({ mcpServers: { notes: scripted({ tools: ['a'], child: started }) } }));
    llm.otherwise(() => ({ text: 'done' }));
    const without = await place.run(['--no-mcp', '-p', 'go']);
    assert.deepEqual([without.code, without.stdout], [0, 'done\n']);
    assert.ok(!existsSync(started));
    assert.equal((await place.run(['-p', 'go'])).code, 0);
    assert.ok(existsSync(started));
    const declared = llm.requests.map(({ body }) => JSON.stringify(body['tools']).includes('"mcp__notes__a"'));
    assert.deepEqual(declared, [false, true]);
  });

  it('says on a Node that is too old which one it needs', async () => {
    const lacks = "import zlib from 'node:zlib';\nzlib.crc32 = undefined;\n"; // As Node 18.
    place.file('older.mjs', `${lacks}Object.defineProperty(process.versions, 'node', { value: '22.18.9' });\n`);
    const { code, stdout, stderr } = await place.run(['-p', 'hello'], {
      env: { NODE_OPTIONS: `--import=${pathToFileURL(join(place.root, 'older.mjs')).href}` },
    });
    const said = 'hookline needs Node 22.19 or newer; this is 22.18.9.\n';
    assert.deepEqual({ code, stdout, stderr }, { code: 1, stdout: '', stderr: said });
  });

  it('shows hooks no exit code before the end', async () => {
    place.hook('code.ts', "export default (pi) => console.log('exit code', process.exitCode);\n");
    const { code, stderr } = await place.run(['-p', 'hello']);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: 'exit code undefined\n' });
  });

  it('fails when it ends before its work is done', async () => {
    place.file('silent.cjs', 'process.stderr.write = () => true; // Never says that it has written.\n');
    const { code, stdout } = await place.run(['--help'], {
      env: { NODE_OPTIONS: `--import=${pathToFileURL(join(place.root, 'silent.cjs')).href}` },
    });
    assert.equal(code, 1);
    assert.match(stdout, /^hookline: /);
  });

  it('says so on a Node that lacks what newer ones have', async function () {
    const node = tooOldNode();
    if (node === undefined) return this.skip();
    const { code, stderr } = await place.run(['-p', 'hello'], { node });
    assert.equal(code, 1);
    assert.match(stderr, /^hookline needs Node 22\.19 or newer; this is 20\.\S+\.\n$/);
  });

  it('answers several prompts in turn and prints the last answer', async () => {
    place.useLlm(llm);
    llm.reply({ text: 'one' }, { text: ['two', ' words'] });
    const { code, stdout } = await place.run(['-p', 'first', 'second', '--no-session']);
    assert.deepEqual({ code, stdout }, { code: 0, stdout: 'two words\n' });
    assert.match(asked(1), /first.*one.*second/);
    assert.deepEqual(place.sessionFiles(), []);
  });

  it('sends all prompts, also when a hook asks for the end', async () => {
    place.useLlm(llm);
    llm.reply({ text: 'first' }, { text: 'second' });
    const end = 'handler: (args, ctx) => new Promise(done => { ctx.shutdown(); setImmediate(done); })';
    const hook = `export default pi => {
      pi.registerCommand('end', { ${end} });
      pi.on('agent_end', (event, ctx) => ctx.shutdown());
    };\n`;
    place.file('work/.pi/extensions/end.ts', hook);
    const { code, stdout, stderr } = await place.run(['-p', '/end', 'one', 'two']);
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: 'second\n', stderr: '' });
  });

  it('puts what is piped in and the files that are named in front of the first prompt, as pi', async () => {
    place.useLlm(llm);
    llm.reply({ text: 'ok' });
    place.file('work/my notes.md', 'content of the notes');
    const { code } = await place.run(['-p', '@my notes.md', 'sum up'], { stdin: 'piped text\n' });
    assert.equal(code, 0);
    assert.match(asked(), /"piped text<file name=.*<\/file>\\nsum up"/);
    assert.match(asked(), /content of the notes/);
  });

  it('takes model, system prompt and tools from the command line', async () => {
    place.useLlm(llm);
    llm.reply({ text: 'ok' });
    const file = place.file('work/system.md', 'You are a clock.');
    const args = ['--model', 'two', '--system-prompt', file, '--append-system-prompt', 'Be quick.', '-t', 'read,ls'];
    assert.equal((await place.run(['-p', 'x', ...args])).code, 0);
    const { model, system, tools } = llm.requests[0]?.body ?? {};
    assert.equal(model, 'two');
    assert.match(JSON.stringify(system), /You are a clock\.\\n\\n<addendum>\\nBe quick\./);
    assert.deepEqual((tools as { name: string }[]).map(tool => tool.name).sort(), ['ls', 'read']);
    assert.deepEqual(
      place
        .entries()
        .filter(({ type }) => type === 'model_change')
        .map(entry => entry['modelId']),
      ['two'],
    );
  });

  it('exits with 1 and the reason on stderr when the run failed', async () => {
    place.useLlm(llm, { retry: { enabled: false } });
    llm.fail(401, { message: 'this key is revoked' });
    const { code, stdout, stderr } = await place.run(['-p', 'x']);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.match(stderr, /^Error: .*this key is revoked/s);
  });

  it('exits with 1 when the answer was cut, printing what there is', async () => {
    place.useLlm(llm);
    llm.reply({ text: 'half an ans', stopReason: 'length' });
    const { code, stdout, stderr } = await place.run(['-p', 'x']);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: 'half an ans\n' });
    assert.match(stderr, /^Error: the answer is incomplete/m);
  });

  it('sends whole files, pictures as such, and no empty ones; what is no file is an error', async () => {
    place.useLlm(llm, {}, [{ id: 'one', input: ['text', 'image'] }]);
    llm.reply({ text: 'ok' });
    const long = place.file('work/long.txt', '\uFEFFline\n'.repeat(3000));
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const picture = place.file('work/dot.bin', '');
    writeFileSync(picture, Buffer.from(pixel, 'base64'));
    place.file('work/empty.txt', '');
    const wide = place.file('work/wide.txt', '');
    writeFileSync(wide, Buffer.from('\uFEFFweit ü', 'utf16le'));
    assert.equal((await place.run(['-p', '@long.txt', '@dot.bin', '@empty.txt', '@wide.txt', 'sum up'])).code, 0);
    const [{ content = [] } = {}] = (llm.requests[0]?.body['messages'] ?? []) as { content?: unknown[] }[];
    const block = `<file name="${long}">\n${'\uFEFFline\n'.repeat(3000).slice(1)}\n</file>\n`;
    const [text, image] = content as { text?: string; source?: { data: string } }[];
    assert.equal(text?.text, `${block}<file name="${picture}"></file>\n<file name="${wide}">\nweit ü\n</file>\nsum up`);
    assert.equal(image?.source?.data, pixel);
    const folder = await place.run(['-p', '@.', 'x']);
    assert.equal(folder.code, 1);
    assert.match(folder.stderr, /^hookline: @\. cannot be read: /);
  });

  it('exits with 1 and ends its work when nobody reads the answer any more', async () => {
    place.useLlm(llm);
    place.hook('bye.ts', "export default pi => { pi.on('session_shutdown', () => console.error('bye')); };\n");
    llm.reply({ toolCalls: [{ name: 'bash', arguments: { command: 'sleep 60' } }] });
    const child = place.start(['--mode', 'json', 'x']);
    child.stdin.end();
    child.stdout.once('data', () => child.stdout.destroy());
    const { code, stderr } = await ended(child);
    assert.equal(code, 1, stderr);
    assert.match(stderr, /^bye$/m);
  });

  itOnLinux('exits with 1 when the answer could not be written, as to a full disk, and says so', async () => {
    place.useLlm(llm);
    llm.reply({ text: 'the answer' }, { text: 'the answer' });
    const node = place.file('node-on-full-disk', `#!/bin/sh\nexec "${process.execPath}" "$@" > /dev/full\n`);
    chmodSync(node, 0o700);
    for (const mode of ['text', 'json']) {
      const { code, stderr } = await place.run(['--mode', mode, 'x'], { node });
      assert.equal(code, 1, mode);
      assert.match(stderr, /^hookline: the output could not be written: ENOSPC/m);
    }
  });

  it('exits with 1 when no key is known for the model, naming the provider', async () => {
    const { code, stdout, stderr } = await place.run(['-p', 'x', '--provider', 'openai']);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    assert.match(stderr, /No API key is known for OpenAI, the provider of /);
    assert.match(stderr, /pass --api-key, set OPENAI_API_KEY in the environment or add "openai" to auth\.json/);
    assert.doesNotMatch(stderr, /Hookline: /, 'commands of VS Code mean nothing here');
  });

  it('uses a key given for this run only', async () => {
    place.useLlm(llm);
    llm.reply({ text: 'ok' });
    assert.equal((await place.run(['-p', 'x', '--api-key', 'mine'])).code, 0);
    assert.equal(llm.requests[0]?.headers['x-api-key'], 'mine');
  });

  const wrong: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['a flag that nobody knows', ['-p', 'x', '--frobnicate'], /^hookline: Unknown option: --frobnicate\n/],
    ['a model that does not exist', ['-p', 'x', '--model', 'zzz'], /--model: no model matches "zzz"; /],
    ['a hook that does not exist', ['-p', 'x', '--hook', 'no.ts'], /--hook names a path that does not exist: no\.ts/],
    ['a file that does not exist', ['-p', '@no.md'], /@no\.md names a file that does not exist/],
    [
      'a session that does not exist',
      ['-p', 'x', '--session', 'abc'],
      /--session: no session has an id that begins with "abc"/,
    ],
  ];
  for (const [what, args, message] of wrong) {
    it(`exits with 1 for ${what}, naming it`, async () => {
      const { code, stdout, stderr } = await place.run(args);
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' }, stderr);
      assert.match(stderr, message);
    });
  }

  it('tells of a tool that does not exist and of no prompt at all, and exits with 0, as pi', async () => {
    place.useLlm(llm);
    llm.reply({ text: 'ok' });
    const tool = await place.run(['-p', 'x', '--tools', 'read,fly']);
    assert.deepEqual({ code: tool.code, stdout: tool.stdout }, { code: 0, stdout: 'ok\n' });
    assert.match(tool.stderr, /^Warning: there is no tool "fly"\.$/m);
    const nothing = await place.run(['-p']);
    assert.deepEqual({ code: nothing.code, stdout: nothing.stdout }, { code: 0, stdout: '' });
    assert.match(nothing.stderr, /^hookline: there is no prompt.* Try "hookline --help"\.$/m);
    assert.equal(llm.requests.length, 1);
  });

  it('names file and line of a setting that cannot count', async () => {
    place.useLlm(llm);
    llm.reply({ text: 'ok' });
    place.file('work/.pi/settings.json', '{\n  "theme": "dark",\n  "defaultTools": 7\n}\n');
    const { stdout, stderr } = await place.run(['-p', 'hi']);
    assert.equal(stdout, 'ok\n');
    assert.match(stderr, /^Warning: .*defaultTools.* \(.*settings\.json:3\)$/m);
  });

  it('prints the version without loading anything, and the help with the flags of hooks that load', async () => {
    place.hook('broken.ts', 'this is no code');
    place.hook(
      'flags.ts',
      `export default pi => {
        pi.registerFlag('plan', { type: 'boolean', description: 'Only plans' });
        pi.registerFlag('depth', { type: 'string', description: 'How deep to look' });
      };\n`,
    );
    const help = await place.run(['--help']);
    assert.equal(help.code, 0);
    assert.match(help.stderr, /^Hook ".*broken\.ts" was not loaded: .*\n$/);
    assert.match(help.stdout, /--mode rpc/);
    assert.match(help.stdout, /hookline hooks <command>/);
    assert.match(help.stdout, /\nFlags of hooks:\n {2}--plan +Only plans\n {2}--depth <value> +How deep to look\n/);
    const lost = await place.run(['--help', '--session-dir', 'x', '--hook', 'missing.ts']);
    assert.deepEqual([lost.code, lost.stdout.includes('--mode rpc')], [0, true]);
    assert.match(lost.stderr, /missing\.ts/);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    assert.equal((await place.run(['-v'])).stdout, `${version}\n`);
  });

  describe('with --mode json', () => {
    it('writes the session and every event, one per line', async () => {
      place.useLlm(llm);
      place.hook(
        'chatty.ts',
        "export default pi => { pi.on('turn_start', () => console.log('a line of a hook')); };\n",
      );
      llm.reply({ toolCalls: [{ name: 'bash', arguments: { command: 'echo hi' } }] }, { text: 'done' });
      const { code, stdout, stderr } = await place.run(['--mode', 'json', 'x']);
      assert.equal(code, 0);
      assert.match(stderr, /^(a line of a hook\n)+$/);
      const events = stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line) as { type: string; id?: string });
      assert.equal(events[0]?.type, 'session');
      const types = events.map(({ type }) => type).filter(type => !type.endsWith('_update'));
      assert.deepEqual(types, [
        ...['session', 'agent_start', 'turn_start', 'message_start', 'message_end'],
        ...['message_start', 'message_end', 'message_start', 'message_end'],
        ...['tool_execution_start', 'tool_execution_end', 'message_start', 'message_end', 'turn_end'],
        ...['turn_start', 'message_start', 'message_end', 'turn_end', 'agent_end'],
        'agent_settled',
      ]);
      assert.deepEqual(Object.keys(events.find(({ type }) => type === 'tool_execution_end') ?? {}).sort(), [
        ...['durationMs', 'isError', 'result', 'toolCallId', 'toolName', 'type'],
      ]);
      assert.ok((place.sessionFiles()[0] ?? '').includes(events[0].id ?? 'none'));
    });

    it('tells of retries, of hooks that fail, and exits with 0 although the run did, as pi: the events tell it', async () => {
      place.useLlm(llm, { retry: { maxRetries: 1, baseDelayMs: 5 } });
      const hook = place.hook(
        'bad.ts',
        "export default pi => {\n  pi.on('turn_end', () => { throw new Error('oh'); });\n};\n",
      );
      for (let i = 0; i < 4; i += 1) llm.fail(500);
      const { code, stdout } = await place.run(['--mode', 'json', '--rpc-version', '0.73', 'x']);
      assert.equal(code, 0);
      const events = stdout
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line) as Record<string, unknown>);
      assert.deepEqual(
        events.filter(({ type }) => String(type).startsWith('auto_retry')).map(({ type, success }) => [type, success]),
        [
          ['auto_retry_start', undefined],
          ['auto_retry_end', false],
        ],
      );
      const error = events.find(({ type }) => type === 'extension_error');
      assert.deepEqual(
        { path: error?.['extensionPath'], event: error?.['event'], error: error?.['error'], line: error?.['line'] },
        { path: hook, event: 'turn_end', error: 'oh', line: 2 },
      );
      const today = await place.run(['--mode', 'json', 'x']);
      assert.doesNotMatch(today.stdout, /extension_error/);
      assert.match(today.stderr, /Error: .*oh.*bad\.ts/);
    });
  });

  describe('with hooks', () => {
    const call = (command: string): void => {
      llm.reply({ toolCalls: [{ name: 'bash', arguments: { command } }] }, { text: 'done' });
    };

    it('lets hooks of each dialect block a tool and change its result', async () => {
      place.useLlm(llm);
      place.hook(
        'v1-gate.ts',
        `import type { HookAPI } from '@mariozechner/pi-coding-agent/hooks';
         export default (pi: HookAPI) => {
           pi.on('session', async () => {});
           pi.on('tool_call', async (event, ctx) => {
             if (!String(event.input.command).includes('v1')) return;
             const choice = await ctx.ui.select('Run it?', ['Yes', 'No']);
             return { block: true, reason: \`v1: \${choice === null} \${ctx.hasUI}\` };
           });
         };\n`,
      );
      place.hook(
        'tree-gate.ts',
        `import type { HookAPI } from '@mariozechner/pi-coding-agent';
         export default (pi: HookAPI) => {
           pi.registerCommand('stats', { handler: async () => {} });
           pi.on('tool_call', async (event, ctx) =>
             event.input.command.includes('tree') && !(await ctx.ui.confirm('Run it?', 'really?'))
               ? { block: true, reason: 'tree: not confirmed' } : undefined);
         };\n`,
      );
      place.hook(
        'omp-gate.ts',
        `import type { HookAPI } from '@oh-my-pi/pi-coding-agent/hooks';
         export default (pi: HookAPI) => {
           pi.on('tool_call', (event) => event.input.command.includes('omp') ? { block: true, reason: 'omp: no' } : undefined);
         };\n`,
      );
      place.file(
        'work/.pi/extensions/change.ts',
        `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
         export default (pi: ExtensionAPI) => {
           pi.on('tool_result', (event) => ({ content: [{ type: 'text', text: 'changed by ext: ' + event.content[0].text }] }));
         };\n`,
      );
      const expected = [
        ['echo v1', /v1: true false/],
        ['echo tree', /tree: not confirmed/],
        ['echo omp', /omp: no/],
        ['echo free', /changed by ext: free/],
      ] as const;
      for (const [command] of expected) call(command);
      const { code, stderr } = await place.run(['-p', ...expected.map(([command]) => command)]);
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
      expected.forEach(([, pattern], index) => assert.match(result(index * 2 + 1), pattern));
    });

    it('refuses pi.send() with a warning, and delivers messages of later dialects', async () => {
      place.useLlm(llm);
      place.hook('send.ts', "export default pi => { pi.on('session', () => { pi.send('from v1'); }); };\n");
      place.file(
        'work/.pi/extensions/message.ts',
        `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
         export default (pi: ExtensionAPI) => {
           let told = false;
           pi.on('agent_end', () => {
             if (told) return;
             told = true;
             pi.sendMessage({ customType: 'more', content: 'from ext', display: true }, { triggerTurn: true });
           });
         };\n`,
      );
      llm.reply({ text: 'one' }, { text: 'two' });
      const { code, stdout, stderr } = await place.run(['-p', 'x']);
      assert.deepEqual({ code, stdout }, { code: 0, stdout: 'two\n' });
      assert.equal(stderr, 'Warning: pi.send() is not supported in print mode\n');
      assert.match(asked(1), /from ext/);
      assert.ok(!asked(1).includes('from v1'));
    });

    it('runs commands of hooks without a model, and gives hooks their flags', async () => {
      place.useLlm(llm);
      place.hook(
        'flags.ts',
        `import { writeFileSync } from 'node:fs';
         export default pi => {
           pi.registerFlag('plan', { type: 'boolean', description: 'plan only' });
           pi.registerFlag('note', { type: 'string', default: 'nothing' });
           pi.registerFlag('color', { type: 'string', default: 'blue' });
           pi.registerCommand('flags', { handler: async args =>
             writeFileSync('flags.json', JSON.stringify([args, pi.getFlag('plan'), pi.getFlag('note'), pi.getFlag('color')])) });
         };\n`,
      );
      const { code, stdout, stderr } = await place.run(['--plan', '--note', 'two words', '-p', '/flags a  b']);
      assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '', stderr: '' });
      assert.deepEqual(JSON.parse(readFileSync(`${place.cwd}/flags.json`, 'utf8')), [
        'a  b',
        true,
        'two words',
        'blue',
      ]);
      assert.equal(llm.requests.length, 0);
    });

    it('begins sessions for commands of hooks, in memory as well, with the parent they name', async () => {
      place.useLlm(llm);
      place.hook(
        'fresh.ts',
        `import { writeFileSync } from 'node:fs';
         export default pi => {
           pi.registerCommand('fresh', { handler: async (args, ctx) => {
             await ctx.newSession({ parentSession: 'elsewhere.jsonl' });
             writeFileSync('header.json', JSON.stringify(ctx.sessionManager.getHeader()));
           } });
         };\n`,
      );
      for (const more of [['--no-session'], []]) {
        const { code, stderr } = await place.run(['-p', '/fresh', ...more]);
        assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
        const header = JSON.parse(readFileSync(`${place.cwd}/header.json`, 'utf8')) as Record<string, unknown>;
        assert.equal(header['parentSession'], 'elsewhere.jsonl');
      }
    });

    it('loads hooks named by hand, also when no others shall be', async () => {
      place.useLlm(llm);
      place.hook(
        'found.ts',
        "export default pi => { pi.on('tool_call', () => ({ block: true, reason: 'found' })); };\n",
      );
      place.file(
        'elsewhere/named.ts',
        "export default pi => { pi.on('tool_call', () => ({ block: true, reason: 'named' })); };\n",
      );
      call('echo 1');
      call('echo 2');
      assert.equal((await place.run(['-p', 'x', '--no-hooks', '--hook', '../elsewhere/named.ts'])).code, 0);
      assert.match(result(1), /named/);
      assert.equal((await place.run(['-p', 'x', '--no-hooks'])).code, 0);
      assert.doesNotMatch(result(3), /named|found/);
    });

    it('does not start without a hook that was named and is broken', async () => {
      const file = place.file('work/gate.ts', 'export default pi => {\n  pi.on(;\n};\n');
      const { code, stdout, stderr } = await place.run(['-p', 'x', '--hook', 'gate.ts']);
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
      assert.match(stderr, /Hook ".*gate\.ts" was not loaded: /);
      assert.ok(stderr.includes(`${file}:2`), stderr);
    });

    it('blocks tools while a guard that was found does not load', async () => {
      place.useLlm(llm);
      place.hook(
        'gate.ts',
        "export default pi => {\n  pi.on('tool_call', () => {});\n  throw new Error('no luck');\n};\n",
      );
      call('touch ran');
      const { code, stderr } = await place.run(['-p', 'x']);
      assert.equal(code, 0);
      assert.match(stderr, /gate\.ts" was not loaded: .*no luck/);
      assert.match(result(1), /Blocked: .*gate\.ts/);
      assert.ok(!existsSync(`${place.cwd}/ran`));
    });
  });

  describe('and sessions', () => {
    it('continues the latest, one by its id, one by its file', async () => {
      place.useLlm(llm);
      llm.otherwise(() => ({ text: 'ok' }));
      await place.run(['-p', 'the first']);
      await place.run(['-p', 'the second', '--continue']);
      const [file = ''] = place.sessionFiles();
      const id = /_([^_]+)\.jsonl$/.exec(file)?.[1] ?? '';
      await place.run(['-p', 'the third', '--session', id.slice(0, 13)]);
      await place.run(['-p', 'the fourth', '--session', file]);
      assert.deepEqual(place.sessionFiles(), [file]);
      assert.match(asked(3), /the first.*the second.*the third.*the fourth/);
      const own = place.file('work/kept.jsonl', '');
      await place.run(['-p', 'alone', '--session', 'kept.jsonl']);
      assert.match(readFileSync(own, 'utf8'), /"type":"session".*\n.*alone/s);
    });

    it('does not write to a session that somebody else writes to', async () => {
      place.useLlm(llm);
      llm.reply({ text: 'ok' });
      await place.run(['-p', 'the first']);
      const hold = llm.hold({ text: 'late' });
      const first = place.start(['-p', 'slow', '--continue']);
      first.stdin.end();
      const firstEnd = ended(first);
      await hold.reached;
      const second = await place.run(['-p', 'too', '--continue']);
      assert.equal(second.code, 1);
      assert.match(second.stderr, /This session can only be read/);
      const other = await place.run(['-p', 'too', '--continue', '--model', 'two', '--name', 'mine']);
      assert.deepEqual([other.code, other.stdout], [1, '']);
      assert.match(other.stderr, /^hookline: .* is read-only: Another window or program has this session open\.\n$/);
      hold.release();
      assert.equal((await firstEnd).stdout, 'late\n');
      assert.ok(!JSON.stringify(place.entries()).includes('"too"'));
    });

    it('lasts many turns with a tool call each', async () => {
      const turns = rounds(40, 200);
      place.useLlm(llm);
      let turn = 0;
      llm.otherwise(() => {
        turn += 1;
        return turn > turns
          ? { text: 'all done' }
          : { toolCalls: [{ name: 'bash', arguments: { command: `echo turn ${turn}` } }] };
      });
      const { code, stdout } = await place.run(['-p', 'go']);
      assert.deepEqual({ code, stdout }, { code: 0, stdout: 'all done\n' });
      const messages = place.entries().filter(entry => isSaid(entry as { type: string }));
      const roles = messages.map(entry => (entry['message'] as { role: string }).role);
      assert.deepEqual(roles, [
        'user',
        ...Array.from({ length: turns }, () => ['assistant', 'toolResult']).flat(),
        'assistant',
      ]);
      assert.match(JSON.stringify(messages[turns * 2]), new RegExp(`turn ${turns}\\b`));
      messages.forEach((entry, index) => {
        if (index > 0) assert.equal(entry['parentId'], messages[index - 1]?.['id']);
      });
    });
  });

  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    it(`ends at ${signal} with everything it started, having told its hooks once`, async function () {
      if (process.platform === 'win32') return this.skip();
      place.useLlm(llm);
      place.hook(
        'life.ts',
        `import { spawn } from 'node:child_process';
         import { appendFileSync } from 'node:fs';
         export default pi => {
           spawn('sleep', ['1000']);
           pi.on('session', event => appendFileSync('life.txt', event.reason + ' '));
         };\n`,
      );
      llm.reply({
        text: 'Here it goes.',
        toolCalls: [{ name: 'bash', arguments: { command: 'touch began; sleep 1000 & sleep 1000' } }],
      });
      const child = place.start(['-p', 'x']);
      child.stdin.end();
      const end = ended(child);
      await until(() => existsSync(`${place.cwd}/began`), 'the command to begin');
      child.kill(signal);
      assert.equal((await end).code, code);
      await until(async () => (await place.processes()).length === 0, 'all processes to end');
      assert.equal(readFileSync(`${place.cwd}/life.txt`, 'utf8'), 'start shutdown ');
      const roles = place
        .entries()
        .filter(entry => isSaid(entry as { type: string }))
        .map(entry => (entry['message'] as { role: string }).role);
      assert.deepEqual(roles, ['user', 'assistant', 'toolResult', 'assistant']);
    });
  }

  it('ends quietly when nobody reads its answer any more', async () => {
    place.useLlm(llm);
    const hold = llm.hold({ text: 'nobody reads this' });
    const child = place.start(['-p', 'x']);
    child.stdin.end();
    const end = ended(child);
    await hold.reached;
    child.stdout.destroy();
    hold.release();
    const { code, stderr } = await end;
    assert.deepEqual({ code, stderr }, { code: 1, stderr: '' });
  });
});
