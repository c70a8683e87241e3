import assert from 'node:assert/strict';
import { typedHooks } from './editor';

interface Mistake {
  readonly what: string;
  /** Body of the factory. */
  readonly code: string;
  /** Line of the complaint within the body. */
  readonly line: number;
  readonly says: RegExp;
  readonly api?: 'HookAPI' | 'ExtensionAPI' | 'OmpHookAPI';
}

const MISTAKES: readonly Mistake[] = [
  {
    what: 'an event that nobody knows',
    code: `pi.on('tool_cal', async () => {});`,
    line: 1,
    says: /'"tool_cal"' is not assignable to parameter of type/,
  },
  {
    what: 'an answer of the wrong shape',
    code: `pi.on('tool_call', async () => {\n  return { blok: true };\n});`,
    line: 1,
    says: /'\{ blok: boolean; \}'.*(has no properties in common|is not assignable)/s,
  },
  {
    what: 'an answer whose member has the wrong type',
    code: `pi.on('tool_call', () => ({ block: 'yes' }));`,
    line: 1,
    says: /'string' is not assignable to type 'boolean/,
  },
  {
    what: 'an answer to an event that takes none',
    code: `pi.on('agent_start', () => ({ cancel: true }));`,
    line: 1,
    says: /is not assignable/,
  },
  {
    what: 'a member that the payload does not have',
    code: `pi.on('turn_end', event => {\n  event.turn;\n});`,
    line: 2,
    says: /'turn' does not exist on type 'TurnEndEvent'/,
  },
  {
    what: 'a member of the wrong reason',
    code: `pi.on('session', event => {\n  if (event.reason === 'start') event.targetTurnIndex;\n});`,
    line: 2,
    says: /'targetTurnIndex' does not exist on type 'SessionStartReason'/,
  },
  {
    what: 'a reason that nobody knows',
    code: `pi.on('session', event => {\n  if (event.reason === 'before_clean') return;\n});`,
    line: 2,
    says: /no overlap/,
  },
  {
    what: 'an answer taken for granted',
    code: `pi.on('agent_end', async (_event, ctx) => {\n  (await ctx.ui.select('?', ['a'])).length;\n});`,
    line: 2,
    says: /possibly 'null' or 'undefined'/,
  },
  {
    what: 'an answer taken for granted, in an extension',
    api: 'ExtensionAPI',
    code: `pi.on('agent_end', async (_event, ctx) => {\n  (await ctx.ui.input('?')).length;\n});`,
    line: 2,
    says: /possibly 'undefined'/,
  },
  {
    what: 'a method of another time',
    api: 'ExtensionAPI',
    code: `pi.send('hello');`,
    line: 1,
    says: /'send' does not exist on type 'ExtensionAPI'/,
  },
  {
    what: 'a context of another time',
    api: 'ExtensionAPI',
    code: `pi.on('turn_start', (_event, ctx) => ctx.saveEntry({ type: 'x_y' }));`,
    line: 1,
    says: /'saveEntry' does not exist on type 'ExtensionContext'/,
  },
  {
    what: 'a tool whose arguments do not fit its schema',
    api: 'ExtensionAPI',
    code: `pi.registerTool({
  name: 'x', label: 'x', description: 'x',
  parameters: Type.Object({ count: Type.Number() }),
  async execute(_id, params) {
    params.count.trim();
    return { content: [], details: undefined };
  },
});`,
    line: 5,
    says: /'trim' does not exist on type 'number'/,
  },
  {
    what: 'a tool that gives back a text',
    api: 'ExtensionAPI',
    code: `pi.registerTool({
  name: 'x', label: 'x', description: 'x', parameters: Type.Object({}),
  async execute() {
    return 'done';
  },
});`,
    line: 3,
    says: /is not assignable to type/,
  },
  {
    what: 'a colour that the theme does not have',
    api: 'ExtensionAPI',
    code: `pi.on('agent_end', (_event, ctx) => {\n  ctx.ui.theme.fg('mauve', 'x');\n});`,
    line: 2,
    says: /'"mauve"' is not assignable/,
  },
  {
    what: 'an action that input does not know',
    api: 'ExtensionAPI',
    code: `pi.on('input', () => ({ action: 'replace' as const, text: 'x' }));`,
    line: 1,
    says: /is not assignable/,
  },
  {
    what: 'a message without its kind',
    api: 'OmpHookAPI',
    code: `pi.sendMessage({ content: 'x', display: true });`,
    line: 1,
    says: /'customType' is missing/,
  },
  {
    what: 'the data of entries that a filter did not narrow',
    code: `pi.on('context', (_event, ctx) => {
  const mine = ctx.sessionManager.getEntries().filter(entry => entry.type === 'custom' && entry.customType === 'mine');
  mine.map(entry => entry.data);
});`,
    line: 3,
    says: /'data' does not exist on type 'SessionEntry'/,
  },
  {
    what: 'the content of a message of any role',
    code: `type AppMessage = import('@mariozechner/pi-coding-agent/hooks').AppMessage;
(message: AppMessage) => message.content;`,
    line: 2,
    says: /'content' does not exist on type 'AgentMessage'/,
  },
  {
    what: 'a message of the session that is sent to a model',
    code: `type AppMessage = import('@mariozechner/pi-coding-agent/hooks').AppMessage;
(message: AppMessage): import('@mariozechner/pi-ai').Message => message;`,
    line: 2,
    says: /'AgentMessage' is not assignable to type 'Message'/,
  },
  {
    what: 'a message of a role that models do not know',
    code: `type Message = import('@mariozechner/pi-ai').Message;
const role: Message['role'] = 'custom';`,
    line: 2,
    says: /"custom"' is not assignable to type '"user" \| "assistant" \| "toolResult" \| "system"'/,
  },
  {
    what: 'a command handler that takes its arguments for a list',
    api: 'OmpHookAPI',
    code: `pi.registerCommand('x', { handler: async args => {\n  args.push('y');\n} });`,
    line: 2,
    says: /'push' does not exist on type 'string'/,
  },
];

const HEAD = 2;
const MODULES = {
  HookAPI: `import type { HookAPI } from '@mariozechner/pi-coding-agent/hooks';\n`,
  ExtensionAPI: `import { Type } from 'typebox'; import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';\n`,
  OmpHookAPI: `import type { HookAPI as OmpHookAPI } from '@oh-my-pi/pi-coding-agent';\n`,
};

const fileOf = (index: number): string => `.pi/hooks/mistake-${index}.ts`;

describe('the types for hook authors, about mistakes', function () {
  this.timeout(120_000);
  const types = typedHooks(() =>
    Object.fromEntries(
      MISTAKES.map(({ code, api = 'HookAPI' }, index) => [
        fileOf(index),
        `${MODULES[api]}export default function (pi: ${api}) {\n${code}\n}\n`,
      ]),
    ),
  );

  MISTAKES.forEach(({ what, line, says }, index) => {
    it(`tell of ${what}, at its place`, async () => {
      const problems = (await types()).problems(fileOf(index));
      assert.equal(problems.length, 1, problems.join('\n'));
      const [problem = ''] = problems;
      assert.match(problem, says);
      assert.equal(Number.parseInt(problem, 10), line + HEAD, problem);
    });
  });
});
