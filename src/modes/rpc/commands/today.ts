import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { supportedLevels } from '../../../agent/thinking-levels';
import { exportTo } from '../../../export/write-export';
import { lastAnswerText } from '../../../session/state/session-stats';
import type { Delivery } from '../../../protocol/composer/composer';
import { imagesField, optionalFlag, optionalTextField, textField, type RpcCommand } from '../fields';
import type { RpcCommands, RpcContext } from './command';
import { sendPrompt } from './prompt';
import { shared } from './shared';

const UNSAVED = 'This session has not been saved yet. Send a message before cloning or forking it.';

/** The commands of today's pi. */
export const todayCommands: RpcCommands = {
  queries: {
    ...shared.queries,
    get_messages: ({ runtime }) => ({ messages: runtime.conversation.run.agent.messages }),
    get_commands: ({ runtime }) => ({
      commands: runtime.conversation.forHooks
        .commands()
        .map(({ name, description, source, sourceInfo }) => ({ name, description, source, sourceInfo })),
    }),
    get_last_assistant_text: ({ runtime }) => {
      const text = lastAnswerText(runtime.conversation.run.agent.messages).trim();
      return text === '' ? {} : { text };
    },
    get_entries: ({ runtime: { conversation } }, command) => {
      const { store } = conversation;
      const entries = store.getEntries();
      const since = optionalTextField(command, 'since');
      const at = entries.findIndex(({ id }) => id === since);
      if (since !== undefined && at < 0) throw new Error(`Entry not found: ${since}`);
      return { entries: entries.slice(at + 1), leafId: store.getLeafId() };
    },
    get_tree: ({ runtime: { conversation } }) => ({
      tree: conversation.store.getTree(),
      leafId: conversation.store.getLeafId(),
    }),
    get_available_thinking_levels: ({ runtime }) => ({ levels: supportedLevels(runtime.conversation.state.model) }),
  },
  endings: {
    ...shared.endings,
    abort: async ({ runtime }) => {
      await runtime.conversation.run.stop('program');
    },
    clear_queue: ({ runtime }) => runtime.conversation.inbox.waiting.takeTexts(),
  },
  beginnings: {
    prompt: async (context, command) => {
      const { accepted, done } = sendPrompt(context, command);
      const disposition = await accepted;
      // A prompt that a hook's command handles is answered when the command has ended.
      if (disposition === 'handled') await done;
      return { disposition };
    },
    steer: (context, command) => queue(context, command, 'steer'),
    follow_up: (context, command) => queue(context, command, 'followUp'),
    compact: ({ runtime }, command) =>
      runtime.conversation.run.compact(optionalTextField(command, 'customInstructions'), 'program'),
    bash,
  },
  changes: {
    ...shared.changes,
    clone: ({ runtime: { conversation } }) => {
      const file = conversation.store.getSessionFile();
      if (file !== undefined && !existsSync(file)) throw new Error(UNSAVED);
      return conversation.sessions.clone();
    },
    // The answer has the path as it was given, or pi's default name, which is relative to the folder.
    export_html: async ({ runtime: { conversation, services } }, command) => {
      const { cwd } = services.place;
      const outputPath = optionalTextField(command, 'outputPath');
      const path = await exportTo(conversation.store, cwd, outputPath);
      return { path: outputPath?.trim() ?? relative(cwd, path) };
    },
  },
};

async function queue({ runtime }: RpcContext, command: RpcCommand, delivery: Delivery): Promise<object> {
  const { inbox } = runtime.conversation;
  return {
    disposition: await inbox.queue(textField(command, 'message'), imagesField(command), delivery, { asks: true }),
  };
}

async function bash({ runtime, printError, send, whenDrained }: RpcContext, command: RpcCommand): Promise<unknown> {
  const { id } = command;
  const hidden = optionalFlag(command, 'excludeFromContext');
  const onOutput = (delta: string): Promise<void> | undefined => {
    send({ type: 'bash_execution_update', id, delta });
    return whenDrained();
  };
  const { outcome, recorded } = await runtime.conversation.shells.run(textField(command, 'command'), hidden, onOutput);
  recorded.catch((error: unknown) => printError(`The outcome of a bash command could not be saved: ${String(error)}`));
  return outcome;
}
