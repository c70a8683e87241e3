import assert from 'node:assert/strict';
import { isForPrograms } from '../../src/session/ports/session-events';
import type { AgentMessage, SystemMessage } from '../../src/agent/messages';
import { Rig, until, type RigOptions } from '../support/conversation-rig';
import type { Script } from '../support/scripted-stream';
import { call } from './support';

/** How runs start for files of today's pi, and what its messages do (docs/dialects.md, Today's pi). */
describe("the start of a run in today's pi", () => {
  let rig: Rig;
  let failures: string[];

  afterEach(() => rig.close());

  async function open(code: string, script: readonly Script[], options: RigOptions = {}): Promise<void> {
    const text = `import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
      export default (pi: ExtensionAPI) => { ${code} };`;
    rig = await Rig.open(script, { ...options, extensions: { 'today.ts': text, ...options.extensions } });
    failures = [];
    rig.host.onError(({ message }) => failures.push(message));
  }
  const notices = (): string[] => rig.items('notice').flatMap(({ text, hook }) => (hook === undefined ? [] : [text]));
  const prompts = (): (string | undefined)[] => rig.model.requests.map(({ systemPrompt }) => systemPrompt);
  const recorded = (): readonly SystemMessage[] =>
    rig.conversation.run.agent.messages.filter((message): message is SystemMessage => message.role === 'system');
  const roles = (messages: readonly { readonly role: string }[]): string[] => messages.map(({ role }) => role);
  const run = (name: string, args = ''): Promise<unknown> =>
    rig.conversation.ports.hooks.commands.runAndShow(name, args, rig.conversation.forHooks);
  const idle = (): Promise<true> => until(() => (rig.conversation.run.isIdle ? true : undefined), 'the end of the run');

  describe('before_agent_start', () => {
    it('hands out what the prompt is made from, with all of its lists', async () => {
      await open(
        `pi.on('before_agent_start', ({ systemPromptOptions: o }, ctx) => {
          ctx.ui.notify([o.selectedTools.includes('read'), o.hiddenTools.length, typeof o.toolSnippets.read, typeof o.toolGuidelines,
            o.promptGuidelines.length, Object.keys(o.sections).length, o.appendSystemPrompt === '', o.cwd === ctx.cwd,
            o.contextFiles.length, o.skills.length, 'customPrompt' in o, 'forceSystemPrompt' in o].join(' '));
        });
        pi.registerCommand('options', { handler: async (_args, ctx) => {
          const options = ctx.getSystemPromptOptions();
          options.sections!.mine = 'lost';
          ctx.ui.notify('' + Object.keys(ctx.getSystemPromptOptions().sections!).length);
        } });`,
        [{ text: 'ok' }],
        { realPrompt: true },
      );
      await rig.chat.submit('go');
      await rig.chat.submit('/options');
      assert.deepEqual(notices(), ['true 0 string object 0 0 true true 0 0 true true', '0']);
    });

    it('tells the model only the sections that changed, each in a tag of its name', async () => {
      await open(
        `let turn = 0;
        pi.on('before_agent_start', (event, ctx) => {
          event.systemPromptOptions.sections.mood = 'turn ' + turn++;
          event.systemPromptOptions.promptGuidelines.push('Whisper.');
          ctx.ui.notify([event.systemPrompt.includes('<mood>'), ctx.getSystemPrompt() === event.systemPrompt].join(' '));
        });`,
        [{ text: 'one' }, { text: 'two' }],
        { realPrompt: true },
      );
      await rig.chat.submit('go');
      await rig.chat.submit('again');
      assert.deepEqual(notices(), ['true true', 'true true']);
      const [first, second] = recorded();
      assert.deepEqual(Object.keys(first?.sections ?? {}), ['preamble', 'tools', 'rules', 'date', 'cwd', 'mood']);
      assert.match(first?.sections?.['rules'] ?? '', /- Whisper\./);
      assert.ok(!(first?.sections?.['preamble'] ?? '<').startsWith('<'));
      assert.deepEqual(second?.sections, { mood: '<mood>\nturn 1\n</mood>' });
      assert.match(prompts()[1] ?? '', /turn 1\n<\/mood>$/);
    });

    it('lets the next handler see what the one before made of it', async () => {
      await open(
        `pi.on('before_agent_start', event => { event.systemPromptOptions.customPrompt = 'You are a cat.'; });
         pi.on('before_agent_start', (event, ctx) => { ctx.ui.notify(event.systemPrompt); return { systemPrompt: event.systemPrompt + ' Purr.' }; });
         pi.on('before_agent_start', (event, ctx) => { ctx.ui.notify(event.systemPrompt + event.systemPromptOptions.forceSystemPrompt); });`,
        [{ text: 'one' }, { text: 'two' }],
      );
      await rig.chat.submit('go');
      assert.deepEqual(notices(), ['You are a cat.', 'You are a cat. Purr.You are a cat. Purr.']);
      assert.deepEqual(prompts(), ['You are a cat. Purr.']);
      // A whole prompt is sent and not recorded.
      assert.equal(recorded()[0]?.sections?.['preamble'], 'You are a cat.');
    });

    it('holds for one run', async () => {
      await open(
        `let asked = false; pi.on('before_agent_start', event => { if (!asked) event.systemPromptOptions.customPrompt = 'Once.'; asked = true; });`,
        [call('bash', { command: 'true' }), { text: 'one' }, { text: 'two' }],
      );
      await rig.chat.submit('go');
      await rig.chat.submit('again');
      assert.deepEqual(prompts(), ['Once.', 'Once.', 'base prompt']);
    });

    for (const [way, code] of [
      ['its options', `event.systemPromptOptions.selectedTools = ['read', 'nope'];`],
      ['setActiveTools', `pi.setActiveTools(['read', 'nope']);`],
    ] as const) {
      it(`selects tools through ${way}`, async () => {
        await open(`pi.on('before_agent_start', event => { ${code} });`, [{ text: 'one' }], { realPrompt: true });
        await rig.chat.submit('go');
        const [request] = rig.model.requests;
        assert.deepEqual(
          request?.tools?.map(({ name }) => name),
          ['read'],
        );
        assert.ok(!request.systemPrompt?.includes('- bash:'));
        assert.deepEqual(rig.conversation.toolset.activeNames(), ['read']);
        assert.deepEqual(
          recorded()[0]?.toolsAdded?.map(({ name }) => name),
          ['read'],
        );
      });
    }

    it('takes back what no prompt can be made from, and says who it was', async () => {
      await open(
        `pi.on('before_agent_start', event => { event.systemPromptOptions.sections.fine = 'kept'; });
         pi.on('before_agent_start', event => { event.systemPromptOptions.sections['No Tag'] = 'x'; });
         pi.on('before_agent_start', event => { (event.systemPromptOptions as any).selectedTools = null; });
         pi.on('before_agent_start', event => { event.systemPromptOptions.sections.late = 'too'; throw new Error('broken'); });`,
        [{ text: 'one' }],
      );
      await rig.chat.submit('go');
      assert.equal(failures.length, 3);
      assert.equal(failures[0], 'Invalid system prompt section name: No Tag');
      assert.equal(failures[2], 'broken');
      assert.deepEqual(prompts(), ['base prompt\n\n<fine>\nkept\n</fine>\n\n<late>\ntoo\n</late>']);
    });

    it('gives older files the text alone, which chains with the others', async () => {
      await open(
        `pi.on('before_agent_start', event => { event.systemPromptOptions.customPrompt = 'New.'; });`,
        [{ text: 'one' }],
        {
          extensions: {
            'zz-old.ts': `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
            export default (pi: ExtensionAPI) => { pi.on('before_agent_start', (event: any, ctx) => {
              ctx.ui.notify(Object.keys(event).sort().join());
              return { systemPrompt: event.systemPrompt + ' Old.' };
            }); };`,
          },
        },
      );
      await rig.chat.submit('go');
      assert.deepEqual(notices(), ['messageType,prompt,systemPrompt,type,userMessage']);
      assert.deepEqual(prompts(), ['New. Old.']);
    });
  });

  describe('a message of a hook', () => {
    const SEND = (options: string): string => `pi.registerCommand('send', { handler: async () => {
      pi.sendMessage({ customType: 'note', content: 'from a hook', display: true }, ${options}); } });`;
    const HEAR = `pi.on('before_agent_start', (event: any, ctx) => {
      ctx.ui.notify([event.messageType, event.message?.content, 'prompt' in event].join(' ')); });`;

    it('that starts a run is told before it, together with what waits for the next one', async () => {
      await open(
        `${HEAR} pi.registerCommand('later', { handler: async () => {
          pi.sendMessage({ customType: 'note', content: 'by the way', display: true }, { deliverAs: 'nextTurn' }); } });
        ${SEND('{ triggerTurn: true }')}`,
        [{ text: 'one' }],
      );
      await run('later');
      await run('send');
      await until(() => (rig.items('assistant').length > 0 ? true : undefined), 'the answer');
      await idle();
      assert.deepEqual(notices(), ['custom from a hook false']);
      assert.deepEqual(
        rig.model.requests[0]?.messages.map(({ content }) => JSON.stringify(content)),
        ['from a hook', 'by the way'].map(text => JSON.stringify([{ type: 'text', text }])),
      );
    });

    it('is shown and told when it starts nothing', async () => {
      await open(SEND('{}'), []);
      const heard: string[] = [];
      rig.conversation.onDidHappen(event => {
        if (isForPrograms(event)) heard.push(event.type);
      });
      await run('send');
      await until(() => rig.items('custom')[0], 'the card');
      assert.deepEqual(heard, ['message_start', 'message_end']);
      assert.equal(rig.model.requests.length, 0);
    });

    it('that must cause no request waits for the end of the turn', async () => {
      await open(
        `pi.on('tool_call', () => { pi.sendMessage({ customType: 'note', content: 'aside', display: true }, { triggerTurn: false }); });`,
        [call('bash', { command: 'true' }), { text: 'done' }],
      );
      await rig.chat.submit('go');
      assert.deepEqual(roles(rig.conversation.run.agent.messages), [
        'system',
        'user',
        'assistant',
        'toolResult',
        'custom',
        'assistant',
      ]);
      assert.equal(rig.model.requests.length, 2);
    });

    it('that comes at the last turn causes no further one', async () => {
      await open(
        `pi.on('message_end', ({ message }) => { if (message.role === 'assistant')
          pi.sendMessage({ customType: 'note', content: 'aside', display: true }, { triggerTurn: false }); });`,
        [{ text: 'done' }],
      );
      await rig.chat.submit('go');
      assert.deepEqual(roles(rig.conversation.run.agent.messages), ['system', 'user', 'assistant', 'custom']);
      assert.equal(rig.model.requests.length, 1);
    });
  });

  describe('a text of a hook', () => {
    const TEMPLATE = { '.pi/prompts/greet.md': '---\ndescription: greets\n---\nSay hello to $1.' };

    it('is plain, unless it asks for commands, skills and templates', async () => {
      await open(
        `pi.registerCommand('other', { handler: async (args, ctx) => { ctx.ui.notify('other ' + args); } });
        pi.registerCommand('say', { handler: async (args) => {
          const [expand, ...rest] = args.split(' ');
          pi.sendUserMessage(rest.join(' '), { expandPromptTemplates: expand === 'yes' });
        } });`,
        [{ text: 'one' }, { text: 'two' }],
        { files: TEMPLATE },
      );
      const sent = async (count: number): Promise<unknown> => {
        await until(() => (rig.items('assistant').length === count ? true : undefined), 'the answer');
        await idle();
        const message: AgentMessage | undefined = rig.conversation.run.agent.messages.findLast(
          ({ role }) => role === 'user',
        );
        return message?.role === 'user' ? message.content : undefined;
      };
      await run('say', 'no /greet Ann');
      assert.deepEqual(await sent(1), [{ type: 'text', text: '/greet Ann' }]);
      await run('say', 'yes /greet Ann');
      assert.deepEqual(await sent(2), [{ type: 'text', text: 'Say hello to Ann.' }]);
      await run('say', 'yes /other one two');
      await until(() => (notices().includes('other one two') ? true : undefined), 'the command');
      assert.equal(rig.model.requests.length, 2);
    });

    it('is refused while the agent works, unless it says how it is to come, or is a command', async () => {
      await open(
        `pi.registerCommand('other', { handler: async (_args, ctx) => { ctx.ui.notify('other'); } });
        pi.on('tool_call', () => {
          pi.sendUserMessage('lost');
          pi.sendUserMessage('/other', { expandPromptTemplates: true });
          pi.sendUserMessage('kept', { deliverAs: 'followUp' });
        });`,
        [call('bash', { command: 'true' }), { text: 'one' }, { text: 'two' }],
      );
      await rig.chat.submit('go');
      await until(() => (notices().includes('other') ? true : undefined), 'the command');
      assert.match(failures.join(), /^Agent is already processing\. Specify streamingBehavior/);
      assert.deepEqual(
        rig.conversation.run.agent.messages.flatMap(message =>
          message.role === 'user' && typeof message.content !== 'string' ? message.content : [],
        ),
        ['go', 'kept'].map(text => ({ type: 'text', text })),
      );
    });
  });
});
