import { parseArgs } from 'node:util';
import { COMMAND_LINE_ADVICE } from '../agent/models/keys/missing-key';
import { noKeys } from '../agent/models/keys/api-key-source';
import { DEMO_MODEL, demoModel } from '../demo-model/demo-model';
import { ModelRegistry } from '../agent/models/registry';
import { defined } from '../base/defined';
import { messageOf } from '../base/errors';
import { agentDirFrom } from '../startup/own-folders';
import { findModel } from './start/model-lookup';
import { printData, printErrorTo, printJson, printText } from './terminal/print';
import { terminalQuestions } from './terminal/terminal-question';
import { UsageError } from './arguments/usage-error';

const USAGE = `Usage:
  hookline auth check --provider <name> | --model <name> [--json] [--credentials] [--no-refresh]
  hookline auth print-api-key --provider <name> | --model <name>
  hookline auth print-bearer-token --provider <name> | --model <name> [--min-expiry <30m>]
  hookline auth login [provider] [--no-browser]
  hookline auth logout <provider>
`;

const OPTIONS = {
  provider: { type: 'string' },
  model: { type: 'string' },
  json: { type: 'boolean' },
  credentials: { type: 'boolean' },
  'no-refresh': { type: 'boolean' },
  'min-expiry': { type: 'string' },
  'no-browser': { type: 'boolean' },
  'api-key': { type: 'boolean' },
  offline: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

interface AuthCommand {
  readonly models: ModelRegistry;
  readonly values: Values;
  /** The arguments after the command's name that are not options. */
  readonly names: readonly string[];
  readonly process: NodeJS.Process;
}

const COMMANDS: Readonly<Record<string, (command: AuthCommand) => Promise<number>>> = {
  check,
  'print-api-key': command => printCredential(command, 'api_key'),
  'print-bearer-token': command => printCredential(command, 'oauth'),
  login,
  logout,
};

/** `hookline auth …`, as in today's pi (docs/cli.md): credentials for other programs. No hook is loaded. */
export async function runAuthMode(argv: readonly string[], process: NodeJS.Process): Promise<number> {
  const [name = 'help'] = argv;
  try {
    const { values, positionals } = parseArgs({ args: argv.slice(1), options: OPTIONS, allowPositionals: true });
    if (name === 'help' || values.help === true) {
      printText(process.stdout, USAGE);
      return 0;
    }
    const run = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (run === undefined) throw new UsageError(`There is no command "auth ${name}".`);
    const models = modelsFor(process.env);
    try {
      await models.load();
      return await run({ models, values, names: positionals, process });
    } finally {
      models.dispose();
    }
  } catch (error) {
    printErrorTo(process.stderr, `hookline: ${messageOf(error)}`);
    return name === 'check' ? 2 : 1;
  }
}

/** Whether a key or a login is known for some provider. No hook is loaded. */
export async function isAnyKeyKnown(env: NodeJS.ProcessEnv): Promise<boolean> {
  const models = modelsFor(env);
  try {
    await models.load();
    const providers = new Set(models.getAll().map(({ provider }) => provider));
    providers.delete(DEMO_MODEL.provider);
    return [...providers].some(provider => models.authStorage.hasAuth(provider));
  } finally {
    models.dispose();
  }
}

function modelsFor(env: NodeJS.ProcessEnv): ModelRegistry {
  const agentDir = agentDirFrom(undefined, env);
  return new ModelRegistry({ agentDir, embedded: demoModel(), keys: noKeys, env, keyAdvice: COMMAND_LINE_ADVICE });
}

function providerOf({ models, values, names }: AuthCommand): string {
  const { provider, model } = values;
  const [extra] = names;
  if (extra !== undefined) throw new UsageError(`"${extra}" is not expected here: use --provider or --model.`);
  if (model === undefined) {
    if (provider === undefined) throw new UsageError('Name the provider with --provider, or a model with --model.');
    return provider;
  }
  const request = { model, ...defined({ provider }) };
  return findModel(request, models.getAll(), one => models.hasConfiguredAuth(one))?.model.provider ?? '';
}

/** Prints `ready`, `not_ready` or `invalid`, or the key, and resolves with 0, 1 or 2. */
async function check(command: AuthCommand): Promise<number> {
  const { models, values, process } = command;
  const provider = providerOf(command);
  const state = await stateOf(command, provider);
  const { key, ...result } = state;
  const shown = values.credentials === true && key !== undefined ? key : result.status;
  const printed = values.credentials === true && key !== undefined ? { ...result, credentials: key } : result;
  if (values.json === true) printJson(process.stdout, JSON.stringify(printed));
  else printData(process.stdout, `${shown}\n`);
  for (const { message } of models.problems) printErrorTo(process.stderr, `Warning: ${message}`);
  return { ready: 0, not_ready: 1, invalid: 2 }[state.status];
}

interface AuthState {
  readonly status: 'ready' | 'not_ready' | 'invalid';
  readonly provider: string;
  readonly authType?: 'api_key' | 'oauth';
  readonly reason?: string;
  readonly key?: string;
}

async function stateOf({ models, values }: AuthCommand, provider: string): Promise<AuthState> {
  if (models.getError() !== undefined) return { status: 'invalid', provider, reason: 'invalid_state' };
  const knows = models.getAll().some(model => model.provider === provider);
  if (!knows) return { status: 'not_ready', provider, reason: 'provider_not_found' };
  const entry = models.authStorage.get(provider);
  const authType = entry?.type === 'oauth' ? 'oauth' : 'api_key';
  if (!models.authStorage.hasAuth(provider)) {
    return { status: 'not_ready', provider, reason: 'credentials_not_configured' };
  }
  if (values['no-refresh'] === true && entry?.type === 'oauth') {
    return { status: 'ready', provider, authType, key: entry.access };
  }
  try {
    const key = await models.authStorage.getApiKey(provider);
    if (key !== undefined) return { status: 'ready', provider, authType, key };
    return { status: 'not_ready', provider, reason: 'credentials_not_configured' };
  } catch {
    return { status: 'invalid', provider, reason: 'invalid_state' }; // The command or the refresh failed.
  }
}

async function printCredential(command: AuthCommand, wanted: 'api_key' | 'oauth'): Promise<number> {
  const { models, values, process } = command;
  const provider = providerOf(command);
  const isLogin = models.authStorage.get(provider)?.type === 'oauth';
  if (wanted === 'api_key' && isLogin) throw new UsageError(`"${provider}" has a login, but no API key.`);
  if (wanted === 'oauth' && !isLogin) throw new UsageError(`"${provider}" has no login.`);
  const key = await models.authStorage.getApiKey(provider);
  if (key === undefined) throw new UsageError(`No API key is known for "${provider}".`);
  const entry = models.authStorage.get(provider);
  const least = milliseconds(values['min-expiry']);
  if (least !== undefined && entry?.type === 'oauth' && entry.expires - Date.now() < least) {
    throw new UsageError(`The token of "${provider}" expires before that: ${new Date(entry.expires).toISOString()}.`);
  }
  printData(process.stdout, `${key}\n`);
  return 0;
}

function milliseconds(duration: string | undefined): number | undefined {
  if (duration === undefined) return undefined;
  const [, amount, unit = ''] = /^(\d+)(ms|s|m|h)$/i.exec(duration) ?? [];
  const factor = new Map([...Object.entries({ ms: 1, s: 1000, m: 60_000, h: 3_600_000 })]).get(unit.toLowerCase());
  if (factor === undefined) {
    throw new UsageError(`--min-expiry must be a duration such as 30m or 1h, not "${duration}".`);
  }
  return Number(amount) * factor;
}

interface AuthChoice {
  readonly id: string;
  readonly label: string;
}

/** Asks in the terminal, without a name also for the provider; URLs are printed, and no browser is opened. */
async function login({ models, values, names, process }: AuthCommand): Promise<number> {
  if (values['api-key'] === true) {
    throw new UsageError(`This command does not store API keys: ${COMMAND_LINE_ADVICE.setKey}.`);
  }
  const ask = terminalQuestions(process);
  const answer = async (question: string): Promise<string> => {
    const given = await ask(question);
    if (given === undefined) throw new UsageError('A login needs a terminal to ask in.');
    return given;
  };
  const say = (text: string): void => {
    printErrorTo(process.stderr, text);
  };
  const choose = async (message: string, options: readonly AuthChoice[]): Promise<string | undefined> => {
    const lines = options.map(({ label }, index) => `${index + 1}  ${label}`);
    return options[Number(await answer(`${message}\n${lines.join('\n')}\nNumber: `)) - 1]?.id;
  };
  const logins = models.authStorage.getOAuthProviders().map(({ id, name }) => ({ id, label: `${name} (${id})` }));
  const provider = names.length > 0 ? theProvider(names, 'login') : await choose('Log in to which provider?', logins);
  if (provider === undefined) throw new UsageError('No provider was chosen.');
  await models.authStorage.login(provider, {
    onAuth: ({ url, instructions }) => say(`Open ${url}${instructions === undefined ? '' : `\n${instructions}`}`),
    onDeviceCode: ({ verificationUri, userCode }) => say(`Open ${verificationUri} and type the code ${userCode}`),
    onPrompt: ({ message }) => answer(`${message} `),
    onSelect: ({ message, options }) => choose(message, options),
    onProgress: say,
  });
  printText(process.stdout, `Logged in to ${provider}.\n`);
  return 0;
}

async function logout({ models, names, process }: AuthCommand): Promise<number> {
  const provider = theProvider(names, 'logout');
  const entry = models.authStorage.get(provider);
  if (entry === undefined) {
    printText(process.stdout, `No login of ${provider} is stored. The environment and models.json stay as they are.\n`);
    return 0;
  }
  if (entry.type !== 'oauth') throw new UsageError(`"${provider}" has no login.`);
  await models.authStorage.logout(provider);
  printText(process.stdout, `Logged out of ${provider}.\n`);
  return 0;
}

function theProvider([provider, extra]: readonly string[], command: string): string {
  if (provider === undefined) throw new UsageError(`auth ${command} needs the name of a provider.`);
  if (extra !== undefined) throw new UsageError(`auth ${command} takes one provider, not also "${extra}".`);
  return provider;
}
