import assert from 'node:assert/strict';
import type { Context } from '@mariozechner/pi-ai';
import { createStreamFn } from '../../../../src/agent/models/requests/stream';
import { readTools } from '../../../../src/mcp/connection/server-offer';
import { serverTool } from '../../../../src/mcp/tools/server-tool';
import { hook, hostWith, type Foreign } from '../../../support/hook-host';
import { ScriptedLlm, type ScriptedApi } from '../../../support/scripted-llm';

const APIS: readonly ScriptedApi[] = ['anthropic-messages', 'openai-completions', 'openai-responses'];

const QUERY = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

/** Two names for the same, and the older one. */
const SCHEMAS: Readonly<Record<string, object>> = {
  $defs: { type: 'object', properties: { q: { $ref: '#/$defs/Query' } }, $defs: { Query: QUERY } },
  definitions: { type: 'object', properties: { q: { $ref: '#/definitions/Query' } }, definitions: { Query: QUERY } },
};

type Declared = NonNullable<Context['tools']>[number];

async function ofHook(parameters: object): Promise<Declared> {
  const { host, conversation } = await hostWith([
    hook('pi', (pi: Foreign) => {
      // eslint-disable-next-line @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access -- a hook
      pi.registerTool({ name: 'search', description: 'd', parameters, execute: () => ({ content: [] }) });
    }),
  ]);
  const [tool] = host.tools(conversation);
  assert.ok(tool !== undefined);
  return tool as Declared;
}

function ofServer(inputSchema: object): Promise<Declared> {
  const [tool] = readTools([{ name: 'search', description: 'd', inputSchema }], []);
  assert.ok(tool !== undefined);
  const more = {
    name: 'mcp__s__search',
    server: 's',
    reach: 'direct',
    namespace: {},
    readsResources: () => false,
  } as const;
  return Promise.resolve(serverTool({ ...more, tool, call: () => Promise.resolve({}) }) as Declared);
}

describe('schemas with shared definitions', () => {
  for (const api of APIS) {
    for (const [whose, declare] of [
      ['a hook', ofHook],
      ['an MCP server', ofServer],
    ] as const) {
      for (const [member, schema] of Object.entries(SCHEMAS)) {
        it(`${api} gets the ${member} of a tool of ${whose}`, async () => {
          const llm = await ScriptedLlm.start();
          try {
            llm.reply({ text: 'ok' });
            const stream = createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: llm.apiKey }) });
            const { name, description, parameters } = await declare(schema);
            const tools = [{ name, description, parameters }];
            const messages = [{ role: 'user' as const, content: 'go', timestamp: 1 }];
            const reply = await stream(llm.model(api), { messages, tools }).result();
            assert.equal(reply.stopReason, 'stop', reply.errorMessage);
            const sent = JSON.stringify(llm.requests[0]?.body['tools']);
            assert.ok(sent.includes(JSON.stringify({ [member]: { Query: QUERY } }).slice(1, -1)), sent);
            assert.ok(sent.includes(`"$ref":"#/${member}/Query"`), sent);
          } finally {
            await llm.stop();
          }
        });
      }
    }
  }
});
