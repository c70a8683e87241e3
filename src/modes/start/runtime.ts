import { SessionReadOnlyError } from '../../agent/session/appendable-session';
import { defined } from '../../base/defined';
import type { RegisteredFlag } from '../../hook-contract/loaded-hook';
import type { HookHost } from '../../hook-run/host/host';
import type { Conversation } from '../../session/conversation';
import type { CliOptions } from '../arguments/options';
import { parseArguments } from '../arguments/parse';
import { StartError } from '../arguments/usage-error';
import type { AskInTerminal } from '../terminal/terminal-question';
import { openFolder, type ConversationFront, type FolderRuntime } from './folder-runtime';
import { modelTable } from './list-models';
import { loadFolder, type FolderParts } from './load-folder';
import type { ProcessServices } from './process-services';
import { chooseSession, workingFolder } from './session-choice';

/** How a mode handles questions and requests of hooks. */
export type FrontEnd = ConversationFront & Pick<FolderParts, 'onHookError'>;

export interface RuntimeParts extends Omit<FolderParts, 'cwd' | 'mode' | 'onHookError'> {
  readonly front: FrontEnd;
  readonly ask: AskInTerminal;
}

/** The only conversation of a process, with its hooks. */
export interface Runtime {
  readonly options: CliOptions;
  readonly conversation: Conversation;
  readonly host: HookHost;
  readonly services: ProcessServices;
  /** Ends the run, lets hooks shut down, and closes files. Errors of hooks do not make it reject. */
  dispose(): Promise<void>;
}

/**
 * Loads hooks and opens the conversation that the command line asks for; undefined when the user was asked to choose a
 * session and chose none.
 * @throws {UsageError | StartError} that says what is wrong; everything that was opened is closed then
 */
export async function openRuntime(parts: RuntimeParts): Promise<Runtime | undefined> {
  const folder = await openFolder(folderParts(parts));
  try {
    const conversation = await openConversation(folder, parts);
    if (conversation === undefined) {
      await folder.dispose();
      return undefined;
    }
    const { options, host, services } = folder;
    return { options, conversation, host, services, dispose: () => folder.dispose() };
  } catch (error) {
    await folder.dispose();
    throw error instanceof SessionReadOnlyError ? new StartError(error.message) : error;
  }
}

/** The output of `--list-models`, including models of hooks. Throws as {@link openRuntime}. */
export async function listModels(parts: RuntimeParts, search: string): Promise<string> {
  const { services, end } = await loadFolder(folderParts(parts));
  try {
    await services.models.updateCatalog();
    return modelTable(services.models.getAvailable(), search);
  } finally {
    await end();
  }
}

/** The flags that hooks registered. Throws as {@link openRuntime}. */
export async function listFlags(parts: RuntimeParts): Promise<readonly RegisteredFlag[]> {
  const { host, end } = await loadFolder(folderParts(parts));
  try {
    return host.runner.loaded.flatMap(hook => [...hook.flags.values()]);
  } finally {
    await end();
  }
}

/** The parts of the folder that the command line names. */
function folderParts(parts: RuntimeParts): FolderParts {
  const { mode, onHookError } = parts.front;
  const cwd = workingFolder(parseArguments(parts.argv), parts.startedIn);
  return { ...parts, cwd, mode, ...defined({ onHookError }) };
}

async function openConversation(
  folder: FolderRuntime,
  { front, ask, printError, startedIn }: RuntimeParts,
): Promise<Conversation | undefined> {
  const { options, requested, requestedLevel: level, sessionDir } = folder;
  const { agentDir, cwd } = folder.services.place;
  const session = await chooseSession(options, { place: { agentDir, cwd, startedIn, sessionDir }, ask, printError });
  if (session === undefined) return undefined;
  const started = await folder.open(session, front);
  await started.begin();
  const { conversation } = started;
  const { models, state } = conversation;
  // A session that goes on has a model and a level of its own.
  if (requested !== undefined) await models.use(requested.model, 'set');
  if (level !== undefined && level !== state.effectiveLevel) models.setThinkingLevel(level);
  return conversation;
}
