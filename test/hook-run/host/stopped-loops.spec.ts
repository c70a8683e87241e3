import assert from 'node:assert/strict';
import { setImmediate as macrotask } from 'node:timers/promises';
import { RealHooks } from '../../support/real-hooks';

const CALL = { type: 'tool_call', toolCallId: 'c1', toolName: 'bash', input: { command: 'ls' } } as const;

const GATE = `export default function (pi) {
  pi.on('tool_call', async event => {
    if (event.input.command === 'ls') {
      try { for (;;) await null; } catch {}
    }
    return undefined;
  });
}
`;
const OTHER = `export default function (pi) {
  pi.on('agent_start', () => { globalThis.otherRan = (globalThis.otherRan ?? 0) + 1; });
}
`;

describe('a hook that was stopped in an endless loop', () => {
  let hooks: RealHooks;
  const open = async (texts: Readonly<Record<string, string>>): Promise<void> => {
    hooks = new RealHooks(texts, { loopLimitMs: 60 });
    await hooks.host.reload();
  };
  afterEach(async () => {
    Reflect.deleteProperty(globalThis, 'otherRan');
    await hooks.end();
  });
  const stateOf = (name: string) => hooks.host.infos().find(({ path }) => path === hooks.path(name))?.state;

  it('blocks what it gates, also when its own code caught that, and also calls that it would not loop at', async () => {
    await open({ 'gate.ts': GATE });
    const { runner } = hooks.host;
    const verdict = await runner.emit(CALL, hooks.conversation);
    assert.ok(verdict.block);
    assert.equal(verdict.reason, `Stopped: endless loop at gate.ts:4. Nothing else could run for 0.06 s.`);
    const later = await runner.emit({ ...CALL, toolCallId: 'c2', input: { command: 'pwd' } }, hooks.conversation);
    assert.ok(later.block);
  });

  it('is told once, and shown with file and line, while the others go on', async () => {
    await open({ 'gate.ts': GATE, 'other.ts': OTHER });
    let changes = 0;
    hooks.host.onDidChange(() => changes++);
    await hooks.host.runner.emit(CALL, hooks.conversation);
    await macrotask();
    await hooks.host.runner.emit({ ...CALL, toolCallId: 'c2' }, hooks.conversation);
    await hooks.host.runner.emit({ type: 'agent_start' }, hooks.conversation);
    assert.equal(Reflect.get(globalThis, 'otherRan'), 1);
    const [error] = hooks.errors;
    assert.equal(hooks.errors.length, 1);
    assert.deepEqual([error?.hookPath, error?.file, error?.line], [hooks.path('gate.ts'), hooks.path('gate.ts'), 4]);
    assert.ok(changes > 0);
    const state = stateOf('gate.ts');
    assert.equal(state?.type, 'stopped');
    assert.equal(state.gatesTools, true);
    assert.equal(state.problems[0]?.line, 4);
    assert.equal(stateOf('other.ts')?.type, 'live');
  });

  it('stays stopped at a reload, runs again when the person says so, and when its text changes', async () => {
    await open({ 'gate.ts': GATE });
    await hooks.host.runner.emit(CALL, hooks.conversation);
    await hooks.host.reload();
    assert.equal(stateOf('gate.ts')?.type, 'stopped');
    await hooks.host.runAgain(hooks.path('gate.ts'));
    assert.equal(stateOf('gate.ts')?.type, 'live');
    await hooks.host.runner.emit(CALL, hooks.conversation);
    await macrotask();
    assert.equal(stateOf('gate.ts')?.type, 'stopped');
    hooks.files.write({ '.pi/hooks/gate.ts': OTHER });
    await hooks.host.reload();
    assert.equal(stateOf('gate.ts')?.type, 'live');
  });

  it('in a tool: the call fails with the place, also when the tool caught that', async () => {
    const tool = (body: string): string => `export default function (pi) {
  pi.registerTool({
    name: 'spin', label: 'Spin', description: '', parameters: { type: 'object', properties: {} },
    async execute() {
      ${body}
      return { content: [{ type: 'text', text: 'done' }], details: undefined };
    },
  });
}
`;
    for (const body of ['for (;;) await null;', 'try { for (;;); } catch {}']) {
      await open({ 'tool.ts': tool(body) });
      const [spin] = hooks.host.tools(hooks.conversation);
      await assert.rejects(
        async () => spin?.execute('c1', {}, undefined, undefined),
        new RegExp(`^LoopStopped: Stopped: endless loop at .*tool\\.ts:5\\.`),
      );
      if (body.startsWith('for')) await hooks.end();
    }
  });

  it('in a renderer: the plain form is shown, and it is told once', async () => {
    await open({
      'draw.ts': `export default function (pi) {
  pi.registerMessageRenderer('note', message => {
    while (message) {}
  });
}
`,
    });
    const draw = (): unknown =>
      hooks.host.drawing.message('note')?.({ customType: 'note' }, { expanded: false, width: 80 });
    assert.equal(draw(), undefined);
    assert.equal(draw(), undefined);
    await macrotask();
    assert.deepEqual(
      hooks.errors.map(({ line }) => line),
      [3],
    );
  });

  it('in a component: what it draws throws, as a renderer does', async () => {
    await open({
      'draw.ts': `export default function (pi) {
  pi.registerMessageRenderer('note', () => ({
    render() { for (;;); },
    invalidate() {},
  }));
}
`,
    });
    const component = hooks.host.drawing.message('note')?.({ customType: 'note' }, { expanded: false, width: 80 });
    assert.throws(() => component?.render(80), /endless loop at .*draw\.ts:3\./);
  });

  it('in a transformer of markdown: the text is shown as it is', async () => {
    await open({
      'mark.ts': `export default function (pi) {
  pi.registerMarkdownTransformer(text => { for (;;) { try { text += text; text = ''; } catch {} } });
}
`,
    });
    const place = { messageType: 'assistant', isStreaming: false, availableWidth: 80 } as const;
    assert.equal(hooks.host.drawing.markdown('hello', place), 'hello');
    assert.equal(hooks.host.drawing.markdown('hello', place), 'hello');
    await macrotask();
    assert.equal(hooks.errors.length, 1);
  });

  it('in completions of a command: there are none', async () => {
    await open({
      'complete.ts': `export default function (pi) {
  pi.registerCommand('go', { description: '', handler: async () => {}, getArgumentCompletions: () => { for (;;); } });
}
`,
    });
    const items = await hooks.host.commands.completions('go', '').catch((error: unknown) => error);
    assert.ok(!Array.isArray(items) || items.length === 0, JSON.stringify(items));
    await macrotask();
    assert.equal(hooks.errors.length, 1);
  });

  it('while it loads: it does not run, and other hooks do', async () => {
    await open({ 'top.ts': `for (;;);\nexport default () => {};\n`, 'other.ts': OTHER });
    assert.equal(stateOf('top.ts')?.type, 'failed');
    assert.equal(stateOf('other.ts')?.type, 'live');
  });

  it('in its factory: it does not run', async () => {
    await open({ 'factory.ts': `export default pi => {\n  while (pi) {}\n};\n` });
    const state = stateOf('factory.ts');
    assert.equal(state?.type, 'failed');
    assert.equal(state.problems[0]?.line, 2);
  });

  it('in its factory, which caught that: it does not run either', async () => {
    await open({ 'factory.ts': `export default pi => {\n  try { while (pi) {} } catch {}\n};\n` });
    assert.equal(stateOf('factory.ts')?.type, 'stopped');
  });
});
