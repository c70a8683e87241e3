import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { until } from './support/cli';
import { eachWithModel } from './support/each-with-model';
import { RpcHost, type Message } from './support/rpc';

const COMMANDS = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
export default (pi: ExtensionAPI) => {
  pi.registerCommand('ask', { description: 'asks', handler: async (args, ctx) => {
    const answer = await ctx.ui.select('Which?', ['a', 'b']);
    pi.appendEntry('chosen', { answer });
    pi.sendMessage({ customType: 'told', content: 'chose ' + answer, display: true });
  } });
  pi.registerCommand('fail', { handler: () => { throw new Error('on purpose'); } });
  pi.on('input', event => event.text === 'mine' ? { action: 'handled' } : undefined);
};
`;

describe('RPC mode', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();

  const roles = (messages: readonly { role: string }[]): readonly string[] => messages.map(({ role }) => role);
  const disposition = async (host: RpcHost, type: string, members: object): Promise<unknown> =>
    (await host.data<{ disposition: unknown }>(type, members)).disposition;

  it('loads the code of `fetch` only for a request', async () => {
    const isLoaded = "Symbol.for('undici.globalDispatcher.1') in globalThis"; // What that code defines.
    const tell = place.file('tell.cjs', `process.on('exit', () => process.stderr.write(String(${isLoaded})));\n`);
    const env = { NODE_OPTIONS: `--import=${pathToFileURL(tell).href}` };
    const idle = RpcHost.start(place, [], { env });
    await idle.data('get_state');
    assert.equal((await idle.close()).stderr, 'false');
    llm.reply({ text: 'done' });
    const asking = RpcHost.start(place, [], { env });
    await asking.prompt('go');
    assert.equal((await asking.close()).stderr, 'true');
  });

  it('begins with and goes through the models of a scope, as settings or --models say', async () => {
    place.useLlm(llm, { enabledModels: ['three', 'two:low', 'no such'] }, [
      { id: 'one' },
      { id: 'two' },
      { id: 'three' },
    ]);
    const cycled = async (host: RpcHost): Promise<unknown> => {
      const next = await host.data<{ model: { id: string }; thinkingLevel: string; isScoped: boolean } | null>(
        'cycle_model',
      );
      return next === null ? null : [next.model.id, next.thinkingLevel, next.isScoped];
    };
    const host = RpcHost.start(place, ['--thinking', 'high']);
    const { model } = await host.data<{ model: { id: string } }>('get_state');
    assert.equal(model.id, 'three', 'the default model is not in the scope');
    assert.deepEqual(await cycled(host), ['two', 'low', true]);
    assert.deepEqual(await cycled(host), ['three', 'low', true]);
    await host.data('new_session');
    const warning = 'Warning: No models match pattern "no such"\n';
    assert.equal((await host.close()).stderr, warning, 'once');
    const own = RpcHost.start(place, ['--models', 'scripted/one:minimal']);
    const begun = await own.data<{ model: { id: string }; thinkingLevel: string }>('get_state');
    assert.deepEqual([begun.model.id, begun.thinkingLevel], ['one', 'minimal']);
    assert.equal(await cycled(own), null, 'there is no other');
    await own.close();
    llm.reply({ text: 'ok' });
    const { stderr } = await place.run(['-p', 'hi', '--no-session', '--models', 'no such,one']);
    assert.equal(stderr, warning);
  });

  it('tells what hooks add at the start of the first session and of each new one', async () => {
    place.file(
      'work/.pi/extensions/begins.ts',
      "export default pi => pi.on('session_start', ({ reason }) => pi.appendEntry('begun', reason));\n",
    );
    const host = RpcHost.start(place);
    const added = async (from: number): Promise<unknown> =>
      ((await host.event('entry_appended', from))['entry'] as { data: unknown }).data;
    assert.equal(await added(0), 'startup');
    const from = host.messages.length;
    await host.data('new_session');
    assert.equal(await added(from), 'new');
    await host.close();
  });

  it('answers what needs a screen as pi does without one', async () => {
    place.file(
      'work/.pi/extensions/screen.ts',
      `export default pi => pi.registerCommand('screen', { handler: async (args, ctx) => {
        const { ui } = ctx;
        const factory = () => ({ invalidate() {}, render: () => [] });
        ui.setEditorComponent(factory);
        for (const name of ['setWorkingMessage', 'setWorkingVisible', 'setWorkingIndicator', 'setHiddenThinkingLabel', 'setToolsExpanded']) ui[name](undefined);
        ui.setFooter(factory); ui.setHeader(factory);
        const unsubscribe = ui.onTerminalInput(() => undefined);
        unsubscribe();
        ui.pasteToEditor('pasted');
        pi.appendEntry('said', [await ui.custom(factory) ?? null, ui.getEditorText(), ui.getEditorComponent() ?? null, ui.getToolsExpanded(),
          ui.getAllThemes(), ui.getTheme('dark') ?? null, ui.setTheme('dark'), ctx.mode, ctx.hasUI]);
      } });`,
    );
    const host = RpcHost.start(place);
    await host.data('prompt', { message: '/screen' });
    const { entry } = (await host.event('entry_appended')) as unknown as { readonly entry: { readonly data: unknown } };
    assert.deepEqual(entry.data, [
      null,
      '',
      null,
      false,
      [],
      null,
      { success: false, error: 'Theme switching not supported in RPC mode' },
      'rpc',
      true,
    ]);
    const requests = host.messages.filter(({ type }) => type === 'extension_ui_request');
    assert.deepEqual(
      requests.map(({ method, text }) => [method, text]),
      [['set_editor_text', 'pasted']],
    );
    await host.close();
  });

  it('tells a run in updates that hold only what is new, and that it is over', async () => {
    const host = RpcHost.start(place);
    llm.reply({ text: ['Let', ' me'], toolCalls: [{ name: 'bash', arguments: { command: 'echo hi' } }] });
    llm.reply({ text: 'done' });
    assert.equal(await disposition(host, 'prompt', { message: 'go' }), 'started');
    const settled = await host.event('agent_settled');
    assert.deepEqual(settled, { type: 'agent_settled', aborted: false });
    const of = (type: string): readonly Message[] => host.messages.filter(message => message.type === type);
    assert.deepEqual(of('turn_start')[0], { type: 'turn_start' });
    assert.deepEqual(Object.keys(of('turn_end')[0] ?? {}), ['type', 'message', 'toolResults']);
    assert.equal(of('agent_end')[0]?.['willRetry'], false);
    const begun = of('message_start').map(message => (message['message'] as { stopReason?: string }).stopReason);
    assert.deepEqual(begun, [undefined, undefined, 'pending', undefined, 'pending']);
    const updates = of('message_update');
    for (const update of updates) {
      assert.deepEqual(Object.keys(update), ['type', 'usage', 'assistantMessageEvent']);
      assert.ok(!('partial' in (update['assistantMessageEvent'] as object)));
    }
    const started = updates
      .map(update => update['assistantMessageEvent'] as Record<string, unknown>)
      .find(({ type }) => type === 'toolcall_start');
    assert.deepEqual([started?.['toolName'], typeof started?.['id']], ['bash', 'string']);
    await host.close();
  });

  it('answers a command of a hook when its handler is through, and one that a handler takes', async () => {
    place.file('work/.pi/extensions/commands.ts', COMMANDS);
    const host = RpcHost.start(place);
    const answering = host.ask('prompt', { message: '/ask' });
    host.answer(await host.ui('select'), { value: 'b' });
    assert.deepEqual((await answering)['data'], { disposition: 'handled' });
    const types = host.types();
    assert.ok(types.indexOf('entry_appended') < types.lastIndexOf('response'), types.join(' '));
    const { entry } = (await host.event('entry_appended')) as unknown as { entry: Record<string, unknown> };
    assert.deepEqual([entry['customType'], entry['data']], ['chosen', { answer: 'b' }]);
    const told = await host.event('message_end');
    assert.equal((told['message'] as { content: unknown }).content, 'chose b');
    assert.equal(await disposition(host, 'prompt', { message: 'mine' }), 'handled');
    assert.equal(await disposition(host, 'steer', { message: 'mine' }), 'handled');
    assert.equal(await disposition(host, 'prompt', { message: '/fail' }), 'handled');
    const { extensionPath, ...error } = await host.event('extension_error');
    assert.equal(extensionPath, 'command:fail');
    assert.deepEqual(error, { type: 'extension_error', event: 'command', error: 'on purpose' });
    await host.close();
  });

  it('ends when a hook asks for it, after the command of the hook has ended and was answered', async () => {
    place.file(
      'work/.pi/extensions/end.ts',
      `import { setImmediate } from 'node:timers/promises';
       export default pi => pi.registerCommand('end', { handler: async (args, ctx) => {
         ctx.shutdown();
         for (let turn = 0; turn < 100; turn += 1) await setImmediate();
         ctx.ui.notify('the end');
       } });\n`,
    );
    const host = RpcHost.start(place);
    assert.equal(await disposition(host, 'prompt', { message: '/end' }), 'handled');
    assert.equal((await host.ended).code, 0);
    assert.equal((await host.ui('notify'))['message'], 'the end');
  });

  for (const streamingBehavior of ['steer', 'followUp'] as const) {
    it(`begins a run for a prompt that came during a compaction (${streamingBehavior})`, async () => {
      place.useLlm(llm, { compaction: { keepRecentTokens: 1 } });
      llm.reply({ text: 'one' }, { text: 'two' });
      const held = llm.hold({ text: 'SUMMARY' });
      llm.otherwise(() => ({ text: 'answered' }));
      const host = RpcHost.start(place);
      await host.prompt('the first');
      await host.prompt('the second');
      const compaction = host.ask('compact');
      await held.reached;
      const from = host.messages.length;
      assert.equal(await disposition(host, 'prompt', { message: 'meanwhile', streamingBehavior }), 'queued');
      held.release();
      assert.equal((await compaction)['success'], true);
      await host.event('agent_settled', from);
      const types = host.types(from).filter(type => /^(?:compaction_end|agent_start|agent_settled)$/.test(type));
      assert.deepEqual(types, ['compaction_end', 'agent_start', 'agent_settled']);
      assert.deepEqual(await host.data('get_last_assistant_text'), { text: 'answered' });
      assert.deepEqual(await host.data('clear_queue'), { steering: [], followUp: [] });
      await host.close();
    });
  }

  it('keeps what waits in the queue over an abort, and gives it back when asked', async () => {
    const host = RpcHost.start(place);
    const hold = llm.hold({ text: ['half', ' of it'] }, 4);
    await host.data('prompt', { message: 'go' });
    await hold.reached;
    assert.equal(await disposition(host, 'prompt', { message: 'first', streamingBehavior: 'steer' }), 'queued');
    assert.equal(await disposition(host, 'follow_up', { message: 'later' }), 'queued');
    await host.data('abort');
    assert.equal((await host.event('agent_settled'))['aborted'], true);
    const pending = async (): Promise<unknown> =>
      (await host.data<Record<string, unknown>>('get_state'))['pendingMessageCount'];
    assert.equal(await pending(), 2);
    assert.deepEqual(await host.data('clear_queue'), { steering: ['first'], followUp: ['later'] });
    assert.equal(await pending(), 0);
    assert.equal(await disposition(host, 'steer', { message: 'for the next run' }), 'queued');
    llm.reply({ text: 'ok' });
    await host.prompt('go on');
    const { messages } = await host.data<{ messages: { role: string }[] }>('get_messages');
    assert.match(JSON.stringify(messages), /go on.*for the next run.*ok/);
    assert.ok(!host.messages.some(({ method }) => method === 'set_editor_text'));
    await host.close();
  });

  it('says before the wait that a run is tried again, and that this worked before it goes on', async () => {
    const host = RpcHost.start(place);
    llm.fail(500);
    llm.reply({ text: 'at last' });
    await host.prompt('go');
    const types = host.types().filter(type => /^(agent|auto|turn)_/.test(type));
    assert.deepEqual(types, [
      ...['agent_start', 'turn_start', 'turn_end', 'agent_end', 'auto_retry_start'],
      ...['agent_start', 'turn_start', 'auto_retry_end', 'turn_end', 'agent_end', 'agent_settled'],
    ]);
    const retries = host.messages.filter(({ type }) => type === 'agent_end').map(({ willRetry }) => willRetry);
    assert.deepEqual(retries, [true, false]);
    await host.close();
  });

  it('gives each answer the id of its command, whatever it is, and takes null for a member that is missing', async () => {
    const host = RpcHost.start(place);
    const answerTo = (id: unknown): Promise<Message> =>
      host.next(message => message.type === 'response' && isDeepStrictEqual(message['id'], id), JSON.stringify(id));
    for (const id of [7, 0, null, ['a']]) {
      host.raw(`${JSON.stringify({ id, type: 'get_available_thinking_levels' })}\n`);
      assert.equal((await answerTo(id))['success'], true);
    }
    for (const command of [{ id: 'typeless' }, { id: 'odd', type: 7 }]) {
      host.raw(`${JSON.stringify(command)}\n`);
      assert.match(String((await answerTo(command.id))['error']), /^Unknown command: (undefined|7)$/);
    }
    llm.reply({ text: 'ok' });
    assert.equal(
      await disposition(host, 'prompt', { message: 'go', images: null, streamingBehavior: null }),
      'started',
    );
    await host.close();
  });

  it('gives entries, the tree, levels and the sources of commands', async () => {
    const path = place.file('work/.pi/extensions/commands.ts', COMMANDS);
    const host = RpcHost.start(place);
    assert.deepEqual(await host.data('get_last_assistant_text'), {});
    llm.otherwise(() => ({ text: 'ok' }));
    await host.prompt('the first');
    const { entries, leafId } = await host.data<{ entries: { id: string; type: string }[]; leafId: string }>(
      'get_entries',
    );
    assert.equal(entries.at(-1)?.id, leafId);
    await host.prompt('the second');
    const since = await host.data<{ entries: { type: string; message?: { role: string } }[] }>('get_entries', {
      since: leafId,
    });
    assert.deepEqual(roles(since.entries.flatMap(({ message }) => message ?? [])), ['user', 'assistant']);
    assert.equal(await host.error('get_entries', { since: 'nope' }), 'Entry not found: nope');
    const { tree } = await host.data<{ tree: { entry: { id: string }; children: unknown[] }[] }>('get_tree');
    assert.deepEqual([tree.length, tree[0]?.entry.id], [1, entries[0]?.id]);
    const { levels } = await host.data<{ levels: string[] }>('get_available_thinking_levels');
    assert.deepEqual(levels.slice(0, 2), ['off', 'minimal']);
    const { commands } = await host.data<{ commands: Record<string, unknown>[] }>('get_commands');
    assert.deepEqual(
      commands.find(({ name }) => name === 'ask'),
      {
        name: 'ask',
        description: 'asks',
        source: 'extension',
        sourceInfo: { path, source: 'auto', scope: 'project', origin: 'top-level', baseDir: join(place.cwd, '.pi') },
      },
    );
    await host.close();
  });

  it('streams what a bash command prints, and keeps it from the model when told so', async () => {
    const host = RpcHost.start(place);
    // The title of the terminal comes in two pieces.
    const title = String.raw`printf '\033]0;my '; sleep 0.1; printf 'title\007'`;
    const id = host.post('bash', { command: `${title}; echo se\\\\u0065n; exit 3`, excludeFromContext: true });
    const response = await host.next(({ type, id: of }) => type === 'response' && of === id, 'the outcome');
    const { output, exitCode } = response['data'] as Record<string, unknown>;
    assert.deepEqual([exitCode, output], [3, 'se\\u0065n\n']);
    const deltas = host.messages.filter(({ type }) => type === 'bash_execution_update');
    assert.deepEqual([...new Set(deltas.map(delta => delta['id']))], [id]);
    assert.equal(deltas.map(({ delta }) => delta).join(''), output);
    llm.reply({ text: 'ok' });
    await host.prompt('what did it print?');
    assert.doesNotMatch(JSON.stringify(llm.requests[0]?.body['messages']), /echo/);
    await host.close();
  });

  it('tells the todo list where the settings turn it on, also of a session that goes on, and has none otherwise', async () => {
    const todos = [{ content: 'one', status: 'in_progress' }];
    const write = { toolCalls: [{ name: 'todo', arguments: { todos } }] };
    const plain = RpcHost.start(place);
    llm.reply(write, { text: 'no such tool' });
    await plain.prompt('go');
    assert.equal(plain.types().includes('todos_changed'), false);
    assert.equal('todos' in (await plain.data<object>('get_state')), false);
    await plain.close();
    place.useLlm(llm, { todo: { enabled: true, reminders: false } });
    const host = RpcHost.start(place);
    llm.reply(write, { text: 'done' });
    await host.prompt('go');
    assert.deepEqual((await host.event('todos_changed'))['todos'], todos);
    await host.close();
    const later = RpcHost.start(place, ['--continue']);
    assert.deepEqual((await later.data<{ todos: unknown }>('get_state')).todos, todos);
    await later.data('new_session');
    assert.deepEqual((await later.event('todos_changed'))['todos'], []);
    await later.close();
  });

  it('tells that another model thinks less', async () => {
    place.useLlm(llm, { defaultThinkingLevel: 'high' }, [{ id: 'one' }, { id: 'dull', reasoning: false }]);
    const host = RpcHost.start(place);
    await host.data('set_model', { provider: 'scripted', modelId: 'dull' });
    assert.equal((await host.event('thinking_level_changed'))['level'], 'off');
    assert.deepEqual(await host.data('get_available_thinking_levels'), { levels: ['off'] });
    await host.close();
  });

  it('lets what a hook asks at the start be answered, and tells that it failed', async () => {
    place.file(
      'work/.pi/extensions/start.ts',
      `import { writeFileSync } from 'node:fs';
       import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
       export default (pi: ExtensionAPI) => { pi.on('session_start', async (event, ctx) => {
         writeFileSync('answer', String(await ctx.ui.confirm('Begin?', '')));
         throw new Error('after the start');
       }); };\n`,
    );
    const host = RpcHost.start(place);
    const state = host.data('get_state');
    host.answer(await host.ui('confirm'), { confirmed: true });
    await until(() => existsSync(join(place.cwd, 'answer')), 'the answer');
    const { event, error } = await host.event('extension_error');
    assert.deepEqual([event, error], ['session_start', 'after the start']);
    await state;
    await host.close();
  });

  for (const [how, code] of [
    ['end', 0],
    ['SIGTERM', 143],
  ] as const) {
    it(`does not wait for the answer at the start of a host that is gone: ${how}`, async () => {
      place.file(
        'work/.pi/extensions/start.ts',
        `export default pi => { pi.on('session_start', async (event, ctx) => {
           console.error('answer: ' + await ctx.ui.confirm('Begin?', ''));
         }); };\n`,
      );
      const host = RpcHost.start(place);
      host.post('get_state');
      await host.ui('confirm');
      if (how === 'end') host.child.stdin.end();
      else host.child.kill(how);
      const ended = await host.ended;
      assert.deepEqual([ended.code, ended.stderr], [code, 'answer: false\n']);
      if (how === 'end') assert.ok(host.types().includes('response'), 'what it asked before is answered');
    });
  }

  /** A hook that needs longer for its end than a window would give it, and one that never ends. */
  for (const [what, works, follow, expected] of [
    ['waits for hooks when stdin closes and a signal follows', 'sleep(4500)', ['SIGTERM'], [0, true]],
    ['waits for hooks when a signal comes', 'sleep(4500)', [], [143, true]],
    ['does not wait for hooks after a second signal', 'new Promise(() => {})', ['SIGHUP', 'SIGTERM'], [143, false]],
  ] as const) {
    it(`${what} at its end`, async function () {
      if (process.platform === 'win32') return this.skip();
      place.file(
        'work/.pi/extensions/end.ts',
        `import { writeFileSync } from 'node:fs';
         import { setTimeout as sleep } from 'node:timers/promises';
         export default pi => { pi.on('session_shutdown', async () => {
           writeFileSync('began', '');
           await ${works};
           writeFileSync('ended', '');
         }); };\n`,
      );
      const host = RpcHost.start(place);
      await host.data('get_state');
      if (follow.length === 0) host.child.kill('SIGTERM');
      else host.child.stdin.end();
      await until(() => existsSync(join(place.cwd, 'began')), 'the handler');
      for (const signal of follow) host.child.kill(signal);
      const { code } = await host.ended;
      assert.deepEqual([code === 129 ? 143 : code, existsSync(join(place.cwd, 'ended'))], expected);
    });
  }

  it('speaks an older version only when it is one', async () => {
    const { code, stderr } = await place.run(['--mode', 'rpc', '--rpc-version', '0.5']);
    assert.equal(code, 1);
    assert.match(stderr, /--rpc-version must be one of 1\.5, 0\.73, not "0\.5"/);
    const host = RpcHost.startOlder(place);
    assert.equal(await host.error('get_tree'), 'Unknown command: get_tree');
    await host.close();
  });
});
