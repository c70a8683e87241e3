import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { bench, benchCase, type Figures } from '../support/bench';
import { Rig } from '../support/conversation-rig';
import { wallMs } from '../support/bench-measure';
import { McpRig } from '../support/mcp-rig';
import { MCP_SERVER, scripted } from '../support/scripted-mcp';

const SCENARIO = { tools: ['echo'] };
const CALLS = 200;

/** Both ways to one server: as the product calls it, and with the library alone. */
interface Callers {
  readonly rig: McpRig;
  readonly client: Client;
}

const MANY = Array.from({ length: 300 }, (_each, index) => ({
  name: `tool_${index}`,
  description: `Counts the apples of basket ${index}, and says which of them are ripe.`,
  inputSchema: { type: 'object', properties: { basket: { type: 'string', description: 'Which one' } } },
}));

await bench(
  benchCase<Callers>({
    rows: [{ name: 'a call of a tool of an MCP server (stdio)', figure: 'call', unit: 'ms', aim: { ratio: 1.5 } }],
    async setUp() {
      const rig = new McpRig();
      await rig.start({ s: scripted(SCENARIO) });
      const client = new Client({ name: 'raw', version: '1' });
      const args = [MCP_SERVER, JSON.stringify(SCENARIO)];
      await client.connect(new StdioClientTransport({ command: process.execPath, args }));
      return { rig, client };
    },
    async tearDown({ rig, client }) {
      await client.close();
      await rig.close();
    },
    measure: {
      raw: ({ client }) => perCall(() => client.callTool({ name: 'echo', arguments: { text: 'x' } })),
      ours: ({ rig }) => perCall(() => rig.call('mcp__s__echo', { text: 'x' })),
    },
  }),
  benchCase({
    rows: [
      {
        name: 'prompt and declarations of a request with an MCP server of 300 tools (raw: all of them declared)',
        figure: 'size',
        unit: 'kB',
        aim: { figure: 12 },
      },
    ],
    rounds: 1,
    measure: { raw: () => requestWith('direct'), ours: () => requestWith('deferred') },
  }),
);

async function perCall(call: () => Promise<unknown>): Promise<Figures> {
  const ms = await wallMs(async () => {
    for (let count = 0; count < CALLS; count += 1) await call();
  });
  return { call: ms / CALLS };
}

async function requestWith(exposure: string): Promise<Figures> {
  const mcpServers = { many: scripted({ tools: MANY }, { exposure }) };
  const home = { '.pi/agent/mcp.json': JSON.stringify({ mcpServers }) };
  const rig = await Rig.open([{ text: 'ok' }], { home, mcp: true });
  try {
    await rig.mcp?.ready(undefined);
    await rig.chat.submit('go');
    const [request] = rig.model.requests;
    return { size: JSON.stringify([request?.systemPrompt, request?.tools]).length / 1000 };
  } finally {
    await rig.close();
  }
}
