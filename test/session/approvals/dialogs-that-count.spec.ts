import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../../../src/hook-contract/ui/ui';
import type { Question } from '../../../src/session/ports/dialogs';
import { Rig, type RigOptions } from '../../support/conversation-rig';
import { scripted } from '../../support/scripted-mcp';

const GATE = 'Built-in gate';

interface Call {
  readonly name: string;
  readonly args: Record<string, unknown>;
}

const touch = (name: string): Call => ({ name: 'bash', args: { command: `touch ${name}` } });

const extension = (body: string): string =>
  `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";\nexport default function (pi: ExtensionAPI) { ${body} }`;
/** A handler of `tool_call`. */
const handler = (body: string): string => extension(`pi.on("tool_call", async (event, ctx) => { ${body} });`);
const NAMING = `ctx.ui.confirm("Sure?", String(event.input.command))`;
const TOOL = (execute: string): string =>
  `pi.registerTool({ name: "deploy", label: "Deploy", description: "Deploys", parameters: { type: "object" }, ${execute} });`;
const DEPLOYS = TOOL('execute: async () => ({ content: [], details: {} })');

/** Who is asked about calls, in order: the name of a hook's file, or the gate. */
interface DialogCase {
  readonly extensions: Readonly<Record<string, string>>;
  readonly calls: readonly Call[];
  readonly asks: readonly string[];
  readonly options?: RigOptions;
}

