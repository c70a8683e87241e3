import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { safeToolName } from '../../../src/agent/tools/safe-name';
import { defineTool, type AnyTool } from '../../../src/agent/tools/tool';
import { Type } from '@sinclair/typebox';
import type { OptionalTool } from '../../../src/session/ports/ports';
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

  const names = (): readonly string[] => rig.conversation.toolset.activeNames();

  it('are neither offered nor known to hooks unless wanted, live', () => {
    optional = [{ tool: tool('weather'), byDefault: false }];
    assert.ok(!names().includes('weather'));
    assert.ok(!rig.conversation.toolset.all().some(({ name }) => name === 'weather'));
    rig.conversation.toolset.setActive([...names(), 'weather']);
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
    rig.conversation.toolset.select(['read', 'weather']);
    assert.deepEqual(names(), ['read', 'weather']);
    assert.deepEqual(
      rig.conversation.toolset.choices().filter(({ origin }) => origin === 'editor'),
      [
        { name: 'weather', description: 'Says weather.', origin: 'editor', active: true },
        { name: 'clock', description: 'Says clock.', origin: 'editor', active: false },
      ],
    );
    rig.conversation.toolset.select(['bash', 'clock']);
    assert.deepEqual(names(), ['bash', 'clock']);
  });

  it('never take the place of another tool, and pass through hooks like any other', async () => {
    optional = [
      { tool: tool('read', 'a secret'), byDefault: true },
      { tool: tool('weather'), byDefault: true },
    ];
    const own = rig.conversation.toolset.all().find(({ name }) => name === 'read');
    assert.notEqual(own?.description, 'Says a secret.');
    await rig.chat.submit('read');
    assert.match(JSON.stringify(rig.model.requests[1]?.messages), /redacted/);
    assert.doesNotMatch(JSON.stringify(rig.model.requests[1]?.messages), /a secret/);
    await rig.chat.submit('weather');
    assert.match(JSON.stringify(rig.model.requests[3]?.messages), /no weather here/);
    assert.ok(rig.model.requests[0]?.tools?.some(({ name }) => name === 'vscode_read'));
  });
});

describe('tools between two requests', () => {
  it('get their gates once, those of hooks as well, and anew when a hook has registered others', async () => {
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
      const { toolset } = rig.conversation;
      const before = toolset.gated();
      assert.equal(toolset.gated(), before);
      assert.ok(before.some(({ name }) => name === 'first'));
      await rig.chat.submit('/more');
      assert.ok(toolset.gated().some(({ name }) => name === 'second'));
      assert.equal(toolset.gated(), toolset.gated());
    } finally {
      await rig.close();
    }
  });
});

describe('an agent that is held to reading', () => {
  it('runs no other tool that it got before, until every hold is over', async () => {
    const rig = await Rig.open([]);
    try {
      const { toolset } = rig.conversation;
      const write = toolset.gated().find(({ name }) => name === 'write');
      const holds = [toolset.holdToReading(), toolset.holdToReading()];
      const run = async (): Promise<unknown> =>
        (await write?.admit('1', { path: 'a.txt', content: 'x' }, undefined))?.(undefined);
      for (const hold of holds) {
        await assert.rejects(run, /Only tools that read can be used now/);
        assert.ok(!toolset.gated().some(({ name }) => name === 'write'));
        hold.dispose();
        hold.dispose();
      }
      await run();
      assert.ok(existsSync(join(rig.cwd, 'a.txt')) && toolset.gated().some(({ name }) => name === 'write'));
    } finally {
      await rig.close();
    }
  });
});

