import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesOfGuard } from '../../../src/guard/config/agent-files';
import { guardStatus } from '../../../src/guard/config/guard-status';
import { EVENTS, GuardRig } from './guard-rig';

const JSON_TEXT = '{\n\t"theme": "dark",\n\t"mcpServers": {\n\t\t"git": { "command": "git-mcp" }\n\t}\n}\n';
const TOML_TEXT = '# mine\nmodel = "gpt-5.5"\n\n[mcp_servers.git]\ncommand = "git-mcp"\n';

const OPENCODE_TEXT = '{\n  // mine\n  "mcp": {\n    "git": { "type": "local", "command": ["git-mcp"] }\n  }\n}\n';

const FILES = [
  ['claude', '.claude.json', JSON_TEXT],
  ['copilot', '.copilot/mcp-config.json', JSON_TEXT],
  ['codex', '.codex/config.toml', TOML_TEXT],
  ['gemini', '.gemini/settings.json', JSON_TEXT],
  ['qwen', '.qwen/settings.json', JSON_TEXT],
  ['droid', '.factory/mcp.json', JSON_TEXT],
  ['cline', '.cline/data/settings/cline_mcp_settings.json', JSON_TEXT],
  ['opencode', '.config/opencode/opencode.json', OPENCODE_TEXT],
  ['kilo', '.config/kilo/kilo.json', OPENCODE_TEXT],
  ['cursor', '.cursor/mcp.json', JSON_TEXT],
] as const;

