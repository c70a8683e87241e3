import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { convertHook, type Conversion } from '../../../src/hook-authoring/convert/convert-hook';
import type { DialectId } from '../../../src/hooks/dialects/dialect-id';
import { babelFrom } from '../../../src/hooks/load/compile/babel';

const babel = babelFrom(resolve('node_modules/jiti/dist'));
const HOOKS = "import type { HookAPI } from '@mariozechner/pi-coding-agent/hooks';\n";
const TODAY = "import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';\n";

/** Converts the inside of a factory, and gives the inside of the new one. */
function inside(dialect: DialectId, body: string): { readonly body: string; readonly looks: readonly string[] } {
  const { text, remarks } = whole(dialect, `${HOOKS}export default function (pi: HookAPI) {\n${body}\n}\n`);
  const start = text.indexOf('export default function (pi: ExtensionAPI) {\n');
  assert.ok(start >= 0, text);
  const inner = text.slice(start + 'export default function (pi: ExtensionAPI) {\n'.length);
  return {
    body: inner.slice(0, inner.indexOf('\n}\n')),
    looks: remarks.filter(({ severity }) => severity === 'look').map(({ line, message }) => `${line}: ${message}`),
  };
}

function whole(dialect: DialectId | undefined, text: string, file = '/hooks/one.ts'): Conversion {
  const result = convertHook({ file, text, babel, ...(dialect === undefined ? {} : { dialect }) });
  assert.ok(result.ok, JSON.stringify(result));
  return result.value;
}

function check(dialect: DialectId, before: string, after: string): void {
  const { body, looks } = inside(dialect, before);
  assert.equal(body, after);
  assert.deepEqual(looks, []);
}

