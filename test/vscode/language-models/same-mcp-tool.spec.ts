import assert from 'node:assert/strict';
import type { McpOffer } from '../../../src/mcp/connection/server-offer';
import { isOurMcpTool } from '../../../src/vscode/language-models/same-mcp-tool';

describe('tools of MCP servers that VS Code has as well', () => {
  const offer = (...names: readonly string[]): McpOffer => ({
    tools: names.map(name => ({ name, inputSchema: {}, annotations: {} })),
    prompts: [],
    hasResources: false,
    problems: [],
  });
  const calling = (itself: object, ...tools: readonly string[]): McpOffer => ({
    ...offer(...tools),
    serverInfo: { name: 'x', version: '1', ...itself },
  });
  const servers = [
    { name: 'notes', offer: calling({ name: 'Note Keeper' }, 'read') },
    { name: 'web', offer: calling({ name: 'fetcher', title: 'Web & More' }, 'get') },
    { name: 'here', offer: calling({ name: 'filesystem-server' }, 'open') },
    { name: 'there', offer: calling({ name: 'filesystem-se, the other' }, 'open', 'close') },
    { name: 'git_hub', offer: offer('search', 'read-file') },
    { name: 'A-very-long-server', offer: offer('go', 'x'.repeat(80)) },
    { name: 'off', offer: undefined },
  ];
  const CASES: readonly (readonly [name: string, isOurs: boolean])[] = [
    ['mcp_note_keeper_read', true],
    ['mcp_notes_read', true],
    ['mcp_note_keeper2_read', false],
    ['mcp_web___more_get', true],
    ['mcp_fetcher_get', false],
    ['mcp_filesystem-se_open', true],
    ['mcp_filesystem-s2_open', true],
    ['mcp_filesystem-s2_close', true],
    ['mcp_filesystem-s3_open', false],
    ['mcp_git-hub_search', true],
    ['mcp_git_hub_read-file', true],
    ['mcp_a-very-long-s_go', true],
    [`mcp_a-very-long-s_${'x'.repeat(80)}`.slice(0, 64), true],
    ['mcp_git_hub_other', false],
    ['mcp_hub_search', false],
    ['mcp_git_hub_x_search', false],
    ['git_hub_search', false],
    ['search', false],
    ['mcp_off_search', false],
  ];
  for (const [name, isOurs] of CASES) {
    it(`${name} is ${isOurs ? 'left to ours' : 'offered'}`, () => assert.equal(isOurMcpTool(name, servers), isOurs));
  }
});
