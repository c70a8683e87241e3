import { parseArgs } from 'node:util';
import * as path from 'node:path';
import { loadSettings } from '../agent/settings/load-settings';
import { withholdVariables } from '../agent/tools/shell/process';
import { demoModel } from '../demo-model/demo-model';
import { ModelRegistry } from '../agent/models/registry';
import { noKeys } from '../agent/models/keys/api-key-source';
import { COMMAND_LINE_ADVICE } from '../agent/models/keys/missing-key';
import { defined } from '../base/defined';
import { messageOf } from '../base/errors';
import { hideLikelySecrets, hideSecrets } from '../base/text/redact';
import { silentLog } from '../base/log';
import { reachOf } from '../mcp/config/exposure';
import { mcpFile } from '../mcp/config/read-config';
import { addressOf, checkServerConfig } from '../mcp/config/server-config';
import { addServer, removeServer } from '../mcp/config/write-config';
import type { McpServer } from '../mcp/managed-server';
import { McpServers, NO_REGISTRATIONS } from '../mcp/mcp-servers';
import { stateText } from '../mcp/status-text';
import type { CodePlace } from '../startup/hook-setup';
import { agentDirFrom } from '../startup/own-folders';
import { mcpAuthFile } from '../startup/mcp-setup';
import type { ProjectTrust } from '../startup/trust/project-trust';
import { trustWithoutHooks } from '../startup/trust/trust-without-hooks';
import type { Caller } from '../startup/agents/calling-agent';
import { refuseAgents } from './agents/refuse-agents';
import { printErrorTo, printJson, printText } from './terminal/print';
import { openBrowser } from './terminal/open-browser';
import { terminalQuestions } from './terminal/terminal-question';
import { trustWarning } from './start/trust-text';
import { UsageError } from './arguments/usage-error';

const USAGE = `Usage:
  hookline mcp add <server> [options] -- <command> [argument...]
  hookline mcp add <server> [options] --url <address>
  hookline mcp remove <server> [-l]
  hookline mcp list [--json]
  hookline mcp login <server> [--timeout <seconds>]
  hookline mcp logout <server>
  hookline mcp serve [--cwd <dir>]   a server with the tools of your hooks, for other agents

  -l, --local                     .pi/mcp.json of this folder instead of your own mcp.json
  --env KEY=VALUE, --cwd <dir>    of a program
  --header KEY=VALUE              of a server over HTTP; --bearer-token-env-var <NAME> sends that variable
  --oauth-client-id, --oauth-client-secret, --oauth-callback-port, --oauth-client-name, --oauth-client-registration
  --exposure <word>               deferred (default), direct, hidden or codemode
  --description <text>            what the server offers
  -a, --approve; --no-approve     use .pi/mcp.json of this folder, or ignore it
`;