/** The gate asks although a hook asked something during the call. */
const UNCOUNTED: Readonly<Record<string, DialogCase>> = {
  'a choice that has nothing to do with the call': {
    extensions: { 'a.ts': handler('await ctx.ui.select("Which color?", ["red", "blue"]);') },
    calls: [touch('made')],
    asks: ['a.ts', GATE],
  },
  'a paraphrase': {
    extensions: { 'a.ts': handler('await ctx.ui.confirm("Make the file?", "made");') },
    calls: [touch('made')],
    asks: ['a.ts', GATE],
  },
  'the command of the call before': {
    extensions: {
      'a.ts': handler('await ctx.ui.confirm("Sure?", globalThis.last ?? "");globalThis.last = event.input.command;'),
    },
    calls: [touch('made'), touch('other')],
    asks: ['a.ts', GATE, 'a.ts', GATE],
  },
  'the path of another file': {
    extensions: { 'a.ts': handler('await ctx.ui.confirm("Write lib/made?", "");') },
    calls: [{ name: 'write', args: { path: 'made', content: 'x' } }],
    asks: ['a.ts', GATE],
  },
  'the content of a file': {
    extensions: { 'a.ts': handler('await ctx.ui.confirm("Write this?", event.input.content);') },
    calls: [{ name: 'write', args: { path: 'made', content: 'a long content' } }],
    asks: ['a.ts', GATE],
  },
  'the texts of an edit': {
    extensions: { 'a.ts': handler('await ctx.ui.confirm("Replace?", JSON.stringify(event.input.edits));') },
    calls: [{ name: 'edit', args: { path: 'made', edits: [{ oldText: 'before', newText: 'after' }] } }],
    asks: ['a.ts', GATE],
    options: { files: { made: 'before' } },
  },
  'an empty command': {
    extensions: { 'a.ts': handler(`await ${NAMING};`) },
    calls: [{ name: 'bash', args: { command: '' } }],
    asks: ['a.ts', GATE],
  },
  'other arguments of a tool of a hook': {
    extensions: { 'a.ts': handler('await ctx.ui.confirm("Deploy?", event.input.note);'), 'b.ts': extension(DEPLOYS) },
    calls: [{ name: 'deploy', args: { note: 'to production' } }],
    asks: ['a.ts', GATE],
  },
  'one of two paths': {
    extensions: {
      'a.ts': handler('await ctx.ui.confirm("Sure?", event.input.from.path);'),
      'b.ts': extension(DEPLOYS),
    },
    calls: [{ name: 'deploy', args: { from: { path: 'one' }, to: { path: 'another' } } }],
    asks: ['a.ts', GATE],
  },
  'a text that the person writes': {
    extensions: { 'a.ts': handler('await ctx.ui.input(event.input.command);') },
    calls: [touch('made')],
    asks: ['a.ts', GATE],
  },
  'the command, but the person says no': {
    extensions: { 'a.ts': handler(`await ${NAMING};`) },
    calls: [touch('no')],
    asks: ['a.ts', GATE],
  },
  'the command, and the person takes the yes back': {
    extensions: {
      'a.ts': handler(`await ${NAMING}; await ctx.ui.confirm("Really?", event.input.command + " (no)");`),
    },
    calls: [touch('made')],
    asks: ['a.ts', 'a.ts', GATE],
  },
  'the command, which is changed afterwards': {
    extensions: { 'a.ts': handler(`await ${NAMING}; event.input.command = "touch other";`) },
    calls: [touch('made')],
    asks: ['a.ts', GATE],
  },
  'the command, which changes while the dialog is open': {
    extensions: {
      'a.ts': handler(`const asked = ${NAMING}; event.input.command = "touch other"; await asked;`),
    },
    calls: [touch('made')],
    asks: ['a.ts', GATE],
  },
  'the path, while the content is changed': {
    extensions: {
      'a.ts': handler('const asked = ctx.ui.confirm("Write made?", ""); event.input.content = "y"; await asked;'),
    },
    calls: [{ name: 'write', args: { path: 'made', content: 'x' } }],
    asks: ['a.ts', GATE],
  },
  'the command, by a handler that does not wait for the answer': {
    extensions: {
      'a.ts': handler(`globalThis.asked = ${NAMING};`),
      'b.ts': handler('await globalThis.asked;'),
    },
    calls: [touch('made')],
    asks: ['a.ts', GATE],
  },
  'the command, by a hook that only listens': {
    extensions: {
      'a.ts': extension(
        'pi.on("message_end", (event, ctx) => { const call = event.message.content.find?.(part => part.type === "toolCall"); if (call) globalThis.asked = ctx.ui.confirm("Sure?", call.arguments.command); });',
      ),
      'b.ts': handler('await globalThis.asked;'),
    },
    calls: [touch('made')],
    asks: ['a.ts', GATE],
  },
  'the command, with the ui of another call': {
    extensions: {
      'a.ts': handler(`globalThis.ui ??= ctx.ui; await globalThis.ui.confirm("Sure?", event.input.command);`),
    },
    calls: [touch('made'), touch('other')],
    asks: ['a.ts', 'a.ts', GATE],
  },
  'two commands at once': {
    extensions: {
      'a.ts': handler('await (globalThis.asked ??= ctx.ui.confirm("Sure?", "touch made; touch other"));'),
    },
    calls: [touch('made'), touch('other')],
    asks: ['a.ts', GATE],
  },
};

/** The gate does not ask, because a hook did. */
const COUNTED: Readonly<Record<string, DialogCase>> = {
  'the command in the message': {
    extensions: { 'a.ts': handler(`if (!(await ${NAMING})) return { block: true };`) },
    calls: [touch('made')],
    asks: ['a.ts'],
  },
  'the command in an option': {
    extensions: { 'a.ts': handler('await ctx.ui.select("Which?", ["Run " + event.input.command, "Nothing"]);') },
    calls: [touch('made')],
    asks: ['a.ts'],
  },
  'the command as the hook has changed it': {
    extensions: { 'a.ts': handler(`event.input.command = "touch other"; await ${NAMING};`) },
    calls: [touch('made')],
    asks: ['a.ts'],
  },
  'each of two commands': {
    extensions: { 'a.ts': handler(`await ${NAMING};`) },
    calls: [touch('made'), touch('other')],
    asks: ['a.ts', 'a.ts'],
  },
  'all paths of a tool of a hook': {
    extensions: {
      'a.ts': handler('await ctx.ui.confirm("Move?", JSON.stringify(event.input, null, 2));'),
      'b.ts': extension(DEPLOYS),
    },
    calls: [{ name: 'deploy', args: { from: { path: 'one' }, to: { path: 'another' }, note: 'x' } }],
    asks: ['a.ts'],
  },
  'the address that a tool of a server opens': {
    extensions: {
      'a.ts': handler('await ctx.ui.confirm("Let " + event.toolName + " open " + event.input.url + "?", "");'),
    },
    calls: [{ name: 'mcp__web__open', args: { url: 'https://example.test/a?b=c', depth: 2 } }],
    asks: ['a.ts'],
    options: {
      mcp: true,
      home: {
        '.pi/agent/mcp.json': JSON.stringify({
          mcpServers: { web: scripted({ tools: [{ name: 'open', inputSchema: { type: 'object' } }] }) },
        }),
      },
    },
  },
};

