import assert from 'node:assert/strict';
import { Rig } from '../support/conversation-rig';
import { scriptedModel } from '../support/scripted-stream';
import { call, COMPACT_SOON } from './support';

/** What an extension for today's pi does with the members of `pi` and `ctx`, driven through the agent. */
describe("members of pi and ctx in today's pi", () => {
  let rig: Rig;

  afterEach(() => rig.close());

  async function open(
    code: string,
    script: Parameters<typeof Rig.open>[0] = [{ text: 'ok' }, { text: 'ok' }],
    options: Parameters<typeof Rig.open>[1] = {},
  ): Promise<void> {
    const text = `import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
      import { Type } from 'typebox';
      export default (pi: ExtensionAPI) => { ${code} };`;
    rig = await Rig.open(script, { ...options, extensions: { 'today.ts': text } });
    assert.equal(rig.host.infos()[0]?.dialect?.id, 'pi');
  }
  const notices = (): string[] => rig.items('notice').flatMap(({ text, hook }) => (hook === undefined ? [] : [text]));

  it('prepareArguments turns what the model sent into what is checked, shown to gates and executed', async () => {
    await open(
      `pi.registerTool({
         name: 'double', label: 'Double', description: 'Doubles a number.',
         parameters: Type.Object({ n: Type.Number() }),
         prepareArguments: args => (args && 'number' in args ? { n: args.number } : args),
         execute: async (_id, { n }) => ({ content: [{ type: 'text', text: String(2 * n) }], details: undefined }),
       });
       pi.on('tool_call', (event, ctx) => ctx.ui.notify(JSON.stringify(event.input)));`,
      [call('double', { number: 21 }), { text: 'ok' }],
    );
    await rig.chat.submit('go');
    assert.deepEqual(notices(), ['{"n":21}']);
    assert.equal(rig.items('tool')[0]?.output, '42');
  });

  it('promptSnippet and promptGuidelines of a tool stand in the system prompt while it is active', async () => {
    await open(
      `pi.registerTool({
         name: 'lookup', label: 'Look up', description: 'Looks a word up in the dictionary. Slow.',
         parameters: Type.Object({}), promptSnippet: 'Find the meaning of a word',
         promptGuidelines: ['Use lookup before you guess a meaning.'],
         execute: async () => ({ content: [], details: undefined }),
       });
       pi.registerCommand('off', { handler: async () => pi.setActiveTools(['read']) });`,
      undefined,
      { realPrompt: true },
    );
    await rig.chat.submit('go');
    await rig.chat.submit('/off');
    await rig.chat.submit('again');
    const [with_, without] = rig.model.requests.map(({ systemPrompt }) => systemPrompt ?? '');
    assert.match(with_ ?? '', /- lookup: Find the meaning of a word\n/);
    assert.match(with_ ?? '', /- Use lookup before you guess a meaning\./);
    assert.doesNotMatch(without ?? '', /lookup/);
  });

  it('getContextUsage tells how full the context is after an answer', async () => {
    await open(`pi.on('agent_end', (_event, ctx) => {
      const usage = ctx.getContextUsage();
      ctx.ui.notify(JSON.stringify([Object.keys(usage).sort(), usage.contextWindow, usage.tokens > 0, usage.percent > 0]));
    });`);
    await rig.chat.submit('go');
    assert.deepEqual(notices(), [
      JSON.stringify([['contextWindow', 'percent', 'tokens'], scriptedModel.contextWindow, true, true]),
    ]);
  });

  it('setThinkingLevel and setModel change the session, tell of it, and are read back', async () => {
    const other = { ...scriptedModel, id: 'other', name: 'Other' };
    await open(
      `pi.on('model_select', (event, ctx) => ctx.ui.notify([event.source, event.previousModel?.id, event.model.id].join(' ')));
       pi.on('thinking_level_select', (event, ctx) => ctx.ui.notify([event.previousLevel, event.level].join(' > ')));
       pi.registerCommand('change', { handler: async (_args, ctx) => {
         pi.setThinkingLevel('high');
         const done = await pi.setModel(ctx.modelRegistry.find('${other.provider}', 'other'));
         ctx.ui.notify([done, ctx.model.id, pi.getThinkingLevel(), ctx.thinkingLevel].join(' '));
       } });`,
      undefined,
      {
        models: [
          { ...scriptedModel, reasoning: true },
          { ...other, reasoning: true },
        ],
      },
    );
    const before = rig.conversation.state.effectiveLevel;
    await rig.chat.submit('/change');
    assert.deepEqual(
      notices().toSorted(),
      [`${before} > high`, `set ${scriptedModel.id} other`, 'true other high high'].toSorted(),
    );
    assert.equal(rig.conversation.state.model?.id, 'other');
  });

  it('setSessionName tells session_info_changed, and setLabel is kept with its entry', async () => {
    await open(`
      pi.on('session_info_changed', (event, ctx) => ctx.ui.notify('named ' + event.name));
      pi.on('agent_end', (_event, ctx) => {
        pi.setSessionName('Tidy up');
        const [first] = ctx.sessionManager.getEntries().filter(({ type }) => type === 'message');
        pi.setLabel(first.id, 'start');
        ctx.ui.notify([pi.getSessionName(), ctx.sessionManager.getLabel(first.id)].join(' '));
        pi.setLabel(first.id, undefined);
        ctx.ui.notify('label ' + ctx.sessionManager.getLabel(first.id));
      });`);
    await rig.chat.submit('go');
    assert.deepEqual(notices().toSorted(), ['Tidy up start', 'label undefined', 'named Tidy up']);
    assert.equal(rig.conversation.store.getSessionName(), 'Tidy up');
  });

  it('exec tells when a command was ended because it printed too much', async () => {
    await open(`pi.registerCommand('flood', { handler: async (_args, ctx) => {
      const much = await pi.exec(process.execPath, ['-e', 'for (;;) process.stdout.write("x".repeat(1000))'], { maxBuffer: 5000 });
      const little = await pi.exec(process.execPath, ['-e', 'console.log("hi"); process.exit(3)']);
      ctx.ui.notify(JSON.stringify([much.truncated, much.killed, much.code !== 0, little]));
    } });`);
    await rig.chat.submit('/flood');
    assert.deepEqual(notices(), [
      JSON.stringify([true, true, true, { stdout: 'hi\n', stderr: '', code: 3, killed: false, truncated: false }]),
    ]);
  });

  it('hasPendingMessages is true while a text waits for the agent, and isIdle false during a run', async () => {
    await open(
      `pi.on('tool_call', async (_event, ctx) => {
         pi.sendUserMessage('later', { deliverAs: 'followUp' });
         await new Promise(resolve => setImmediate(resolve));
         ctx.ui.notify([ctx.hasPendingMessages(), ctx.isIdle()].join(' '));
       });
       pi.on('agent_settled', (_event, ctx) => ctx.ui.notify([ctx.hasPendingMessages(), ctx.isIdle()].join(' ')));`,
      [call('bash', { command: 'true' }), { text: 'one' }, { text: 'two' }],
    );
    await rig.chat.submit('go');
    assert.deepEqual(notices(), ['true false', 'false true']);
  });

  it('getCommands lists commands of extensions before those of prompts, with their sources', async () => {
    await open(
      `pi.registerCommand('hello', { description: 'Says hello', handler: async (_args, ctx) => {
         ctx.ui.notify(JSON.stringify(pi.getCommands().map(({ name, source, description }) => [name, source, description])));
       } });`,
      undefined,
      { files: { '.pi/prompts/review.md': '---\ndescription: Reviews\n---\nReview it.' } },
    );
    await rig.chat.submit('/hello');
    assert.deepEqual(notices(), [
      JSON.stringify([
        ['hello', 'extension', 'Says hello'],
        ['review', 'prompt', 'Reviews'],
      ]),
    ]);
  });

  it('getActiveTools and getAllTools follow setActiveTools and say where a tool comes from', async () => {
    await open(
      `pi.registerTool({
         name: 'lookup', label: 'Look up', description: 'Looks up.', parameters: Type.Object({}), defaultActive: false,
         execute: async () => ({ content: [], details: undefined }),
       });
       pi.registerCommand('tools', { handler: async (_args, ctx) => {
         const before = pi.getActiveTools().includes('lookup');
         pi.setActiveTools(['read', 'lookup', 'nowhere']);
         const sources = pi.getAllTools().filter(({ name }) => pi.getActiveTools().includes(name));
         ctx.ui.notify(JSON.stringify([before, sources.map(({ name, exposure, sourceInfo: { source } }) => [name, exposure, source])]));
       } });`,
    );
    await rig.chat.submit('/tools');
    const [before, tools] = JSON.parse(notices()[0] ?? '[]') as [boolean, readonly (readonly string[])[]];
    assert.equal(before, false);
    assert.deepEqual(
      tools.toSorted(([a = ''], [b = '']) => a.localeCompare(b)).map(([name, exposure]) => [name, exposure]),
      [
        ['lookup', 'direct'],
        ['read', 'direct'],
      ],
    );
    assert.equal(tools.find(([name]) => name === 'read')?.[2], 'builtin');
  });

  it('compact of ctx summarizes what came before and tells when it is done', async () => {
    await open(
      `pi.on('session_compact', (event, ctx) => ctx.ui.notify(event.reason + ' ' + event.fromExtension));
       pi.registerCommand('shrink', { handler: async (_args, ctx) => {
         ctx.compact({ onComplete: result => ctx.ui.notify('done ' + result.summary) });
       } });`,
      [{ text: 'x'.repeat(400) }, { text: 'y'.repeat(400) }, { text: 'the summary' }, { text: 'the turn' }],
      { settings: COMPACT_SOON },
    );
    await rig.chat.submit('one');
    await rig.chat.submit('two');
    await rig.chat.submit('/shrink');
    await rig.conversation.run.waitForSettled();
    assert.equal(notices()[0], 'manual false');
    assert.match(notices()[1] ?? '', /^done the summary/);
  });
});