describe('converting a hook', () => {
  it('keeps comments, blank lines and quotes', () => {
    const text = `// top\n${HOOKS}\n/** Doc. */\nexport default function gate(pi: HookAPI) {\n\n  // why\n  pi.on("tool_call", async (event) => undefined); // end\n}\n`;
    const after = text
      .replace('HookAPI', 'ExtensionAPI')
      .replace(': HookAPI', ': ExtensionAPI')
      .replace('@mariozechner', '@earendil-works')
      .replace('/hooks', '');
    assert.equal(whole('v1', text).text, after);
  });

  it('keeps the line ends of Windows', () => {
    const { text } = whole(
      'v1',
      `${HOOKS}export default (pi: HookAPI) => {\n  pi.on('agent_start', () => {});\n};\n`.replaceAll('\n', '\r\n'),
    );
    assert.ok(text.includes('\r\n'));
    assert.equal(text.replaceAll('\r\n', '').includes('\n'), false);
  });

  it('takes the steps of a session apart, with the comments of each', () =>
    check(
      'v1',
      `  pi.on('session', async (event, ctx) => {
    // Say hello.
    if (event.reason === 'start') {
      // Once.
      ctx.ui.notify('hello');
    } else if (event.reason === 'shutdown') {
      ctx.ui.notify('bye');
    }
  });`,
      `  pi.on('session_start', async (event, ctx) => {
    if (['new', 'resume', 'fork'].includes(event.reason)) return undefined; // The start event used to occur once per load.
    // Once.
    ctx.ui.notify('hello');
  });

  pi.on('session_shutdown', async (event, ctx) => {
    if (['new', 'resume', 'fork'].includes(event.reason)) return undefined; // The end event used to occur once per load.
    ctx.ui.notify('bye');
  });`,
    ));

  it('takes the cases of a switch apart, those that fall through, too', () =>
    check(
      'tree',
      `  pi.on('session', (event, ctx) => {
    switch (event.reason) {
      case 'branch':
      case 'compact':
        ctx.ui.notify(event.reason);
        break;
      case 'before_new':
        return { cancel: true };
      default:
        break;
    }
  });`,
      `  pi.on('session_before_switch', (event, ctx) => {
    if (event.reason !== 'new') return undefined;
    return { cancel: true };
  });

  pi.on('session_start', (event, ctx) => {
    if (event.reason !== 'fork') return undefined;
    ctx.ui.notify('branch');
  });

  pi.on('session_compact', (event, ctx) => {
    ctx.ui.notify('compact');
  });`,
    ));

  it('keeps the parts of a session together where only one statement can stand', () => {
    const both = `pi.on('session', async event => { if (event.reason === 'compact') one(); if (event.reason === 'before_clear') return { cancel: true }; })`;
    const { text } = whole('v1', `${HOOKS}export default (pi: HookAPI) => ${both};\n`);
    assert.match(
      text,
      /=> \{\n {2}pi\.on\('session_before_switch', [\s\S]*;\n\npi\.on\('session_compact', [\s\S]*;\n\};\n$/,
    );
    const { body, looks } = inside('v1', `  if (one) ${both};\n  else two();`);
    assert.match(body, /^ {2}if \(one\) \{\n {4}pi\.on\([\s\S]*;\n\n {2}pi\.on\([\s\S]*;\n {2}\}\n {2}else two\(\);$/);
    assert.deepEqual(looks, []);
    assert.equal(inside('v1', `  one && ${both};`).looks.length, 1);
  });

  it('finds the reason where a pattern took it out of the event', () =>
    check(
      'v1',
      `  pi.on('session', ({ reason, previousSessionFile }, ctx) => {
    if (reason !== 'switch') return;
    ctx.ui.notify(String(previousSessionFile));
  });`,
      `  pi.on('session_start', (event, ctx) => {
    const previousSessionFile = event.previousSessionFile ?? null;
    if (event.reason !== 'resume') return undefined;
    ctx.ui.notify(String(previousSessionFile));
  });`.replace('event.previousSessionFile ?? null', '(event.previousSessionFile ?? null)'),
    ));

  it('leaves a handler of sessions whose steps hang on something else, and says so', () => {
    const { body, looks } = inside('v1', `  pi.on('session', handlers[0]);`);
    assert.match(body, /\/\/ Needs a look: The conversion could not find out what this handler does/);
    assert.match(body, /pi\.on\('session', handlers\[0\]\);/);
    assert.equal(looks.length, 1);
  });

  it('tells a new session from a switch where the file did', () =>
    check(
      'tree',
      `  pi.on('session_before_new', () => ({ cancel: true }));
  pi.on('session_switch', (event, ctx) => {
    ctx.ui.notify('switched');
  });
  pi.on('session_before_branch', async (event, ctx) => ({ skipConversationRestore: event.entryIndex > 3 }));`,
      `  pi.on('session_before_switch', (event) => {
    if (event.reason !== 'new') return undefined;
    return { cancel: true };
  });
  pi.on('session_start', (event, ctx) => {
    if (event.reason !== 'resume') return undefined;
    ctx.ui.notify('switched');
  });
  pi.on('session_before_fork', async (event, ctx) => ({ skipConversationRestore: ctx.sessionManager.getBranch().findIndex(({ id }) => id === event.entryId) > 3 }));`,
    ));

  it('writes a compaction with ids, whether it keeps something or nothing', () =>
    check(
      'v1',
      `  pi.on('session', async (event, ctx) => {
    if (event.reason !== 'before_compact') return;
    const { messagesToSummarize, tokensBefore, cutPoint, model, resolveApiKey } = event;
    await resolveApiKey(model);
    if (messagesToSummarize.length === 0) return { cancel: true };
    return { compactionEntry: { type: 'compaction', timestamp: '', summary: 's', firstKeptEntryIndex: event.entries.length, tokensBefore } };
  });`,
      `  pi.on('session_before_compact', async (event, ctx) => {
    const messagesToSummarize = event.preparation.messagesToSummarize;
    const tokensBefore = event.preparation.tokensBefore;
    const model = ctx.model!;
    const resolveApiKey = apiKeyResolver(ctx);
    await resolveApiKey(model);
    if (messagesToSummarize.length === 0) return { cancel: true };
    return { compaction: { summary: 's', firstKeptEntryId: '', tokensBefore } };
  });`,
    ));

  it('gives null where somebody can tell it from undefined, and nowhere else', () =>
    check(
      'v1',
      `  pi.on('agent_end', async (event, ctx) => {
    const one = await ctx.ui.select('?', ['a']);
    if (one === null) return;
    const two = await ctx.ui.input('?');
    if (!two) return;
    save(await ctx.ui.input('?'));
    let three = ctx.sessionFile;
    ctx.ui.notify(ctx.sessionFile ?? 'none');
  });`,
      `  pi.on('agent_end', async (event, ctx) => {
    const one = await ctx.ui.select('?', ['a']);
    if (one === undefined) return;
    const two = await ctx.ui.input('?');
    if (!two) return;
    save(((await ctx.ui.input('?')) ?? null));
    let three = (ctx.sessionManager.getSessionFile() ?? null);
    ctx.ui.notify(ctx.sessionManager.getSessionFile() ?? 'none');
  });`,
    ));

  it('gives null to whatever finds it otherwise than by a null written beside it', () => {
    const kept = (body: string): void => {
      const text = (ask: string): string =>
        `  const CANCELLED = null;\n  let last = null;\n  pi.on('tool_call', async (event, ctx) => {\n    const c = ${ask};\n${body}\n  });`;
      check('v1', text("await ctx.ui.select('?', ['No'])"), text("(await ctx.ui.select('?', ['No'])) ?? null"));
    };
    kept("    switch (c) { case null: case 'No': return { block: true, reason: 'no' }; }");
    kept("    if (c === CANCELLED) return { block: true, reason: 'no' };");
    kept("    if (c === last) return { block: true, reason: 'no' };");
    kept("    if (c !== undefined) return { block: true, reason: 'no' };");
    kept("    if (c === 'Yes') return;\n    switch (c) { case null: return { block: true, reason: 'no' }; }");
    kept("    if (c === null) log('Return');\n    if (c === CANCELLED) return { block: true, reason: 'no' };");
    kept("    const d = c;\n    if (d === null) return { block: true, reason: 'no' };");
    check(
      'v1',
      `  pi.on('tool_call', async (event, ctx) => {
    const one = (await ctx.ui.select('?', ['No'])) && event.toolName;
    if (one === null) return { block: true, reason: 'no' };
    const two = event.toolName === 'x' ? null : await ctx.ui.input('?');
    if (two === null) return { block: true, reason: 'no' };
  });`,
      `  pi.on('tool_call', async (event, ctx) => {
    const one = (((await ctx.ui.select('?', ['No'])) ?? null)) && event.toolName;
    if (one === null) return { block: true, reason: 'no' };
    const two = event.toolName === 'x' ? null : ((await ctx.ui.input('?')) ?? null);
    if (two === null) return { block: true, reason: 'no' };
  });`,
    );
  });

  it('knows the dialogs of a ui that was taken out of its context', () => {
    const gate = (handler: string, nothing: string): string =>
      `  pi.on('tool_call', ${handler}.select('?', ['No']);\n    if (c === ${nothing}) return { block: true, reason: 'no' };\n  });`;
    for (const handler of [
      'async (event, { ui }) => {\n    const c = await ui',
      'async (event, { ui: dialogs }) => {\n    const c = await dialogs',
      'async (event, ctx) => {\n    const { ui } = ctx;\n    const c = await ui',
      'async (event, ctx) => {\n    const ui = ctx.ui;\n    const c = await ui',
    ]) {
      check('v1', gate(handler, 'null'), gate(handler, 'undefined'));
    }
    const { looks } = inside(
      'v1',
      `  pi.on('agent_end', async (event, ctx) => {\n    const { select } = ctx.ui;\n  });`,
    );
    assert.deepEqual(looks, ['5: A canceled select now gives undefined, not null.']);
  });

  it('leaves alone members that every object has', () => {
    const text = `  pi.on('tool_call', (event, ctx) => {
    if (!event.hasOwnProperty('input')) throw new Error(event.constructor.name);
    log(ctx.toString(), ctx.hasOwnProperty('ui'), pi.constructor, ctx.ui.constructor.name);
  });`;
    check('v1', text, text);
  });

  it('gives null to whoever waits for a dialog elsewhere than where it is opened', () => {
    const ASK = "ctx.ui.select('?', ['No'])";
    const gave = (code: string, after = `${ASK}.then(answer => answer ?? null)`): void => {
      const gate = (ask: string): string =>
        `  pi.on('tool_call', async (event, ctx) => {\n${code.replace('ASK', ask)}\n  });`;
      check('v1', gate(ASK), gate(after));
    };
    const block = "return { block: true, reason: 'no' };";
    gave("    return ASK.then(c => (c === null ? { block: true, reason: 'no' } : undefined));");
    gave(`    const asked = ASK;\n    const c = await asked;\n    if (c === null) ${block}`);
    gave(`    const ask = () => ASK;\n    if ((await ask()) === null) ${block}`);
    gave(`    const [c] = await Promise.all([ASK]);\n    if (c === null) ${block}`);
    gave('    void ASK;', ASK);
    check(
      'v2',
      `  pi.on('agent_end', (event, ctx) => {\n    save(ctx.findModel('a', 'b'));\n  });`,
      `  pi.on('agent_end', (event, ctx) => {\n    save((ctx.modelRegistry.find('a', 'b') ?? null));\n  });`,
    );
  });

  it('follows the members that a pattern took out of a context or an event', () => {
    check(
      'v1',
      `  pi.on('tool_call', async (event, { ui, sessionFile, model: used }) => {
    if (sessionFile === null || used === null) return { block: true, reason: 'no' };
    ui.notify('x');
  });
  pi.on('turn_start', async (event, ctx) => {
    const { exec, cwd, sessionFile } = ctx;
    await exec('ls', [cwd]);
    save(sessionFile);
  });
  pi.on('turn_end', (_event, { sessionFile }) => save(sessionFile));`,
      `  pi.on('tool_call', async (event, ctx) => {
    const { ui } = ctx;
    const sessionFile = ctx.sessionManager.getSessionFile();
    const used = ctx.model;
    if (sessionFile === undefined || used === undefined) return { block: true, reason: 'no' };
    ui.notify('x');
  });
  pi.on('turn_start', async (event, ctx) => {
    const { cwd } = ctx;
    const exec = pi.exec;
    const sessionFile = (ctx.sessionManager.getSessionFile() ?? null);
    await exec('ls', [cwd]);
    save(sessionFile);
  });
  pi.on('turn_end', (_event, ctx) => {
    const sessionFile = (ctx.sessionManager.getSessionFile() ?? null);
    return save(sessionFile);
  });`,
    );
    check(
      'omp',
      `  pi.on('session_compact', ({ compactionEntry, fromHook }) => {
    log(compactionEntry, fromHook);
  });`,
      `  pi.on('session_compact', (event) => {
    const { compactionEntry } = event;
    const fromHook = event.fromExtension;
    log(compactionEntry, fromHook);
  });`,
    );
    check(
      'v1',
      `  pi.on('turn_end', (event, ctx) => {
    let last = ctx.model;
    if (last === null) save(ctx.model);
  });`,
      `  pi.on('turn_end', (event, ctx) => {
    let last = (ctx.model ?? null);
    if (last === null) save((ctx.model ?? null));
  });`,
    );
  });

  it('leaves alone what no null reaches, and comparisons that it cannot change', () => {
    const text = `  pi.on('tool_call', async (event, ctx) => {
    const one = await ctx.ui.select('?', ['No']);
    if (one == undefined || one === 'No') return { block: true, reason: 'no' };
    log(one);
    const two = await ctx.ui.input('?');
    if (two !== 'yes') return { block: true, reason: 'no' };
  });`;
    check('v1', text, text);
  });

  it('hands commands what was typed first', () =>
    check(
      'tree',
      `  pi.registerCommand('one', { handler: ctx => ctx.ui.notify(ctx.args) });
  pi.registerCommand('two', { async handler(ctx) { ctx.ui.notify('x'); } });
  pi.registerCommand('three', { handler: async (args, ctx) => { ctx.ui.notify(args); } });`,
      `  pi.registerCommand('one', { handler: (args, ctx) => ctx.ui.notify(args) });
  pi.registerCommand('two', { async handler(_args, ctx) { ctx.ui.notify('x'); } });
  pi.registerCommand('three', { handler: async (args, ctx) => { ctx.ui.notify(args); } });`,
    ));

  it('hands commands their context where it is taken apart, and says where it cannot', () => {
    check(
      'tree',
      `  pi.registerCommand('one', { handler: async ({ ui }) => ui.notify('x') });`,
      `  pi.registerCommand('one', { handler: async (_args, { ui }) => ui.notify('x') });`,
    );
    const message = 'The handler of a command gets (args, ctx) now, but this one takes only the context.';
    const run = `  const run = async (ctx: any) => ctx.ui.notify('x');\n  pi.registerCommand('one', { handler: run });`;
    assert.deepEqual(inside('tree', run).looks, [`5: ${message}`]);
    const { looks } = inside('tree', `  pi.registerCommand('one', { handler: ({ args }) => log(args) });`);
    assert.ok(looks.includes(`5: ${message}`), looks.join());
  });

  it("shows the status of v2's commands", () =>
    check(
      'v2',
      `  pi.command('hi', { handler: () => ({ status: 'hello' }) });
  pi.command('raw', { handler: ctx => { if (!ctx.argsRaw) return { status: 'empty' }; return; } });`,
      `  pi.registerCommand('hi', { handler: (_args, ctx) => {
    ctx.ui.notify('hello', 'info');
  } });
  pi.registerCommand('raw', { handler: (args, ctx) => { if (!args) {
    ctx.ui.notify('empty', 'info');
    return;
  } return; } });`,
    ));

  it('changes no failed result, and watches it where the old dialect did', () => {
    check(
      'v1',
      `  pi.on('tool_result', async event => {
    return { content: [] };
  });`,
      `  pi.on('tool_result', async event => {
    if (event.isError) return undefined; // Only results of calls that succeeded are changed.
    return { content: [] };
  });`,
    );
    check(
      'omp',
      `  pi.on('tool_result', async event => {
    count += 1;
    return { content: [] };
  });`,
      `  pi.on('tool_result', async event => {
    count += 1;
    return event.isError ? undefined : { content: [] };
  });`,
    );
  });

  it('changes no failed result where the event is taken apart or not named', () => {
    check(
      'v1',
      `  pi.on('tool_result', async ({ content }) => ({ content: redacted(content) }));
  pi.on('tool_result', () => {
    return { content: [] };
  });`,
      `  pi.on('tool_result', async ({ isError, content }) => {
    if (isError) return undefined; // Only results of calls that succeeded are changed.
    return { content: redacted(content) };
  });
  pi.on('tool_result', (event) => {
    if (event.isError) return undefined; // Only results of calls that succeeded are changed.
    return { content: [] };
  });`,
    );
    check(
      'omp',
      `  pi.on('tool_result', async ({ content, isError: failed }) => ({ content: redacted(content) }));
  pi.on('tool_result', () => answer());`,
      `  pi.on('tool_result', async ({ content, isError: failed }) => (failed ? undefined : { content: redacted(content) }));
  pi.on('tool_result', (event) => event.isError ? undefined : answer());`,
    );
  });

  it('gives a block without a reason the one that it had', () =>
    check(
      'v1',
      `  pi.on('tool_call', () => ({ block: true }));`,
      `  pi.on('tool_call', () => ({ block: true, reason: 'Tool execution was blocked by a hook' }));`,
    ));

  it('says what would change the call from now on', () => {
    const { looks } = inside('omp', `  pi.on('tool_call', async event => {\n    event.input.command = 'ls';\n  });`);
    const message = '5: Changing event.input did nothing in oh-my-pi. From now on it changes the call.';
    assert.deepEqual(looks, [message]);
    const taken = inside('omp', `  pi.on('tool_call', async ({ input }) => {\n    input.command = 'ls';\n  });`);
    assert.deepEqual(taken.looks, [message]);
  });

  it('sends messages as the old ways did', () => {
    check(
      'tree',
      `  pi.on('session', event => {
    if (event.reason === 'compact') pi.sendMessage({ customType: 'a', content: 'b', display: true });
  });
  pi.on('agent_end', () => {
    pi.sendMessage({ customType: 'a', content: 'b', display: false }, false);
  });`,
      `  pi.on('session_compact', event => {
    pi.sendMessage({ customType: 'a', content: 'b', display: true }, { triggerTurn: true });
  });
  pi.on('agent_end', () => {
    pi.sendMessage({ customType: 'a', content: 'b', display: false });
  });`,
    );
    assert.deepEqual(inside('v1', `  pi.send('x', [image]);`).looks.length, 1);
  });

  it('gives the factory of a component the key bindings in between', () =>
    check(
      'omp',
      `  pi.on('agent_end', async (event, ctx) => {
    await ctx.ui.custom((tui, theme, done) => make(tui, done));
  });`,
      `  pi.on('agent_end', async (event, ctx) => {
    await ctx.ui.custom((tui, theme, _keybindings, done) => make(tui, done));
  });`,
    ));

  it('follows the context into functions of the file, and says where pi is out of sight', () => {
    const text = `${HOOKS}export default function (pi: HookAPI) {
  pi.on('agent_end', async (event, ctx) => {
    await status(ctx);
  });
}

async function status(ctx: any) {
  return ctx.exec('git', ['status']);
}
`;
    const { text: after, remarks } = whole('v1', text);
    assert.match(after, /\/\/ Needs a look: exec is a method of pi now/);
    assert.deepEqual(
      remarks.filter(({ severity }) => severity === 'look').map(({ line }) => line),
      [10],
    );
  });

  it('points at each module that goes on speaking of the old hook API, and at no other', () => {
    const texts: Readonly<Record<string, string>> = {
      './gate.ts': 'export const gate = async (event, ctx) => (await ctx.ui.select("?", ["a"])) === null;',
      './listen.ts':
        'import type { HookAPI } from "x";\nexport const listen = (api: HookAPI) => api.on("session", () => {});',
      './words.ts': 'export const words = ["rm", "sudo"];',
      './required.ts': 'module.exports = pi => pi.on("session", () => {});',
    };
    const text = `${HOOKS}import { gate } from './gate.ts';
import { words } from './words.ts';
import type { Only } from './listen.ts';
export { listen } from './listen.ts';
import data from './data.json';
const required = require('./required.ts');
export default function (pi: HookAPI) {
  pi.on('tool_call', gate);
  void [words, data, required];
}
`;
    const result = convertHook({ file: '/hooks/one.ts', text, babel, dialect: 'v1', textOf: name => texts[name] });
    assert.ok(result.ok, JSON.stringify(result));
    const looks = result.value.text
      .split('\n')
      .flatMap((line, index, lines) =>
        line.startsWith('// Needs a look') ? [`${line} | ${lines[index + 1] ?? ''}`] : [],
      );
    const look = (name: string, line: string): string =>
      `// Needs a look: ${name} was not converted. From now on, it gets objects of the newest dialect from this hook. | ${line}`;
    assert.deepEqual(looks, [
      look('./gate.ts', `import { gate } from './gate.ts';`),
      look('./listen.ts', `export { listen } from './listen.ts';`),
      look('./required.ts', `const required = require('./required.ts');`),
    ]);
    assert.deepEqual(
      whole('v1', text).remarks.filter(({ message }) => message.startsWith('./gate.ts')),
      [{ severity: 'note', line: 2, column: 1, message: './gate.ts is a separate file and was not converted.' }],
    );
  });

  it('renames imports, those with another name and of other packages, too', () => {
    const text = `import { type HookAPI as Api, messageTransformer, isBashToolResult } from "@oh-my-pi/pi-coding-agent/hooks";
import { isArrowUp, isShiftCtrlP, Text } from '@mariozechner/pi-tui';
export default function (pi: Api) {
  pi.on('agent_end', event => { messageTransformer(event.messages); isArrowUp('x'); isShiftCtrlP('y'); isBashToolResult; Text; });
}
`;
    assert.equal(
      whole('omp', text).text,
      `import { type ExtensionAPI as Api, convertToLlm, isBashToolResult } from "@earendil-works/pi-coding-agent";
import { Text } from '@earendil-works/pi-tui';
import { matchesKey } from '@earendil-works/pi-tui';
export default function (pi: Api) {
  pi.on('agent_end', event => { convertToLlm(event.messages); matchesKey('x', 'up'); matchesKey('y', 'ctrl+shift+p'); isBashToolResult; Text; });
}
`,
    );
  });

  it('renames imports where they are passed on', () => {
    const { text } = whole(
      'v1',
      `${HOOKS}import { isEnter, isTab } from '@mariozechner/pi-tui';
import { messageTransformer } from '@mariozechner/pi-coding-agent';
export default function (pi: HookAPI) {
  keys.some(isEnter);
  use({ isTab, messageTransformer });
}
`,
    );
    assert.ok(text.includes("keys.some((data: string) => matchesKey(data, 'enter'));"), text);
    assert.ok(
      text.includes("use({ isTab: ((data: string) => matchesKey(data, 'tab')), messageTransformer: convertToLlm });"),
      text,
    );
  });

  it('gives an untyped factory its type, and a plain script a word for its dialect', () => {
    assert.equal(
      whole('v1', `export default function (pi) {\n  pi.on('agent_end', () => {});\n}\n`).text,
      `${TODAY}export default function (pi: ExtensionAPI) {\n  pi.on('agent_end', () => {});\n}\n`,
    );
    assert.match(
      whole('v1', `export default pi => {\n  pi.on('agent_end', () => {});\n};\n`, '/hooks/a.js').text,
      /^\/\/ @pi-dialect pi\n/,
    );
    assert.match(
      whole('v1', `#!/usr/bin/env node\nexport default pi => {};\n`, '/hooks/a.js').text,
      /^#!\/usr\/bin\/env node\n\/\/ @pi-dialect pi\n/,
    );
    assert.match(
      whole(undefined, `// @pi-dialect tree\n${HOOKS}export default function (pi: HookAPI) {}\n`).text,
      /^\/\/ @pi-dialect pi\n/,
    );
  });

  it('refuses what is of the newest dialect, and what cannot be parsed', () => {
    const newest = convertHook({ file: '/a.ts', text: `${TODAY}export default (pi: ExtensionAPI) => {};\n`, babel });
    assert.deepEqual(newest.ok ? [] : newest.problems.map(({ message }) => message), [
      'This hook is an extension already.',
    ]);
    const broken = convertHook({ file: '/a.ts', text: `${HOOKS}export default (pi => {`, babel });
    assert.ok(!broken.ok);
    assert.equal(broken.problems[0]?.line, 2);
  });
});
