import { UnfinishedWrites } from '../../agent/tools/files/writing/unfinished-writes';
import { DisposableStore } from '../../base/disposable';
import { canAsk, type ConversationMode } from '../../hook-contract/conversation-port';
import type { RegisteredFlag } from '../../hook-contract/loaded-hook';
import type { HookError } from '../../hook-contract/record';
import type { HookHost } from '../../hook-run/host/host';
import type { McpServers } from '../../mcp/mcp-servers';
import { declaresTool } from '../../session/run/tool-choice';
import { createMcpServers } from '../../startup/mcp-setup';
import type { CliOptions } from '../arguments/options';
import { parseArguments } from '../arguments/parse';
import { UsageError } from '../arguments/usage-error';
import { openBrowser } from '../terminal/open-browser';
import { printHookChanges } from '../terminal/print-hook-changes';
import { printUnfinishedWrites } from '../terminal/print-unfinished-writes';
import {
  printEach,
  printProblems,
  printServers,
  printTrust,
  printUnasked,
  refuseBrokenNamedHooks,
} from './folder-problems';
import { openProcessServices, type ProcessServices, type ProcessServicesParts } from './process-services';

/** How a folder is loaded. */
export interface FolderParts extends Omit<ProcessServicesParts, 'flagValue' | 'options'> {
  /** The command line; its options apply to every folder, and its paths start where the program did. */
  readonly argv: readonly string[];
  /** Pages for logins are opened only where a user can be asked. */
  readonly mode: ConversationMode;
  /** Is called for each error of a hook, from the start of loading on. */
  readonly onHookError?: (error: HookError) => void;
  /** Gets a line for each problem of the folder that does not prevent the start, also when it comes up later. */
  readonly printError: (text: string) => void;
  /** How a person trusts the folder here, after `To trust it,`; on the command line when absent. */
  readonly toTrust?: string;
}

/** The loaded hooks and MCP servers, and the command line parsed again with the flags of hooks. */
export interface LoadedFolder {
  readonly services: ProcessServices;
  readonly options: CliOptions;
  readonly host: HookHost;
  /** Undefined with `--no-mcp`. */
  readonly mcp: McpServers | undefined;
  /** Disposed by `end`. */
  readonly store: DisposableStore;
  /** Ends hooks and servers. Errors of hooks do not make it reject. */
  readonly end: () => Promise<void>;
}

/**
 * Loads the hooks of a folder and begins to connect its MCP servers.
 * @throws {UsageError | StartError} that says what is wrong; everything that was opened is closed then
 */
export async function loadFolder(parts: FolderParts): Promise<LoadedFolder> {
  let flags: ReadonlyMap<string, boolean | string> = new Map();
  const services = await openProcessServices({
    ...parts,
    options: parseArguments(parts.argv),
    flagValue: name => flags.get(name),
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
  const { onHookError, printError } = parts;
  if (onHookError !== undefined) store.add(host.onError(onHookError));
  try {
    await services.loadHooks();
    const options = parseArguments(parts.argv, registeredFlags(host));
    flags = options.hookFlags;
    const [unknown] = options.unknown;
    if (unknown !== undefined) throw new UsageError(`Unknown option: ${unknown}`);
    refuseBrokenNamedHooks(host);
    store.add(printTrust(services, printError, parts.toTrust));
    printProblems(services, printError);
    store.add(printHookChanges(host, services.heldFiles, printError));
    store.add(printUnasked(host, printError));
    printUnfinishedWrites((await UnfinishedWrites.open(services.writeRecords)).list, printError);
    mcp = await openMcp(parts, options, services, store);
    return { services, options, host, mcp, store, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Connects MCP servers in the background. */
async function openMcp(
  { code, env, log, printError, mode }: FolderParts,
  options: CliOptions,
  { place, models, hooks }: ProcessServices,
  store: DisposableStore,
): Promise<McpServers | undefined> {
  if (!options.mcp || options.help || options.listModels !== undefined) return undefined;
  const openPage = (url: URL): void => {
    if (canAsk(mode)) openBrowser(url, place.cwd, log);
  };
  const declares = declaresTool(options);
  const { host } = hooks;
  const mcp = createMcpServers({ place, host, models, env, version: code.version, openPage, declares, log });
  store.add(printServers(mcp, printError));
  // A command line watches no files: it reads mcp.json again when it loads hooks.
  store.add(host.onDidChange(() => void mcp.reload()));
  await mcp.reload();
  printEach(mcp.problems, printError);
  return mcp;
}

function registeredFlags(host: HookHost): ReadonlyMap<string, RegisteredFlag['type']> {
  const flags = host.runner.loaded.flatMap(hook => [...hook.flags.values()]);
  return new Map(flags.map(({ name, type }) => [name, type]));
}
