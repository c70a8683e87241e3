import assert from 'node:assert/strict';
import type { SessionConfigOption } from '@agentclientprotocol/sdk';
import { configOptionsOf } from '../../../../src/modes/acp/sessions/config-options';
import type { Conversation } from '../../../../src/session/conversation';
import { AcpEditor, refusal } from '../../support/acp';
import { eachWithModel } from '../../support/each-with-model';

const CHANGES = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
export default (pi: ExtensionAPI) => {
  pi.registerCommand('two', { description: 'takes the other model', handler: async (args, ctx) => {
    await pi.setModel(ctx.modelRegistry.find('scripted', 'two'));
    pi.setThinkingLevel('high');
  } });
  pi.registerCommand('compact', { description: 'is mine', handler: async () => {} });
};
`;

describe('Modes, options and commands over ACP', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel({}, [{ id: 'one' }, { id: 'two' }, { id: 'plain', reasoning: false }]);

  const values = (options: readonly SessionConfigOption[] | null | undefined): Record<string, unknown> =>
    Object.fromEntries((options ?? []).map(({ id, currentValue }) => [id, currentValue]));
  const refused = (request: Promise<unknown>): Promise<string> => refusal(request, -32_602);

  it('offer the models that can be used while none is chosen', () => {
    const options = (usable: readonly object[]): SessionConfigOption[] => {
      const models = { getAvailable: () => usable, getProviderDisplayName: () => 'P' };
      const state = { model: undefined, effectiveLevel: 'off' };
      return configOptionsOf({ ports: { models }, state } as unknown as Conversation);
    };
    assert.deepEqual(values(options([])), { mode: 'auto' });
    const found = options([{ provider: 'p', id: 'm', name: 'M' }]);
    assert.deepEqual(values(found), { mode: 'auto', model: 'none' });
    assert.deepEqual(found[1]?.type === 'select' && found[1].options, [
      { group: 'none', name: 'none', options: [{ value: 'none', name: 'none' }] },
      { group: 'p', name: 'P', options: [{ value: 'p/m', name: 'M' }] },
    ]);
  });

  it('are in the answer that opens a session, and follow each other', async () => {
    const editor = await AcpEditor.open(place);
    const opened = await editor.request('session/new', { cwd: place.cwd, mcpServers: [] });
    const { sessionId } = opened;
    assert.equal(opened.modes?.currentModeId, 'ask');
    assert.deepEqual(
      opened.modes.availableModes.map(({ id }) => id),
      ['ask', 'edits', 'auto', 'plan'],
    );
    assert.deepEqual(values(opened.configOptions), { mode: 'ask', model: 'scripted/one', thought_level: 'medium' });
    const set = (configId: string, value: string): Promise<{ configOptions: SessionConfigOption[] }> =>
      editor.request('session/set_config_option', { sessionId, configId, value });
    assert.equal(values((await set('mode', 'edits')).configOptions)['mode'], 'edits');
    await editor.update(sessionId, 'current_mode_update', ({ currentModeId }) => currentModeId === 'edits');
    await editor.request('session/set_mode', { sessionId, modeId: 'plan' });
    await editor.update(
      sessionId,
      'config_option_update',
      ({ configOptions }) => values(configOptions)['mode'] === 'plan',
    );
    const plain = await set('model', 'scripted/plain');
    assert.deepEqual(values(plain.configOptions), { mode: 'plan', model: 'scripted/plain' });
    await editor.end();
  });

  it('are refused by name when they are unknown', async () => {
    const editor = await AcpEditor.open(place);
    const sessionId = await editor.create();
    const set = (configId: string, value: string): Promise<unknown> =>
      editor.request('session/set_config_option', { sessionId, configId, value });
    assert.match(await refused(set('color', 'red')), /color/);
    assert.match(await refused(set('mode', 'wild')), /wild/);
    assert.match(await refused(set('model', 'scripted/none')), /scripted\/none/);
    assert.match(await refused(set('thought_level', 'deep')), /deep/);
    assert.match(await refused(editor.request('session/set_mode', { sessionId, modeId: 'wild' })), /wild/);
    assert.match(await refused(editor.request('session/set_mode', { sessionId: 'none', modeId: 'ask' })), /none/);
    await editor.end();
  });

  it('are told when a hook changes them', async () => {
    place.hook('changes.ts', CHANGES);
    const editor = await AcpEditor.open(place);
    const sessionId = await editor.create();
    await editor.prompt(sessionId, '/two');
    await editor.update(sessionId, 'config_option_update', ({ configOptions }) => {
      const { model, thought_level: level } = values(configOptions);
      return model === 'scripted/two' && level === 'high';
    });
    await editor.end();
  });

  it("lists each command once, a hook's own before that of Hookline", async () => {
    place.hook('changes.ts', CHANGES);
    place.file('work/.pi/prompts/greet.md', '---\ndescription: Greets\nargument-hint: <name>\n---\nSay hello to $1\n');
    const editor = await AcpEditor.open(place);
    const sessionId = await editor.create();
    const { availableCommands } = await editor.update(sessionId, 'available_commands_update');
    const described = availableCommands.map(({ name, description }) => [name, description] as const);
    assert.deepEqual(
      described.filter(([name]) => name === 'compact'),
      [['compact', 'is mine']],
    );
    const names = described.map(([name]) => name);
    for (const name of ['two', 'name', 'session', 'export', 'reload', 'model', 'thinking', 'trust', 'greet']) {
      assert.ok(names.includes(name), name);
    }
    const greet = availableCommands.find(({ name }) => name === 'greet');
    assert.deepEqual(greet, { name: 'greet', description: 'Greets', input: { hint: '<name>' } });
    await editor.end();
  });

  it('run the commands of Hookline here', async () => {
    const editor = await AcpEditor.open(place);
    const sessionId = await editor.create();
    assert.equal(await editor.prompt(sessionId, '/model scripted/two'), 'end_turn');
    await editor.update(
      sessionId,
      'config_option_update',
      ({ configOptions }) => values(configOptions)['model'] === 'scripted/two',
    );
    await editor.prompt(sessionId, '/name The best one');
    await editor.update(sessionId, 'session_info_update', ({ title }) => title === 'The best one');
    await editor.prompt(sessionId, '/session');
    await editor.update(sessionId, 'notice', ({ title }) => title.includes('The best one'));
    assert.equal(llm.requests.length, 0);
    await editor.end();
  });
});
