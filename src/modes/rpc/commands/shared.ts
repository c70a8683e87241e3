import type { Api, Model } from '@mariozechner/pi-ai';
import type { PiSettings } from '../../../agent/settings/pi-settings';
import { expandHome } from '../../../agent/settings/configured-path';
import { defined } from '../../../base/defined';
import { hideSecrets, hideSecretsOfHeaders } from '../../../base/text/redact';
import { APPROVAL_MODES } from '../../../hook-contract/approvals/approval-mode';
import { supportedLevels, THINKING_LEVELS } from '../../../agent/thinking-levels';
import type { Conversation } from '../../../session/conversation';
import { forkPoints, sessionStats } from '../../../session/state/session-stats';
import type { Runtime } from '../../start/runtime';
import { flagField, oneOfField, optionalTextField, textField, type RpcCommand } from '../fields';
import type { RpcCommands, RpcContext } from './command';

const QUEUE_MODES = ['all', 'one-at-a-time'] as const satisfies readonly PiSettings['steeringMode'][];

/** The commands that are the same in all versions. */
export const shared: RpcCommands = {
  queries: {
    get_state: ({ runtime }) => rpcState(runtime),
    get_available_models: ({ runtime }) => ({ models: availableModels(runtime) }),
    get_fork_messages: ({ runtime }) => ({ messages: forkPoints(runtime.conversation.store) }),
    get_session_stats: ({ runtime: { conversation } }) => ({
      ...sessionStats(conversation.store),
      contextUsage: conversation.status.contextUsage,
    }),
  },
  endings: {
    abort_retry: ({ runtime }) => runtime.conversation.run.abortRetry(),
    abort_bash: ({ runtime }) => runtime.conversation.shells.abort(),
  },
  beginnings: {},
  changes: {
    set_model: setModel,
    cycle_model: cycleModel,
    set_thinking_level: ({ runtime }, command) =>
      runtime.conversation.models.setThinkingLevel(oneOfField(command, 'level', THINKING_LEVELS)),
    cycle_thinking_level: ({ runtime: { conversation } }) => {
      const { model } = conversation.state;
      const thinkingLevels = model === undefined ? [] : supportedLevels(model);
      if (thinkingLevels.length < 2) return null;
      const level =
        thinkingLevels[(thinkingLevels.indexOf(conversation.state.effectiveLevel) + 1) % thinkingLevels.length];
      conversation.models.setThinkingLevel(level ?? 'off');
      return { level };
    },
    set_approval_mode: ({ runtime: { conversation } }, command) => {
      const isSet = conversation.approvals?.setMode(oneOfField(command, 'mode', APPROVAL_MODES));
      if (isSet !== true) throw new Error('The approval mode cannot be changed here.');
    },
    set_steering_mode: ({ runtime }, command) =>
      runtime.services.settings.set({ steeringMode: oneOfField(command, 'mode', QUEUE_MODES) }),
    set_follow_up_mode: ({ runtime }, command) =>
      runtime.services.settings.set({ followUpMode: oneOfField(command, 'mode', QUEUE_MODES) }),
    set_auto_compaction: ({ runtime }, command) =>
      runtime.services.settings.set({ autoCompaction: flagField(command, 'enabled') }),
    set_auto_retry: ({ runtime }, command) =>
      runtime.services.settings.set({ autoRetry: flagField(command, 'enabled') }),
    set_session_name: ({ runtime }, command) => {
      const name = textField(command, 'name').trim();
      if (name === '') throw new Error('Session name cannot be empty');
      runtime.conversation.sessions.rename(name);
    },
    new_session: ({ runtime }, command) => {
      const parentSession = optionalTextField(command, 'parentSession');
      return runtime.conversation.sessions.newSession(defined({ parentSession }));
    },
    switch_session: ({ runtime }, command) =>
      runtime.conversation.sessions.switchTo(expandHome(textField(command, 'sessionPath'))),
    fork: async ({ runtime: { conversation } }, command) => {
      const entryId = textField(command, 'entryId');
      const chosen = forkPoints(conversation.store).find(point => point.entryId === entryId);
      const { cancelled } = await conversation.sessions.fork(entryId);
      return { text: chosen?.text ?? '', cancelled };
    },
    clone: ({ runtime }) => runtime.conversation.sessions.clone(),
  },
};

async function setModel({ runtime }: RpcContext, command: RpcCommand): Promise<unknown> {
  const provider = textField(command, 'provider');
  const id = textField(command, 'modelId');
  const model = runtime.services.models.find(provider, id);
  if (model === undefined || !(await runtime.conversation.models.set(model))) {
    throw new Error(`Model not found: ${provider}/${id}`);
  }
  return modelWithoutKeys(model);
}

async function cycleModel({ runtime }: RpcContext): Promise<unknown> {
  const { models, state } = runtime.conversation;
  const next = await models.cycle();
  return next === undefined
    ? null
    : { ...next, model: modelWithoutKeys(next.model), thinkingLevel: state.effectiveLevel };
}

/** The answer to `get_state`. */
export function rpcState({ conversation, services }: Runtime): object {
  const { store, run, todos } = conversation;
  const queued = conversation.inbox.waiting.texts;
  const { steeringMode, followUpMode, compaction } = services.settings.current;
  return {
    model: conversation.state.model && modelWithoutKeys(conversation.state.model),
    thinkingLevel: conversation.state.effectiveLevel,
    approvalMode: conversation.approvals?.mode,
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
    ...(todos.current.length === 0 ? {} : { todos: todos.current }),
  };
}

function isStreaming({ run }: Conversation): boolean {
  return run.phase.type === 'running' || run.phase.type === 'retrying';
}

/** The usable models: those whose provider has a key or needs none. */
function availableModels({ services }: Pick<Runtime, 'services'>): readonly Model<Api>[] {
  return services.models.getAvailable().map(modelWithoutKeys);
}

/** A model without the keys in its headers and its URL, since other programs read it. */
function modelWithoutKeys(model: Model<Api>): Model<Api> {
  const { baseUrl, headers } = model;
  return { ...model, baseUrl: hideSecrets(baseUrl), ...(headers && { headers: hideSecretsOfHeaders(headers) }) };
}
