import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { until } from './support/cli';
import { eachWithModel } from './support/each-with-model';
import { RpcHost } from './support/rpc';

describe('RPC mode, older protocol,', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();

  const bash = (command: string): void => {
    llm.reply({ toolCalls: [{ name: 'bash', arguments: { command } }] });
  };
  const roles = (messages: readonly { role: string }[]): readonly string[] =>
    messages.map(({ role }) => role).filter(role => role !== 'system');
  const stored = (): readonly { role: string }[] =>
    place
      .entries()
      .filter(({ type }) => type === 'message')
      .map(entry => entry['message'] as { role: string })
      .filter(({ role }) => role !== 'system');

  it('refuses a second prompt, unless it says how to wait, and never interleaves two', async () => {
    const host = RpcHost.startOlder(place);
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
    const host = RpcHost.startOlder(place);
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
      const host = RpcHost.startOlder(place);
      bash('touch began; sleep 1000 & sleep 1000');
      await host.data('prompt', { message: 'go' });
      await until(() => existsSync(`${place.cwd}/began`), 'the command to begin');
      await host.data('abort');
      await host.event('agent_end');
      await until(async () => (await place.processes()).length <= 1, 'the processes to end');
      llm.reply({ text: 'alive' });
      await host.prompt('still there?');
      assert.deepEqual(await host.data('get_last_assistant_text'), { text: 'alive' });
      await host.close();
      assert.deepEqual(roles(stored()), ['user', 'assistant', 'toolResult', 'assistant', 'user', 'assistant']);
    });

    it('a stream, whose queued texts come back to the host', async () => {
      const host = RpcHost.startOlder(place);
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
      const host = RpcHost.startOlder(place);
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
      const host = RpcHost.startOlder(place);
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
      const host = RpcHost.startOlder(place);
      const running = host.data<Record<string, unknown>>('bash', { command: 'touch began; sleep 1000' });
      await until(() => existsSync(`${place.cwd}/began`), 'the command to begin');
      await host.data('abort_bash');
      assert.equal((await running)['cancelled'], true);
      await host.close();
      await until(async () => (await place.processes()).length === 0, 'the processes to end');
    });

    it('nothing by mistake: switched off, failures are not tried again', async () => {
      const host = RpcHost.startOlder(place);
      await host.data('set_auto_retry', { enabled: false });
      llm.fail(500);
      await host.prompt('go');
      await host.data('get_state');
      assert.ok(!host.types().includes('auto_retry_start'));
      await host.close();
    });
  });

  it('runs bash commands, which the model then knows of', async () => {
    const host = RpcHost.startOlder(place);
    const { output, exitCode } = await host.data<Record<string, unknown>>('bash', { command: 'echo seen; exit 3' });
    assert.deepEqual([output, exitCode], ['seen\n', 3]);
    llm.reply({ text: 'ok' });
    await host.prompt('what did it print?');
    assert.match(JSON.stringify(llm.requests[0]?.body['messages']), /Ran `echo seen; exit 3`.*seen/);
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
    const host = RpcHost.startOlder(place);
    llm.otherwise(() => ({ text: 'ok' }));
    await host.prompt('one');
    await host.event('extension_error');
    await host.prompt('two');
    const { code, stderr } = await host.close();
    assert.equal(code, 0);
    assert.match(stderr, /lost rejection/);
    assert.match(stderr, /lost throw/);
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
      const host = RpcHost.startOlder(place);
      bash('touch began; sleep 1000 & sleep 1000');
      await host.data('prompt', { message: 'go' });
      await until(() => existsSync(`${place.cwd}/began`), 'the command to begin');
      end(host);
      assert.equal((await host.ended).code, code);
      assert.deepEqual(await place.processes(), []);
      assert.equal(readFileSync(`${place.cwd}/life.txt`, 'utf8'), 'start shutdown ');
      assert.deepEqual(roles(stored()), ['user', 'assistant', 'toolResult', 'assistant']);
    });
  }
});
