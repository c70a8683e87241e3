import { resolve } from 'node:path';
import { createStreamFn } from '../../agent/models/requests/stream';
import { SessionReadOnlyError } from '../../agent/session/appendable-session';
import { sessionDirFor } from '../../agent/session/library/session-list';
import { defined } from '../../base/defined';
import { type Disposable, DisposableStore } from '../../base/disposable';
import type { Problem } from '../../base/result';
import type { Conversation } from '../../session/conversation';
import { chooseTools, declaresTool, toolFilter } from '../../session/run/tool-choice';
import { reportCalls } from '../../session/report-calls';
import { DialogQueue } from '../../session/ports/dialogs';
import type { ConversationPorts } from '../../session/ports/ports';
import type { McpServers } from '../../mcp/mcp-servers';
import { createMcpServers } from '../../startup/mcp-setup';
import { sessionDirFrom, sessionDirOf } from '../../startup/live-settings';
import type { ParentLink } from '../../startup/parent/parent-link';
import { LiveResources } from '../../startup/resources';
import { canAsk } from '../../hook-contract/conversation-port';
import { stateText } from '../../mcp/status-text';
import type { HookError } from '../../hook-contract/record';
import type { HookHost } from '../../hook-run/host/host';
import type { RegisteredFlag } from '../../hook-contract/loaded-hook';
import type { CliOptions } from '../arguments/options';
import { parseArguments } from '../arguments/parse';
import {
  openProcessServices,
  toolsIn,
  requestedModel,
  type ProcessServices,
  type ProcessServicesParts,
} from './process-services';
import { modelTable } from './list-models';
import { openBrowser } from '../terminal/open-browser';
import { chooseSession, workingFolder } from './session-choice';
import { startConversation, type StartedConversation } from './start-conversation';
import type { AskInTerminal } from '../terminal/terminal-question';
import { UnfinishedWrites } from '../../agent/tools/files/unfinished-writes';
import { printUnfinishedWrites } from '../terminal/print-unfinished-writes';
import { printHookChanges } from '../terminal/print-hook-changes';
import { trustWarning } from './trust-text';
import { StartError, UsageError } from '../arguments/usage-error';

/** How a mode handles questions and requests of hooks. */
export type FrontEnd = Pick<ConversationPorts, 'mode' | 'hookUi' | 'shutdown' | 'whenDrained'> & {
  /** Is called for each error of a hook, from the start of loading on. */
  readonly onHookError?: (error: HookError) => void;
  readonly connectDialogs?: (dialogs: DialogQueue) => Disposable;
  /** Is called with the conversation before hooks are told of its start. */
  readonly onOpen?: (conversation: Conversation) => void;
};

export interface RuntimeParts extends Omit<ProcessServicesParts, 'flagValue' | 'options' | 'cwd'> {
  readonly argv: readonly string[];
  readonly front: FrontEnd;
  readonly ask: AskInTerminal;
  /** Gets messages about problems that do not prevent the start. */
  readonly printError: (text: string) => void;
}

/** One conversation with its hooks, outside of VS Code. */
export interface Runtime {
  readonly options: CliOptions;
  readonly conversation: Conversation;
  readonly host: HookHost;
  readonly services: ProcessServices;
  /** Ends the run, lets hooks shut down, and closes files. Errors of hooks do not make it reject. */
  dispose(): Promise<void>;
}

/** The loaded hooks, and the command line parsed again with their flags. */
interface Loaded {
  readonly services: ProcessServices;
  readonly options: CliOptions;
  readonly host: HookHost;
  /** Undefined with `--no-mcp`. */
  readonly mcp: McpServers | undefined;
  /** Disposed by `end`. */
  readonly store: DisposableStore;
  readonly end: () => Promise<void>;
}

/**
 * Loads hooks and opens the conversation that the command line asks for; undefined when the user was asked to choose a
 * session and chose none.
 * @throws {UsageError | StartError} that says what is wrong; everything that was opened is closed then
 */
export async function openRuntime(parts: RuntimeParts): Promise<Runtime | undefined> {
  const loaded = await loadHooks(parts);
  const { services, options, host, end } = loaded;
  try {
    const started = await openConversation({ ...loaded, parts });
    if (started === undefined) {
      await end();
      return undefined;
    }
    const dispose = async (): Promise<void> => {
      await started.end();
      await end();
    };
    return { options, conversation: started.conversation, host, services, dispose };
  } catch (error) {
    await end();
    throw error instanceof SessionReadOnlyError ? new StartError(error.message) : error;
  }
}

/** The output of `--list-models`, including models of hooks. Throws as {@link openRuntime}. */
export async function listModels(parts: RuntimeParts, search: string): Promise<string> {
  const { services, end } = await loadHooks(parts);
  try {
    await services.models.updateCatalog();
    return modelTable(services.models.getAvailable(), search);
  } finally {
    await end();
  }
}

