import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { until } from './support/cli';
import { eachWithModel } from './support/each-with-model';
import { RpcHost, type Message } from './support/rpc';

const ASKING = `import { renameSync, writeFileSync } from 'node:fs';
import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
export default (pi: ExtensionAPI) => {
  const ask = (name, question) => pi.registerCommand(name, { handler: async (args, ctx) => {
    writeFileSync(name + '.draft', JSON.stringify({ answer: await question(ctx, args), hasUI: ctx.hasUI }));
    renameSync(name + '.draft', name + '.json');
  } });
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

describe('RPC mode, older protocol,', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();

  const bash = (command: string): void => {
    llm.reply({ toolCalls: [{ name: 'bash', arguments: { command } }] });
  };
  const roles = (messages: readonly { role: string }[]): readonly string[] => messages.map(({ role }) => role);

  it('streams the events of a prompt and answers questions about the session', async () => {
    const host = RpcHost.startOlder(place);
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

  it('leaves out of messages what came later, and keeps it in the session', async () => {
    place.file('agent/settings.json', JSON.stringify({ defaultThinkingLevel: 'high' }));
    const host = RpcHost.startOlder(place);
    bash('echo hi');
    llm.reply({ text: 'done' });
    await host.prompt('go');
    const { messages } = await host.data<{ messages: object[] }>('get_messages');
    const later = /"(durationMs|endTurn|nestedCalls|rawStopReason|structuredContent|thinkingLevel)":/;
    assert.doesNotMatch(JSON.stringify([host.messages, messages]), later);
    await host.close();
    const [file = ''] = place.sessionFiles();
    assert.match(readFileSync(file, 'utf8'), /"role":"toolResult".*"durationMs":/);
  });

  it('lets the host application answer what hooks ask', async () => {
    place.file('work/.pi/extensions/asking.ts', ASKING);
    const host = RpcHost.startOlder(place);
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
    assert.deepEqual([confirm['title'], confirm['message'], sure], ['Sure?', 'It is ⟦U+2028⟧ final.', true]);
    const [input, name] = await ask('input', 'input', { value: 'me' });
    assert.deepEqual([input['placeholder'], name], ['somebody', 'me']);
    const [editor, text] = await ask('editor', 'editor', { cancelled: true });
    assert.deepEqual([editor['prefill'], text], ['prefilled', undefined]);
    await host.close();
  });

  it('closes a question by itself after its time, and ignores answers to what is over', async () => {
    place.file('work/.pi/extensions/asking.ts', ASKING);
    const host = RpcHost.startOlder(place);
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
    const host = RpcHost.startOlder(place);
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
    const host = RpcHost.startOlder(place);
    host.post('prompt', { message: '/end' });
    assert.equal((await host.ended).code, 0);
  });

  it('lists commands of hooks and templates', async () => {
    const path = place.file('work/.pi/extensions/asking.ts', ASKING);
    place.file('work/.pi/prompts/review.md', '---\ndescription: Review it\n---\nReview $1.');
    const host = RpcHost.startOlder(place);
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
    const host = RpcHost.startOlder(place);
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
      ['export_html', { outputPath: 'a.pdf' }, /^An export is \.html, \.md or \.jsonl, not "a\.pdf"$/],
      ['export_html', { outputPath: 5 }, /^export_html: "outputPath" must be a string$/],
    ];
    for (const [type, members, message] of wrong) assert.match(await host.error(type, members), message);
    llm.reply({ text: 'ok' });
    await host.prompt('x');
    assert.equal((await host.close()).code, 0);
  });

  it('refuses a prompt for which no key is known, in its response', async () => {
    const host = RpcHost.startOlder(place, ['--provider', 'openai']);
    assert.match(await host.error('prompt', { message: 'x' }), /No API key is known for OpenAI, the provider of /);
    await host.close();
  });
});
