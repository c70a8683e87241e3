import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { HooklineWindow } from '../../src/vscode/window/window';
import { ScriptedLlm } from '../support/scripted-llm';
import { hookline, saveHook, toolsAreOver, until, workspaceFolder } from './support/extension';
import { Messages } from './support/messages';

const OLD = `import type { HookAPI } from '@mariozechner/pi-coding-agent/hooks';

export default function greet(pi: HookAPI) {
  pi.on('session', event => {
    if (event.reason === 'before_switch') return { cancel: false };
    return undefined;
  });
}
`;
const NEW = `import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

export default function greet(pi: ExtensionAPI) {
  pi.on('session_before_switch', () => ({ cancel: false }));
}
`;
const SOURCE = 'convert-hook.test';

describe('the conversion of a hook by the agent', () => {
  let window: HooklineWindow;
  let llm: ScriptedLlm;
  const path = join(workspaceFolder(), '.pi', 'hooks', 'zz-greet.ts');

  before(async () => {
    window = await (await hookline()).window.get();
    llm = await ScriptedLlm.start();
    const { api, baseUrl } = llm.model();
    const config = { api, baseUrl, apiKey: llm.apiKey, models: [{ id: 'converter' }] };
    window.models.registerProvider('scripted-host', config, SOURCE);
    await saveHook(path, OLD);
  });

  beforeEach(async () => {
    await window.conversations.newSession();
    const model = window.models.find('scripted-host', 'converter');
    assert.ok(model);
    await window.conversations.active.conversation.models.use(model, 'set');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    const demo = window.models.find('demo', 'offline');
    assert.ok(demo);
    const [first, ...others] = window.conversations.all;
    for (const { id } of others) await window.conversations.close(id);
    await first?.conversation.models.use(demo, 'set');
  });

  after(async () => {
    window.models.unregisterSource(SOURCE);
    await llm.stop();
    await toolsAreOver();
    rmSync(path, { force: true });
    await until('the hook is gone', () => !window.hooks.infos().some(info => info.path === path));
  });

  const onDisk = (): string => readFileSync(path, 'utf8');
  const convert = async (): Promise<void> => {
    const errors = new Messages('showErrorMessage', []);
    try {
      await vscode.commands.executeCommand('hookline.convertHook', { hookPath: path });
    } finally {
      errors.restore();
    }
    assert.deepEqual(errors.shown, []);
  };
  const shown = (): vscode.TabInputTextDiff | undefined => {
    const input: unknown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    return input instanceof vscode.TabInputTextDiff ? input : undefined;
  };
  const proposed = async (): Promise<string> => {
    const { modified } = await until('the diff', shown);
    return (await vscode.workspace.openTextDocument(modified)).getText();
  };
  const answer = (text: string) => ({ text: `Done:\n\n\`\`\`\`ts\n${text}\`\`\`\`\n\nNothing needs a look.` });

  it('asks in a new conversation, with the hook, the differences and the types, and only tools that read', async () => {
    const before = window.conversations.active;
    const { requests } = llm;
    const first = requests.length;
    llm.reply(answer(NEW));
    await convert();
    assert.equal(await proposed(), NEW);
    assert.notEqual(window.conversations.active, before);
    assert.equal(before.model.items.length, 0);
    const body = JSON.stringify(requests[first]?.body);
    assert.match(body, /Convert the hook \.pi\/hooks\/zz-greet\.ts from the dialect v1/);
    assert.match(body, /before_switch/);
    assert.match(body, /# Dialects/);
    const [, typings = ''] = /today's pi are in ([^;]+); begin with/.exec(body) ?? [];
    assert.match(readFileSync(join(typings, 'modules', 'pi-coding-agent.d.ts'), 'utf8'), /ExtensionAPI/);
    const tools = requests[first]?.body['tools'] as readonly { readonly name: string }[];
    assert.ok(tools.some(({ name }) => name === 'read'));
    assert.deepEqual(
      tools.map(({ name }) => name).filter(name => ['write', 'edit', 'bash'].includes(name)),
      [],
    );
  });

  it('leaves the file alone while the agent works, until the diff is approved, and when it is rejected', async () => {
    llm.reply({ toolCalls: [{ name: 'write', arguments: { path: '.pi/hooks/zz-greet.ts', content: NEW } }] });
    const held = llm.hold(answer(NEW));
    const done = convert();
    await held.reached;
    assert.equal(onDisk(), OLD);
    held.release();
    await done;
    assert.equal(await proposed(), NEW);
    assert.equal(onDisk(), OLD);
    await vscode.commands.executeCommand('hookline.rejectDiff');
    await until('the diff is closed', () => shown() === undefined);
    assert.equal(onDisk(), OLD);
  });

  it('asks before it replaces a file that changed while the agent worked', async () => {
    const held = llm.hold(answer(NEW));
    const done = convert();
    await held.reached;
    writeFileSync(path, `${OLD}// mine\n`);
    held.release();
    await done;
    await until('the diff', shown);
    const warnings = new Messages('showWarningMessage', [undefined]);
    try {
      await vscode.commands.executeCommand('hookline.acceptDiff');
    } finally {
      warnings.restore();
    }
    assert.match(warnings.shown[0]?.text ?? '', /zz-greet\.ts was changed since/);
    assert.equal(onDisk(), `${OLD}// mine\n`);
    await vscode.commands.executeCommand('hookline.rejectDiff');
    await saveHook(path, OLD);
  });

  it('says that the answer has no proposal, and shows no diff', async () => {
    llm.reply({ text: 'Nothing needs to change.' });
    const warnings = new Messages('showWarningMessage', []);
    try {
      await convert();
    } finally {
      warnings.restore();
    }
    assert.match(warnings.shown[0]?.text ?? '', /proposed no new text of zz-greet\.ts/);
    assert.equal(shown(), undefined);
    assert.equal(onDisk(), OLD);
  });

  it('is refused with the demo model, in the conversation that is shown', async () => {
    const demo = window.models.find('demo', 'offline');
    assert.ok(demo);
    const { active, all } = window.conversations;
    await active.conversation.models.use(demo, 'set');
    await convert();
    const notice = active.model.items.findLast(({ kind }) => kind === 'notice');
    assert.ok(notice?.kind === 'notice' && notice.text === 'The demo model cannot do this.');
    assert.equal(window.conversations.all.length, all.length);
    assert.equal(shown(), undefined);
  });

  it('writes the file and runs the converted hook when the diff is approved', async () => {
    llm.reply(answer(NEW));
    await convert();
    await until('the diff', shown);
    await vscode.commands.executeCommand('hookline.acceptDiff');
    assert.equal(onDisk(), NEW);
    await until('the converted hook runs', () => {
      const info = window.hooks.infos().find(each => each.path === path);
      return info?.state.type === 'live' && info.dialect?.id === 'pi';
    });
  });
});
