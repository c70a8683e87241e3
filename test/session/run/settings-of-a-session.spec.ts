import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SessionList, sessionDirFor } from '../../../src/agent/session/library/session-list';
import { sessionDirOf } from '../../../src/startup/live-settings';
import { Rig } from '../../support/conversation-rig';
import { scriptedModel } from '../../support/scripted-stream';

const { provider } = scriptedModel;
const deep = { ...scriptedModel, id: 'deep', reasoning: true };
const plain = { ...scriptedModel, id: 'plain', reasoning: false };
const settingsFile = (settings: unknown) => ({ '.pi/agent/settings.json': JSON.stringify(settings) });

describe("what pi's settings say of a session", () => {
  const open = (settings: unknown, more: Parameters<typeof Rig.open>[1] = {}) =>
    Rig.open([{ text: 'ok' }], { home: settingsFile(settings), models: [deep, plain], ...more });

  for (const [name, settings, start, afterSwitch] of [
    ['nothing: medium, and what a model cannot do comes back', {}, 'medium', 'medium'],
    ['a level for all', { defaultThinkingLevel: 'low' }, 'low', 'low'],
    [
      'a level for one model, before that for all',
      {
        defaultThinkingLevel: 'low',
        modelThinkingLevels: { [`${provider}/deep`]: 'high', [`${provider}/plain`]: 'high' },
      },
      'high',
      'high',
    ],
  ] as const) {
    it(`thinking, ${name}`, async () => {
      const rig = await open({ ...settings, defaultProvider: provider, defaultModel: 'deep' });
      const { models, state } = rig.conversation;
      assert.equal(state.effectiveLevel, start);
      await models.set(plain);
      assert.equal(state.effectiveLevel, 'off');
      await models.set(deep);
      assert.equal(state.effectiveLevel, afterSwitch);
      await rig.close();
    });
  }

  it('thinking: with a level for all, a change of model goes back to it; without one the chosen level stays', async () => {
    const other = { ...deep, id: 'other' };
    for (const [settings, expected] of [
      [{}, 'high'],
      [{ defaultThinkingLevel: 'low' }, 'low'],
    ] as const) {
      const rig = await open(
        { ...settings, defaultProvider: provider, defaultModel: 'deep' },
        { models: [deep, other] },
      );
      rig.conversation.models.setThinkingLevel('high');
      await rig.conversation.models.set(other);
      assert.equal(rig.conversation.state.effectiveLevel, expected);
      await rig.close();
    }
  });

  it('tools: what defaultTools leaves off is not offered, a hook of that name is, and a later addition is', async () => {
    const hook = `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { Type } from "@sinclair/typebox";
export default (pi: ExtensionAPI) => pi.registerTool({ name: "grep", label: "g", description: "d",
  parameters: Type.Object({}), execute: async () => ({ content: [], details: {} }) });\n`;
    const rig = await open({ defaultTools: ['-bash', '-grep', '-ls'] }, { extensions: { 'hook.ts': hook } });
    assert.deepEqual(rig.conversation.toolset.activeNames().toSorted(), ['edit', 'find', 'grep', 'read', 'write']);
    const bash = rig.conversation.toolset.choices().find(({ name }) => name === 'bash');
    assert.equal(bash?.active, false);
    Object.assign(rig.conversation.ports.settings.current, { defaultTools: ['-grep', '-edit', '-bash'] });
    assert.deepEqual(rig.conversation.toolset.activeNames().toSorted(), [
      'edit',
      'find',
      'grep',
      'ls',
      'read',
      'write',
    ]);
    rig.conversation.toolset.setActive(['bash', 'ls']);
    assert.deepEqual(rig.conversation.toolset.activeNames().toSorted(), ['bash', 'ls']);
    await rig.close();
  });

  it('compaction: sizes of the model in use count before those of all', async () => {
    const contextWindow = 100_000;
    const big = { ...deep, contextWindow };
    const compaction = { reserveTokens: 1000, modelOverrides: { [`${provider}/deep`]: { reserveTokens: 99_990 } } };
    for (const [model, compacts] of [
      [big, true],
      [{ ...plain, contextWindow }, false],
    ] as const) {
      const rig = await open(
        { compaction: { keepRecentTokens: 1, ...compaction }, defaultProvider: provider, defaultModel: model.id },
        { models: [model] },
      );
      await rig.chat.submit('a question of some length, so that there is something');
      const { context } = rig.chat.status.current;
      assert.equal(context?.compactsAt, compacts ? 10 : 99_000);
      await rig.close();
    }
  });

  it('places: sessionDir starts from the folder, ~ is the home, and a shared folder lists only the own sessions', async () => {
    assert.equal(sessionDirOf({ sessionDir: 'log' }, '/work'), join('/work', 'log'));
    assert.ok(sessionDirOf({ sessionDir: '~/log' }, '/work')?.endsWith('log'));
    assert.equal(sessionDirOf({ sessionDir: ' ' }, '/work'), undefined);
    const root = mkdtempSync(join(tmpdir(), 'hookline shared '));
    const own = sessionDirFor(root, '/work');
    for (const dir of [join(root, 'shared'), own]) {
      for (const [id, cwd] of [
        ['a', '/work'],
        ['b', '/other'],
      ] as const) {
        const file = join(dir, `${id}.jsonl`);
        mkdirSync(dirname(file), { recursive: true });
        const timestamp = '2026-01-01T00:00:00.000Z';
        writeFileSync(file, `${JSON.stringify({ type: 'session', version: 3, id, timestamp, cwd })}\n`);
      }
    }
    const ids = async (dir: string) => (await new SessionList(dir, '/work').list()).map(({ id }) => id).toSorted();
    assert.deepEqual([await ids(join(root, 'shared')), await ids(own)], [['a'], ['a', 'b']]);
    rmSync(root, { recursive: true });
  });
});