/** The flags that hooks registered. Throws as {@link openRuntime}. */
export async function listFlags(parts: RuntimeParts): Promise<readonly RegisteredFlag[]> {
  const { host, end } = await loadHooks(parts);
  try {
    return host.runner.loaded.flatMap(hook => [...hook.flags.values()]);
  } finally {
    await end();
  }
}

async function loadHooks(parts: RuntimeParts): Promise<Loaded> {
  let flags: ReadonlyMap<string, boolean | string> = new Map();
  const flagValue = (name: string): boolean | string | undefined => flags.get(name);
  const given = parseArguments(parts.argv);
  const cwd = workingFolder(given, parts.startedIn);
  const services = await openProcessServices({
    ...parts,
    cwd,
    options: given,
    flagValue,
    storedApprovals: 'readWrite',
  });
  const { host, dependencies } = services.hooks;
  const store = new DisposableStore();
  store.add(dependencies);
  store.add(services.models);
  store.add(services.packages);
  let mcp: McpServers | undefined;
  const end = async (): Promise<void> => {
    await Promise.all([host.dispose(), mcp?.dispose()]);
    store.dispose();
  };
  const { onHookError } = parts.front;
  if (onHookError !== undefined) store.add(host.onError(onHookError));
  try {
    await services.loadHooks();
    const options = parseArguments(parts.argv, registeredFlags(host));
    flags = options.hookFlags;
    const [unknown] = options.unknown;
    if (unknown !== undefined) throw new UsageError(`Unknown option: ${unknown}`);
    refuseBrokenNamedHooks(host);
    store.add(printTrust(services, parts.printError));
    printProblems(services, parts.printError);
    store.add(printHookChanges(host, services.heldFiles, parts.printError));
    store.add(printUnasked(host, parts.printError));
    printUnfinishedWrites((await UnfinishedWrites.open(services.writeRecords)).list, parts.printError);
    mcp = await openMcp(parts, options, services, store);
    return { services, options, host, mcp, store, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Connects MCP servers in the background, and reports once for each server that fails or needs a login. */
async function openMcp(
  { code, env, log, printError, front }: RuntimeParts,
  options: CliOptions,
  { place, models, hooks }: ProcessServices,
  store: DisposableStore,
): Promise<McpServers | undefined> {
  if (!options.mcp || options.help || options.listModels !== undefined) return undefined;
  const openPage = (url: URL): void => {
    if (canAsk(front.mode)) openBrowser(url, place.cwd, log);
  };
  const declares = declaresTool(options);
  const { host } = hooks;
  const mcp = createMcpServers({ place, host, models, env, version: code.version, openPage, declares, log });
  const reported = new Set<string>();
  store.add(
    mcp.onDidChange(() => {
      for (const server of mcp.list()) {
        const { type } = server.state;
        if ((type !== 'failed' && type !== 'needsLogin') || reported.has(server.name)) continue;
        reported.add(server.name);
        printError(`Warning: MCP server "${server.name}" ${stateText(server)}`);
      }
    }),
  );
  // A command line watches no files: it reads mcp.json again when it loads hooks.
  store.add(host.onDidChange(() => void mcp.reload()));
  await mcp.reload();
  printEach(mcp.problems, printError);
  return mcp;
}

interface Opening extends Loaded {
  readonly parts: RuntimeParts;
}

async function openConversation(opening: Opening): Promise<StartedConversation | undefined> {
  const { parts, services, options, host, store } = opening;
  const { place, settings, models, packages, named } = services;
  const { agentDir, cwd } = place;
  const requested = requestedModel(options, models);
  const sessionDir = await sessionFolder(opening);
  const { ask, printError, startedIn } = parts;
  const session = await chooseSession(options, { place: { agentDir, cwd, startedIn, sessionDir }, ask, printError });
  if (session === undefined) return undefined;
  const dialogs = store.add(new DialogQueue(error => parts.log.error('A view that shows questions failed', error)));
  if (parts.front.connectDialogs !== undefined) store.add(parts.front.connectDialogs(dialogs));
  const resources = store.add(
    await LiveResources.open({ place, settings, packages, hooks: host.runner, named, log: parts.log }),
  );
  printEach(resources.current.problems, printError);
  const level = options.thinking ?? requested?.thinking;
  const start = defined({ model: requested?.model, thinkingLevel: level });
  const ports = portsFor({ ...opening, dialogs, resources, sessionDir });
  const started = await startConversation({ ...ports, start }, session, parts.front.onOpen);
  const { conversation: active } = started;
  const { parent } = services;
  if (parent !== undefined) store.add(reportToParent(parent, active, host));
  for (const name of chooseTools(active.toolset, options)) printError(`Warning: there is no tool "${name}".`);
  for (const { message } of active.models.scope.warnings) printError(`Warning: ${message}`);
  if (requested !== undefined) {
    if (requested.warning !== undefined) printError(`Warning: ${requested.warning}`);
    await active.models.use(requested.model, 'set');
    if (options.apiKey !== undefined) models.authStorage.setRuntimeApiKey(requested.model.provider, options.apiKey);
  } else if (options.apiKey !== undefined && active.state.model !== undefined) {
    models.authStorage.setRuntimeApiKey(active.state.model.provider, options.apiKey);
  }
  if (level !== undefined && level !== active.state.effectiveLevel) active.models.setThinkingLevel(level);
  return started;
}

/** Reports tool calls of this agent, and of agents that its hooks start, to the parent process, which shows them. */
function reportToParent(parent: ParentLink, conversation: Conversation, host: HookHost): Disposable {
  const listeners = new DisposableStore();
  listeners.add(host.onDidCallInChild(({ step }) => parent.reportStep(step)));
  listeners.add(reportCalls(conversation, step => parent.reportStep(step)));
  return listeners;
}

/**
 * The folder for sessions, absolute: from the flag, else the environment, else hooks, else the settings (docs/cli.md).
 */
async function sessionFolder({ parts, services, options, host }: Opening): Promise<string> {
  const { agentDir, cwd } = services.place;
  const { startedIn, env } = parts;
  if (options.sessionDir !== undefined) return resolve(startedIn, options.sessionDir);
  const ofEnvironment = sessionDirFrom(env, startedIn);
  if (ofEnvironment !== undefined) return ofEnvironment;
  const { sessionDir } = await host.runner.emit({ type: 'session_directory', cwd }, undefined);
  if (sessionDir !== undefined) return resolve(cwd, sessionDir);
  return sessionDirOf(services.settings.current, cwd) ?? sessionDirFor(agentDir, cwd);
}

interface PortParts extends Opening {
  readonly dialogs: DialogQueue;
  readonly resources: LiveResources;
  readonly sessionDir: string;
}

function portsFor(from: PortParts): ConversationPorts {
  const { parts, services, options, host, mcp, dialogs, resources, sessionDir } = from;
  const { place, settings, models, prompt } = services;
  const { mode, hookUi, shutdown, whenDrained } = parts.front;
  return {
    cwd: place.cwd,
    sessionDir,
    hooks: host,
    models,
    stream: createStreamFn(models),
    settings,
    readAgain: async () => {
      await Promise.all([settings.reload(), prompt.reload(), mcp?.reload()]);
    },
    ...defined({ mcp }),
    builtInTools: toolsIn(place.cwd, settings, services.writeRecords),
    resources,
    promptOptions: tools => prompt.for(tools, resources.forPrompt),
    dialogs,
    mode,
    ...defined({ hookUi, whenDrained }),
    allowsTool: toolFilter(options),
    approvals: { defaultMode: () => options.approveTools, isLocked: () => false },
    log: parts.log,
    shutdown,
  };
}

function registeredFlags(host: HookHost): ReadonlyMap<string, 'boolean' | 'string'> {
  const flags = host.runner.loaded.flatMap(hook => [...hook.flags.values()]);
  return new Map(flags.map(({ name, type }) => [name, type]));
}

/** Throws if a hook that the command line names failed to load, since it may be a gate. */
export function refuseBrokenNamedHooks(host: HookHost): void {
  for (const { path, origin, state } of host.infos()) {
    if (origin === 'explicit' && state.type === 'failed') throw new StartError(failureText(path, state.problems));
  }
}

/** Reports calls that were blocked because no user could be asked. */
function printUnasked(host: HookHost, printError: (text: string) => void): Disposable {
  return host.records.onDidDispatch(({ approvalReason, outcome }) => {
    if (approvalReason?.by === 'nobody' && outcome.type === 'blocked') printError(`Warning: ${outcome.reason}`);
  });
}

/** Says once that the folder is not trusted, now or when it gets something that needs trust. */
export function printTrust(
  { hooks: { host }, trust }: Pick<ProcessServices, 'hooks' | 'trust'>,
  printError: (text: string) => void,
): Disposable {
  const warn = trustWarning(trust, printError);
  const print = (): void => warn({ refusesTools: host.missingGates().heldBack !== undefined });
  print();
  return host.onDidChange(print);
}

export function printProblems({ hooks, problems }: ProcessServices, printError: (text: string) => void): void {
  for (const { path, state } of hooks.host.infos()) {
    if (state.type === 'failed') printError(failureText(path, state.problems));
  }
  printEach(problems(), printError);
}

function printEach(problems: readonly Problem[], printError: (text: string) => void): void {
  for (const problem of problems) printError(`Warning: ${problem.message}${placeText(problem)}`);
}

function failureText(path: string, [problem]: readonly Problem[]): string {
  const why = problem === undefined ? 'unknown reason' : `${problem.message}${placeText(problem)}`;
  return `Hook "${path}" was not loaded: ${why}`;
}

function placeText({ file, line }: Problem): string {
  if (file === undefined) return '';
  return ` (${file}${line === undefined ? '' : `:${line}`})`;
}