describe('tools in the configuration of an agent', () => {
  let rig: GuardRig;
  beforeEach(async () => (rig = await GuardRig.make()));
  afterEach(() => rig.dispose());

  const read = (name: string): string => readFileSync(join(rig.root, name), 'utf8');
  const toolsOf = async (agent: (typeof FILES)[number][0]): Promise<string> => {
    const { machine, place } = rig;
    return (await guardStatus({ contract: { id: agent, events: EVENTS }, place, machine })).tools.type;
  };

  for (const [agent, name, text] of FILES) {
    describe(`of ${agent}`, () => {
      it('are written beside what is there, and the file is as before after remove', async () => {
        await rig.file(name, text);
        await rig.change('add', agent, { tools: 'too' });
        assert.match(read(name), /git-mcp/);
        assert.match(read(name), /tools\.sh/);
        assert.equal(read(`${name}.before-hookline`), text);
        assert.equal(await toolsOf(agent), 'yes');
        assert.equal(await rig.change('add', agent, { tools: 'too' }), 0);
        await rig.change('remove', agent);
        assert.equal(read(name), text);
        assert.ok(!existsSync(join(rig.root, `${name}.before-hookline`)));
        assert.equal(await toolsOf(agent), 'no');
      });

      it('are not written without --tools, and stay when the guard is added again', async () => {
        await rig.file(name, text);
        await rig.change('add', agent);
        assert.doesNotMatch(read(name), /tools\.sh/);
        assert.equal(await toolsOf(agent), 'no');
        await rig.change('add', agent, { tools: 'too' });
        const changed = read(name);
        await rig.change('add', agent);
        assert.equal(read(name), changed);
      });

      it('are taken out alone, and the guard stays', async () => {
        await rig.change('add', agent, { tools: 'too' });
        assert.match(read(name), /tools\.sh/);
        await rig.change('remove', agent, { tools: 'only' });
        const hooks = filesOfGuard(agent, 'user', rig.machine).map(({ file }) => file);
        const isShared = hooks.includes(join(rig.root, name));
        assert.equal(existsSync(join(rig.root, name)), isShared, 'nothing else was in it');
        if (isShared) assert.doesNotMatch(read(name), /tools\.sh|mcpServers/);
        const { machine, place } = rig;
        const status = await guardStatus({ contract: { id: agent, events: EVENTS }, place, machine });
        assert.deepEqual([status.configured.type, status.tools.type], ['yes', 'no']);
      });

      it('leave what others write meanwhile', async () => {
        const file = await rig.file(name, text);
        await rig.change('add', agent, { tools: 'too' });
        const more = read(name).replace('git-mcp', 'other-mcp');
        await rig.file(name, more);
        await rig.change('remove', agent);
        assert.equal(readFileSync(file, 'utf8'), text.replace('git-mcp', 'other-mcp'));
      });

      it('do not take the place of a server of the user', async () => {
        const own = text.replace('git"', 'hookline"').replace('.git]', '.hookline]');
        await rig.file(name, own);
        await assert.rejects(rig.plan('add', agent, { tools: 'too' }), /another MCP server/);
        await rig.change('add', agent);
        await rig.change('remove', agent);
        assert.equal(read(name), own);
        assert.equal(await toolsOf(agent), 'no');
      });

      it('are replaced when they start another guard folder', async () => {
        await rig.file(name, text);
        const place = { ...rig.place, toolServer: '/old/guard/tools.sh' };
        await rig.change('add', agent, { tools: 'too', place });
        assert.equal(await toolsOf(agent), 'older');
        await rig.change('add', agent);
        assert.equal(await toolsOf(agent), 'yes');
        assert.doesNotMatch(read(name), /old/);
      });

      it('are not written to a file that cannot be read', async () => {
        await rig.file(name, '{ broken');
        await assert.rejects(rig.plan('add', agent, { tools: 'too' }), new RegExp(name.replaceAll('.', '\\.')));
        assert.equal(read(name), '{ broken');
      });
    });
  }

  it('leave the newest copy of a file that also has hooks', async () => {
    await rig.file('.gemini/settings.json.before-hookline', '{ "theme": "old" }\n');
    await rig.file('.gemini/settings.json', JSON_TEXT);
    await rig.change('add', 'gemini', { tools: 'too' });
    assert.equal(read('.gemini/settings.json.before-hookline'), JSON_TEXT);
    await rig.change('remove', 'gemini');
    assert.equal(read('.gemini/settings.json'), JSON_TEXT);
  });

  it('of Claude Code are where CLAUDE_CONFIG_DIR says', async () => {
    const machine = { ...rig.machine, env: { CLAUDE_CONFIG_DIR: join(rig.root, 'moved') } };
    await rig.change('add', 'claude', { tools: 'too', machine });
    assert.match(read('moved/.claude.json'), /tools\.sh/);
    assert.ok(!existsSync(join(rig.root, '.claude.json')));
  });

  it('of Codex take out what it added to them, too', async () => {
    await rig.file('.codex/config.toml', TOML_TEXT);
    await rig.change('add', 'codex', { tools: 'too' });
    const more = '\n[mcp_servers.hookline.tools.deploy]\napproval_mode = "approve"\n';
    await rig.file('.codex/config.toml', `${read('.codex/config.toml')}${more}`);
    await rig.change('remove', 'codex');
    assert.equal(read('.codex/config.toml'), TOML_TEXT);
  });

  it('are not written to an inline list of Codex', async () => {
    await rig.file('.codex/config.toml', 'mcp_servers = { git = { command = "git-mcp" } }\n');
    await assert.rejects(rig.plan('add', 'codex', { tools: 'too' }), /must be tables/);
  });

  it('of Cline are where its variables say', async () => {
    const settings = join(rig.root, 'own.json');
    const named = { ...rig.machine, env: { CLINE_MCP_SETTINGS_PATH: settings } };
    await rig.change('add', 'cline', { tools: 'too', machine: named });
    assert.match(read('own.json'), /tools\.sh/);
    const moved = { ...rig.machine, env: { CLINE_DATA_DIR: join(rig.root, 'data') } };
    await rig.change('add', 'cline', { tools: 'too', machine: moved });
    assert.match(read('data/settings/cline_mcp_settings.json'), /tools\.sh/);
    assert.ok(!existsSync(join(rig.root, '.cline', 'data')));
  });
});
