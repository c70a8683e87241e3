import { defined } from '../../../base/defined';
import { deferred } from '../../../base/async/wait';
import type { Disposition } from '../../../session/prompts/prompt-pipeline';
import { imagesField, oneOfField, textField, type RpcCommand } from '../fields';
import type { RpcContext } from './command';

/**
 * Sends the prompt of a command. `accepted` resolves when the prompt was accepted, and rejects when it was refused.
 * `done` resolves when the run that it started has ended; it never rejects.
 */
export function sendPrompt(
  { runtime, printError }: RpcContext,
  command: RpcCommand,
): { readonly accepted: Promise<Disposition>; readonly done: Promise<void> } {
  const message = textField(command, 'message');
  const { streamingBehavior: behavior = null } = command;
  const delivery = behavior === null ? undefined : oneOfField(command, 'streamingBehavior', ['steer', 'followUp']);
  const taken = deferred<Disposition | Error>();
  let isTaken = false;
  const onAccepted = (disposition: Disposition): void => {
    isTaken = true;
    taken.resolve(disposition);
  };
  const options = { images: imagesField(command), source: 'rpc', onAccepted, ...defined({ delivery }) } as const;
  const done = runtime.conversation.prompt(message, options).then(
    () => taken.resolve('handled'),
    (error: unknown) => {
      if (isTaken) printError(`The prompt could not be processed: ${String(error)}`);
      else taken.resolve(error instanceof Error ? error : new Error(String(error)));
    },
  );
  const accepted = taken.promise.then(outcome => {
    if (outcome instanceof Error) throw outcome;
    return outcome;
  });
  return { accepted, done };
}
