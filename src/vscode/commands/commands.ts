import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { READ, type CommandHandlers, type CommandParts, type GivenArguments } from './command-arguments';
import { COMMANDS, type CommandId } from '../ids';
import { literalMessage } from '../message-text';

/** Registers every command in `COMMANDS`. The error of a command that fails is logged and shown to the user. */
export function registerCommands(parts: CommandParts): Disposable {
  const store = new DisposableStore();
  let handlers: CommandHandlers | undefined;
  for (const id of Object.keys(COMMANDS) as CommandId[]) {
    const read = READ[COMMANDS[id].takes];
    const run = async (given: GivenArguments): Promise<unknown> => {
      handlers ??= (await import('./command-handlers')).handlersOf(parts);
      // `COMMANDS` names the reader that fits each handler; the type `CommandHandlers` checks that they match.
      return (handlers[id] as (...args: GivenArguments) => unknown)(...read(given));
    };
    store.add(vscode.commands.registerCommand(id, (...given: GivenArguments) => guarded(parts, id, () => run(given))));
  }
  return store;
}

async function guarded({ ui }: CommandParts, id: string, run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    ui.log.error(`Command ${id} failed: ${messageOf(error)}`, error);
    const showLog = vscode.l10n.t('Show Log');
    void vscode.window.showErrorMessage(literalMessage(messageOf(error)), showLog).then(chosen => {
      if (chosen === showLog) ui.log.show();
    });
    return undefined;
  }
}
