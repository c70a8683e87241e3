import { resolve } from 'node:path';
import { createStreamFn } from '../agent/models/requests/stream';
import { sessionDirFor } from '../agent/session/library/catalog';
import { createBuiltinTools } from '../agent/tools';
import { type Disposable, DisposableStore } from '../base/disposable';
import type { Log } from '../base/log';
import type { Conversation } from '../conversation/conversation';
import { Conversations } from '../conversation/conversations';
import { DialogQueue } from '../conversation/questions/dialogs';
import type { ConversationPorts } from '../conversation/ports';
import { LiveResources } from '../startup/resources';
import type { HookHost } from '../hooks/host/host';
import { parseArguments, type CliOptions } from './arguments';
import { openProcessServices, wishedModel, type ProcessServices, type ProcessServicesParts } from './process-services';
import { chooseSession } from './session-choice';
import { StartError, UsageError } from './usage-error';
import type { EditorPort } from '../conversation/editor-port';

const nothing = (): void => undefined;

/** There is no editor around: whatever is asked of it does not happen. */
const noEditor: EditorPort = {
  openFile: nothing,
  openLink: nothing,
  openText: nothing,
  openDiagram: nothing,
  insertAtCursor: nothing,
  copy: nothing,
  showDiff: nothing,
  notify: nothing,
  setHookStatus: nothing,
  setTitle: nothing,
  pickModel: nothing,
  pickSession: nothing,
  showHooks: nothing,
  run: nothing,
};

/** What a mode makes of questions and wishes of hooks. */
export type FrontEnd = Pick<ConversationPorts, 'hasUI' | 'hookUi' | 'isOneShot' | 'shutdown'> & {
  readonly connectDialogs?: (dialogs: DialogQueue) => Disposable;
};

export interface RuntimeParts extends Omit<ProcessServicesParts, 'flagValue' | 'options'> {
  readonly argv: readonly string[];
  readonly front: FrontEnd;
  /** Gets what is wrong but does not keep the conversation from starting. */
  readonly complain: (text: string) => void;
}

/** One conversation with its hooks, without an editor around it. */
export interface Runtime {
  readonly options: CliOptions;
  readonly conversation: Conversation;
  readonly host: HookHost;
  readonly services: ProcessServices;
  /** Ends the run, lets hooks shut down, closes files. Never rejects for what hooks do. */
  dispose(): Promise<void>;
}

/**
 * Loads hooks and opens the conversation that the command line asks for.
 * @throws {UsageError | StartError} naming the culprit; what was opened until then is closed
 */
export async function openRuntime(parts: RuntimeParts): Promise<Runtime> {
  let flags: ReadonlyMap<string, boolean | string> = new Map();
  const flagValue = (name: string): boolean | string | undefined => flags.get(name);
  const services = await openProcessServices({ ...parts, options: parseArguments(parts.argv), flagValue });
  const { host, loader } = services.hooks;
  const store = new DisposableStore();
  store.add(loader);
  store.add(services.models);
  const end = async (): Promise<void> => {
    await host.dispose();
    store.dispose();
  };
  try {
    await host.reload();
    const options = parseArguments(parts.argv, registeredFlags(host));
    flags = options.hookFlags;
    const [unknown] = options.unknown;
    if (unknown !== undefined) throw new UsageError(`Unknown option: ${unknown}`);
    refuseBrokenNamedHooks(host);
    tellProblems(services, parts.complain);
    store.add(tellWaiting(host, parts.complain));
    const conversations = await openConversations({ parts, services, options, host, store });
    const conversation = conversations.active;
    const dispose = async (): Promise<void> => {
      await conversations.dispose();
      await end();
    };
    try {
      chooseTools(conversation, options);
    } catch (error) {
      await dispose();
      throw error;
    }
    return { options, conversation, host, services, dispose };
  } catch (error) {
    await end();
    throw error;
  }
}

interface Opening {
  readonly parts: RuntimeParts;
  readonly services: ProcessServices;
  readonly options: CliOptions;
  readonly host: HookHost;
  readonly store: DisposableStore;
}

