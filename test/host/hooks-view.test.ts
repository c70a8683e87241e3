import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { HooklineInternals } from '../../src/extension';
import type { DispatchRecord } from '../../src/hook-contract/record';
import type { DryRunResult } from '../../src/hook-insight/dry-run/dry-run-handler';
import { hookNodeChildren, treeItemFor, type HookNode } from '../../src/vscode/hooks-view/hook-nodes';
import type { HooklineWindow } from '../../src/vscode/window/window';
import { hookline, key, pressUntilOver, until, workspaceFolder, toolsAreOver } from './support/extension';

describe('the hooks view', () => {
  let api: HooklineInternals;
  let window: HooklineWindow;
  const hook = join(workspaceFolder(), '.pi', 'hooks', 'zz-seen.ts');
  const gate = join(workspaceFolder(), '.pi', 'hooks', 'permission-gate.ts');

  before(async () => {
    api = await hookline();
    window = await api.window.get();
  });
  beforeEach(async () => {
    await window.conversations.active.conversation.sessions.newSession();
  });
  afterEach(async () => {
    await toolsAreOver();
    rmSync(hook, { force: true });
    await until('the hook is gone', () => !window.hooks.infos().some(info => info.path === hook));
  });

  const write = async (text: string): Promise<void> => {
    await toolsAreOver();
    writeFileSync(hook, text);
    await until('the hook is read', () =>
      window.hooks.infos().some(info => info.path === hook && (info.state.type !== 'live' || info.handlers.length > 0)),
    );
  };
  const view = () => api.ui.hooksView;
  const nodeFor = async (path: string): Promise<HookNode> => {
    const nodes = await view().getChildren();
    const node = nodes.find(each => each.kind === 'hook' && each.hookPath === path);
    assert.ok(node, `${path} is listed`);
    return node;
  };
  const item = (node: HookNode): vscode.TreeItem => view().getTreeItem(node);
  const say = (text: string): Promise<unknown> => window.conversations.active.submit(text);

  it('lists every file with its state, dialect and origin, and what each registered', async () => {
    const node = await nodeFor(gate);
    const { label, description, tooltip, contextValue } = item(node);
    assert.equal(label, 'permission-gate.ts');
    assert.match(String(description), /^workspace\b/);
    assert.equal(contextValue, 'hook.live');
    assert.ok(typeof tooltip === 'string');
    assert.match(tooltip, /Read as: today's pi extensions \(dialect pi: .+\)/, 'says why');
    const children = (await view().getChildren(node)).map(item);
    assert.deepEqual(
      children.map(child => child.label),
      ['tool_call'],
    );
    const commands = await view().getChildren(await nodeFor(join(gate, '..', 'commands.ts')));
    assert.deepEqual(
      commands.map(child => item(child).label),
      ['/stats'],
    );
  });

  it('lists the tools that a file gives to the model, each with its place', async () => {
    await write(
      `export default pi => {
         pi.on('turn_start', () => undefined);
         pi.registerTool({
           name: 'dice', label: 'Dice', description: 'Rolls a die.\\nIt has six sides.',
           parameters: { type: 'object', properties: {} }, execute: async () => ({ content: [], details: {} }),
         });
       };\n`,
    );
    const [, tool] = await view().getChildren(await nodeFor(hook));
    assert.ok(tool);
    const { label, description, contextValue, tooltip } = item(tool);
    assert.deepEqual([label, description, contextValue], ['dice', 'Rolls a die.', 'tool']);
    assert.equal(tooltip, `tool dice\nRolls a die.\nIt has six sides.\n${hook}:3`);
    await vscode.commands.executeCommand('hookline.openHook', tool);
    assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, hook);
    assert.equal(vscode.window.activeTextEditor.selection.active.line, 2);
  });

  it('counts exactly what was dispatched in a run of the agent', async () => {
    await write(
      `export default pi => {
         pi.on('tool_call', async e => e.toolName === 'ls' ? { block: true, reason: 'seen' } : undefined);
         pi.on('turn_start', () => { throw new Error('on purpose'); });
       };\n`,
    );
    const records: DispatchRecord[] = [];
    const listening = window.hooks.records.onDidDispatch(record => {
      records.push({ ...record });
    });
    await say('list');
    await say('list');
    await vscode.commands.executeCommand('hookline.runHookCommand', 'stats', '');
    await until('the command was recorded', () => records.some(record => record.event === 'command:stats'));
    listening.dispose();
    assert.ok(records.length > 4);
    const counted = new Map<string, number>();
    for (const { hookPath, registeredAs, nth } of records.filter(record => record.hookPath === hook)) {
      const name = `${hookPath} ${registeredAs} ${nth}`;
      counted.set(name, (counted.get(name) ?? 0) + 1);
    }
    const [calls, turns] = await view().getChildren(await nodeFor(hook));
    assert.ok(calls?.kind === 'registered' && turns?.kind === 'registered');
    assert.equal(window.monitor.stats.of(calls)?.count, counted.get(`${hook} tool_call 0`));
    assert.match(String(item(calls).description), /^2× · blocked: seen · .* · p50 .* · p95 .* ms$/);
    const thrown = counted.get(`${hook} turn_start 0`) ?? 0;
    assert.ok(thrown > 0);
    assert.ok(
      String(item(turns).description).startsWith(`${thrown}× · ${thrown} error`),
      String(item(turns).description),
    );
    assert.match(String(item(await nodeFor(hook)).description), new RegExp(`${thrown + 2}×`));
  });

  it('says of the built-in gate what it answered and why, and offers a first hook where there is none', async () => {
    await say('list');
    const roots = await view().getChildren();
    const gateNode = roots.find(node => node.kind === 'hook' && node.info.origin === 'built-in');
    const [calls] = await view().getChildren(gateNode);
    assert.ok(calls);
    assert.match(String(item(calls).description), /^\d+× · allowed: It changes nothing, so you were not asked\. · /);
    assert.equal(view().message, undefined);
    assert.ok(roots.every(node => node.kind !== 'offer'));
    const facts = {
      infos: window.hooks.builtIn,
      stats: () => undefined,
      coverage: () => [],
      isEvent: () => true,
      agents: () => [],
    };
    const bare = hookNodeChildren(undefined, facts).map(node => treeItemFor(node, facts));
    assert.deepEqual(bare.map(({ label, command }) => [label, command?.command]).slice(0, 2), [
      ['New Hook…', 'hookline.newHook'],
      ['Get Started', 'hookline.getStarted'],
    ]);
  });

  it('says which hooks would see an event now', async () => {
    const lines = async (): Promise<string> => {
      const roots = await view().getChildren();
      const coverage = roots.find(node => node.kind === 'coverage');
      const below = (await view().getChildren(coverage)).map(item);
      const line = below.find(each => each.label === 'tool_call bash');
      assert.ok(typeof line?.tooltip === 'string');
      return `${String(line.description)} ${line.tooltip}`;
    };
    assert.match(await lines(), /^2 hooks would see it now, then the built-in gate[\s\S]*Built-in gate/);
    await write(`export default pi => { pi.on('tool_call', () => undefined); };\n`);
    assert.match(await lines(), /^3 hooks would see it now[\s\S]*zz-seen\.ts/);
  });

  it('shows a badge while something that guards tools is not live, and turns hooks off and on for this workspace', async () => {
    assert.equal(view().badge, undefined);
    await write(`export default pi => { pi.on('tool_call', () => ;\n`);
    await until('the badge is there', () => view().badge?.value === 1);
    assert.match(view().badge?.tooltip ?? '', /zz-seen/);
    const children = await view().getChildren(await nodeFor(hook));
    assert.equal(children[0]?.kind, 'problem');
    await write(`export default pi => { pi.on('tool_call', () => undefined); };\n`);
    await until('it is gone', () => view().badge === undefined);

    await vscode.commands.executeCommand('hookline.turnOffHook', await nodeFor(hook));
    assert.equal(item(await nodeFor(hook)).contextValue, 'hook.off');
    await until('a gate that is off is told', () => view().badge?.value === 1);
    assert.deepEqual(api.ui.switches.off, [hook]);
    await vscode.commands.executeCommand('hookline.turnOnHook', await nodeFor(hook));
    assert.equal(item(await nodeFor(hook)).contextValue, 'hook.live');
    assert.deepEqual(api.ui.switches.off, []);
    await until('the badge is gone', () => view().badge === undefined);
  });

  it('reloads one file, and leaves the others as they are', async () => {
    await write(
      `let loads = globalThis.zzLoads = (globalThis.zzLoads ?? 0) + 1; export default pi => { pi.on('input', () => loads); };\n`,
    );
    const loads = (): unknown => Reflect.get(globalThis, 'zzLoads');
    const before = loads();
    await vscode.commands.executeCommand('hookline.reloadHook', { hookPath: gate });
    assert.equal(loads(), before);
    await vscode.commands.executeCommand('hookline.reloadHook', { hookPath: hook });
    assert.equal(loads(), Number(before) + 1);
  });

  it('opens a handler at its line, and copies its last record', async () => {
    await write(
      `// one\n// two\nexport default pi => {\n  pi.on('tool_call', () => ({ block: true, reason: 'copy me' }));\n};\n`,
    );
    const target = { hookPath: hook, registeredAs: 'tool_call', nth: 0 };
    await vscode.commands.executeCommand('hookline.openHook', target);
    assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, hook);
    assert.equal(vscode.window.activeTextEditor.selection.active.line, 3);
    await say('list');
    await vscode.commands.executeCommand('hookline.copyHookRecord', target);
    const copied = JSON.parse(await vscode.env.clipboard.readText()) as { hook: string; outcome: unknown };
    assert.deepEqual([copied.hook, copied.outcome], [hook, { type: 'blocked', reason: 'copy me' }]);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('fires one handler dry: its verdict on a page, nothing executed, nothing counted', async () => {
    const target = { hookPath: gate, registeredAs: 'tool_call', nth: 0 };
    const before = window.monitor.stats.of(target)?.count;
    const firing = vscode.commands.executeCommand<DryRunResult | undefined>('hookline.dryFireHook', target);
    // The sample that is offered first is `rm -rf`, or the last recorded bash call; the gate asks about the former.
    await until('an event is chosen', async () => {
      await key('enter');
      return window.dialogs.size > 0 || reportPage() !== undefined;
    });
    const open = window.conversations.active.model.items.find(
      each => each.kind === 'gate' && each.state.type === 'open',
    );
    if (open !== undefined) window.dialogs.answer(open.id, 'No');
    const fired = await firing;
    assert.ok(fired);
    assert.match(await until('the report is shown', reportPage), /Nothing was executed/);
    assert.equal(window.monitor.stats.of(target)?.count, before);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('fires a command dry: what it wants done is told, and nothing is', async () => {
    await write(
      `export default pi => {
         pi.on('turn_end', () => undefined);
         pi.registerCommand('zz-try', { handler: async (args, ctx) => { pi.sendUserMessage('never ' + args); return args; } });
       };\n`,
    );
    const { items } = window.conversations.active.model;
    const before = items.length;
    const target = { hookPath: hook, registeredAs: 'command:zz-try', nth: 0 };
    const count = window.monitor.stats.of(target)?.count;
    await pressUntilOver('enter', vscode.commands.executeCommand('hookline.dryFireHook', target));
    assert.match(
      await until('the report is shown', reportPage),
      /\*\*handled\*\*\. Nothing was executed\.[\s\S]*Not executed[\s\S]*`sendUserMessage`/,
    );
    assert.equal(window.conversations.active.model.items.length, before);
    assert.equal(window.monitor.stats.of(target)?.count, count, 'it is not counted');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });
});

/** The text of the report that is rendered in the active tab. */
function reportPage(): string | undefined {
  const { input, label = '' } = vscode.window.tabGroups.activeTabGroup.activeTab ?? {};
  const name = /Test-.*\.md/.exec(label)?.[0];
  if (!(input instanceof vscode.TabInputWebview) || name === undefined) return undefined;
  const text = vscode.workspace.textDocuments.find(({ uri }) => uri.path.endsWith(name));
  return text?.getText();
}
