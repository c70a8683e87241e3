/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access -- hooks are foreign code: they take what they are handed */
import assert from 'node:assert/strict';
import { Type } from '@sinclair/typebox';
import { runToolCalls } from '../../../src/agent/run/tool-calls';
import { defineTool, type AnyTool, type GatedTool } from '../../../src/agent/tools/tool';
import { gatedTool, type CallSurroundings } from '../../../src/hook-run/tool-call/tool-call';
import { hook, hostWith, type Factory } from '../../support/hook-host';

/** A `bash` that notes each step of its calls; `path` has further parts of the path. */
async function noted(factory: Factory, options: Parameters<typeof hostWith>[1] = {}) {
  const steps: string[] = [];
  const host = await hostWith([hook('ext', factory)], options);
  const bash: AnyTool = defineTool({
    name: 'bash',
    label: 'Bash',
    description: 'Runs a command',
    parameters: Type.Object({ command: Type.String() }),
    execute: (_id, { command }) => {
      steps.push(`run ${command}`);
      return Promise.resolve({ content: [{ type: 'text' as const, text: 'ran' }], details: {} });
    },
  });
  const around: CallSurroundings = {
    whenDelivered: () => Promise.resolve(void steps.push('delivered')),
    admitted: () => void steps.push('admitted'),
    begin: (_tool, { input }) => {
      steps.push(`begin ${String(input['command'])}`);
      return Promise.resolve({ context: undefined, end: () => Promise.resolve(void steps.push('end')) });
    },
    fit: result => {
      steps.push('fit');
      return Promise.resolve(result);
    },
  };
  const tool = host.host.gateTool(bash, { conversation: host.conversation, around });
  return { steps, host, bash, around, tool };
}

describe('the path of a tool call', () => {
  it('admits, watches, runs, reviews and fits a call, in this order', async () => {
    const heard: string[] = [];
    const { steps, tool } = await noted(
      pi => {
        pi.on('tool_call', (event: { readonly input: { command: string } }) => {
          heard.push(`tool_call ${event.input.command}`);
          event.input.command = 'pwd';
        });
        pi.on('tool_result', () => void heard.push('tool_result'));
      },
      {
        duringCall: async (_tool, call) => {
          steps.push('watch');
          return call();
        },
      },
    );
    const run = await tool.admit('t', { command: 'ls' }, undefined);
    assert.deepEqual([heard, steps], [['tool_call ls'], ['delivered', 'admitted']]);
    assert.deepEqual((await run()).content, [{ type: 'text', text: 'ran' }]);
    assert.deepEqual(heard, ['tool_call ls', 'tool_result']);
    assert.deepEqual(steps, ['delivered', 'admitted', 'delivered', 'watch', 'begin pwd', 'run pwd', 'end', 'fit']);
  });

  it('begins nothing for a call that a hook blocks', async () => {
    const { steps, tool } = await noted(pi => {
      pi.on('tool_call', () => ({ block: true, reason: 'not this' }));
    });
    await assert.rejects(tool.admit('t', { command: 'ls' }, undefined), { message: 'not this' });
    assert.deepEqual(steps, ['delivered']);
  });

  it('runs nothing that was stopped after it was admitted', async () => {
    const { steps, tool } = await noted(() => undefined);
    const stop = new AbortController();
    const run = await tool.admit('t', { command: 'ls' }, stop.signal);
    stop.abort();
    await assert.rejects(run(), { message: 'Operation aborted' });
    assert.deepEqual(steps, ['delivered', 'admitted', 'delivered']);
  });

  it('runs an admitted call once: a second run would be one that no gate was asked about', async () => {
    const { steps, tool } = await noted(() => undefined);
    const run = await tool.admit('t', { command: 'ls' }, undefined);
    await run();
    await assert.rejects(run(), { message: 'The call t was admitted once, and has run.' });
    assert.equal(steps.filter(step => step === 'run ls').length, 1);
  });

  it('leaves no other way to run a tool', async () => {
    const { bash, tool, host, around, steps } = await noted(() => undefined);
    assert.equal(Reflect.get(tool, 'execute'), undefined);
    const { signal } = new AbortController();
    const batch = { calls: [], signal, order: 'oneByOne' } as const;
    // @ts-expect-error -- a tool without gates is none that a run can have
    runToolCalls({ ...batch, tools: [bash] });
    // @ts-expect-error -- nor is one that only looks like a tool with gates
    runToolCalls({ ...batch, tools: [{ ...bash, admit: tool.admit }] });
    // @ts-expect-error -- and the conversation gives nobody a tool that could be run
    const given: readonly AnyTool[] = host.conversation.allTools();
    const { runner, conversation } = host;
    // @ts-expect-error -- a path without an answer to what watches its calls does not compile
    const unwatched: GatedTool = gatedTool(bash, { conversation, runner, builtInGate: undefined, around });
    assert.deepEqual([given, unwatched.name, steps], [[], 'bash', []]);
  });
});
