import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadSettings } from '../../../src/agent/settings/load-settings';
import { SettingsContent, SETTINGS_WITHOUT_MEANING } from '../../../src/agent/settings/setting-keys';

describe("pi's settings", () => {
  let root: string;
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'hookline settings é '))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  const load = async (personal: unknown, project?: unknown, includeProject = true) => {
    write('agent/settings.json', JSON.stringify(personal));
    if (project !== undefined) write('work/.pi/settings.json', JSON.stringify(project));
    return loadSettings({ agentDir: join(root, 'agent'), cwd: join(root, 'work'), includeProject });
  };

  it('of the project lie over those of the person, objects member by member at any depth', async () => {
    const { settings, problems } = await load(
      {
        steeringMode: 'all',
        compaction: { reserveTokens: 1, modelOverrides: { 'a/b': { reserveTokens: 2 }, 'c/d': { reserveTokens: 3 } } },
        retry: { maxRetries: 7, provider: { timeoutMs: 5, maxRetries: 1 } },
        enabledModels: ['x/*'],
      },
      {
        compaction: { keepRecentTokens: 4, modelOverrides: { 'a/b': { keepRecentTokens: 5 } } },
        retry: { provider: { maxRetries: 2 } },
        enabledModels: ['y/*'],
      },
    );
    assert.deepEqual(problems, []);
    const { compaction, retry, providerRetry, steeringMode, enabledModels } = settings;
    assert.deepEqual(compaction, {
      enabled: true,
      reserveTokens: 1,
      keepRecentTokens: 4,
      modelOverrides: { 'a/b': { reserveTokens: 2, keepRecentTokens: 5 }, 'c/d': { reserveTokens: 3 } },
    });
    assert.deepEqual([retry.maxRetries, retry.baseDelayMs, retry.maxAgentDelayMs], [7, 2000, 60_000]);
    assert.deepEqual(providerRetry, { timeoutMs: 5, maxRetries: 2, maxRetryDelayMs: 60_000 });
    assert.deepEqual([steeringMode, enabledModels], ['all', ['y/*']]);
  });

  it('keep lists of resources side by side, each with the folder that its paths start from', async () => {
    const both = { extensions: ['a'], prompts: ['b'], skills: ['c'] };
    const { settings } = await load(both, both);
    const [work, agent] = [join(root, 'work', '.pi'), join(root, 'agent')];
    for (const lists of [settings.extensions, settings.prompts, settings.skills.lists]) {
      assert.deepEqual(
        lists.map(({ base, from, scope }) => [base, from, scope]),
        [
          [work, join(work, 'settings.json'), 'project'],
          [agent, join(agent, 'settings.json'), 'user'],
        ],
      );
    }
    const { settings: restricted } = await load(both, both, false);
    assert.deepEqual(
      restricted.extensions.map(({ scope }) => scope),
      ['user'],
    );
  });

  for (const [name, personal, project, expected] of [
    ['a list of names takes the place of the one below', ['read', '+grep'], ['bash'], ['bash']],
    ['changes go on top of it', ['read', '+grep'], ['-read', '+ls'], ['read', '+grep', '-read', '+ls']],
    ['an empty list adds nothing', ['read'], [], ['read']],
    ['only one of the two says something', undefined, ['+ls'], ['+ls']],
    ['nobody says anything', undefined, undefined, undefined],
  ] as const) {
    it(`merge defaultTools as pi does: ${name}`, async () => {
      const { settings } = await load({ defaultTools: personal }, { defaultTools: project });
      assert.deepEqual(settings.defaultTools, expected);
    });
  }

  it('of the wrong kind or of tomorrow are named once with file, line and key; everything else counts', async () => {
    write(
      'agent/settings.json',
      `{
  "steeringMode": "smart",
  "compaction": {
    "enabled": "yes",
    "reserveTokens": 5,
    "strategy": "of tomorrow"
  },
  "modelThinkingLevels": { "a/b": "high", "c/d": "ultra" },
  "defaultTools": ["read", 5],
  "retry": [],
  "httpIdleTimeoutMs": "never",
  "shellPath": null
}`,
    );
    const sources = { agentDir: join(root, 'agent'), cwd: join(root, 'work'), includeProject: true };
    const { settings, problems } = await loadSettings(sources);
    assert.ok(problems.every(({ file }) => file === join(root, 'agent', 'settings.json')));
    const levels = '"off", "minimal", "low", "medium", "high", "xhigh"';
    assert.deepEqual(
      problems.map(({ line, message }) => [line, message.replace(' or "xhigh"', ', "xhigh"').replace(' or "max"', '')]),
      [
        [2, 'Setting "steeringMode": "smart" is not used; it must be "all" or "one-at-a-time".'],
        [4, 'Setting "compaction.enabled": "yes" is not used; it must be true or false.'],
        [8, `Setting "modelThinkingLevels.c/d": "ultra" is not used; it must be ${levels}.`],
        [9, 'Setting "defaultTools.1": 5 is not used; it must be a text.'],
        [10, 'Setting "retry": [] is not used; it must be an object.'],
        [11, 'Setting "httpIdleTimeoutMs": "never" is not used; it must be a number of 0 or more or "disabled".'],
        [12, 'Setting "shellPath": null is not used; it must be a text.'],
      ],
    );
    const { compaction, modelThinkingLevels, defaultTools } = settings;
    assert.deepEqual([compaction.enabled, compaction.reserveTokens], [true, 5]);
    assert.deepEqual([modelThinkingLevels, defaultTools], [{ 'a/b': 'high' }, ['read']]);
  });

  it('that are no JSON are told with the line', async () => {
    for (const [text, line] of [
      ['{\n  "hooks": [\n  // no\n  ]\n}', 3],
      ['{\n  "todo": {},\n}', 3],
      ['[]', 1],
    ] as const) {
      write('agent/settings.json', text);
      const { problems } = await loadSettings({ agentDir: join(root, 'agent'), cwd: root, includeProject: false });
      assert.deepEqual([problems.length, problems[0]?.line], [1, line], text);
    }
  });

  it('may begin with a byte order mark', async () => {
    write('agent/settings.json', '\uFEFF{"steeringMode": "all"}');
    const { settings, problems } = await loadSettings({
      agentDir: join(root, 'agent'),
      cwd: root,
      includeProject: false,
    });
    assert.deepEqual([settings.steeringMode, problems], ['all', []]);
  });

  it('are read under their older names, each file for itself', async () => {
    const older = {
      queueMode: 'all',
      websockets: true,
      retry: { maxDelayMs: 9 },
      skills: { enableSkillCommands: false },
    };
    const { settings } = await load(
      { steeringMode: 'one-at-a-time', retry: { provider: { maxRetryDelayMs: 1 } } },
      older,
    );
    assert.deepEqual(
      [settings.steeringMode, settings.followUpMode, settings.transport],
      ['all', 'one-at-a-time', 'websocket'],
    );
    assert.deepEqual([settings.providerRetry.maxRetryDelayMs, settings.enableSkillCommands], [9, false]);
    const { settings: newer } = await load({ ...older, steeringMode: 'one-at-a-time', transport: 'sse' }, {});
    assert.deepEqual([newer.steeringMode, newer.transport], ['one-at-a-time', 'sse']);
  });

  it('of which a folder must not decide count only from the person', async () => {
    const { settings } = await load({ defaultProjectTrust: 'never' }, { defaultProjectTrust: 'always' });
    assert.equal(settings.defaultProjectTrust, 'never');
  });

  it('that mean nothing here, or that an extension keeps, are accepted with any value', async () => {
    const values = Object.fromEntries([...SETTINGS_WITHOUT_MEANING, 'my-extension'].map(name => [name, { any: [1] }]));
    assert.deepEqual((await load(values)).problems, []);
    const both = SETTINGS_WITHOUT_MEANING.filter(name => name in SettingsContent.properties);
    assert.deepEqual(both, []);
  });
});
