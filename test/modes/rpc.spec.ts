import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { ScriptedLlm } from '../support/scripted-llm';
import { CliPlace, until } from './support/cli';
import { RpcHost, type Message } from './support/rpc';

const ASKING = `import { writeFileSync } from 'node:fs';
import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
export default (pi: ExtensionAPI) => {
  const ask = (name, question) => pi.registerCommand(name, { handler: async (args, ctx) =>
    writeFileSync(name + '.json', JSON.stringify({ answer: await question(ctx, args), hasUI: ctx.hasUI })) });
  ask('select', ctx => ctx.ui.select('Which?', ['a', 'b']));
  ask('confirm', ctx => ctx.ui.confirm('Sure?', 'It is \\u2028 final.'));
  ask('input', ctx => ctx.ui.input('Name?', 'somebody'));
  ask('editor', ctx => ctx.ui.editor('Text?', 'prefilled'));
  ask('hurry', ctx => ctx.ui.select('Quick?', ['a'], { timeout: 30 }));
  ask('tell', ctx => {
    ctx.ui.notify('a word', 'warning');
    ctx.ui.setStatus('k', 'busy');
    ctx.ui.setStatus('k', undefined);
    ctx.ui.setWidget('w', ['line 1', 'line 2']);
    ctx.ui.setTitle('the title');
    ctx.ui.setEditorText('draft');
    console.log('this is not for the host');
  });
  ask('fail', () => { throw new Error('on purpose'); });
  ask('end', ctx => { ctx.shutdown(); });
};
`;

