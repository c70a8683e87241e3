import type { PiSettings } from '../../agent/settings/pi-settings';
import type { Conversation } from '../../conversation/conversation';
import { exportTo } from '../../conversation/export/write-export';
import { forkPoints, lastAnswerText, sessionStats } from '../../conversation/session/session-stats';
import type { Runtime } from '../runtime';
import { flag, images, oneOf, optionalText, text, type RpcCommand } from './fields';
import type { RpcFront } from './rpc-front';
import type { Api, Model } from '@mariozechner/pi-ai';
import type { CommandInfo } from '../../hooks/conversation-port';
import type { HookInfo } from '../../hooks/hook';

/** What commands work on. */
export interface RpcContext {
  readonly runtime: Runtime;
  readonly front: RpcFront;
  /** Something went wrong after its command was answered. */
  readonly complain: (text: string) => void;
}

/** Answers a command with its data, undefined for none; throws with a text for the sender. */
export type Answering = (context: RpcContext, command: RpcCommand) => unknown;

const QUEUE_MODES = ['all', 'one-at-a-time'] as const satisfies readonly PiSettings['steeringMode'][];
const LEVELS = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

/** Only look; answered at once, whatever else is going on. */
export const QUERIES: Readonly<Record<string, Answering>> = {
  get_state: ({ runtime }) => state(runtime),
  get_messages: ({ runtime }) => ({ messages: runtime.conversation.run.agent.messages }),
  get_available_models: ({ runtime }) => ({ models: availableModels(runtime) }),
  get_commands: ({ runtime }) => ({ commands: commandList(runtime) }),
  get_fork_messages: ({ runtime }) => ({ messages: forkPoints(runtime.conversation.store) }),
  get_session_stats: ({ runtime: { conversation } }) => ({
    ...sessionStats(conversation.store, conversation.run.agent.messages),
    contextUsage: conversation.status.contextUsage,
  }),
  get_last_assistant_text: ({ runtime }) => {
    const last = lastAnswerText(runtime.conversation.run.agent.messages).trim();
    return { text: last === '' ? null : last };
  },
};

/** End something that is going on; never wait for their turn. */
export const ENDINGS: Readonly<Record<string, Answering>> = {
  abort: async ({ runtime }) => {
    await runtime.conversation.run.stop();
  },
  abort_retry: ({ runtime }) => runtime.conversation.run.abortRetry(),
  abort_bash: ({ runtime }) => runtime.conversation.shells.abort(),
};

/** Begin something that may go on for long: they wait for their turn, and the next command does not wait for them. */
export const BEGINNINGS: Readonly<Record<string, Answering>> = {
  prompt: (context, command) => prompt(context, command),
  steer: ({ runtime }, command) => runtime.conversation.inbox.queue(text(command, 'message'), images(command), 'steer'),
  follow_up: ({ runtime }, command) =>
    runtime.conversation.inbox.queue(text(command, 'message'), images(command), 'followUp'),
  compact: ({ runtime }, command) => runtime.conversation.run.compact(optionalText(command, 'customInstructions')),
  bash: async ({ runtime, complain }, command) => {
    const { outcome, recorded } = await runtime.conversation.shells.run(text(command, 'command'), false);
    recorded.catch((error: unknown) => complain(`The outcome of a bash command could not be saved: ${String(error)}`));
    return outcome;
  },
};

/** Change something; the next command sees it changed. */
export const CHANGES: Readonly<Record<string, Answering>> = {
  set_model: setModel,
  cycle_model: cycleModel,
  set_thinking_level: ({ runtime }, command) =>
    runtime.conversation.models.setThinkingLevel(oneOf(command, 'level', LEVELS)),
  cycle_thinking_level: ({ runtime: { conversation } }) => {
    const { thinkingLevels } = conversation.status.current;
    if (thinkingLevels.length < 2) return null;
    const level =
      thinkingLevels[(thinkingLevels.indexOf(conversation.state.effectiveLevel) + 1) % thinkingLevels.length];
    conversation.models.setThinkingLevel(level ?? 'off');
    return { level };
  },
  set_steering_mode: ({ runtime }, command) =>
    runtime.services.settings.set({ steeringMode: oneOf(command, 'mode', QUEUE_MODES) }),
  set_follow_up_mode: ({ runtime }, command) =>
    runtime.services.settings.set({ followUpMode: oneOf(command, 'mode', QUEUE_MODES) }),
  set_auto_compaction: ({ runtime }, command) =>
    runtime.services.settings.set({ autoCompaction: flag(command, 'enabled') }),
  set_auto_retry: ({ runtime }, command) => runtime.services.settings.set({ autoRetry: flag(command, 'enabled') }),
  set_session_name: ({ runtime }, command) => {
    const name = text(command, 'name').trim();
    if (name === '') throw new Error('Session name cannot be empty');
    runtime.conversation.sessions.rename(name);
  },
  new_session: ({ runtime }, command) => {
    const parentSession = optionalText(command, 'parentSession');
    return runtime.conversation.sessions.newSession(parentSession === undefined ? {} : { parentSession });
  },
  switch_session: ({ runtime }, command) => runtime.conversation.sessions.switchTo(text(command, 'sessionPath')),
  fork: async ({ runtime: { conversation } }, command) => {
    const entryId = text(command, 'entryId');
    const chosen = forkPoints(conversation.store).find(point => point.entryId === entryId);
    const { cancelled } = await conversation.sessions.fork(entryId);
    return { text: chosen?.text ?? '', cancelled };
  },
  clone: ({ runtime }) => runtime.conversation.sessions.clone(),
  export_html: async ({ runtime: { conversation, services } }, command) => ({
    path: await exportTo(conversation.store, services.place.cwd, optionalText(command, 'outputPath')),
  }),
};

