import assert from 'node:assert/strict';
import type { McpOffer } from '../../../src/mcp/connection/offer';
import { isOurMcpTool } from '../../../src/vscode/language-models/same-mcp-tool';

describe('tools of MCP servers that VS Code has as well', () => {
  const offer = (...names: readonly string[]): McpOffer => ({
    tools: names.map(name => ({ name, inputSchema: {}, annotations: {} })),
    prompts: [],
    hasResources: false,
    problems: [],
  });
  const servers = [
    { name: 'git_hub', offer: offer('search', 'read-file') },
    { name: 'A-very-long-server', offer: offer('go', 'x'.repeat(80)) },
    { name: 'off', offer: undefined },
  ];
  const CASES: readonly (readonly [name: string, isOurs: boolean])[] = [
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
