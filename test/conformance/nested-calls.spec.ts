import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentMessage } from '../../src/agent/messages';
import { until, type RigOptions } from '../support/conversation-rig';
import type { Script } from '../support/scripted-stream';
import { Stage } from './support';

const ORCHESTRATE: Script = { calls: [{ id: 'p', name: 'orchestrate', args: {} }] };
const DONE: Script = { text: 'ok' };

/** A tool whose `execute` is this code, over `ctx`, `signal` and `say`, which ends it with what it is given as JSON. */
const orchestrator = (code: string, more = ''): string => `// @pi-dialect pi
  export default pi => {
    ${more}
    pi.registerTool({
      name: 'orchestrate', label: 'Orchestrate', description: 'x', parameters: { type: 'object', properties: {} },
      async execute(id, params, signal, onUpdate, ctx) {
        const say = value => ({ content: [{ type: 'text', text: JSON.stringify(value) }], details: undefined });
        ${code}
      },
    });
  };\n`;

const tool = (name: string, members: string, code: string): string => `pi.registerTool({
  name: '${name}', label: 'x', description: 'x', parameters: { type: 'object', properties: {} }, ${members}
  async execute(id, params, signal, onUpdate, ctx) { ${code} },
});\n`;

describe('the calls that a tool makes', () => {
  let stage: Stage | undefined;

  async function run(
    extensions: Readonly<Record<string, string>>,
    options: RigOptions = {},
    script = [ORCHESTRATE, DONE],
  ): Promise<Stage> {
    stage = await Stage.open(script, { ...options, extensions });
    await stage.chat.submit('go');
    return stage;
  }

  afterEach(async () => {
    await stage?.end();
    stage = undefined;
  });

  const resultOf = (on: Stage): Extract<AgentMessage, { role: 'toolResult' }> => {
    const message = on.chat.conversation.run.agent.messages.find(({ role }) => role === 'toolResult');
    assert.ok(message?.role === 'toolResult');
    return message;
  };
  const said = (on: Stage): unknown => {
    const [part] = resultOf(on).content;
    return JSON.parse(part?.type === 'text' ? part.text : 'null') as unknown;
  };

  it('run, and come back as outcomes whatever becomes of them', async () => {
    const on = await run({
      'o.ts': orchestrator(
        `const outcomes = [];
         for (const [name, args] of [['bash', { command: 'echo hi' }], ['bash', { command: 'exit 3' }], ['read', {}],
           ['nowhere', { a: 1 }], ['bash', 'no object'], ['throws', null]]) {
           const { toolCall, result, isError, durationMs, ...rest } = await ctx.executeTool(name, args);
           outcomes.push([toolCall, result.content[0].text.split('\\n')[0], isError, typeof durationMs, Object.keys(rest)]);
         }
         return say(outcomes);`,
        tool('throws', '', "throw new Error('broken inside')"),
      ),
    });
    const call = (n: number, name: string, args: unknown): object => ({
      type: 'toolCall',
      id: `p/${n}`,
      name,
      arguments: args,
    });
    assert.deepEqual(said(on), [
      [call(1, 'bash', { command: 'echo hi' }), 'hi', false, 'number', []],
      [call(2, 'bash', { command: 'exit 3' }), '(no output)', true, 'number', []],
      [call(3, 'read', {}), 'Validation failed for tool "read":', true, 'undefined', []],
      [call(4, 'nowhere', { a: 1 }), 'Tool nowhere not found', true, 'undefined', []],
      [call(5, 'bash', 'no object'), 'Validation failed for tool "bash":', true, 'undefined', []],
      [call(6, 'throws', {}), 'broken inside', true, 'number', []],
    ]);
  });

  it('stand in no message but the record on the result of the call that made them', async () => {
    const on = await run({
      'o.ts': orchestrator("await ctx.executeTool('bash', { command: 'exit 3' }); return say('done');"),
    });
    const roles = on.chat.conversation.run.agent.messages.map(({ role }) => role);
    assert.deepEqual(
      roles.filter(role => role !== 'system'),
      ['user', 'assistant', 'toolResult', 'assistant'],
    );
    const { calls = [], complete } = resultOf(on).nestedCalls ?? {};
    const { durationMs, ...call } = calls[0] ?? assert.fail();
    assert.deepEqual(
      [call, typeof durationMs, calls.length, complete],
      [
        {
          id: 'p/1',
          name: 'bash',
          arguments: { command: 'exit 3' },
          status: 'error',
          error: '(no output)\n\nCommand exited with code 3',
        },
        'number',
        1,
        true,
      ],
    );
    const file = readFileSync(on.chat.conversation.store.getSessionFile() ?? '', 'utf8');
    assert.match(file, /"nestedCalls":\{"calls":\[\{"id":"p\/1"/);
    assert.deepEqual(on.request(1).slice(-1), ['toolResult: "done"']);
  });

  it('are told to all that listen, and only files of today whose they are', async () => {
    const listening = `for (const name of ['tool_execution_start', 'tool_call', 'tool_result', 'tool_execution_end'])
      pi.on(name, event => { (globalThis.told ??= []).push([file, name, event.toolCallId, event.parentToolCallId]); });`;
    const on = await run({
      'a-old.ts': `// @pi-dialect ext\nexport default pi => { const file = 'old'; ${listening} };\n`,
      'b-new.ts': `// @pi-dialect pi\nexport default pi => { const file = 'new'; ${listening} };\n`,
      'o.ts': orchestrator("await ctx.executeTool('bash', { command: 'true' }); return say(globalThis.told);"),
    });
    const told = said(on) as (string | null)[][];
    const of = (file: string): unknown[] =>
      told.filter(([by, , id]) => by === file && id === 'p/1').map(([, name, , parent]) => [name, parent]);
    const names = ['tool_execution_start', 'tool_call', 'tool_result', 'tool_execution_end'];
    assert.deepEqual(
      of('new'),
      names.map(name => [name, 'p']),
    );
    assert.deepEqual(
      of('old'),
      names.map(name => [name, null]),
    );
  });

  it('pass the same gates: what is blocked does not run, wherever the gate stands', async () => {
    const gate = (dialect: string): string => `// @pi-dialect ${dialect}
      export default pi => {
        pi.on('tool_call', event => event.toolName === 'write' ? { block: true, reason: 'no writing' } : undefined);
      };\n`;
    for (const dialect of ['pi', 'ext', 'v1']) {
      const on = await run({
        'gate.ts': gate(dialect),
        'o.ts': orchestrator(
          `const direct = await ctx.executeTool('write', { path: 'made.txt', content: 'x' });
           const listed = await ctx.tools.find(({ name }) => name === 'write')
             .execute('any', { path: 'made.txt', content: 'x' }).catch(error => error.message);
           return say([direct.isError, direct.result.content[0].text, listed]);`,
        ),
      });
      assert.deepEqual(said(on), [true, 'no writing', 'no writing'], dialect);
      assert.ok(!existsSync(join(on.rig.cwd, 'made.txt')));
      await on.end();
      stage = undefined;
    }
  });

  it('get what tool_call and tool_result handlers make of them', async () => {
    const on = await run({
      'hooks.ts': `// @pi-dialect pi
        export default pi => {
          pi.on('tool_call', event => { if (event.parentToolCallId === 'p') event.input.command = 'echo other'; });
          pi.on('tool_result', event => event.parentToolCallId === 'p'
            ? { content: [{ type: 'text', text: 'redacted ' + event.content[0].text }] } : undefined);
        };\n`,
      'o.ts': orchestrator(
        "return say((await ctx.executeTool('bash', { command: 'echo hi' })).result.content[0].text);",
      ),
    });
    assert.equal(said(on), 'redacted other\n');
  });

  it('reach what is callable: active direct tools, and those of codemode and deferred', async () => {
    const on = await run({
      'o.ts': orchestrator(
        `const names = ctx.tools.map(({ name }) => name);
         const tried = [];
         for (const name of ['of-codemode', 'of-deferred', 'of-model', 'of-nobody', 'asleep'])
           tried.push([name, names.includes(name), (await ctx.executeTool(name, {})).isError]);
         return say(tried);`,
        [
          ['of-codemode', "exposure: 'codemode',"],
          ['of-deferred', "exposure: 'deferred',"],
          ['of-model', "exposure: 'model-only',"],
          ['of-nobody', "exposure: 'hidden',"],
          ['asleep', 'defaultActive: false,'],
        ]
          .map(([name = '', members = '']) => tool(name, members, 'return { content: [], details: undefined };'))
          .join(''),
      ),
    });
    assert.deepEqual(said(on), [
      ['of-codemode', true, false],
      ['of-deferred', true, false],
      ['of-model', false, true],
      ['of-nobody', false, true],
      ['asleep', false, true],
    ]);
  });

  it('may make calls themselves, and all they used counts once', async () => {
    const usage = `{ input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3,
      cost: { input: 0.1, output: 0.2, cacheRead: 0, cacheWrite: 0, total: 0.3 } }`;
    const on = await run({
      'o.ts': orchestrator(
        "await ctx.executeTool('middle', {}); return say('done');",
        tool('middle', '', "await ctx.executeTool('inner', {}); return { content: [], details: undefined };") +
          tool('inner', '', `return { content: [], details: undefined, usage: ${usage} };`),
      ),
    });
    const { nestedCalls, usage: counted } = resultOf(on);
    assert.deepEqual(
      nestedCalls?.calls.map(({ id, status }) => [id, status]),
      [
        ['p/1', 'ok'],
        ['p/1/1', 'ok'],
      ],
    );
    assert.deepEqual([counted?.input, counted?.totalTokens, counted?.cost.total], [1, 3, 0.3]);
  });

  it('run side by side, and one after the other where calls do, with those that they make', async () => {
    const code = `
      const log = [];
      globalThis.log = log;
      await Promise.all(['a', 'b'].map(key => ctx.executeTool('step', { key })));
      return say(log);`;
    const step = `pi.registerTool({ name: 'step', label: 'x', description: 'x',
      parameters: { type: 'object', properties: { key: { type: 'string' } } },
      async execute(id, { key }, signal, onUpdate, ctx) {
        globalThis.log.push(key + ' begins');
        await ctx.executeTool('bash', { command: 'sleep 0.05' });
        globalThis.log.push(key + ' ends');
        return { content: [], details: undefined };
      } });`;
    const together = await run({ 'o.ts': orchestrator(code, step) });
    assert.deepEqual((said(together) as string[]).slice(0, 2), ['a begins', 'b begins']);
    await together.end();
    const inTurn = await run({
      'a.ts': "export default (pi: ExtensionAPI) => { pi.on('tool_call', () => {}); };\n",
      'o.ts': orchestrator(code, step),
    });
    assert.deepEqual(said(inTurn), ['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('tell what comes to the tool that made them, and end with it', async () => {
    const on = await run({
      'o.ts': orchestrator(
        `const seen = [];
         await ctx.executeTool('bash', { command: 'echo one; sleep 0.3; echo two' }, {
           onUpdate: partial => { seen.push(partial.content[0].text); throw new Error('a bad listener'); },
         });
         const stop = new AbortController();
         setTimeout(() => stop.abort(), 20);
         const stopped = await ctx.executeTool('bash', { command: 'sleep 20' }, { signal: stop.signal });
         globalThis.late = ctx.executeTool;
         return say([seen.some(text => text.startsWith('one')), stopped.isError, stopped.result.content[0].text]);`,
      ),
    });
    assert.deepEqual(said(on), [true, true, 'Command aborted']);
    const late = Reflect.get(globalThis, 'late') as (
      name: string,
      args: object,
    ) => Promise<{ readonly isError: boolean }>;
    assert.equal((await late('bash', { command: 'touch late' })).isError, true);
    assert.ok(!existsSync(join(on.rig.cwd, 'late')));
    assert.ok(on.errors.splice(0).some(({ message }) => message === 'a bad listener'));
  });

  it('end when the run is stopped, and are recorded as far as they came', async () => {
    stage = await Stage.open([ORCHESTRATE], {
      extensions: {
        'o.ts': orchestrator(
          "const { isError, result } = await ctx.executeTool('bash', { command: 'touch began; sleep 20' }); throw new Error(result.content[0].text);",
        ),
      },
    });
    const on = stage;
    const run = on.chat.submit('go');
    await until(() => existsSync(join(on.rig.cwd, 'began')) || undefined, 'the nested call');
    await on.chat.conversation.run.stop();
    await run;
    const { nestedCalls, isError } = resultOf(on);
    assert.deepEqual([isError, nestedCalls?.calls.map(({ id, status }) => [id, status])], [true, [['p/1', 'error']]]);
  });

  it('leave out of the record what is too much', async () => {
    const on = await run({
      'o.ts': orchestrator(
        `const long = 'x'.repeat(9000);
         await ctx.executeTool('quiet', { long });
         for (let n = 0; n < 6; n++) await ctx.executeTool('quiet', { long: 'y'.repeat(7000) });
         for (let n = 0; n < 260; n++) await ctx.executeTool('quiet', {});
         return say('done');`,
        tool('quiet', '', 'return { content: [], details: undefined };'),
      ),
    });
    const { calls = [], complete } = resultOf(on).nestedCalls ?? {};
    assert.deepEqual([calls.length, complete, calls.at(-1)?.id], [256, false, 'p/256']);
    assert.deepEqual(
      calls.slice(0, 7).map(call => [call.arguments === undefined, (call.argumentsBytes ?? 0) > 7000]),
      [
        [true, true],
        [false, false],
        [false, false],
        [false, false],
        [false, false],
        [true, true],
        [true, true],
      ],
    );
    assert.equal(on.rig.items('tool')[0]?.nested?.length, 256);
  });

  it('change files on the account of the call of the model', async () => {
    const on = await run(
      {
        'o.ts': orchestrator("await ctx.executeTool('write', { path: 'a.txt', content: 'new' }); return say('done');"),
      },
      { files: { 'a.txt': 'old' } },
    );
    await on.rig.changes.tracker.flush();
    const { changes } = on.chat;
    assert.ok(changes);
    await changes.refresh();
    assert.deepEqual(
      changes.touchedBy('p').map(({ displayPath }) => displayPath),
      ['a.txt'],
    );
    assert.equal(await changes.textBefore('p'), 'old');
  });
});