async function openConversations({ parts, services, options, host, store }: Opening): Promise<Conversations> {
  const { place, settings, models } = services;
  const { agentDir, cwd } = place;
  const wished = wishedModel(options, models);
  const wishedDir =
    options.sessionDir ?? (await host.runner.emit({ type: 'session_directory', cwd }, undefined)).sessionDir;
  const sessionDir = wishedDir === undefined ? sessionDirFor(agentDir, cwd) : resolve(cwd, wishedDir);
  const session = await chooseSession(options, { cwd, sessionDir });
  const dialogs = store.add(
    new DialogQueue(error => parts.log.error('A place where questions are shown failed', error)),
  );
  if (parts.front.connectDialogs !== undefined) store.add(parts.front.connectDialogs(dialogs));
  const resources = store.add(await LiveResources.open({ place, settings, hooks: host.runner, log: parts.log }));
  const conversations = await Conversations.open(
    portsFor({ parts, services, host, dialogs, resources, sessionDir, log: parts.log }),
    { store: session },
  );
  const { active } = conversations;
  if (wished !== undefined) {
    await active.models.use(wished.model, 'set');
    if (options.apiKey !== undefined) models.authStorage.setRuntimeApiKey(wished.model.provider, options.apiKey);
  } else if (options.apiKey !== undefined && active.state.model !== undefined) {
    models.authStorage.setRuntimeApiKey(active.state.model.provider, options.apiKey);
  }
  const level = options.thinking ?? wished?.thinking;
  if (level !== undefined && level !== active.state.effectiveLevel) active.models.setThinkingLevel(level);
  return conversations;
}

function portsFor(from: {
  readonly parts: RuntimeParts;
  readonly services: ProcessServices;
  readonly host: HookHost;
  readonly dialogs: DialogQueue;
  readonly resources: LiveResources;
  readonly sessionDir: string;
  readonly log: Log;
}): ConversationPorts {
  const { parts, services, host, dialogs, resources, sessionDir, log } = from;
  const { place, settings, models, prompt } = services;
  const { hasUI, hookUi, isOneShot, shutdown } = parts.front;
  const { shellPath, shellCommandPrefix } = settings.current;
  return {
    cwd: place.cwd,
    sessionDir,
    hooks: host,
    models,
    stream: createStreamFn(models),
    settings,
    builtInTools: createBuiltinTools({ cwd: place.cwd, shellPath, commandPrefix: shellCommandPrefix }),
    resources,
    systemPrompt: tools => prompt.for(tools, resources.forPrompt),
    dialogs,
    editor: noEditor,
    hasUI,
    ...(hookUi === undefined ? {} : { hookUi }),
    ...(isOneShot === undefined ? {} : { isOneShot }),
    log,
    blocked: () => undefined,
    hookCounts: () => ({ live: 0, broken: 0, heldBack: 0, waiting: 0 }),
    shutdown,
  };
}

function registeredFlags(host: HookHost): ReadonlyMap<string, 'boolean' | 'string'> {
  const flags = host.runner.loaded.flatMap(hook => [...hook.flags.values()]);
  return new Map(flags.map(({ name, type }) => [name, type]));
}

/** A hook that somebody asks for by name may be a guard: without it, nothing is started. */
export function refuseBrokenNamedHooks(host: HookHost): void {
  for (const { path, origin, state } of host.infos()) {
    if (origin === 'explicit' && state.type === 'failed') throw new StartError(failureText(path, state.problems));
  }
}

/** Nobody can approve here: each hook that a tool changed is told of once, and stays as it was. */
function tellWaiting(host: HookHost, complain: (text: string) => void): Disposable {
  const told = new Set<string>();
  return host.onDidChange(() => {
    for (const { path, state } of host.infos()) {
      if (state.type !== 'waiting' || told.has(path)) continue;
      told.add(path);
      const who =
        state.stillRunning === undefined ? 'A tool' : `A tool, or what one left running: ${state.stillRunning},`;
      complain(`Warning: ${who} ${WHAT_TOOLS_DID[state.change]} (${path})`);
    }
  });
}

const WHAT_TOOLS_DID = {
  changed: 'changed this hook; the version from before keeps running.',
  appeared: 'made this hook; it does not run.',
  vanished: 'removed this hook; it keeps running.',
} as const;

export function tellProblems({ hooks, problems }: ProcessServices, complain: (text: string) => void): void {
  for (const { path, state } of hooks.host.infos()) {
    if (state.type === 'failed') complain(failureText(path, state.problems));
  }
  for (const { message, file } of problems()) complain(`Warning: ${message}${file === undefined ? '' : ` (${file})`}`);
}

function failureText(
  path: string,
  problems: readonly { readonly message: string; readonly file?: string; readonly line?: number }[],
): string {
  const [problem] = problems;
  const at =
    problem?.file === undefined ? '' : ` (${problem.file}${problem.line === undefined ? '' : `:${problem.line}`})`;
  return `Hook "${path}" was not loaded: ${problem?.message ?? 'unknown reason'}${at}`;
}

function chooseTools({ toolset }: Conversation, { tools }: CliOptions): void {
  if (tools === undefined) return;
  const known = toolset.all().map(tool => tool.name);
  const unknown = tools.find(name => !known.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`--tools: there is no tool "${unknown}"; there are ${known.join(', ')}.`);
  }
  toolset.setActive(tools);
}
