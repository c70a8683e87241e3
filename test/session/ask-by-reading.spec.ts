import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { askByReading, lacksRealModel } from '../../src/session/ask-by-reading';
import { defineTool } from '../../src/agent/tools/tool';
import { Type } from '@sinclair/typebox';
import { Rig, type RigOptions } from '../support/conversation-rig';
import { scripted } from '../support/scripted-mcp';
import type { Script } from '../support/scripted-stream';

const write: Script = { calls: [{ id: '1', name: 'write', args: { path: 'a.ts', content: 'new;\n' } }] };
const call = (name: string, args: Record<string, unknown> = {}): Script => ({ calls: [{ id: name, name, args }] });

describe('a question to an agent that may only read', () => {
  let rig: Rig;
  afterEach(() => rig.close());
  const file = { name: 'a.ts', text: 'old;\n' };

  it('runs no tool that changes a file or starts a program, and gives all tools back with the answer', async () => {
    rig = await Rig.open(
      [
        {
          calls: [
            { id: '1', name: 'write', args: { path: 'a.ts', content: 'new;\n' } },
            { id: '2', name: 'edit', args: { path: 'a.ts', edits: [{ oldText: 'old', newText: 'new' }] } },
            { id: '3', name: 'bash', args: { command: 'touch b.ts' } },
            { id: '4', name: 'read', args: { path: 'a.ts' } },
          ],
        },
        { text: 'done' },
      ],
      { files: { 'a.ts': 'old;\n' } },
    );
    const before = rig.conversation.toolset.activeNames();
    assert.equal(await askByReading(rig.conversation, 'convert @a.ts', [file]), 'done');
    assert.equal(readFileSync(join(rig.cwd, 'a.ts'), 'utf8'), 'old;\n');
    assert.equal(existsSync(join(rig.cwd, 'b.ts')), false);
    const results = rig.conversation.run.agent.messages.filter(message => message.role === 'toolResult');
    assert.deepEqual(
      results.map(({ isError }) => isError),
      [true, true, true, false],
    );
    assert.deepEqual(rig.conversation.toolset.activeNames(), before);
    const names = rig.model.requests.map(({ tools = [] }) => tools.map(({ name }) => name));
    assert.ok(names.every(each => each.includes('read') && !each.some(name => /^(write|edit|bash)$/.test(name))));
  });

  const open = async (script: readonly Script[], more: RigOptions = {}): Promise<void> => {
    rig = await Rig.open(script, { ...more, files: { 'a.ts': 'old;\n' } });
  };
  const ask = (): Promise<string | undefined> => askByReading(rig.conversation, 'convert', [file]);
  const active = (): readonly string[] => rig.conversation.toolset.activeNames();
  const declared = (request: number): string[] => (rig.model.requests[request]?.tools ?? []).map(({ name }) => name);
  const failed = (): boolean[] =>
    rig.conversation.run.agent.messages.flatMap(each => (each.role === 'toolResult' ? [each.isError] : []));
  const onDisk = (): string => readFileSync(join(rig.cwd, 'a.ts'), 'utf8');
  /** Does it when the agent got the question. */
  const whenAsked = (act: () => void): void => {
    const listening = rig.conversation.onDidHappen(event => {
      if (event.type !== 'message_end' || !JSON.stringify(event.message).includes('convert')) return;
      listening.dispose();
      act();
    });
  };

  it('is asked after what a hook sent in `session_start`, which had all tools', async () => {
    await open([{ text: 'first' }, write, { text: 'done' }], {
      extensions: { 'first.ts': `export default pi => pi.on('session_start', () => pi.sendUserMessage('hello'));` },
    });
    assert.equal(await ask(), 'done');
    assert.ok(declared(0).includes('write') && !declared(1).includes('write'));
    assert.deepEqual([failed(), onDisk()], [[true], 'old;\n']);
  });

  it('is asked after what the user typed first, and nothing that the user types meanwhile can write', async () => {
    await open([{ text: 'first' }, write, { text: 'done' }, write, { text: 'second' }]);
    const first = rig.chat.submit('hello');
    const answer = ask();
    whenAsked(() => void rig.chat.submit('go on', { delivery: 'followUp' }));
    await Promise.all([first, answer]);
    assert.equal(onDisk(), 'old;\n');
    assert.ok(failed().length > 0 && failed().every(Boolean));
    assert.ok(active().includes('write'));
  });

  it('runs no tool that a hook registers meanwhile; it can be used afterwards', async () => {
    await open([call('late'), { text: 'done' }, call('late'), { text: 'ok' }], {
      extensions: {
        'late.ts': `export default pi => pi.on('before_agent_start', () => pi.registerTool({
          name: 'late', label: 'l', description: 'l', parameters: { type: 'object' }, isReadOnly: true,
          execute: async () => ({ content: [] }),
        }));`,
      },
    });
    assert.equal(await ask(), 'done');
    assert.ok(!declared(0).includes('late'));
    await rig.chat.submit('again');
    assert.deepEqual(failed(), [true, false]);
  });

  it('runs no tool of a server, and cannot search for one', async () => {
    const tools = Array.from({ length: 3 }, (_each, index) => ({
      name: `tool_${index}`,
      description: `Counts the apples of basket ${index}.`,
      inputSchema: { type: 'object' },
    }));
    const servers = {
      few: scripted({ tools: tools.slice(0, 1) }),
      many: scripted({ tools }, { exposure: 'deferred' }),
    };
    await open(
      [
        call('tool_search', { query: 'apples basket 2', limit: 1 }),
        call('mcp__many__tool_2'),
        call('mcp__few__tool_0'),
        { text: 'done' },
        { text: 'ok' },
      ],
      { mcp: true, home: { '.pi/agent/mcp.json': JSON.stringify({ mcpServers: servers }) } },
    );
    assert.equal(await ask(), 'done');
    assert.deepEqual(failed(), [true, true, true]);
    await rig.chat.submit('again');
    const later = declared(4).filter(name => /^(mcp__|tool_search$)/.test(name));
    assert.ok(later.includes('tool_search') && !later.includes('mcp__many__tool_2'));
  });

  it('leaves a tool on that is away at the end and comes back', async () => {
    const deploy = defineTool({
      name: 'deploy',
      label: 'deploy',
      description: 'Deploys.',
      parameters: Type.Object({}),
      execute: () => Promise.resolve({ content: [], details: undefined }),
    });
    let isThere = true;
    await open([{ text: 'done' }], { optionalTools: () => (isThere ? [{ tool: deploy, byDefault: true }] : []) });
    const before = active();
    whenAsked(() => (isThere = false));
    assert.equal(await ask(), 'done');
    assert.ok(!active().includes('deploy'));
    isThere = true;
    assert.deepEqual(active(), before);
  });

  it('leaves the tools off that the user turns off meanwhile', async () => {
    await open([{ text: 'done' }]);
    const wanted = active().filter(name => name !== 'read' && name !== 'bash');
    whenAsked(() => rig.conversation.toolset.select(wanted));
    assert.equal(await ask(), 'done');
    assert.deepEqual(active(), wanted);
  });

  for (const [way, code] of [
    ['by name', `pi.setActiveTools(pi.getActiveTools().filter(name => name !== 'read'))`],
    [
      'in the options of the prompt',
      `void event.systemPromptOptions.selectedTools.splice(event.systemPromptOptions.selectedTools.indexOf('read'), 1)`,
    ],
  ] as const) {
    it(`leaves those tools off, and no others, that a hook turns off meanwhile ${way}`, async () => {
      await open([{ text: 'done' }], {
        extensions: { 'off.ts': `export default pi => pi.on('before_agent_start', event => ${code});` },
      });
      const before = active();
      assert.equal(await ask(), 'done');
      assert.deepEqual(
        active(),
        before.filter(name => name !== 'read'),
      );
    });
  }

  it('has no answer when a hook handles the text, and the user is told', async () => {
    await open([{ text: 'first' }], {
      extensions: {
        'mine.ts': `export default pi => pi.on('input', ({ text }) => text === 'convert' ? { action: 'handled' } : undefined);`,
      },
    });
    await rig.chat.submit('hello');
    assert.equal(await ask(), undefined);
    assert.deepEqual(
      rig.items('notice').map(({ level, text }) => [level, text]),
      [['warning', 'The agent did not answer. It may have been stopped, or a hook handled the text.']],
    );
    assert.ok(active().includes('write'));
  });

  it('sends files beside the text, in which nothing is a mention', async () => {
    rig = await Rig.open([{ text: 'done' }], { files: { 'a.ts': 'on disk' } });
    await askByReading(rig.conversation, 'convert @a.ts', [file]);
    const sent = JSON.stringify(rig.model.requests[0]?.messages);
    assert.ok(sent.includes('<file name=\\"a.ts\\">\\nold;') && !sent.includes('on disk'), sent);
  });

  it('has no answer when the agent fails, is stopped or runs out of tokens', async () => {
    for (const reply of [
      { stopReason: 'error', errorMessage: 'no such model' },
      { stopReason: 'aborted', errorMessage: 'aborted' },
      { text: '```ts\nhalf', stopReason: 'length' },
    ] as const) {
      rig = await Rig.open([reply]);
      assert.equal(await askByReading(rig.conversation, 'convert', [file]), undefined, reply.stopReason);
      if (reply.stopReason !== 'length') await rig.close();
    }
  });

  it('is possible with a model that has a key', async () => {
    rig = await Rig.open([]);
    assert.equal(await lacksRealModel(rig.conversation), false);
    assert.deepEqual(rig.items('notice'), []);
  });

  it('is refused without a key, with the way to set one', async () => {
    rig = await Rig.open([], { hasKey: false, settings: { defaultProvider: 'test', defaultModel: 'scripted' } });
    assert.equal(await lacksRealModel(rig.conversation), true);
    const [notice] = rig.items('notice');
    assert.match(notice?.text ?? '', /^No API key is known for test/);
    assert.deepEqual(
      notice?.actions?.map(({ command }) => command),
      ['setApiKey'],
    );
  });

  it('is refused with the demo model, with the ways to another one', async () => {
    rig = await Rig.open([], { models: [] });
    assert.equal(rig.chat.status.current.demo, true);
    assert.equal(await lacksRealModel(rig.conversation), true);
    const [notice] = rig.items('notice');
    assert.equal(notice?.text, 'The demo model cannot do this.');
    assert.deepEqual(
      notice.actions?.map(({ command }) => command),
      ['pickModel', 'setApiKey'],
    );
  });
});
