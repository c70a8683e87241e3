import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { ToolItem } from '../../src/protocol/items/chat-item';
import type { HooklineWindow } from '../../src/vscode/window/window';
import { hookline, pressUntilOver, saveHook, until, workspaceFolder } from './support/extension';
import { installTestModels, type TestModels } from './support/test-models';

describe('tools of the editor', () => {
  let window: HooklineWindow;
  let vendor: TestModels;
  const hook = join(workspaceFolder(), '.pi', 'hooks', 'zz-editor-tools.ts');
  const configuration = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('hookline');

  before(async function () {
    this.timeout(120_000);
    window = await (await hookline()).window.get();
    vendor = await installTestModels();
    vendor.offer();
    const parrot = await until('the model is there', () => window.models.find('vscode-lm', 'test-vendor/parrot'));
    await chat().conversation.sessions.newSession();
    await chat().conversation.models.use(parrot, 'set');
  });

  afterEach(async () => {
    await configuration().update('editorTools', undefined, vscode.ConfigurationTarget.Global);
    rmSync(hook, { force: true });
  });

  after(async () => {
    const demo = window.models.find('demo', 'offline');
    assert.ok(demo);
    await chat().conversation.models.use(demo, 'set');
    vendor.withdraw();
  });

  const chat = (): HooklineWindow['conversations']['active'] => window.conversations.active;
  const lastTool = (): ToolItem => {
    const item = chat().model.items.findLast(each => each.kind === 'tool');
    assert.ok(item?.kind === 'tool');
    return item;
  };
  const offer = async (...names: readonly string[]): Promise<void> => {
    await configuration().update('editorTools', names, vscode.ConfigurationTarget.Global);
    await until('they are offered', () =>
      chat()
        .conversation.toolset.activeNames()
        .some(name => name.startsWith('test_')),
    );
  };
  const results = () => chat().conversation.run.agent.messages.filter(message => message.role === 'toolResult');
  const addHook = (text: string): Promise<void> => saveHook(hook, text);

  it('are there to be chosen, and off by default', async () => {
    for (const name of ['test_weather', 'test_slow', 'vscode_read']) {
      const choice = await until(name, () =>
        chat()
          .conversation.toolset.choices()
          .find(each => each.name === name),
      );
      assert.deepEqual([choice.origin, choice.active], ['editor', false]);
    }
    assert.ok(!chat().conversation.toolset.activeNames().includes('test_weather'));
  });

  it('run when the setting offers them; every kind of result is mapped', async () => {
    await offer('test_w*');
    assert.ok(!chat().conversation.toolset.activeNames().includes('test_slow'));
    await chat().submit('tool test_weather {"city":"Ulm"}');
    assert.deepEqual(vendor.state.toolCalls.at(-1), { name: 'test_weather', input: { city: 'Ulm' } });
    const result = results().at(-1);
    assert.deepEqual(result?.content, [
      { type: 'text', text: 'Rain in Ulm, the secret is 4711.' },
      { type: 'text', text: '{\n\t"degrees": 12\n}' },
      { type: 'image', data: 'AQID', mimeType: 'image/png' },
      { type: 'text', text: '(4 bytes of application/zip)' },
    ]);
    assert.deepEqual([result.isError, lastTool().state.type], [false, 'done']);
    const told = vendor.state.requests.at(-1)!.messages.at(-1)!.content[0]!;
    assert.deepEqual(told.content?.[2], { mime: 'image/png', bytes: 3 });
  });

  it('tell their failures and bad arguments to the model', async () => {
    await offer('test_weather');
    await chat().submit('tool test_weather {"city":"Nowhere"}');
    assert.match(JSON.stringify(results().at(-1)), /no such city/);
    assert.equal(results().at(-1)?.isError, true);
    const calls = vendor.state.toolCalls.length;
    await chat().submit('tool test_weather {"town":"Ulm"}');
    assert.match(JSON.stringify(results().at(-1)?.content), /city/);
    assert.equal(vendor.state.toolCalls.length, calls, 'it was not called');
  });

  it('end when the person stops', async () => {
    await offer('test_slow');
    const run = chat().submit('tool test_slow {}');
    await until('it runs', () => vendor.state.toolCalls.at(-1)?.name === 'test_slow');
    await chat().conversation.run.stop();
    await run;
    assert.match(JSON.stringify(results().at(-1)?.content), /aborted/i);
  });

  it('can be blocked by a hook', async () => {
    await offer('test_weather');
    await addHook(
      `export default pi => { pi.on('tool_call', async e =>
        e.toolName === 'test_weather' && e.input.city === 'Bern' ? { block: true, reason: 'not Bern' } : undefined); };`,
    );
    const calls = vendor.state.toolCalls.length;
    await chat().submit('tool test_weather {"city":"Bern"}');
    const { state } = lastTool();
    assert.ok(state.type === 'blocked' && state.reason === 'not Bern');
    assert.equal(vendor.state.toolCalls.length, calls);
  });

  it('can have their result redacted by a hook', async () => {
    await offer('test_weather');
    await addHook(
      `export default pi => { pi.on('tool_result', async e => e.toolName === 'test_weather'
        ? { content: e.content.map(part => part.type === 'text' ? { ...part, text: part.text.replace(/\\d+/g, '***') } : part) }
        : undefined); };`,
    );
    await chat().submit('tool test_weather {"city":"Rom"}');
    assert.match(JSON.stringify(results().at(-1)?.content), /Rain in Rom, the secret is \*\*\*/);
    assert.doesNotMatch(JSON.stringify(vendor.state.requests.at(-1)), /Rom, the secret is 4711/);
  });

  it('are selected for one conversation with Hookline: Select Tools…', async () => {
    const before = chat().conversation.toolset.activeNames();
    chat().conversation.toolset.select([...before, 'test_weather']);
    const picking = vscode.commands.executeCommand('hookline.selectTools');
    await pressUntilOver('enter', picking);
    assert.deepEqual([...chat().conversation.toolset.activeNames()].sort(), [...before, 'test_weather'].sort());
    chat().conversation.toolset.select(before);
  });
});
