import assert from 'node:assert/strict';
import { CliPlace, type Program } from '../modes/support/cli';
import { ScriptedLlm } from '../support/scripted-llm';
import { isRecord } from '../../src/base/json/is-record';
import { describePeer, piToday, TODAY } from './peers';

/** Registers `orchestrate`, which runs this code over `ctx` and ends with what it gives to `say`, as JSON. */
const orchestrator = (code: string, more = ''): string => `
  const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3,
    cost: { input: 0.5, output: 0.25, cacheRead: 0, cacheWrite: 0, total: 0.75 } };
  const tool = (pi, name, members, run) => pi.registerTool({ name, label: name, description: name,
    parameters: { type: 'object', properties: {} }, execute: run, ...members });
  const nothing = async () => ({ content: [], details: undefined });
  export default pi => {
    ${more}
    tool(pi, 'orchestrate', {}, async (id, params, signal, onUpdate, ctx) => {
      const say = value => ({ content: [{ type: 'text', text: JSON.stringify(value) }], details: undefined });
      ${code}
    });
  };\n`;

/** What an extension does in both programs, by what it is about. */
const CASES: Readonly<Record<string, string>> = {
  'outcomes of calls': orchestrator(
    `const all = [];
     for (const [name, args] of [['bash', { command: 'echo hi' }], ['nowhere', { a: 1 }], ['read', { wrong: 1 }], ['throws', undefined]]) {
       const outcome = await ctx.executeTool(name, args);
       all.push([Object.keys(outcome).sort(), outcome.toolCall, outcome.isError, outcome.result.content]);
     }
     return say(all);`,
    "tool(pi, 'throws', {}, async () => { throw new Error('broken'); });",
  ),
  'what is callable': orchestrator(
    `const all = [];
     for (const name of ['codemode-one', 'deferred-one', 'model-one', 'hidden-one', 'asleep'])
       all.push([name, ctx.tools.some(tool => tool.name === name), (await ctx.executeTool(name, {})).isError]);
     return say(all);`,
    `for (const exposure of ['codemode', 'deferred', 'model-only', 'hidden'])
       tool(pi, exposure.replace('-only', '') + '-one', { exposure }, nothing);
     tool(pi, 'asleep', { defaultActive: false }, nothing);`,
  ),
  'gates see them': orchestrator(
    `const blocked = await ctx.executeTool('write', { path: 'x', content: 'y' });
     const changed = await ctx.executeTool('bash', { command: 'echo hi' });
     return say([blocked.isError, blocked.result.content, changed.result.content]);`,
    `pi.on('tool_call', event => {
       if (event.toolName === 'write') return { block: true, reason: 'no ' + event.parentToolCallId };
       if (event.toolName === 'bash') event.input.command = 'echo other';
     });
     pi.on('tool_result', event => event.parentToolCallId === undefined ? undefined
       : { content: [{ type: 'text', text: event.parentToolCallId + ' ' + event.content[0].text }] });`,
  ),
  'events in order': orchestrator(
    `const seen = [];
     globalThis.seen = seen;
     await ctx.executeTool('middle', {});
     return say(seen);`,
    `for (const name of ['tool_execution_start', 'tool_call', 'tool_result', 'tool_execution_end'])
       pi.on(name, event => { globalThis.seen?.push([name, event.toolCallId, event.parentToolCallId]); });
     tool(pi, 'middle', {}, async (id, params, signal, onUpdate, ctx) => { await ctx.executeTool('inner', {}); return nothing(); });
     tool(pi, 'inner', {}, nothing);`,
  ),
  'usage of all depths': orchestrator(
    "await ctx.executeTool('middle', {}); return { ...say('done'), usage };",
    `tool(pi, 'middle', {}, async (id, params, signal, onUpdate, ctx) => { await ctx.executeTool('inner', {}); return nothing(); });
     tool(pi, 'inner', {}, async () => ({ content: [], details: undefined, usage }));`,
  ),
  'what is kept of many calls': orchestrator(
    `await ctx.executeTool('inner', { long: 'x'.repeat(9000) });
     for (let n = 0; n < 6; n++) await ctx.executeTool('inner', { long: 'y'.repeat(7000) });
     for (let n = 0; n < 260; n++) await ctx.executeTool('inner', {});
     return say('done');`,
    "tool(pi, 'inner', {}, nothing);",
  ),
  'members of results': orchestrator(
    `return { content: [{ type: 'text', text: 'failed' }], details: { a: 1 }, isError: true, structuredContent: { b: 2 } };`,
  ),
  'lists of tools': orchestrator(
    `const mine = pi.getAllTools().filter(({ sourceInfo }) => sourceInfo.source !== 'builtin');
     return say(mine.map(({ sourceInfo: { path, baseDir, ...info }, ...tool }) => [{ ...tool, parameters: 0, reachesTools: typeof tool.reachesTools }, info, path.split('/').slice(-3)]));`,
    `tool(pi, 'full', { exposure: 'deferred', namespace: { name: 'n', aliases: ['m'], description: 'd', instructions: 'i' },
       annotations: { readOnlyHint: true }, promptGuidelines: ['g'], reachesTools: () => 'all', defaultActive: false,
       constrainedSampling: false, outputSchema: { type: 'object' } }, nothing);`,
  ),
  'a loadout that is prepared': orchestrator(
    `return say(globalThis.loadout ?? null);`,
    `tool(pi, 'full', { exposure: 'deferred', namespace: { name: 'n' }, promptGuidelines: ['g'] }, nothing);
     tool(pi, 'prepares', { prepareLoadout(loadout) {
       const names = tools => tools.map(({ name }) => name).filter(name => ['orchestrate', 'full', 'prepares'].includes(name));
       globalThis.loadout = [names(loadout.declared), names(loadout.callable), names(loadout.registered),
         loadout.getExposure('full'), loadout.getNamespace('full'), loadout.getPromptGuidelines('full')];
       return { descriptions: { orchestrate: 'another description' }, hiddenDeclarations: ['prepares'] };
     } }, nothing);`,
  ),
};