describe('a hook that blocks all calls', () => {
  it('keeps every tool from running, wherever the tool comes from', async () => {
    let hasRun = false;
    const weather: AnyTool = {
      ...tool('weather'),
      execute: () => {
        hasRun = true;
        return Promise.resolve({ content: [], details: undefined });
      },
    };
    const calls = [
      { id: '1', name: 'write', args: { path: 'built-in.txt', content: 'x' } },
      { id: '2', name: 'own', args: {} },
      { id: '3', name: 'weather', args: {} },
    ];
    const rig = await Rig.open([{ calls }, { text: 'ok' }], {
      optionalTools: () => [{ tool: weather, byDefault: true }],
      hooks: {
        'all.ts': `
          import { writeFileSync } from 'node:fs';
          import { join } from 'node:path';
          export default pi => {
            pi.on('tool_call', async () => ({ block: true, reason: 'nothing runs' }));
            pi.registerTool({
              name: 'own', label: 'own', description: 'own', parameters: { type: 'object', properties: {} },
              execute: async (_id, _params, _update, ctx) => {
                writeFileSync(join(ctx.cwd, 'own.txt'), 'x');
                return { content: [] };
              },
            });
          };`,
      },
    });
    try {
      assert.ok(rig.conversation.toolset.gated().every(gated => Reflect.get(gated, 'execute') === undefined));
      await rig.chat.submit('go');
      const outcomes = rig.items('tool').map(({ name, state }) => [name, state.type]);
      assert.deepEqual(outcomes, [
        ['write', 'blocked'],
        ['own', 'blocked'],
        ['weather', 'blocked'],
      ]);
      const written = ['built-in.txt', 'own.txt'].filter(name => existsSync(join(rig.cwd, name)));
      assert.deepEqual([hasRun, written], [false, []]);
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
      await rig.chat.submit('go');
      const [card] = rig.items('tool');
      assert.equal(
        card?.output,
        `${rig.conversation.store.getSessionId()},${scriptedModel.provider}/${scriptedModel.id}\n`,
      );
    } finally {
      await rig.close();
    }
  });
});

interface ListedTool {
  readonly sourceInfo: object;
  readonly exposure: string;
  parameters?: unknown;
}

