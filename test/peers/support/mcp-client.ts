// A client of one MCP server as `@modelcontextprotocol/conformance` starts it: `node mcp-client.mjs <address>`. It does with
// Hookline's own servers what a window does: connects, logs in when asked to, and calls each tool once.
import { McpRig } from '../../support/mcp-rig';

/** Servers that ask for more rights again and again are asked so often. */
const MOST_LOGINS = 3;
const ARGUMENTS: Readonly<Record<string, object>> = { add_numbers: { a: 5, b: 3 } };

const url = process.argv.at(-1) ?? '';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Readonly<Record<string, string>>;
const { client_id: clientId, client_secret: clientSecret } = context;
const known =
  clientId === undefined ? {} : { oauth: { clientId, ...(clientSecret === undefined ? {} : { clientSecret }) } };

const rig = new McpRig();
let logins = 0;
try {
  await rig.start({ peer: { url, exposure: 'direct', timeout: 20, ...known } });
  await logInIfAsked();
  const names = rig.servers.tools.all().map(({ name }) => name);
  for (const name of names.filter(each => each.startsWith('mcp__peer__'))) await call(name);
  const { state } = rig.server('peer');
  if (state.type !== 'connected') throw new Error(JSON.stringify(state));
} finally {
  await rig.close();
}

async function call(name: string): Promise<void> {
  const given = ARGUMENTS[name.slice('mcp__peer__'.length)] ?? {};
  try {
    await rig.call(name, given);
  } catch (error) {
    if (rig.server('peer').state.type !== 'needsLogin') throw error;
    await logInIfAsked();
    await call(name);
  }
}

/** The person in the browser allows everything at once. */
async function logInIfAsked(): Promise<void> {
  while (rig.server('peer').state.type === 'needsLogin') {
    logins += 1;
    if (logins > MOST_LOGINS) throw new Error('it asks for a login again and again');
    await rig.servers.logIn('peer', { open: page => void fetch(page) }, AbortSignal.timeout(20_000));
  }
}