const EVENTS = ['tool_execution_start', 'tool_execution_end'];

/** The tool events, the result messages, and what the last request declared of the extension's tools. */
async function seen(program: Program, extension: string): Promise<unknown> {
  const place = await CliPlace.make();
  const llm = await ScriptedLlm.start();
  try {
    place.useLlm(llm);
    place.file('agent/extensions/probe.ts', extension);
    llm.reply({ toolCalls: [{ name: 'orchestrate', arguments: {} }] });
    llm.otherwise(() => ({ text: 'an answer' }));
    const { stdout } = await place.run(['--mode', 'json', 'go'], program);
    const records = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as { type: string; message?: { role: string } });
    const told = records.filter(({ type, message }) =>
      type === 'message_end' ? message?.role === 'toolResult' : EVENTS.includes(type),
    );
    const { tools = [] } = (llm.requests.at(-1)?.body ?? {}) as { tools?: { name: string; description: string }[] };
    const declared = tools
      .map(({ name, description }) => [name, description])
      .filter(([name = '']) => ['orchestrate', 'full', 'prepares'].includes(name));
    return JSON.parse(JSON.stringify({ told, declared }, masked));
  } finally {
    await place.remove();
    await llm.stop();
  }
}

/** Ids of calls, and what hangs on the clock. */
function masked(key: string, value: unknown): unknown {
  if (key === 'durationMs' || key === 'timestamp') return undefined;
  // Of a newer pi-ai than the one that we build on.
  if (key === 'totalFromProvider') return undefined;
  // The built-in tools give no data here.
  if (key === 'structuredContent' && isRecord(value) && 'wall_time_seconds' in value) return undefined;
  // Beside a result stands whether it failed; in it pi keeps what the tool itself said of that.
  if (key === 'result' && isRecord(value)) return { ...value, isError: undefined };
  return typeof value === 'string' ? value.replace(/call[_-]?[\w-]*/g, 'CALL') : value;
}

describePeer('tools of extensions do as they do in pi:', TODAY, folder => {
  for (const [name, extension] of Object.entries(CASES)) {
    it(name, async () => {
      const [pi, ours] = await Promise.all([seen(piToday(folder), extension), seen({}, extension)]);
      assert.deepEqual(ours, pi);
    });
  }
});