const OPTIONS = {
  local: { type: 'boolean', short: 'l' },
  url: { type: 'string' },
  env: { type: 'string', multiple: true },
  cwd: { type: 'string' },
  header: { type: 'string', multiple: true },
  'bearer-token-env-var': { type: 'string' },
  'oauth-client-id': { type: 'string' },
  'oauth-client-secret': { type: 'string' },
  'oauth-callback-port': { type: 'string' },
  'oauth-client-name': { type: 'string' },
  'oauth-client-registration': { type: 'string' },
  exposure: { type: 'string' },
  description: { type: 'string' },
  json: { type: 'boolean' },
  timeout: { type: 'string' },
  approve: { type: 'boolean', short: 'a' },
  'no-approve': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Options that are valid only for servers of one kind. */
const HTTP_ONLY = [
  ...(['header', 'bearer-token-env-var', 'oauth-client-id', 'oauth-client-secret'] as const),
  ...(['oauth-callback-port', 'oauth-client-name', 'oauth-client-registration'] as const),
];
const STDIO_ONLY = ['env', 'cwd'] as const;
const LOGIN_SECONDS = 300;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/** The surroundings of the command. */
export interface McpModeParts {
  readonly process: NodeJS.Process;
  readonly caller: Caller;
  /** Absolute. */
  readonly cwd: string;
  readonly code: CodePlace;
}

type TrustQuestion = Pick<McpCommandLine, 'process' | 'cwd' | 'agentDir' | 'values'>;

interface McpCommandLine extends McpModeParts {
  readonly values: Values;
  readonly names: readonly string[];
  readonly agentDir: string;
}

interface McpCommand {
  readonly run: (command: McpCommandLine) => Promise<number>;
  /** What it decides, after "only you can"; agents may run the others. */
  readonly decides?: string;
}

const COMMANDS: Readonly<Record<string, McpCommand>> = {
  add: { run: add, decides: 'add MCP servers' },
  remove: { run: remove, decides: 'remove MCP servers' },
  list: { run: list },
  login: { run: login, decides: 'log in to MCP servers' },
  logout: { run: logout },
};

/** `hookline mcp …`, as in today's pi (docs/cli.md); resolves with the exit code. No hook is loaded. */
export async function runMcpMode(argv: readonly string[], parts: McpModeParts): Promise<number> {
  const { process, caller, code } = parts;
  const [name = 'help', ...rest] = argv;
  try {
    const { values, names } = readArguments(name, rest);
    if (name === 'help' || name === '--help' || name === '-h' || values.help === true) {
      printText(process.stdout, USAGE);
      return 0;
    }
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command === undefined) throw new UsageError(`There is no command "mcp ${name}".`);
    if (command.decides !== undefined) refuseAgents(command.decides, caller, code.stateDir);
    return await command.run({ ...parts, values, names, agentDir: agentDirFrom(undefined, process.env) });
  } catch (error) {
    printErrorTo(process.stderr, `hookline: ${messageOf(error)}`);
    return 1;
  }
}

/** Reads the arguments. For `add`, all arguments after the program's name belong to the program, even options. */
function readArguments(
  name: string,
  args: readonly string[],
): { readonly values: Values; readonly names: readonly string[] } {
  const options = { options: OPTIONS, allowPositionals: true } as const;
  if (name !== 'add') {
    const { values, positionals } = parseArgs({ args: [...args], ...options });
    return { values, names: positionals };
  }
  const { tokens } = parseArgs({ args: [...args], ...options, strict: false, tokens: true });
  const places = tokens.flatMap(({ kind, index }) => (kind === 'positional' ? [index] : []));
  const end = tokens.find(({ kind }) => kind === 'option-terminator')?.index ?? Infinity;
  const program = Math.min(places.filter(index => index < end)[1] ?? Infinity, end);
  const own = args.slice(0, Math.min(program, args.length));
  const { values, positionals } = parseArgs({ args: own, ...options });
  return { values, names: [...positionals, ...args.slice(program === end ? end + 1 : program)] };
}

async function add(command: McpCommandLine): Promise<number> {
  const { values, names, process } = command;
  const [server, ...program] = names;
  if (server === undefined || (values.url === undefined) === (program.length === 0)) {
    throw new UsageError('Use: hookline mcp add <server> [options] (--url <address> | -- <command> [argument...])');
  }
  const misplaced = (values.url === undefined ? HTTP_ONLY : STDIO_ONLY).find(option => values[option] !== undefined);
  if (misplaced !== undefined) {
    throw new UsageError(
      `--${misplaced} is only for servers ${values.url === undefined ? 'with --url' : 'that are programs'}.`,
    );
  }
  const { exposure, description } = values;
  const config = {
    ...(values.url === undefined ? stdioConfig(program, values) : httpConfig(values.url, values)),
    ...defined({ exposure, description }),
  };
  const checked = checkServerConfig(server, config);
  if (!checked.ok) throw new UsageError(`MCP server "${server}": ${checked.fault.message}.`);
  const file = fileOf(command);
  const isReplaced = await addServer(file, server, config);
  printText(process.stdout, `${isReplaced ? 'Replaced' : 'Added'} MCP server "${server}" in ${file}\n`);
  if (values.local === true) await trustIn(command); // It says so when the server will not be used.
  return 0;
}

function stdioConfig([program, ...args]: readonly string[], { env, cwd }: Values): object {
  return {
    command: program,
    ...(args.length === 0 ? {} : { args }),
    ...(env === undefined ? {} : { env: pairs('env', env) }),
    ...defined({ cwd }),
  };
}

