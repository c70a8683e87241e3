import type { ChatEditors } from '../chat/chat-editors';
import type { ChatView } from '../chat/chat-view';
import type { LogPanel } from '../hook-log/log-panel';
import { targetIn, type HookTarget } from '../hooks-view/hook-target';
import type { COMMANDS, CommandId } from '../ids';
import type { Lazy } from '../lazy';
import type { TreePanel } from '../sessions/tree-panel';
import type { WindowUi } from '../window/window-ui';
import type { HooklineWindow } from '../window/window';

/** What commands act on. */
export interface CommandParts {
  readonly ui: WindowUi;
  readonly view: ChatView;
  readonly editors: ChatEditors;
  readonly logPanel: LogPanel;
  readonly treePanel: TreePanel;
  readonly window: Lazy<HooklineWindow>;
}

export type GivenArguments = readonly unknown[];

/**
 * Reads the arguments that VS Code passes to a command. The Command Palette passes none; menus pass their own objects,
 * such as a resource or a view, which a command that does not expect them must ignore.
 */
export const READ = {
  nothing: (): [] => [],
  text: ([text]: GivenArguments): [text: string | undefined] => [textOf(text)],
  texts: ([first, second]: GivenArguments): [first: string | undefined, second: string | undefined] => [
    textOf(first),
    textOf(second),
  ],
  hook: ([target]: GivenArguments): [target: HookTarget | undefined] => [targetIn(target)],
  // A view passes `undefined` for a row that it has just redrawn. Then the command asks for the hook: the hook in the
  // editor may not be the one that the user clicked.
  hookOrEditor: (given: GivenArguments): [target: HookTarget | 'inEditor' | undefined] => [
    given.length === 0 ? 'inEditor' : targetIn(given[0]),
  ],
  anything: ([one, other]: GivenArguments): [one: unknown, other: unknown] => [one, other],
} satisfies { readonly [Kind in (typeof COMMANDS)[CommandId]['takes']]: (given: GivenArguments) => GivenArguments };

/** A handler for each command in `COMMANDS`, with the arguments that its `takes` names. */
export type CommandHandlers = {
  readonly [Id in CommandId]: (...args: ReturnType<(typeof READ)[(typeof COMMANDS)[Id]['takes']]>) => unknown;
};

function textOf(argument: unknown): string | undefined {
  return typeof argument === 'string' ? argument : undefined;
}
