import { isFailedOrAborted, type AssistantMessage } from '../agent/messages';
import type { Disposable } from '../base/disposable';
import { messageOf } from '../base/errors';
import type { Conversation } from '../session/conversation';
import type { Output } from './terminal/output';
import type { Prompt } from './prompts';
import type { Protocol } from './protocol';
import { isForPrograms } from '../session/ports/session-events';
import { printNotices } from './terminal/print-notices';
import type { Runtime } from './start/runtime';

/** Prints the session's header, and then all events of a conversation when they occur, one per line, until disposed. */
export function printEvents(conversation: Conversation, protocol: Protocol, output: Output): Disposable {
  output.json(conversation.store.getHeader());
  return conversation.onDidHappen(event => {
    if (!isForPrograms(event)) return;
    for (const record of protocol.recordsOf(event)) output.json(record);
  });
}

/**
 * Sends the prompts one after the other and prints the last answer. With a protocol, it prints errors of hooks as its
 * records and no answer, because {@link printEvents} prints the events. Resolves with the exit code, as in pi
 * (docs/cli.md): 1 when a prompt is refused or the session cannot be saved, and in text mode also when the last run failed
 * or its answer was cut off; in JSON mode, events contain that.
 */
export async function runPrintMode(
  runtime: Pick<Runtime, 'conversation' | 'host'>,
  prompts: readonly Prompt[],
  protocol: Protocol | undefined,
  output: Output,
): Promise<number> {
  const { conversation, host } = runtime;
  const watching = [printNotices(conversation, output)];
  if (protocol !== undefined) {
    watching.push(
      host.onError(error => {
        const record = protocol.hookError(error, 'json');
        if (record !== undefined) output.json(record);
      }),
    );
  }
  try {
    const answer = await converse(conversation, prompts);
    const code = finish(answer, protocol === undefined, output);
    // Last: the answer is there, also when the session cannot be saved.
    const isSaved = await conversation.store.flush().then(
      () => true,
      () => false, // A notice has said why.
    );
    // A notice has said who took the session over.
    return isSaved && conversation.store.access.kind !== 'read' ? code : 1;
  } catch (error) {
    output.printError(`Error: ${refusalText(error)}`);
    return 1;
  } finally {
    for (const one of watching) one.dispose();
  }
}

/** Sends the prompts and returns the last answer; undefined when hooks handled all prompts, so that there is none. */
async function converse(conversation: Conversation, prompts: readonly Prompt[]): Promise<AssistantMessage | undefined> {
  let last: AssistantMessage | undefined;
  const watching = conversation.onDidHappen(event => {
    if (event.type === 'message_end' && event.message.role === 'assistant') last = event.message;
  });
  try {
    for (const { text, images } of prompts) {
      await conversation.prompt(text, { images });
      // A hook may have started another run at the end of this one.
      await conversation.run.waitForIdle();
    }
    return last;
  } finally {
    watching.dispose();
  }
}

function finish(answer: AssistantMessage | undefined, prints: boolean, output: Output): number {
  if (answer === undefined || !prints) return 0;
  if (isFailedOrAborted(answer)) {
    output.printError(`Error: ${answer.errorMessage ?? `Request ${answer.stopReason}`}`);
    return 1;
  }
  for (const part of answer.content) if (part.type === 'text') output.write(`${part.text}\n`);
  if (answer.stopReason !== 'length') return 0;
  output.printError('Error: the answer is incomplete: the model reached its limit of output tokens.');
  return 1;
}

function refusalText(error: unknown): string {
  const more: unknown = error instanceof Error && 'more' in error ? error.more : undefined;
  const detail: unknown = typeof more === 'object' && more !== null && 'detail' in more ? more.detail : undefined;
  return typeof detail === 'string' ? `${messageOf(error)}\n${detail}` : messageOf(error);
}