describe('how tools of hooks are reached', () => {
  const tool = (name: string, more = ''): string =>
    `pi.registerTool({ name: '${name}', label: '${name}', description: '${name}.', parameters: Type.Object({}), ${more}
       promptGuidelines: ['Use ${name}.'], execute: async () => ({ content: [{ type: 'text', text: '${name}' }], details: {}, terminate: true }) });`;
  const extension = (body: string): string =>
    `import { Type } from '@sinclair/typebox';\nexport default (pi: ExtensionAPI) => { ${body} };\n`;
  let rig: Rig | undefined;

  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  const offered = (at: number): readonly string[] =>
    (rig?.model.requests[at]?.tools ?? []).map(({ name }) => name).filter(name => /^(t\d|read)$/.test(name));

  it('offers what is active at registration, and what setActiveTools names, but nothing hidden, in the middle of a run', async () => {
    const body = [
      tool('t1'),
      tool('t2', "exposure: 'model-only',"),
      tool('t3', 'defaultActive: false,'),
      tool('t4', "exposure: 'deferred',"),
      tool('t5', "exposure: 'codemode',"),
      tool('t6', "exposure: 'hidden',"),
      "pi.on('turn_end', () => pi.setActiveTools(['t3', 't4', 't6', 'unknown']));",
    ].join('\n');
    rig = await Rig.open([{ calls: [{ id: 'c', name: 'ls', args: {} }] }, { text: 'ok' }], {
      extensions: { 'tools.ts': extension(body) },
      realPrompt: true,
    });
    await rig.chat.submit('go');
    const guidelines = rig.model.requests.map(({ systemPrompt = '' }) => systemPrompt.match(/Use t\d/g));
    assert.deepEqual(guidelines, [
      ['Use t1', 'Use t2'],
      ['Use t3', 'Use t4'],
    ]);
    assert.deepEqual(offered(0), ['read', 't1', 't2']);
    assert.deepEqual(offered(1), ['t3', 't4']);
    assert.deepEqual(rig.conversation.toolset.activeNames(), ['t3', 't4']);
    assert.ok(!rig.conversation.toolset.choices().some(({ name }) => name === 't6'));
  });

  it('withdraws a tool that is registered again as hidden', async () => {
    rig = await Rig.open([{ text: 'one' }], {
      extensions: { 'tools.ts': extension(`${tool('t1')} ${tool('t1', "exposure: 'hidden',")}`) },
    });
    await rig.chat.submit('go');
    assert.deepEqual(offered(0), ['read']);
  });

  it('refuses an exposure that nobody knows, by the name of the tool', async () => {
    rig = await Rig.open([], { extensions: { 'tools.ts': extension(tool('t1', "exposure: 'secret',")) } });
    const [info] = rig.host.infos();
    assert.equal(info?.state.type, 'failed');
    assert.match(
      JSON.stringify(info.state),
      /registerTool\(\\"t1\\"\): \\"exposure\\" must be one of direct, model-only/,
    );
  });

  it('lists every tool with where it comes from', async () => {
    const more = "exposure: 'hidden', namespace: { name: 'n' }, annotations: { readOnlyHint: true },";
    rig = await Rig.open([{ text: 'one' }], {
      extensions: {
        'tools.ts': extension(
          `${tool('t1', more)} pi.on('agent_start', () => pi.appendEntry('tools', pi.getAllTools().filter(t => ['read', 't1'].includes(t.name))));`,
        ),
      },
    });
    await rig.chat.submit('go');
    const entry = rig.conversation.store.getEntries().find(({ type }) => type === 'custom') as unknown as {
      data: object[];
    };
    const [read, t1] = entry.data as [ListedTool, ListedTool];
    assert.deepEqual(read.sourceInfo, {
      path: 'builtin:read',
      source: 'builtin',
      scope: 'temporary',
      origin: 'top-level',
    });
    assert.equal(read.exposure, 'direct');
    delete t1.parameters;
    assert.deepEqual(t1, {
      name: 't1',
      description: 't1.',
      promptGuidelines: ['Use t1.'],
      exposure: 'hidden',
      namespace: { name: 'n' },
      annotations: { readOnlyHint: true },
      sourceInfo: {
        path: join(rig.cwd, '.pi', 'extensions', 'tools.ts'),
        source: 'auto',
        scope: 'project',
        origin: 'top-level',
        baseDir: join(rig.cwd, '.pi'),
      },
    });
  });

  it('ends the run when its result, or the hook that blocks it, says so', async () => {
    rig = await Rig.open(
      [{ calls: [{ id: 'a', name: 't1', args: {} }] }, { calls: [{ id: 'b', name: 'ls', args: {} }] }],
      {
        extensions: {
          'tools.ts': extension(
            `${tool('t1')} pi.on('tool_call', e => (e.toolName === 'ls' ? { block: true, reason: 'no', terminate: true } : undefined));
           pi.on('tool_result', () => ({ content: [{ type: 'text', text: 'changed' }] }));`,
          ),
        },
      },
    );
    await rig.chat.submit('go');
    assert.equal(rig.model.requests.length, 1);
    await rig.chat.submit('again');
    assert.equal(rig.model.requests.length, 2);
    assert.equal(rig.items('tool')[1]?.state.type, 'blocked');
  });
});

describe('a tool of a hook', () => {
  it('may fail without throwing and keep its details, and tell what it used', async () => {
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.25 };
    const usage = { input: 5, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 6, cost };
    const script = [
      {
        calls: [
          { id: '1', name: 'probe', args: {} },
          { id: '2', name: 'lost', args: {} },
        ],
      },
      { text: 'ok' },
    ];
    const rig = await Rig.open(script, {
      extensions: {
        'probe.ts': `export default pi => pi.registerTool({ name: 'probe', label: 'probe', description: '', parameters: { type: 'object' },
          execute: async () => ({ content: [{ type: 'text', text: 'no' }], details: { why: 1 }, isError: true, usage: ${JSON.stringify(usage)} }) });`,
      },
    });
    try {
      await rig.chat.submit('go');
      const results = rig.conversation.run.agent.messages.filter(({ role }) => role === 'toolResult');
      assert.deepEqual(
        results.map(message =>
          message.role === 'toolResult' ? [message.isError, message.details, message.usage] : [],
        ),
        [
          [true, { why: 1 }, usage],
          [true, {}, undefined],
        ],
      );
      assert.equal(rig.items('tool')[0]?.state.type, 'failed');
    } finally {
      await rig.close();
    }
  });
});
