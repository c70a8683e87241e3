import assert from 'node:assert/strict';
import { createStreamFn } from '../../../../src/agent/models/requests/stream';
import { Rig, type RigOptions } from '../../../support/conversation-rig';
import { ScriptedLlm, type ScriptedApi } from '../../../support/scripted-llm';

const PI = "import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';\n";
const CALL = { toolCalls: [{ name: 'bash', arguments: { command: 'true' } }] };

/** A body of a request, as far as these tests look into it. */
interface Body {
  readonly messages: readonly { readonly role: string; readonly content: unknown; readonly output_config?: object }[];
  readonly input: readonly { readonly type?: string; readonly role?: string; readonly content?: unknown }[];
  readonly system?: readonly { readonly text: string }[];
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
  readonly thread?: Readonly<Record<string, unknown>>;
}

describe('a conversation over the clients of pi-ai', () => {
  let llm: ScriptedLlm;

  beforeEach(async () => {
    llm = await ScriptedLlm.start();
  });
  afterEach(() => llm.stop());

  function open(api: ScriptedApi, compat: object, options: RigOptions = {}): Promise<Rig> {
    return Rig.open([], {
      models: [llm.model(api, { compat })],
      stream: createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: llm.apiKey }) }),
      ...options,
    });
  }
  const bodies = (): readonly Body[] => llm.requests.map(({ body }) => body as unknown as Body);
  const rolesOf = ({ messages }: Body): string => messages.map(({ role }) => role).join(' ');

  describe('with message threads of Anthropic', () => {
    for (const [name, compat, isThread] of [
      ['where the model of another address has them', { supportsMessageThreads: true }, true],
      ['not at another address', {}, false],
      ['not where models.json turns them off', { supportsMessageThreads: false }, false],
    ] as const) {
      it(`sends only what is new: ${name}`, async () => {
        const rig = await open('anthropic-messages', compat);
        llm.reply(CALL, { text: 'one' }, { text: 'two' });
        await rig.chat.submit('first');
        await rig.chat.submit('second');
        await rig.close();
        const sent = bodies().map(body => [body.thread?.['type'], rolesOf(body)]);
        assert.deepEqual(
          sent,
          isThread
            ? [
                ['create', 'user'],
                ['continue', 'user'],
                ['continue', 'user'],
              ]
            : [
                [undefined, 'user'],
                [undefined, 'user assistant user'],
                [undefined, 'user assistant user assistant user'],
              ],
        );
      });
    }

    it('begins a new one when the server has lost it, and keeps the reason in the session', async () => {
      const rig = await open('anthropic-messages', { supportsMessageThreads: true });
      llm.reply({ text: 'one' });
      await rig.chat.submit('first');
      llm.fail(400, { message: 'thread: Extra inputs are not permitted' });
      llm.reply({ text: 'two' });
      await rig.chat.submit('second');
      const answer = rig.conversation.run.agent.messages.at(-1);
      await rig.close();
      assert.deepEqual(
        bodies().map(body => [body.thread?.['type'], rolesOf(body)]),
        [
          ['create', 'user'],
          ['continue', 'user'],
          [undefined, 'user assistant user'],
        ],
      );
      assert.deepEqual(answer?.role === 'assistant' && answer.diagnostics?.map(({ type }) => type), [
        'anthropic_thread_fallback',
      ]);
    });
  });

  describe('whose tools change', () => {
    const extensions = {
      'more.ts': `${PI}export default (pi: ExtensionAPI) => {
        pi.registerTool({ name: 'more', label: 'more', description: 'More.', parameters: { type: 'object', properties: {} } as any,
          execute: async () => ({ content: [], details: undefined }) });
        pi.registerCommand('only', { handler: async () => pi.setActiveTools(['bash']) });
        pi.registerCommand('add', { handler: async () => pi.setActiveTools(['bash', 'more']) });
        pi.registerCommand('off', { handler: async () => pi.setActiveTools([]) });
      };`,
    };
    async function changed(compat: object, more = ''): Promise<readonly Body[]> {
      const rig = await open('anthropic-messages', compat, {
        extensions: { ...extensions, ...(more === '' ? {} : { 'hook.ts': PI + more }) },
      });
      llm.reply({ text: 'one' }, { text: 'two' });
      await rig.chat.submit('/only');
      await rig.chat.submit('first');
      await rig.chat.submit('/add');
      await rig.chat.submit('second');
      await rig.close();
      return bodies();
    }
    const namesOf = ({ tools = [] }: Body): readonly unknown[] =>
      tools.map(tool => ({ ...tool, ...(tool['function'] as object | undefined) })).map(({ name }) => name);

    it('tells a model that takes system messages in the middle where they changed', async () => {
      const [first, second] = await changed({
        supportsMidConvoSystemMessages: true,
        supportsMidConvoToolChanges: true,
      });
      assert.ok(first !== undefined && second !== undefined);
      assert.deepEqual(namesOf(second), namesOf(first), 'what the provider has cached stays valid');
      assert.deepEqual(second.system, first.system);
      assert.equal(rolesOf(second), 'user assistant user system');
      assert.match(JSON.stringify(second.messages.at(-1)?.content), /"tool_addition".*"name":"more"/);
    });

    for (const [name, compat, hook] of [
      ['a model that does not', {}, ''],
      [
        'a model behind a hook that changes the messages',
        { supportsMidConvoSystemMessages: true, supportsMidConvoToolChanges: true },
        `export default (pi: ExtensionAPI) => { pi.on('context', ({ messages }) => ({ messages: messages.map(each => ({ ...each, timestamp: 5 })) as any })); };`,
      ],
      [
        'a model with a prompt of a hook',
        { supportsMidConvoSystemMessages: true, supportsMidConvoToolChanges: true },
        `export default (pi: ExtensionAPI) => { pi.on('before_agent_start', () => ({ systemPrompt: 'of the hook' })); };`,
      ],
    ] as const) {
      it(`tells ${name} all tools at the beginning`, async () => {
        const [first, second] = await changed(compat, hook);
        assert.ok(first !== undefined && second !== undefined);
        assert.equal(rolesOf(second), 'user assistant user');
        assert.deepEqual(
          namesOf(second).filter(each => each === 'bash' || each === 'more'),
          ['bash', 'more'],
        );
        if (hook.includes('of the hook')) assert.match(second.system?.[0]?.text ?? '', /^of the hook/);
      });
    }

    for (const [compat, expected] of [
      [{}, undefined],
      [{ requiresToolsWithToolHistory: true }, []],
    ] as const) {
      it(`sends no empty list once they are off, unless the server needs one: ${JSON.stringify(compat)}`, async () => {
        const rig = await open('openai-completions', compat, { extensions });
        llm.reply(CALL, { text: 'one' }, { text: 'two' });
        await rig.chat.submit('/only');
        await rig.chat.submit('first');
        await rig.chat.submit('/off');
        await rig.chat.submit('second');
        await rig.close();
        assert.deepEqual(namesOf(bodies()[0]!), ['bash']);
        assert.deepEqual(bodies()[2]?.tools, expected);
      });
    }
  });

  describe('whose thinking level changes', () => {
    it('says with each answer how much the model thought, and with the last message how much it shall', async () => {
      const rig = await open('anthropic-messages', { supportsMidConvoEffort: true, forceAdaptiveThinking: true });
      llm.reply({ text: 'one' }, { text: 'two' });
      rig.conversation.models.setThinkingLevel('low');
      await rig.chat.submit('first');
      rig.conversation.models.setThinkingLevel('high');
      await rig.chat.submit('second');
      await rig.close();
      const [first, second] = bodies().map(({ messages }) =>
        messages.flatMap(({ role, output_config: config }) => (config === undefined ? role : JSON.stringify(config))),
      );
      assert.deepEqual(first, ['user', '{"effort":"low"}']);
      assert.deepEqual(second, ['user', '{"effort":"low"}', 'assistant', 'user', '{"effort":"high"}']);
    });
  });

  describe('whose model keeps to schemas', () => {
    for (const [api, yes, no] of [
      ['anthropic-messages', { supportsStrictTools: true }, {}],
      ['openai-completions', { supportsStrictMode: true }, { supportsStrictMode: false }],
      ['openai-responses', { supportsStrictMode: true }, { supportsStrictMode: false }],
    ] as const) {
      it(`has the tools that change files and run commands be strict, where the model can do so: ${api}`, async () => {
        const strict = async (compat: object): Promise<readonly string[]> => {
          const rig = await open(api, compat);
          llm.reply({ text: 'one' });
          await rig.chat.submit('first');
          await rig.close();
          return (bodies().at(-1)?.tools ?? []).flatMap(tool => {
            const { name, strict: isStrict } = { ...tool, ...(tool['function'] as object | undefined) } as {
              name?: string;
              strict?: boolean;
            };
            return isStrict === true ? [name ?? ''] : [];
          });
        };
        assert.deepEqual([...(await strict(yes))].sort(), ['bash', 'edit', 'read', 'write']);
        assert.deepEqual(await strict(no), []);
      });
    }

    it('runs a call in which optional arguments are null', async () => {
      const rig = await open(
        'anthropic-messages',
        { supportsStrictTools: true },
        { files: { 'a.txt': 'text of the file' } },
      );
      llm.reply(
        { toolCalls: [{ name: 'read', arguments: { path: 'a.txt', offset: null, limit: null } }] },
        { text: 'one' },
      );
      await rig.chat.submit('first');
      await rig.close();
      assert.match(JSON.stringify(bodies()[1]?.messages.at(-1)), /text of the file/);
    });
  });

  describe('with a server that takes no null and no white space', () => {
    const blank = `${PI}export default (pi: ExtensionAPI) => pi.registerTool({ name: 'blank', label: 'blank', description: '',
      parameters: { type: 'object', properties: {} } as any,
      execute: async () => ({ content: [{ type: 'text', text: ' \\n\\t' }], details: undefined }) });`;

    for (const [api, compat, content] of [
      ['openai-completions', {}, null],
      ['openai-completions', { requiresNonNullAssistantContent: true }, ''],
    ] as const) {
      it(`sends answers that only call tools as it needs them: ${JSON.stringify(compat)}`, async () => {
        const rig = await open(api, compat, { extensions: { 'blank.ts': blank } });
        llm.reply({ toolCalls: [{ name: 'blank', arguments: {} }] }, { text: 'one' });
        await rig.chat.submit('first');
        await rig.close();
        const messages = bodies()[1]?.messages ?? [];
        assert.equal(messages.find(({ role }) => role === 'assistant')?.content, content);
        assert.equal(messages.at(-1)?.content, '(no tool output)');
      });
    }
  });
});