describe('RPC mode', function () {
  this.timeout(60_000);
  let place: CliPlace;
  let llm: ScriptedLlm;

  beforeEach(async () => {
    place = await CliPlace.make();
    llm = await ScriptedLlm.start();
    place.useLlm(llm);
  });

  afterEach(async () => {
    await place.remove();
    await llm.stop();
  });

  const bash = (command: string): void => {
    llm.reply({ toolCalls: [{ name: 'bash', arguments: { command } }] });
  };
  const roles = (messages: readonly { role: string }[]): readonly string[] => messages.map(({ role }) => role);
  const stored = (): readonly { role: string }[] =>
    place
      .entries()
      .filter(({ type }) => type === 'message')
      .map(entry => entry['message'] as { role: string });

  it('streams the events of a prompt and answers questions about the session', async () => {
    const host = RpcHost.start(place);
    bash('echo hi');
    llm.reply({ text: ' done ', usage: { input: 100, output: 7 } });
    await host.prompt('go');
    const types = host.types().filter(type => !type.endsWith('_update'));
    assert.deepEqual(types.slice(0, 4), ['response', 'agent_start', 'turn_start', 'message_start']);
    assert.deepEqual(types.slice(-3), ['message_end', 'turn_end', 'agent_end']);
    assert.deepEqual(await host.data('get_last_assistant_text'), { text: 'done' });
    const { messages } = await host.data<{ messages: { role: string }[] }>('get_messages');
    assert.deepEqual(roles(messages), ['user', 'assistant', 'toolResult', 'assistant']);
    const stats = await host.data<Record<string, unknown>>('get_session_stats');
    assert.deepEqual(
      [stats['userMessages'], stats['assistantMessages'], stats['toolCalls'], stats['toolResults'], stats['tokens']],
      [1, 2, 1, 1, { input: 110, output: 12, cacheRead: 0, cacheWrite: 0, total: 122 }],
    );
    const state = await host.data<Record<string, unknown>>('get_state');
    assert.deepEqual(
      [state['isStreaming'], state['isCompacting'], state['messageCount'], state['pendingMessageCount']],
      [false, false, 4, 0],
    );
    const { code, stderr } = await host.close();
    assert.deepEqual({ code, stderr, rubbish: host.rubbish }, { code: 0, stderr: '', rubbish: [] });
    assert.deepEqual(place.sessionFiles(), [state['sessionFile']]);
  });

  it('lets the host application answer what hooks ask', async () => {
    place.file('work/.pi/extensions/asking.ts', ASKING);
    const host = RpcHost.start(place);
    const ask = async (name: string, method: string, response: object): Promise<[Message, unknown]> => {
      const from = host.messages.length;
      await host.data('prompt', { message: `/${name}` });
      const request = await host.ui(method, from);
      host.answer(request, response);
      await until(() => existsSync(`${place.cwd}/${name}.json`), `the answer of /${name}`);
      const { answer, hasUI } = JSON.parse(readFileSync(`${place.cwd}/${name}.json`, 'utf8')) as Record<
        string,
        unknown
      >;
      assert.equal(hasUI, true);
      return [request, answer];
    };
    const [select, chosen] = await ask('select', 'select', { value: 'b' });
    assert.deepEqual([select['title'], select['options'], chosen], ['Which?', ['a', 'b'], 'b']);
    const [confirm, sure] = await ask('confirm', 'confirm', { confirmed: true });
    assert.deepEqual([confirm['title'], confirm['message'], sure], ['Sure?', 'It is \u2028 final.', true]);
    const [input, name] = await ask('input', 'input', { value: 'me' });
    assert.deepEqual([input['placeholder'], name], ['somebody', 'me']);
    const [editor, text] = await ask('editor', 'editor', { cancelled: true });
    assert.deepEqual([editor['prefill'], text], ['prefilled', undefined]);
    await host.close();
  });

  it('closes a question by itself after its time, and ignores answers to what is over', async () => {
    place.file('work/.pi/extensions/asking.ts', ASKING);
    const host = RpcHost.start(place);
    await host.data('prompt', { message: '/hurry' });
    const request = await host.ui('select');
    assert.equal(request['timeout'], 30);
    await until(() => existsSync(`${place.cwd}/hurry.json`), 'the question to close');
    host.answer(request, { value: 'a' });
    host.answer({ type: 'x', id: 'never asked' }, { value: 'a' });
    await host.data('get_state');
    assert.deepEqual(JSON.parse(readFileSync(`${place.cwd}/hurry.json`, 'utf8')), { hasUI: true });
    await host.close();
  });

  it('tells what hooks show, tells their errors, and keeps their prints out of the protocol', async () => {
    place.file('work/.pi/extensions/asking.ts', ASKING);
    const host = RpcHost.start(place);
    await host.data('prompt', { message: '/tell' });
    await host.ui('set_editor_text');
    const shown = host.messages
      .filter(({ type }) => type === 'extension_ui_request')
      .map(message => Object.fromEntries(Object.entries(message).filter(([key]) => key !== 'id' && key !== 'type')));
    assert.deepEqual(shown, [
      { method: 'notify', message: 'a word', notifyType: 'warning' },
      { method: 'setStatus', statusKey: 'k', statusText: 'busy' },
      { method: 'setStatus', statusKey: 'k' },
      { method: 'setWidget', widgetKey: 'w', widgetLines: ['line 1', 'line 2'], widgetPlacement: 'aboveEditor' },
      { method: 'setTitle', title: 'the title' },
      { method: 'set_editor_text', text: 'draft' },
    ]);
    await host.data('prompt', { message: '/fail' });
    const error = await host.event('extension_error');
    assert.match(String(error['extensionPath']), /asking\.ts/);
    assert.equal(error['error'], 'on purpose');
    const { code, stderr } = await host.close();
    assert.equal(code, 0);
    assert.match(stderr, /this is not for the host/);
    assert.deepEqual(host.rubbish, []);
  });

  it('ends when a hook asks for it', async () => {
    place.file('work/.pi/extensions/asking.ts', ASKING);
    const host = RpcHost.start(place);
    host.post('prompt', { message: '/end' });
    assert.equal((await host.ended).code, 0);
  });

  it('refuses a second prompt, unless it says how to wait, and never interleaves two', async () => {
    const host = RpcHost.start(place);
    const hold = llm.hold({ text: 'first answer' });
    llm.otherwise(({ body }) => ({ text: `answer to ${(body['messages'] as unknown[]).length}` }));
    const first = [host.ask('prompt', { message: 'one' }), host.ask('prompt', { message: 'two' })];
    await hold.reached; // What steers before the first request goes along with it.
    const responses = [
      ...first,
      host.ask('prompt', { message: 'three', streamingBehavior: 'steer' }),
      host.ask('prompt', { message: 'four', streamingBehavior: 'followUp' }),
    ];
    const [one, two, three, four] = await Promise.all(responses);
    assert.deepEqual(
      [one, two, three, four].map(response => response?.['success']),
      [true, false, true, true],
    );
    assert.match(String(two?.['error']), /^Agent is already processing\. Specify streamingBehavior/);
    const state = await host.data<Record<string, unknown>>('get_state');
    assert.deepEqual([state['isStreaming'], state['pendingMessageCount']], [true, 2]);
    hold.release();
    await host.event('agent_end');
    const { messages } = await host.data<{ messages: { role: string; content: unknown }[] }>('get_messages');
    assert.deepEqual(roles(messages), ['user', 'assistant', 'user', 'assistant', 'user', 'assistant']);
    assert.match(JSON.stringify(messages), /one.*first answer.*three.*answer.*four.*answer/);
    assert.doesNotMatch(JSON.stringify(messages), /two/);
    await host.close();
    assert.deepEqual(roles(stored()), roles(messages));
  });

  it('steers and follows up, tells of the queue, and obeys its modes', async () => {
    const host = RpcHost.start(place);
    await host.data('set_follow_up_mode', { mode: 'all' });
    const hold = llm.hold({ toolCalls: [{ name: 'bash', arguments: { command: 'echo 1' } }] });
    llm.reply({ text: 'after steering' }, { text: 'after all follow-ups' });
    await host.data('prompt', { message: 'go' });
    await hold.reached;
    await host.data('steer', { message: 'rather this' });
    await host.data('follow_up', { message: 'then that' });
    await host.data('follow_up', { message: 'and that' });
    const last = host.messages.filter(({ type }) => type === 'queue_update').at(-1);
    assert.deepEqual([last?.['steering'], last?.['followUp']], [['rather this'], ['then that', 'and that']]);
    hold.release();
    await host.event('agent_end');
    const { messages } = await host.data<{ messages: { role: string }[] }>('get_messages');
    const expected = ['user', 'assistant', 'toolResult', 'user', 'assistant', 'user', 'user', 'assistant'];
    assert.deepEqual(roles(messages), expected);
    await host.close();
  });

  describe('aborts', () => {
    it('a command with all its processes, leaving whole entries', async function () {
      if (process.platform === 'win32') return this.skip();
      const host = RpcHost.start(place);
      bash('touch began; sleep 1000 & sleep 1000');
      await host.data('prompt', { message: 'go' });
      await until(() => existsSync(`${place.cwd}/began`), 'the command to begin');
      await host.data('abort');
      await host.event('agent_end');
      await until(() => place.processes().length <= 1, 'the processes to end');
      llm.reply({ text: 'alive' });
      await host.prompt('still there?');
      assert.deepEqual(await host.data('get_last_assistant_text'), { text: 'alive' });
      await host.close();
      assert.deepEqual(roles(stored()), ['user', 'assistant', 'toolResult', 'user', 'assistant']);
    });

    it('a stream, whose queued texts come back to the host', async () => {
      const host = RpcHost.start(place);
      const hold = llm.hold({ text: ['half', ' of it'] }, 4);
      await host.data('prompt', { message: 'go' });
      const { closed } = await hold.reached;
      await host.data('steer', { message: 'waiting text' });
      await host.data('abort');
      assert.equal(await closed, true);
      assert.equal((await host.ui('set_editor_text'))['text'], 'waiting text');
      const from = host.messages.length;
      const again = llm.hold();
      await host.data('prompt', { message: 'go on' });
      await again.reached;
      await host.data('follow_up', { message: 'another text' });
      await host.data('abort');
      assert.equal((await host.ui('set_editor_text', from))['text'], 'another text');
      await host.close();
      const messages = stored() as readonly { role: string; stopReason?: string }[];
      assert.deepEqual(roles(messages), ['user', 'assistant', 'user', 'assistant']);
      assert.deepEqual([messages[1]?.stopReason, messages[3]?.stopReason], ['aborted', 'aborted']);
    });

    it('a question of a hook, whose tool does not run', async () => {
      place.hook(
        'gate.ts',
        "export default pi => { pi.on('tool_call', async (e, ctx) => ({ block: !(await ctx.ui.confirm('Run?', '')) })); };\n",
      );
      const host = RpcHost.start(place);
      bash('touch ran');
      await host.data('prompt', { message: 'go' });
      await host.ui('confirm');
      await host.data('abort');
      await host.event('agent_end');
      assert.ok(!existsSync(`${place.cwd}/ran`));
      await host.close();
    });

    it('the wait for another try', async () => {
      place.useLlm(llm, { retry: { baseDelayMs: 60_000 } });
      const host = RpcHost.start(place);
      llm.fail(500);
      await host.data('prompt', { message: 'go' });
      await host.event('auto_retry_start');
      assert.equal((await host.data<Record<string, unknown>>('get_state'))['isStreaming'], true);
      await host.data('abort_retry');
      const end = await host.event('auto_retry_end');
      assert.deepEqual([end['success'], end['finalError']], [false, 'Retry cancelled']);
      await host.close();
    });

    it('a bash command of the host', async function () {
      if (process.platform === 'win32') return this.skip();
      const host = RpcHost.start(place);
      const running = host.data<Record<string, unknown>>('bash', { command: 'touch began; sleep 1000' });
      await until(() => existsSync(`${place.cwd}/began`), 'the command to begin');
      await host.data('abort_bash');
      assert.equal((await running)['cancelled'], true);
      await host.close();
      await until(() => place.processes().length === 0, 'the processes to end');
    });

    it('nothing by mistake: switched off, failures are not tried again', async () => {
      const host = RpcHost.start(place);
      await host.data('set_auto_retry', { enabled: false });
      llm.fail(500);
      await host.prompt('go');
      await host.data('get_state');
      assert.ok(!host.types().includes('auto_retry_start'));
      await host.close();
    });
  });

  it('runs bash commands, which the model then knows of', async () => {
    const host = RpcHost.start(place);
    const { output, exitCode } = await host.data<Record<string, unknown>>('bash', { command: 'echo seen; exit 3' });
    assert.deepEqual([output, exitCode], ['seen\n', 3]);
    llm.reply({ text: 'ok' });
    await host.prompt('what did it print?');
    assert.match(JSON.stringify(llm.requests[0]?.body['messages']), /Ran `echo seen; exit 3`.*seen/);
    await host.close();
  });

  it('changes model and thinking, in the order of the commands', async () => {
    const host = RpcHost.start(place, ['--model', 'one', '--thinking', 'low']);
    host.post('set_model', { provider: 'scripted', modelId: 'two' });
    host.post('set_thinking_level', { level: 'high' });
    llm.reply({ text: 'ok' });
    await host.prompt('x');
    assert.equal(llm.requests[0]?.body['model'], 'two');
    assert.equal((await host.event('thinking_level_changed'))['level'], 'high');
    const state = await host.data<{ model: { id: string }; thinkingLevel: string }>('get_state');
    assert.deepEqual([state.model.id, state.thinkingLevel], ['two', 'high']);
    const { models } = await host.data<{ models: { id: string }[] }>('get_available_models');
    assert.deepEqual(models.map(({ id }) => id).sort(), ['offline', 'one', 'two']);
    const seen: string[] = [];
    for (let i = 0; i < 3; i += 1) seen.push((await host.data<{ model: { id: string } }>('cycle_model')).model.id);
    assert.deepEqual([...seen].sort(), ['offline', 'one', 'two']);
    assert.deepEqual(await host.data('cycle_thinking_level'), { level: 'off' }, 'the model knows nothing above high');
    assert.equal(await host.error('set_model', { provider: 'scripted', modelId: 'x' }), 'Model not found: scripted/x');
    await host.close();
  });

  it('moves between sessions: new, switched, forked, cloned, named', async () => {
    const host = RpcHost.start(place);
    llm.otherwise(() => ({ text: 'ok' }));
    await host.prompt('the first');
    await host.prompt('the second');
    await host.data('set_session_name', { name: ' trials ' });
    const { sessionFile: file } = await host.data<{ sessionFile: string }>('get_state');
    const { messages } = await host.data<{ messages: { entryId: string; text: string }[] }>('get_fork_messages');
    assert.deepEqual(
      messages.map(({ text }) => text),
      ['the first', 'the second'],
    );
    const second = messages[1]?.entryId;
    const count = async (): Promise<unknown> => (await host.data<Record<string, unknown>>('get_state'))['messageCount'];
    assert.deepEqual(await host.data('fork', { entryId: second }), { text: 'the second', cancelled: false });
    assert.equal(await count(), 2);
    assert.deepEqual(await host.data('new_session'), { cancelled: false });
    assert.equal(await count(), 0);
    assert.deepEqual(await host.data('switch_session', { sessionPath: file }), { cancelled: false });
    const state = await host.data<Record<string, unknown>>('get_state');
    assert.deepEqual([state['messageCount'], state['sessionName'], state['sessionFile']], [4, 'trials', file]);
    assert.deepEqual(await host.data('clone'), { cancelled: false });
    assert.equal(await count(), 4);
    assert.notEqual((await host.data<Record<string, unknown>>('get_state'))['sessionFile'], file);
    assert.ok(!host.messages.some(message => message['method'] === 'set_editor_text'));
    await host.close();
  });

  it('lets a hook keep the session', async () => {
    place.file(
      'work/.pi/extensions/keep.ts',
      `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
       export default (pi: ExtensionAPI) => {
         pi.on('session_before_switch', () => ({ cancel: true }));
         pi.on('session_before_fork', () => ({ cancel: true }));
       };\n`,
    );
    const host = RpcHost.start(place);
    llm.reply({ text: 'ok' });
    await host.prompt('x');
    const { messages } = await host.data<{ messages: { entryId: string }[] }>('get_fork_messages');
    assert.deepEqual(await host.data('new_session'), { cancelled: true });
    assert.deepEqual(await host.data('fork', messages[0]), { text: 'x', cancelled: true });
    assert.deepEqual(await host.data('clone'), { cancelled: true });
    await host.close();
  });

  it('compacts at the wish of the host, tells of it, and can be switched off', async () => {
    place.useLlm(llm, { compaction: { keepRecentTokens: 1 } });
    const host = RpcHost.start(place);
    llm.otherwise(({ body }) => ({
      text: JSON.stringify(body['messages']).includes('kept in mind') ? 'SUMMARY' : 'ok',
    }));
    await host.prompt('the first');
    await host.prompt('the second');
    const result = await host.data<Record<string, unknown>>('compact', { customInstructions: 'kept in mind' });
    assert.match(String(result['summary']), /SUMMARY/);
    assert.equal((await host.event('compaction_start'))['reason'], 'manual');
    const end = await host.event('compaction_end');
    assert.deepEqual([end['reason'], end['aborted'], end['result']], ['manual', false, result]);
    assert.match(await host.error('compact'), /Already compacted|Nothing to compact/);
    await host.data('set_auto_compaction', { enabled: false });
    assert.equal((await host.data<Record<string, unknown>>('get_state'))['autoCompactionEnabled'], false);
    await host.close();
  });

  it('tells of automatic compaction under the names of both versions', async () => {
    place.useLlm(llm, { compaction: { keepRecentTokens: 1 } });
    const host = RpcHost.start(place);
    llm.reply({ text: 'small' }, { text: 'large', usage: { input: 199_000, output: 10 } });
    llm.otherwise(() => ({ text: 'SUMMARY' }));
    await host.prompt('the first');
    await host.prompt('the second');
    for (const [start, end] of [
      ['auto_compaction_start', 'auto_compaction_end'],
      ['compaction_start', 'compaction_end'],
    ] as const) {
      assert.equal((await host.event(start))['reason'], 'threshold');
      const { aborted, willRetry, result, errorMessage } = await host.event(end);
      assert.deepEqual([aborted, willRetry, errorMessage], [false, false, undefined]);
      assert.match(String((result as { summary?: string }).summary), /SUMMARY/);
    }
    await host.close();
  });

  it('goes on when work that a hook left behind fails', async () => {
    place.hook(
      'lost.ts',
      `export default pi => {
         pi.on('turn_start', () => { void Promise.reject(new Error('lost rejection')); });
         pi.on('turn_end', () => { setTimeout(() => { throw new Error('lost throw'); }, 1); });
       };\n`,
    );
    const host = RpcHost.start(place);
    llm.otherwise(() => ({ text: 'ok' }));
    await host.prompt('one');
    await host.event('extension_error');
    await host.prompt('two');
    const { code, stderr } = await host.close();
    assert.equal(code, 0);
    assert.match(stderr, /lost rejection/);
    assert.match(stderr, /lost throw/);
  });

  it('lists commands of hooks and templates', async () => {
    const path = place.file('work/.pi/extensions/asking.ts', ASKING);
    place.file('work/.pi/prompts/review.md', '---\ndescription: Review it\n---\nReview $1.');
    const host = RpcHost.start(place);
    const { commands } = await host.data<{ commands: Record<string, unknown>[] }>('get_commands');
    const select = commands.find(({ name }) => name === 'select');
    assert.deepEqual([select?.['source'], select?.['path']], ['extension', path]);
    assert.deepEqual((select?.['sourceInfo'] as Record<string, unknown>)['scope'], 'project');
    assert.equal(commands.find(({ name }) => name === 'review')?.['source'], 'prompt');
    llm.reply({ text: 'ok' });
    await host.prompt('/review this');
    assert.match(JSON.stringify(llm.requests[0]?.body['messages']), /Review this\./);
    await host.close();
  });

  it('says what is wrong with a command, naming it, and goes on', async () => {
    place.file('work/.pi/extensions/asking.ts', ASKING);
    const host = RpcHost.start(place);
    host.raw('this is no JSON\n');
    const parse = await host.next(message => message['command'] === 'parse', 'the complaint');
    assert.deepEqual([parse['success'], parse['id']], [false, undefined]);
    assert.match(String(parse['error']), /^Failed to parse command: /);
    const wrong: readonly (readonly [string, object, RegExp])[] = [
      ['fly', {}, /^Unknown command: fly$/],
      ['toString', {}, /^Unknown command: toString$/],
      ['prompt', {}, /^prompt: "message" must be a string$/],
      ['prompt', { message: 'x', images: [{ type: 'image' }] }, /^prompt: "images" must be a list/],
      [
        'prompt',
        { message: 'x', streamingBehavior: 'wait' },
        /^prompt: "streamingBehavior" must be one of steer, followUp$/,
      ],
      ['steer', { message: '/select' }, /^Hook command "\/select" cannot be queued/],
      ['set_thinking_level', { level: 'hard' }, /^set_thinking_level: "level" must be one of off/],
      ['set_steering_mode', { mode: 'none' }, /^set_steering_mode: "mode" must be one of all/],
      ['set_auto_retry', {}, /^set_auto_retry: "enabled" must be true or false$/],
      ['set_session_name', { name: '  ' }, /^Session name cannot be empty$/],
      ['switch_session', { sessionPath: '/no/such/file.jsonl' }, /\/no\/such\/file\.jsonl/],
      ['fork', { entryId: 'nope' }, /^Invalid entry ID for forking: nope/],
      ['clone', {}, /^Cannot clone session: no current entry selected$/],
      ['compact', {}, /^Nothing to compact/],
      ['export_html', {}, /^Nothing to export yet - start a conversation first$/],
      ['export_html', { outputPath: 'a.pdf' }, /^An export is \.html or \.md, not "a\.pdf"$/],
      ['export_html', { outputPath: 5 }, /^export_html: "outputPath" must be a string$/],
    ];
    for (const [type, members, message] of wrong) assert.match(await host.error(type, members), message);
    llm.reply({ text: 'ok' });
    await host.prompt('x');
    assert.equal((await host.close()).code, 0);
  });

  it('refuses a prompt for which no key is known, in its response', async () => {
    const host = RpcHost.start(place, ['--provider', 'openai']);
    assert.match(await host.error('prompt', { message: 'x' }), /No API key is known for "openai"/);
    await host.close();
  });

  for (const [how, end, code] of [
    ['stdin ends', (host: RpcHost) => host.child.stdin.end(), 0],
    ['SIGTERM comes', (host: RpcHost) => host.child.kill('SIGTERM'), 143],
  ] as const) {
    it(`ends when ${how}, in the middle of a run, with all its processes, having told hooks once`, async function () {
      if (process.platform === 'win32') return this.skip();
      place.hook(
        'life.ts',
        `import { appendFileSync } from 'node:fs';
         export default pi => { pi.on('session', event => appendFileSync('life.txt', event.reason + ' ')); };\n`,
      );
      const host = RpcHost.start(place);
      bash('touch began; sleep 1000 & sleep 1000');
      await host.data('prompt', { message: 'go' });
      await until(() => existsSync(`${place.cwd}/began`), 'the command to begin');
      end(host);
      assert.equal((await host.ended).code, code);
      assert.deepEqual(place.processes(), []);
      assert.equal(readFileSync(`${place.cwd}/life.txt`, 'utf8'), 'start shutdown ');
      assert.deepEqual(roles(stored()), ['user', 'assistant', 'toolResult']);
    });
  }
});
