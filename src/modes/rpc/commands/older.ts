import { exportTo } from '../../../export/write-export';
import { contextStats, lastAnswerText } from '../../../session/state/session-stats';
import type { AgentMessage } from '../../../agent/messages';
import { isKnown, olderMessage, withoutUsage } from '../../protocol/older';
import type { Runtime } from '../../start/runtime';
import { imagesField, optionalTextField, textField } from '../fields';
import type { RpcCommands } from './command';
import { sendPrompt } from './prompt';
import { shared, rpcState } from './shared';

function knownMessages({ conversation }: Runtime): readonly AgentMessage[] {
  return conversation.run.agent.messages.filter(isKnown);
}

/** The commands of pi 0.73.1, with additions for clients of 0.57.1. */
export const olderCommands: RpcCommands = {
  queries: {
    ...shared.queries,
    get_state: ({ runtime }) => ({ ...rpcState(runtime), messageCount: knownMessages(runtime).length }),
    get_messages: ({ runtime }) => ({ messages: knownMessages(runtime).map(olderMessage) }),
    get_session_stats: ({ runtime }) => ({
      ...contextStats(runtime.conversation.store, knownMessages(runtime)),
      contextUsage: runtime.conversation.status.contextUsage,
    }),
    // Version 0.57 has the member `path`, 0.73 has `sourceInfo`; both are sent.
    get_commands: ({ runtime }) => ({ commands: runtime.conversation.forHooks.commands() }),
    get_last_assistant_text: ({ runtime }) => {
      const last = lastAnswerText(runtime.conversation.run.agent.messages).trim();
      return { text: last === '' ? null : last };
    },
  },
  endings: {
    ...shared.endings,
    abort: async ({ runtime }) => {
      await runtime.conversation.run.stop();
    },
  },
  beginnings: {
    prompt: async (context, command) => {
      await sendPrompt(context, command).accepted;
    },
    steer: async ({ runtime }, command) => {
      await runtime.conversation.inbox.queue(textField(command, 'message'), imagesField(command), 'steer');
    },
    follow_up: async ({ runtime }, command) => {
      await runtime.conversation.inbox.queue(textField(command, 'message'), imagesField(command), 'followUp');
    },
    compact: async ({ runtime }, command) =>
      withoutUsage(await runtime.conversation.run.compact(optionalTextField(command, 'customInstructions'))),
    bash: async ({ runtime, printError }, command) => {
      const { outcome, recorded } = await runtime.conversation.shells.run(textField(command, 'command'), false);
      recorded.catch((error: unknown) =>
        printError(`The outcome of a bash command could not be saved: ${String(error)}`),
      );
      return outcome;
    },
  },
  changes: {
    ...shared.changes,
    export_html: async ({ runtime: { conversation, services } }, command) => ({
      path: await exportTo(conversation.store, services.place.cwd, optionalTextField(command, 'outputPath')),
    }),
  },
};
