/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access -- hooks are foreign code */
import assert from 'node:assert/strict';
import { deferred } from '../../../src/base/async/wait';
import type { ToolReply, ToolRequest } from '../../../src/guard/protocol/tools';
import { hook, type Foreign, type InlineHook } from '../../support/hook-host';
import { rigWith, type GuardRig } from './guard-rig';

/** A hook with the tool `deploy`, which says this in the end. */
function deployHook(text: string, work?: () => Promise<void>): InlineHook {
  return hook('ext', pi => {
    const parameters = { type: 'object', properties: {} };
    pi.registerTool({
      ...{ name: 'deploy', label: 'Deploy', description: '', parameters },
      execute: async () => {
        await work?.();
        return { content: [{ type: 'text', text }], details: {} };
      },
    });
  });
}

const DEPLOY = deployHook('deployed');

/** A hook that puts its name before each result. */
function reviewHook(name: string): InlineHook {
  return hook('ext', pi => {
    pi.on('tool_result', ({ content: [part] }: Foreign) => ({
      content: [{ type: 'text', text: `${name}: ${String(part.text)}` }],
    }));
  });
}

const textOf = ({ outcome, content: [part] }: ToolReply): readonly unknown[] => [
  outcome,
  part?.type === 'text' ? part.text : part,
];

function call(rig: GuardRig, client = 'a client'): Promise<ToolReply> {
  const about = { session: 'server', pid: process.pid, cwd: '/work', name: 'deploy', arguments: {} };
  const request: ToolRequest = { client: { name: client, version: '1' }, ...about };
  return rig.folder.callTool(request, () => undefined, new AbortController().signal);
}

describe('the tools of hooks in a folder', () => {
  it('are unknown when the new hook has them no more', async () => {
    const rig = await rigWith([DEPLOY]);
    rig.host.hooks = [];
    await rig.host.host.reload();
    assert.deepEqual(await call(rig), { outcome: 'unknown', content: [], records: [] });
  });

  for (const [what, path, results] of [
    ['reviews results is saved', '/hooks/2.ts', ['new review: old tool', 'new review: old tool']],
    ['has the tool is saved', '/hooks/1.ts', ['old review: old tool', 'old review: new tool']],
  ] as const) {
    it(`give the result of a call during which the hook that ${what}`, async () => {
      const began = deferred();
      const end = deferred();
      const work = (): Promise<void> => {
        began.resolve();
        return end.promise;
      };
      const rig = await rigWith([deployHook('old tool', work), reviewHook('old review')]);
      const running = call(rig);
      await began.promise;
      rig.host.hooks = [deployHook('new tool'), reviewHook('new review')];
      await rig.host.host.reload({ fresh: path });
      end.resolve();
      assert.deepEqual(
        [textOf(await running), textOf(await call(rig))].map(([, text]) => text),
        results,
      );
    });
  }

  for (const [client, agent] of [
    ['claude-code', 'Claude Code'],
    ['copilot-cli', 'Copilot'],
    ['codex-mcp-client', 'Codex'],
    ['gemini-cli-mcp-client', 'Gemini CLI'],
    ['qwen-cli-mcp-client-hookline', 'Qwen Code'],
    ['factory-cli', 'Factory Droid'],
    ['@cline/core', 'Cline'],
    ['opencode', 'opencode'],
    ['kilo', 'Kilo CLI'],
    ['Visual Studio Code', 'Visual Studio Code'],
    ['toString', 'toString'],
    ['\u001b[2Jan\nagent', '⟦U+001B⟧[2Jan⟦U+000A⟧agent'],
    ['long '.repeat(100), `${'long '.repeat(100).slice(0, 59)}…`],
  ] as const) {
    it(`ask about a call of ${JSON.stringify(client.slice(0, 40))} as one of ${agent}`, async () => {
      const asking = hook('ext', pi => {
        pi.on('tool_call', async (_event: unknown, ctx: { ui: { confirm: (title: string) => Promise<boolean> } }) => {
          await ctx.ui.confirm('Deploy?');
        });
      });
      const rig = await rigWith([DEPLOY, asking], { answers: [true] });
      assert.deepEqual(textOf(await call(rig, client)), ['done', 'deployed']);
      assert.deepEqual(
        rig.asked.map(({ guarded }) => guarded),
        [{ agent, folder: 'work' }],
      );
    });
  }
});
