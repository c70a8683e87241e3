import assert from 'node:assert/strict';
import { safeToolName } from '../../../src/agent/tools/safe-name';
import { defineTool, type AnyTool } from '../../../src/agent/tools/tool';
import { Type } from '@sinclair/typebox';
import type { OptionalTool } from '../../../src/conversation/ports';
import { scriptedModel } from '../../support/scripted-stream';
import { Rig } from '../../support/conversation-rig';

const tool = (name: string, says = name): AnyTool =>
  defineTool({
    name,
    label: name,
    description: `Says ${says}.`,
    parameters: Type.Object({}),
    execute: () => Promise.resolve({ content: [{ type: 'text' as const, text: says }], details: undefined }),
  });

describe('safeToolName', () => {
  const free = (): boolean => false;

  it('keeps a good name, replaces what providers refuse, and cuts', () => {
    assert.equal(safeToolName('mcp_server-1_do', 'x_', free), 'mcp_server-1_do');
    assert.equal(safeToolName('a.b/c ä', 'x_', free), 'a_b_c__');
    assert.equal(safeToolName('n'.repeat(100), 'x_', free).length, 64);
    assert.equal(safeToolName('', 'x_', free), 'x_');
  });

  it('finds another name where one is taken', () => {
    const taken = new Set(['read', 'x_read']);
    assert.equal(
      safeToolName('read', 'x_', name => taken.has(name)),
      'x_read_2',
    );
    const long = 'n'.repeat(80);
    const first = safeToolName(long, 'x_', free);
    const second = safeToolName(long, 'x_', name => name === first);
    assert.ok(second.length <= 64 && second !== first);
  });
});

describe('tools that are there for the taking', () => {
  let rig: Rig;
  let optional: OptionalTool[];

  beforeEach(async () => {
    optional = [];
    rig = await Rig.open(
      [
        { calls: [{ id: '1', name: 'vscode_read', args: {} }] },
        { text: 'ok' },
        { calls: [{ id: '2', name: 'weather', args: {} }] },
        { text: 'ok' },
      ],
      {
        optionalTools: () => optional,
        hooks: {
          'gate.ts': `export default pi => {
            pi.on('tool_call', async e => e.toolName === 'weather' ? { block: true, reason: 'no weather here' } : undefined);
            pi.on('tool_result', async e => e.toolName === 'vscode_read' ? { content: [{ type: 'text', text: 'redacted' }] } : undefined);
          };`,
        },
      },
    );
  });
  afterEach(() => rig.close());

  const names = (): readonly string[] => rig.chat.toolset.activeNames();

  it('are neither offered nor known to hooks unless wanted, live', () => {
    optional = [{ tool: tool('weather'), byDefault: false }];
    assert.ok(!names().includes('weather'));
    assert.ok(!rig.chat.toolset.all().some(({ name }) => name === 'weather'));
    rig.chat.toolset.setActive([...names(), 'weather']);
    assert.ok(!names().includes('weather'), 'a hook cannot take what the person did not give');
    optional = [{ tool: tool('weather'), byDefault: true }];
    assert.ok(names().includes('weather'));
    optional = [];
    assert.ok(!names().includes('weather'));
  });

  it('are taken and left per conversation', () => {
    optional = [
      { tool: tool('weather'), byDefault: false },
      { tool: tool('clock'), byDefault: true },
    ];
    rig.chat.toolset.select(['read', 'weather']);
    assert.deepEqual(names(), ['read', 'weather']);
    assert.deepEqual(
      rig.chat.toolset.choices().filter(({ origin }) => origin === 'editor'),
      [
        { name: 'weather', description: 'Says weather.', origin: 'editor', active: true },
        { name: 'clock', description: 'Says clock.', origin: 'editor', active: false },
      ],
    );
    rig.chat.toolset.select(['bash', 'clock']);
    assert.deepEqual(names(), ['bash', 'clock']);
  });

  it('never take the place of another tool, and pass through hooks like any other', async () => {
    optional = [
      { tool: tool('read', 'a secret'), byDefault: true },
      { tool: tool('weather'), byDefault: true },
    ];
    const own = rig.chat.toolset.all().find(({ name }) => name === 'read');
    assert.notEqual(own?.description, 'Says a secret.');
    await rig.chat.inbox.submit('read');
    assert.match(JSON.stringify(rig.model.requests[1]?.messages), /redacted/);
    assert.doesNotMatch(JSON.stringify(rig.model.requests[1]?.messages), /a secret/);
    await rig.chat.inbox.submit('weather');
    assert.match(JSON.stringify(rig.model.requests[3]?.messages), /no weather here/);
    assert.ok(rig.model.requests[0]?.tools?.some(({ name }) => name === 'vscode_read'));
  });
});

describe('tools between two requests', () => {
  it('are wrapped once, those of hooks as well, and anew when a hook has registered others', async () => {
    const rig = await Rig.open([], {
      hooks: {
        'tools.ts': `export default pi => {
          const register = name => pi.registerTool({
            name, label: name, description: name, parameters: { type: 'object', properties: {} },
            execute: async () => ({ content: [{ type: 'text', text: name }] }),
          });
          register('first');
          pi.registerCommand('more', { description: 'one more', handler: async () => register('second') });
        };`,
      },
    });
    try {
      const { toolset } = rig.chat;
      const before = toolset.wrapped();
      assert.equal(toolset.wrapped(), before);
      assert.ok(before.some(({ name }) => name === 'first'));
      await rig.chat.inbox.submit('/more');
      assert.ok(toolset.wrapped().some(({ name }) => name === 'second'));
      assert.equal(toolset.wrapped(), toolset.wrapped());
    } finally {
      await rig.close();
    }
  });
});

describe('a built-in tool', () => {
  it('knows the conversation that calls it', async () => {
    const command = 'echo $PI_SESSION_ID,$PI_PROVIDER/$PI_MODEL';
    const rig = await Rig.open([{ calls: [{ id: '1', name: 'bash', args: { command } }] }, { text: 'ok' }]);
    try {
      await rig.chat.inbox.submit('go');
      const [card] = rig.items('tool');
      assert.equal(card?.output, `${rig.chat.store.getSessionId()},${scriptedModel.provider}/${scriptedModel.id}\n`);
    } finally {
      await rig.close();
    }
  });
});
