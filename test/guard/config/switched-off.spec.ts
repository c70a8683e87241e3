import * as assert from 'node:assert';
import { join } from 'node:path';
import { isAgentConfig } from '../../../src/guard/config/is-agent-config';
import { switchesOff } from '../../../src/guard/config/switched-off';

describe('a file that turns the hooks of an agent off', () => {
  for (const [path, text, place] of [
    ['/r/.claude/settings.json', '{\n  "disableAllHooks": true\n}', [1, 2, 17, 'disableAllHooks']],
    ['/r/.claude/settings.local.json', '{"disableAllHooks":true // x\n}', [0, 1, 17, 'disableAllHooks']],
    ['/r/.claude/settings.json', '{"env":{"A":"1",\n"LD_PRELOAD":"./x.so"}}', [1, 0, 12, 'env.LD_PRELOAD']],
    ['/r/.gemini/settings.json', '{"hooksConfig":{\n"enabled":false}}', [1, 0, 9, 'hooksConfig.enabled']],
    ['/r/.gemini/settings.json', '{"hooksConfig":{"disabled":["a","hookline"]}}', [0, 32, 10, 'hooksConfig.disabled']],
    ['/r/.qwen/settings.json', '{"disableAllHooks": true}', [0, 1, 17, 'disableAllHooks']],
    ['/r/.qwen/.env', 'A=1\n\nexport QWEN_CODE_SAFE_MODE="1"', [2, 7, 19, 'QWEN_CODE_SAFE_MODE']],
    ['/r/.env', 'QWEN_CODE_SIMPLE=1', [0, 0, 16, 'QWEN_CODE_SIMPLE']],
    ['/r/.qwen/.env', 'QWEN_CODE_SIMPLE = true', [0, 0, 16, 'QWEN_CODE_SIMPLE']],
    ['/r/.codex/config.toml', 'a = 1\n[features]\nhooks = false', [2, 0, 5, 'features.hooks = false']],
    ['/r/.codex/config.toml', 'features = { a = true, hooks = false }', [0, 23, 5, 'features.hooks = false']],
    ['/r/.codex/config.toml', 'features."hooks" = false', [0, 0, 16, 'features.hooks = false']],
    ['/r/.codex/work.config.toml', '[features]\ncodex_hooks = false', [1, 0, 11, 'features.codex_hooks = false']],
    ['/r/.factory/hooks.json', '{\n  "hooksDisabled": true\n}', [1, 2, 15, 'hooksDisabled']],
    ['/r/.factory/settings.json', '{"hooks":{"hooksDisabled":true}}', [0, 10, 15, 'hooks.hooksDisabled']],
  ] as const) {
    it(`is ${path} with ${JSON.stringify(text)}`, () => {
      const found = switchesOff(path, text).map(({ line, column, length, setting }) => [line, column, length, setting]);
      assert.deepEqual(found, [place]);
    });
  }

  for (const [path, text] of [
    ['/r/.claude/settings.json', '{"disableAllHooks":false}'],
    ['/r/.claude/settings.json', '{"env":{"disableAllHooks":true}}'],
    ['/r/.claude/settings.json', '{"disableAllHooks":true'],
    ['/r/settings.json', '{"disableAllHooks":true}'],
    ['/r/.gemini/settings.json', '{"hooksConfig":{"enabled":true,"disabled":["other"]}}'],
    ['/r/.gemini/settings.json', '{"hooksConfig":{"disabled":"hookline"}}'],
    ['/r/.qwen/.env', '# QWEN_CODE_SAFE_MODE=1\nQWEN_CODE_SIMPLE=0\nQWEN_CODE_SAFE_MODE=\nA=1'],
    ['/r/.codex/config.toml', '[features]\nhooks = true'],
    ['/r/.codex/config.toml', '[other.features]\nhooks = false'],
    ['/r/.codex/config.toml', 'text = """\n[features]\nhooks = false\n"""'],
    ['/r/.codex/config.toml', '# [features]\n# hooks = false'],
    ['/r/.codex/config.toml', '[features\nhooks = false'],
    ['/r/.factory/hooks.json', '{"hooksDisabled":false}'],
    ['/r/.factory/settings.local.json', '{"hooks":{"hooksDisabled":true}}'],
  ] as const) {
    it(`is not ${path} with ${JSON.stringify(text)}`, () => {
      assert.deepEqual(switchesOff(path, text), []);
    });
  }
});

describe('a configuration of an agent', () => {
  const machine = {
    env: { CODEX_HOME: '/codex', GEMINI_CLI_HOME: '/g' },
    home: '/home/me',
    platform: 'linux',
    root: '/',
  } as const;
  const places = { machine, place: { folder: '/home/me/.local/state/hookline/guard' } };

  for (const path of [
    '/r/.claude/settings.json',
    '/r/a/.claude/settings.local.json',
    '/r/.codex/hooks.json',
    '/r/.codex/config.toml',
    '/r/.github/hooks/any.json',
    '/r/.gemini/settings.json',
    '/g/.gemini/settings.json',
    '/r/.qwen/settings.json',
    '/r/.qwen/.env',
    '/etc/qwen-code/settings.json',
    '/home/me/.copilot/hooks/hookline.json',
    '/codex/hooks.json',
    '/codex/work.config.toml',
    '/etc/claude-code/managed-settings.d/a.json',
    '/etc/codex/requirements.toml',
    '/etc/github-copilot/policy.d/any.json',
    '/r/.opencode/plugins/any.ts',
    '/r/.opencode/tool/any.js',
    '/r/.kilocode/plugin/any.js',
    '/home/me/.config/kilo/plugin/hookline.js',
    '/r/opencode.jsonc',
    '/home/me/.config/opencode/plugin/hookline.js',
    '/home/me/.config/opencode/opencode.json',
    '/r/.factory/hooks.json',
    '/home/me/.factory/settings.json',
    '/etc/factory/settings.json',
    '/home/me/.local/state/hookline/guard/client.sh',
  ]) {
    it(`is ${path}`, () => {
      assert.equal(isAgentConfig(join(path), places), true);
    });
  }

  for (const path of [
    '/r/settings.json',
    '/r/.claude/agents/a.md',
    '/codex/notes.md',
    '/g/settings.json',
    '/r/hooks.json',
    '/etc/passwd',
  ]) {
    it(`is not ${path}`, () => {
      assert.equal(isAgentConfig(join(path), places), false);
    });
  }
});