describe('a dialog of a hook', () => {
  let rig: Rig | undefined;
  afterEach(async () => {
    for (const name of ['last', 'asked', 'ui']) Reflect.deleteProperty(globalThis, name);
    await rig?.close();
    rig = undefined;
  });

  async function run({ extensions, calls, options }: DialogCase, answer: (question: Question) => Answer = yes) {
    const script = calls.map((call, index) => ({ calls: [{ id: `c${index}`, ...call }] }));
    const opened = await Rig.open([...script, { text: 'done' }], {
      extensions,
      approvals: { mode: 'ask' },
      ...options,
    });
    rig = opened;
    const asked: Question[] = [];
    opened.dialogs.addView({
      show: (question, reply) => {
        asked.push(question);
        queueMicrotask(() => reply(answer(question)));
        return { dispose: () => undefined };
      },
    });
    await opened.chat.submit('go');
    return { asked, by: asked.map(({ hook: { name } }) => name), opened };
  }

  for (const [title, given] of Object.entries(UNCOUNTED)) {
    it(`that shows ${title} does not stand for the question of the gate`, async () => {
      assert.deepEqual((await run(given)).by, given.asks);
    });
  }

  for (const [title, given] of Object.entries(COUNTED)) {
    it(`that shows ${title} stands for the question of the gate`, async () => {
      const { by, opened } = await run(given);
      assert.deepEqual(by, given.asks);
      assert.deepEqual([...new Set(opened.items('tool').map(({ state }) => state.type))], ['done']);
    });
  }

  it('does not stand for another input when the call changes while the gate asks', async () => {
    const changes = handler('const { input } = event; globalThis.last = () => { input.command = "touch other"; };');
    const { asked, opened } = await run(
      { extensions: { 'a.ts': changes }, calls: [touch('made')], asks: [] },
      question => {
        if (question.message.includes('touch made')) (Reflect.get(globalThis, 'last') as () => void)();
        return yes(question);
      },
    );
    assert.deepEqual(
      asked.map(({ message }) => /touch \w+/.exec(message)?.[0]),
      ['touch made', 'touch other'],
    );
    assert.deepEqual([existsSync(join(opened.cwd, 'made')), existsSync(join(opened.cwd, 'other'))], [false, true]);
  });

  it('does not stand for another input when the call changes while Hookline asks about a missing guard', async () => {
    const changes = handler('const { input } = event; globalThis.last = () => { input.command = "touch other"; };');
    const broken = 'export default function (pi) { pi.on("tool_call", () => {';
    const { asked, opened } = await run(
      { extensions: { 'a.ts': changes, 'b.ts': broken }, calls: [touch('made')], asks: [] },
      question => {
        if (question.message.includes('touch made')) (Reflect.get(globalThis, 'last') as () => void)();
        return yes(question);
      },
    );
    assert.deepEqual(
      asked.map(({ message }) => /touch \w+/.exec(message)?.[0]),
      ['touch made', 'touch other'],
    );
    assert.deepEqual([existsSync(join(opened.cwd, 'made')), existsSync(join(opened.cwd, 'other'))], [false, true]);
  });
});

/** Yes, unless the dialog says no. */
function yes({ dialog, message }: Question): Answer {
  if (dialog.type === 'confirm') return !/\bno\b/.test(message);
  return dialog.type === 'select' ? dialog.options[0] : 'because';
}
