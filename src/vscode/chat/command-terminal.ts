import * as vscode from 'vscode';
import { clipped } from '../../base/text/clipped';
import { singleLine } from '../../base/text/single-line';
import { CommandScreen, type ShownCommand } from '../../chat/editor/command-screen';

/** Characters of a command line in the title of its tab. */
const TITLE_LENGTH = 40;

/** Shows commands of the agent in terminal tabs, one tab for each. Closing a tab does not end the command. */
export class CommandTerminals {
  /** By the id of the call. */
  private readonly open = new Map<string, vscode.Terminal>();

  show(shown: ShownCommand, stop: () => void): void {
    const terminal = this.open.get(shown.toolCallId) ?? this.create(shown, stop);
    terminal.show(true);
  }

  private create(shown: ShownCommand, stop: () => void): vscode.Terminal {
    const writing = new vscode.EventEmitter<string>();
    const screen = new CommandScreen(shown, stop, text => writing.fire(text));
    const terminal = vscode.window.createTerminal({
      name: clipped(singleLine(shown.command), TITLE_LENGTH),
      iconPath: new vscode.ThemeIcon('hubot'),
      isTransient: true,
      pty: {
        onDidWrite: writing.event,
        open: () => screen.open(),
        handleInput: (data: string) => screen.keys(data),
        close: () => {
          this.open.delete(shown.toolCallId);
          screen.dispose();
          writing.dispose();
        },
      },
    });
    this.open.set(shown.toolCallId, terminal);
    return terminal;
  }
}
