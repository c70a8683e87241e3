import assert from 'node:assert/strict';
import { typedHooks } from './editor';

const HOOK = '.pi/hooks/hook.ts';
const EXTENSION = '.pi/extensions/extension.ts';
const OMP = '.pi/hooks/omp.ts';

const FILES = {
  [HOOK]: `import { isBashToolResult, type HookAPI } from '@mariozechner/pi-coding-agent/hooks';
export default function (pi: HookAPI) {
  pi.on('tool_call', async (event, ctx) => {
    await ctx.ui.select(event.toolCallId, ['Yes']);
    await ctx.exec('git', []);
  });
  pi.on('tool_result', result => {
    if (isBashToolResult(result)) result.details;
  });
  pi.on('session', step => {
    if (step.reason === 'before_compact') step.messagesToSummarize;
  });
  pi.registerCommand('one', { handler: async ctx => { ctx.ui; } });
  pi.registerCommand('two', { handler: async (args, ctx) => { args.trim(); ctx.args; } });
}
`,
  [EXTENSION]: `import { isToolCallEventType, type ExtensionAPI } from '@earendil-works/pi-coding-agent';
import { Type } from '@sinclair/typebox';
import { Type as NewerType } from 'typebox';
import { complete, StringEnum } from '@gsd/pi-ai';
import { Text } from '@mariozechner/pi-tui';
export default function (pi: ExtensionAPI) {
  pi.on('tool_call', call => {
    if (isToolCallEventType('bash', call)) call.input.timeout;
  });
  pi.on('input', typed => { typed.source; });
  pi.registerTool({
    name: 't', label: 't', description: 't',
    parameters: Type.Object({ names: Type.Array(Type.String()), kind: Type.Optional(Type.Literal('a')) }),
    async execute(_id, params, _signal, _onUpdate, ctx) {
      params.names; params.kind; ctx.cwd;
      return { content: [], details: { left: 1 } };
    },
  });
  pi.registerTool({
    name: 'u', label: 'u', description: 'u',
    parameters: NewerType.Object({ mode: StringEnum(['x', 'y'] as const) }),
    async execute(_id, given) {
      given.mode;
      return { content: [], details: {} };
    },
  });
  return [complete, new Text('x', 0, 0)];
}
`,
  [OMP]: `import type { HookAPI } from '@oh-my-pi/pi-coding-agent/hooks';
import { logger } from '@oh-my-pi/pi-utils';
import { isArrowUp, matchesKey } from '@oh-my-pi/pi-tui';
import { readFileSync } from 'node:fs';
export default function (pi: HookAPI) {
  pi.logger.info('x');
  pi.on('session.compacting', async () => ({ context: ['x'] }));
  return [logger, isArrowUp('x'), matchesKey('x', 'up'), readFileSync('x'), pi.typebox.Type.String()];
}
`,
};

describe('the types for hook authors, when the mouse rests on', function () {
  this.timeout(120_000);
  const types = typedHooks(() => FILES);

  for (const path of Object.keys(FILES)) {
    it(`${path}: nothing is wrong with it`, async () => assert.deepEqual((await types()).problems(path), []));
  }

  const told = (path: string, mark: string, type: RegExp, docs: RegExp): void => {
    it(`${mark} in ${path}`, async () => {
      const hover = (await types()).hover(path, mark);
      assert.match(inOrder(hover.type), type);
      assert.match(hover.docs, docs);
    });
  };

  told(HOOK, 'pi.on', /event: "tool_call"/, /about to run\. \*\*Can block\.\*\*[\s\S]*All dialects/);
  told(HOOK, 'ctx.ui.select', /Promise<string \| null \| undefined>/, /`null` in v1, v2 and tree, `undefined` in omp/);
  told(HOOK, 'event.toolCallId', /toolCallId: string/, /The same in `tool_result`/);
  told(HOOK, 'ctx.exec', /Exec/, /never rejects/);
  told(HOOK, 'result.details', /BashToolDetails \| undefined/, /^/);
  told(HOOK, 'step.messagesToSummarize', /AgentMessage\[\]/, /What the summary must cover/);
  told(HOOK, 'HookAPI', /HookAPI/, /v1, v2 and tree/);
  told(EXTENSION, 'pi.on', /event: "tool_call"/, /Can block/);
  told(EXTENSION, 'call.input.timeout', /number \| undefined/, /Seconds/);
  told(EXTENSION, 'typed.source', /"extension" \| "interactive" \| "rpc"/, /pi\.sendUserMessage/);
  told(EXTENSION, 'pi.registerTool', /ToolDefinition/, /available from the next turn/);
  told(EXTENSION, 'params.names', /string\[\]/, /^/);
  told(EXTENSION, 'params.kind', /"a" \| undefined/, /^/);
  told(EXTENSION, 'given.mode', /"x" \| "y"/, /^/);
  told(EXTENSION, 'ctx.cwd', /string/, /workspace folder/);
  told(OMP, 'pi.on', /"session.compacting"/, /default summary[\s\S]*omp/);
  told(OMP, 'isArrowUp', /IsKey/, /^/);
});

/** With literals of a union sorted: their order depends on what else the program has checked. */
function inOrder(type: string): string {
  return type.replaceAll(/"\w+"(?: \| "\w+")+/g, union => union.split(' | ').sort().join(' | '));
}
