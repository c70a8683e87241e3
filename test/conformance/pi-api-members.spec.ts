import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExtensionAPI } from '../../src/hook-typings/api';

/**
 * For each member of today's `pi`, the case that drives it through the agent: the spec below `test/` and the beginning of
 * its title. A new member of the typings does not compile until it has a row.
 */
const CASES: Readonly<Record<keyof ExtensionAPI, readonly [spec: string, title: string]>> = {
  appendEntry: ['chat/components/hook-drawings', 'shows entries of a hook as it draws them'],
  events: ['session/moves/replaced-sessions', 'ends what a handler subscribed on the bus'],
  exec: ['conformance/pi-members', 'exec tells when a command was ended'],
  getActiveTools: ['conformance/pi-members', 'getActiveTools and getAllTools follow setActiveTools'],
  getAllTools: ['conformance/pi-members', 'getActiveTools and getAllTools follow setActiveTools'],
  getCommands: ['conformance/pi-members', 'getCommands lists commands'],
  getFlag: ['modes/flags', 'of hooks take a text as an argument'],
  getMcpServers: ['modes/hook-services', 'are a copy of what is set'],
  getSessionName: ['conformance/pi-members', 'setSessionName tells session_info_changed'],
  getSettings: ['modes/hook-services', 'are a copy of what is set'],
  getThinkingLevel: ['conformance/pi-members', 'setThinkingLevel and setModel change the session'],
  on: ['conformance/pi-context', 'takes back one handler'],
  registerCommand: ['conformance/pi-members', 'getCommands lists commands'],
  registerEntryRenderer: ['chat/components/hook-drawings', 'shows entries of a hook as it draws them'],
  registerFlag: ['modes/flags', 'of hooks take a text as an argument'],
  registerMarkdownTransformer: ['chat/cards/shown-texts', 'changes what is seen of messages'],
  registerMcpServer: ['mcp/conversation', 'are added by hooks, go with them'],
  registerMessageRenderer: ['chat/components/hook-drawings', 'tells renderers of messages how much room'],
  registerProvider: ['modes/virtual-models', 'and a provider are gone once'],
  registerShortcut: ['chat/components/hooks-on-screen', 'runs shortcuts'],
  registerTool: ['conformance/pi-members', 'prepareArguments turns what the model sent'],
  registerToolRenderer: ['chat/components/hook-drawings', 'draws any tool by a resolver'],
  registerVirtualModel: ['modes/virtual-models', 'is asked before each request'],
  sendMessage: ['conformance/run-start-today', 'that starts a run is told before it'],
  sendUserMessage: ['conformance/run-start-today', 'is plain, unless it asks for commands'],
  setActiveTools: ['session/run/toolset', 'offers what is active at registration'],
  setLabel: ['conformance/pi-members', 'setSessionName tells session_info_changed'],
  setModel: ['conformance/pi-members', 'setThinkingLevel and setModel change the session'],
  setSessionName: ['conformance/pi-members', 'setSessionName tells session_info_changed'],
  setThinkingLevel: ['conformance/pi-members', 'setThinkingLevel and setModel change the session'],
  unregisterMcpServer: ['mcp/conversation', 'are added by hooks, go with them'],
  unregisterProvider: ['modes/virtual-models', 'and a provider are gone once'],
  unregisterVirtualModel: ['modes/virtual-models', 'and a provider are gone once'],
};

describe("the cases of the members of today's pi", () => {
  for (const [member, [spec, title]] of Object.entries(CASES)) {
    it(`${member} is driven by "${title}"`, () => {
      const text = readFileSync(join(import.meta.dirname, '..', `${spec}.spec.ts`), 'utf8');
      const [, body] = text.split(`it('${title}`);
      assert.ok(body !== undefined, `${spec} has no such case`);
      assert.ok(text.includes(`pi.${member}`), `${spec} does not use pi.${member}`);
    });
  }
});
