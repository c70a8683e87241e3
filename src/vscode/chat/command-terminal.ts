import * as vscode from 'vscode';
import { clipped } from '../../base/text/clipped';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { singleLine } from '../../base/text/single-line';
import { CommandScreen, type ShownCommand } from '../../chat/editor/command-screen';
import { setContextKey } from '../context-keys';

/** Characters of a command line in the title of its tab. */
const TITLE_LENGTH = 40;

interface Tab {
  readonly terminal: vscode.Terminal;
  readonly shown: ShownCommand;
  readonly stop: () => void;
}

/** Shows commands of the agent in terminal tabs, one tab for each. Closing a tab does not end the command. */
export class CommandTerminals implements Disposable {
  private readonly owned = new DisposableStore();
  /** By the id of the call. */
  private readonly tabs = new Map<string, Tab>();

  constructor() {
    this.owned.add(vscode.window.onDidChangeActiveTerminal(() => this.follow()));
  }

  show(shown: ShownCommand, stop: () => void): void {
    const { toolCallId } = shown;
    const tab = this.tabs.get(toolCallId) ?? { terminal: this.create(shown, stop), shown, stop };
    this.tabs.set(toolCallId, tab);
    tab.terminal.show(true);
    this.follow();
    void shown.ended.then(() => this.follow());
  }

  /** Stops the command of the active tab; does nothing where that is another terminal. */
  stopActive(): void {
    this.active?.stop();
  }

  dispose(): void {
    this.owned.dispose();
  }

  private get active(): Tab | undefined {
    return [...this.tabs.values()].find(({ terminal }) => terminal === vscode.window.activeTerminal);
  }

  private follow(): void {
    setContextKey('hookline.commandShown', this.active?.shown.isOver === false);
  }

  private create(shown: ShownCommand, stop: () => void): vscode.Terminal {
    const writing = new vscode.EventEmitter<string>();
    const screen = new CommandScreen(shown, stop, text => writing.fire(text));
    return vscode.window.createTerminal({
      name: clipped(singleLine(shown.command), TITLE_LENGTH),
      iconPath: new vscode.ThemeIcon('hubot'),
      isTransient: true,
      pty: {
        onDidWrite: writing.event,
        open: () => screen.open(),
        handleInput: (data: string) => screen.keys(data),
        close: () => {
          this.tabs.delete(shown.toolCallId);
          screen.dispose();
          writing.dispose();
          this.follow();
        },
      },
    });
  }
}