async function prompt({ runtime, complain }: RpcContext, command: RpcCommand): Promise<void> {
  const message = text(command, 'message');
  const behaviour = command['streamingBehavior'];
  const delivery = behaviour === undefined ? undefined : oneOf(command, 'streamingBehavior', ['steer', 'followUp']);
  await new Promise<void>((resolve, reject) => {
    let accepted = false;
    const onAccepted = (): void => {
      accepted = true;
      resolve();
    };
    const options = { images: images(command), source: 'rpc', onAccepted, ...(delivery && { delivery }) } as const;
    runtime.conversation.prompt(message, options).then(resolve, (error: unknown) => {
      if (accepted) complain(`The prompt could not be processed: ${String(error)}`);
      else reject(error instanceof Error ? error : new Error(String(error)));
    });
  });
}

async function setModel({ runtime }: RpcContext, command: RpcCommand): Promise<unknown> {
  const provider = text(command, 'provider');
  const id = text(command, 'modelId');
  const model = availableModels(runtime).find(candidate => candidate.provider === provider && candidate.id === id);
  if (model === undefined || !(await runtime.conversation.models.set(model))) {
    throw new Error(`Model not found: ${provider}/${id}`);
  }
  return model;
}

async function cycleModel({ runtime }: RpcContext): Promise<unknown> {
  const model = nextModel(runtime);
  if (model === undefined || !(await runtime.conversation.models.set(model, 'cycle'))) return null;
  return { model, thinkingLevel: runtime.conversation.state.effectiveLevel, isScoped: false };
}

function state({ conversation, services }: Runtime): object {
  const { store, run } = conversation;
  const { queued } = conversation.inbox;
  const { steeringMode, followUpMode, compaction } = services.settings.current;
  return {
    model: conversation.state.model,
    thinkingLevel: conversation.state.effectiveLevel,
    isStreaming: isStreaming(conversation),
    isCompacting: run.phase.type === 'compacting',
    steeringMode,
    followUpMode,
    sessionFile: store.getSessionFile(),
    sessionId: store.getSessionId(),
    sessionName: store.getSessionName(),
    autoCompactionEnabled: compaction.enabled,
    messageCount: run.agent.messages.length,
    pendingMessageCount: queued.steering.length + queued.followUp.length,
  };
}

function isStreaming({ run }: Conversation): boolean {
  return run.phase.type === 'running' || run.phase.type === 'retrying';
}

type Source = Pick<Runtime, 'conversation' | 'host' | 'services'>;

/** Models that can be used: those whose provider has a key, or needs none. */
function availableModels({ services }: Pick<Source, 'services'>): readonly Model<Api>[] {
  return services.models.getAvailable();
}

/** The model after the current one, in order; undefined when there is no other. */
function nextModel({ services, conversation }: Source): Model<Api> | undefined {
  const models = availableModels({ services });
  const { model: current } = conversation.state;
  const at = models.findIndex(({ provider, id }) => provider === current?.provider && id === current.id);
  const next = models[(at + 1) % models.length];
  return models.length > 1 ? next : undefined;
}

/** Commands that a prompt can begin with, told in the words of pi 0.57 (`path`) and 0.73 (`sourceInfo`) at once. */
function commandList({ conversation, host }: Source): readonly object[] {
  const origins = new Map(host.infos().map(({ path, origin }) => [path, origin]));
  return conversation.forHooks.commands().map(command => ({ ...command, ...sourceInfo(command, origins) }));
}

function sourceInfo({ path, location }: CommandInfo, origins: ReadonlyMap<string, HookInfo['origin']>): object {
  if (path === undefined) return {};
  return { sourceInfo: { path, source: 'local', scope: scopeOf(origins.get(path), location), origin: 'top-level' } };
}

function scopeOf(origin: HookInfo['origin'] | undefined, location: CommandInfo['location']): string {
  if (origin === 'workspace' || location === 'project') return 'project';
  return origin === 'explicit' || location === 'path' ? 'temporary' : 'user';
}