function httpConfig(url: string, values: Values): object {
  const bearer = values['bearer-token-env-var'];
  const headers = {
    ...pairs('header', values.header ?? []),
    ...(bearer === undefined ? {} : { Authorization: `Bearer \${${bearer}}` }),
  };
  const port = values['oauth-callback-port'];
  const oauth = Object.fromEntries(
    Object.entries({
      clientId: values['oauth-client-id'],
      clientSecret: values['oauth-client-secret'],
      callbackPort: port === undefined ? undefined : Number(port),
      clientName: values['oauth-client-name'],
      clientRegistration: values['oauth-client-registration'],
    }).filter(([, value]) => value !== undefined),
  );
  return {
    url,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(Object.keys(oauth).length === 0 ? {} : { oauth }),
  };
}

function pairs(option: string, given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map(pair => {
      const at = pair.indexOf('=');
      if (at <= 0) throw new UsageError(`--${option} needs KEY=VALUE, not "${hideLikelySecrets(pair)}".`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

async function remove(command: McpCommandLine): Promise<number> {
  const server = onlyName(command, 'remove');
  const file = fileOf(command);
  if (!(await removeServer(file, server))) throw new UsageError(`There is no MCP server "${server}" in ${file}.`);
  printText(command.process.stdout, `Removed MCP server "${server}" from ${file}\n`);
  return 0;
}

/**
 * Connects to every enabled server and prints all; resolves with 1 when there is an error or a server is not connected.
 */
async function list(command: McpCommandLine): Promise<number> {
  const { process, values } = command;
  if (command.names.length > 0) throw new UsageError('Use: hookline mcp list [--json]');
  return withServers(command, async servers => {
    await servers.ready(undefined);
    const all = servers.list();
    const errors = servers.problems.map(({ message, file, line }) => {
      return file === undefined ? message : `${message} (${file}${line === undefined ? '' : `:${line}`})`;
    });
    if (values.json === true) {
      printJson(process.stdout, JSON.stringify({ servers: all.map(report), errors }, null, 2));
    } else {
      const lines = all.length + errors.length === 0 ? ['No MCP servers are configured.'] : all.flatMap(described);
      printText(process.stdout, `${[...lines, ...errors.map(error => `config error: ${error}`)].join('\n')}\n`);
    }
    const isFine = all.every(({ state }) => state.type === 'connected' || state.type === 'disabled');
    return errors.length === 0 && isFine ? 0 : 1;
  });
}

/** The object that `--json` prints for a server, with pi's names. */
function report({ name, entry, state, offer }: McpServer): object {
  const { config, scope, source, override } = entry;
  const exposure = config.exposure ?? 'codemode';
  const tools = state.type === 'connected' ? (offer?.tools ?? []) : [];
  const differing = tools.filter(
    tool => reachOf(config, tool.name) !== reachOf({ ...config, toolExposure: {} }, tool.name),
  );
  return {
    name,
    scope: scope === 'user' ? 'global' : scope,
    source,
    ...defined({ override }),
    enabled: config.enabled !== false,
    exposure,
    transport: hideSecrets(addressOf(config)),
    state: state.type === 'needsLogin' ? 'needs-auth' : state.type,
    tools: tools.map(tool => tool.name),
    ...(differing.length === 0
      ? {}
      : { toolExposure: Object.fromEntries(differing.map(tool => [tool.name, reachOf(config, tool.name)])) }),
    ...(offer?.hasResources === true ? { resources: true } : {}),
    ...('error' in state ? { error: state.error } : {}),
  };
}

function described(server: McpServer): readonly string[] {
  const { name, entry, state, offer } = server;
  const { config, scope, override } = entry;
  const tools = state.type === 'connected' ? (offer?.tools ?? []) : [];
  return [
    `${name}: ${stateText(server)} (${config.exposure ?? 'deferred'}, ${scope})`,
    `  ${hideSecrets(addressOf(config))}`,
    ...(override === undefined ? [] : [`  changed by ${override}`]),
    ...(tools.length === 0 ? [] : [`  tools: ${tools.map(tool => tool.name).join(', ')}`]),
    ...('error' in state ? state.error.split('\n').map(line => `  ${line}`) : []),
    ...(offer?.problems ?? []).map(problem => `  ${problem}`),
  ];
}

async function login(command: McpCommandLine): Promise<number> {
  const server = onlyName(command, 'login');
  const { process, cwd, values } = command;
  const seconds = Number(values.timeout ?? LOGIN_SECONDS);
  if (!Number.isFinite(seconds) || seconds <= 0) throw new UsageError('--timeout needs a number of seconds above 0.');
  return withServers(command, async servers => {
    await servers.ready(undefined);
    const tools = (): number => servers.find(server)?.offer?.tools.length ?? 0;
    if (servers.find(server)?.state.type === 'connected') {
      printText(process.stdout, `MCP server "${server}" needs no login (${tools()} tools).\n`);
      return 0;
    }
    const ask = terminalQuestions(process);
    const question = 'If the browser cannot reach this machine, paste the address it was sent to: ';
    const open = (url: URL): void => {
      printText(process.stdout, `Log in to the MCP server "${server}" in your browser:\n${url.href}\n`);
      openBrowser(url, cwd, silentLog);
    };
    const isInTerminal = process.stdin.isTTY && process.stderr.isTTY;
    const prompt = isInTerminal ? { open, pasted: () => ask(question) } : { open };
    await servers.logIn(server, prompt, AbortSignal.timeout(seconds * 1000));
    const found = servers.find(server);
    if (found?.state.type !== 'connected') {
      throw new Error(found === undefined ? 'The server was removed.' : stateText(found));
    }
    printText(process.stdout, `Logged in to MCP server "${server}" (${tools()} tools).\n`);
    return 0;
  });
}

async function logout(command: McpCommandLine): Promise<number> {
  const server = onlyName(command, 'logout');
  return withServers(command, async servers => {
    const wasThere = await servers.logOut(server);
    const text = wasThere ? `Logged out of MCP server "${server}".` : `There is no login to MCP server "${server}".`;
    printText(command.process.stdout, `${text}\n`);
    return 0;
  });
}

/** Runs `work` with the servers of both files, which connect in the background, and ends the servers afterwards. */
async function withServers(
  { process, cwd, code, agentDir, values }: McpCommandLine,
  work: (servers: McpServers) => Promise<number>,
): Promise<number> {
  const trust = await trustIn({ process, cwd, agentDir, values });
  const models = new ModelRegistry({
    agentDir,
    embedded: demoModel(),
    keys: noKeys,
    env: process.env,
    keyAdvice: COMMAND_LINE_ADVICE,
  });
  const { settings } = await loadSettings({ agentDir, cwd, includeProject: false });
  if (settings.hideProviderKeys) {
    await models.load();
    withholdVariables(models.keyVariables());
  }
  const servers = new McpServers({
    place: { agentDir, cwd, includeProject: () => trust.isTrusted, variables: () => trust.variables },
    registrations: NO_REGISTRATIONS,
    credentials: mcpAuthFile(agentDir),
    providerToken: async provider => {
      await models.load();
      return models.authStorage.getApiKey(provider);
    },
    env: process.env,
    version: code.version,
    openPage: url => openBrowser(url, cwd, silentLog),
    log: silentLog,
  });
  try {
    await servers.reload();
    return await work(servers);
  } finally {
    await servers.dispose();
    models.dispose();
  }
}

/** Decides about trust in the folder; if it is not trusted and has something that is not used, says so on stderr. */
async function trustIn({ process, cwd, agentDir, values }: TrustQuestion): Promise<ProjectTrust> {
  const flag = values['no-approve'] === true ? false : values.approve;
  const trust = await trustWithoutHooks({ agentDir, cwd, env: process.env, ...defined({ flag }) });
  trustWarning(trust, line => printErrorTo(process.stderr, line))();
  return trust;
}

function fileOf({ values, agentDir, cwd }: McpCommandLine): string {
  return path.resolve(mcpFile(values.local === true ? 'project' : 'user', { agentDir, cwd }));
}

function onlyName({ names }: McpCommandLine, command: string): string {
  const [name, ...more] = names;
  if (name === undefined || more.length > 0) throw new UsageError(`Use: hookline mcp ${command} <server>`);
  return name;
}
