/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-return -- hooks are foreign code: they take what they are handed, and throw what they like */
import assert from 'node:assert/strict';
import type { DialectId } from '../../../src/hook-contract/dialect-id';
import { hostWith, type Factory } from '../../support/hook-host';

const HOOK_API = 'import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";\n';
const on =
  (...names: readonly string[]): Factory =>
  pi => {
    for (const name of names) pi.on(name, () => undefined);
  };
const nothing: Factory = () => undefined;

interface Case {
  readonly what: string;
  readonly id: DialectId;
  readonly because: RegExp;
  readonly text?: string;
  readonly factory?: Factory;
  readonly group?: 'hooks' | 'extensions';
}

const CASES: readonly Case[] = [
  {
    what: 'pi.command',
    id: 'v2',
    because: /calls pi\.command/,
    factory: pi => pi.command('x', { handler: () => undefined }),
  },
  {
    what: 'ContextMessage',
    id: 'v2',
    because: /imports ContextMessage/,
    text: 'import type { HookAPI, ContextMessage } from "@mariozechner/pi-coding-agent/hooks";',
  },
  { what: 'ctx.saveEntry', id: 'v2', because: /says ctx\.saveEntry/, text: 'await ctx.saveEntry({ type: "x" })' },
  {
    what: "a member of a payload of today's pi",
    id: 'pi',
    because: /says systemPromptOptions/,
    text: 'event.systemPromptOptions.sections.mood = "calm";',
    factory: on('before_agent_start'),
  },
  {
    what: "oh-my-pi's specifier",
    id: 'omp',
    because: /imports @oh-my-pi\/pi-coding-agent\/hooks/,
    text: 'import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";',
  },
  {
    what: 'ExtensionAPI',
    id: 'ext',
    because: /imports ExtensionAPI/,
    text: 'import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";',
  },
  { what: 'an event of extensions', id: 'ext', because: /listens to "input"/, factory: on('input') },
  { what: 'a method of extensions', id: 'ext', because: /calls pi\.registerTool/, text: 'pi.registerTool({})' },
  {
    what: 'the extensions folder',
    id: 'ext',
    because: /it is in a folder of extensions/,
    factory: on('tool_call'),
    group: 'extensions',
  },
  {
    what: 'session and pi.send',
    id: 'v1',
    because: /calls pi\.send/,
    text: `${HOOK_API}pi.send("x")`,
    factory: on('session'),
  },
  { what: 'session alone', id: 'v1', because: /listens to "session"/, text: HOOK_API, factory: on('session') },
  {
    what: 'session and a method of trees',
    id: 'tree',
    because: /listens to "session" and calls pi\.sendMessage/,
    text: `${HOOK_API}pi.sendMessage({})`,
    factory: on('session'),
  },
  {
    what: 'session and an event of trees',
    id: 'tree',
    because: /and listens to "context"/,
    text: HOOK_API,
    factory: on('session', 'context'),
  },
  { what: 'session_new', id: 'tree', because: /listens to "session_new"/, text: HOOK_API, factory: on('session_new') },
  {
    what: 'getPath',
    id: 'tree',
    because: /says \.getPath\(/,
    text: `${HOOK_API}ctx.sessionManager.getPath()`,
    factory: on('session_start'),
  },
  {
    what: 'a hook that speaks of entryId',
    id: 'omp',
    because: /says \.entryId/,
    text: `${HOOK_API}event.entryId`,
    factory: on('session_before_branch'),
  },
  {
    what: 'a hook with (args, ctx)',
    id: 'omp',
    because: /says \(args, ctx/,
    text: `${HOOK_API}handler: async (args, ctx) => {}`,
    factory: pi => pi.registerCommand('x', { handler: () => undefined }),
  },
  {
    what: 'a tree hook without the session event',
    id: 'tree',
    because: /calls pi\.registerCommand/,
    text: HOOK_API,
    factory: pi => pi.registerCommand('x', { handler: () => undefined }),
  },
  { what: 'older than v1', id: 'v1', because: /listens to "branch"/, text: HOOK_API, factory: on('branch') },
  {
    what: 'only tool_call, by specifier',
    id: 'v1',
    because: /imports hook types/,
    text: HOOK_API,
    factory: on('tool_call'),
  },
  {
    what: 'only tool_call, by nothing at all',
    id: 'v1',
    because: /it is in a folder of hooks/,
    text: 'export default pi => {}',
    factory: on('tool_call'),
  },
  {
    what: 'only tool_call, with the package root',
    id: 'ext',
    because: /no sign of its dialect/,
    text: 'import { Type } from "@mariozechner/pi-ai";',
    factory: on('tool_call'),
  },
  {
    what: 'a word in a comment',
    id: 'v1',
    because: /it is in a folder of hooks/,
    text: '/* pi.registerTool( */ // ctx.saveEntry\nconst url = "http://pi.registerTool";',
    factory: on('tool_call'),
  },
  {
    what: 'a person',
    id: 'omp',
    because: /set by \/\/ @pi-dialect/,
    text: '// @pi-dialect omp\nimport type { ExtensionAPI } from "@mariozechner/pi-coding-agent";',
  },
];

describe('detection of the dialect', () => {
  for (const { what, id, because, text = '', factory = nothing, group } of CASES) {
    it(`${what}: ${id}`, async () => {
      const host = await hostWith([{ factory, text, ...(group === undefined ? {} : { group }) }]);
      const tag = host.host.infos()[0]?.dialect;
      assert.equal(tag?.id, id, tag?.because);
      assert.match(tag.because, because);
    });
  }

  it('a setting names the dialect by path, and an unknown word is passed over', async () => {
    const host = await hostWith([]);
    host.settings.dialects = { '/hooks/1.ts': 'tree', '/hooks/2.ts': 'klingon' };
    host.hooks = [
      { factory: nothing, text: HOOK_API },
      { factory: nothing, text: HOOK_API },
    ];
    await host.host.reload();
    assert.deepEqual(
      host.host.infos().map(info => [info.dialect?.id, info.dialect?.overridden]),
      [
        ['tree', true],
        ['v1', false],
      ],
    );
  });
});
