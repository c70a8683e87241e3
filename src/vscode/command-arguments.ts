import type { ChatView } from './chat/chat-view';
import type { LogPanel } from './hook-log/log-panel';
import { targetIn, type HookTarget } from './hooks-view/hook-target';
import type { COMMANDS, CommandId } from './ids';
import type { Lazy } from './lazy';
import type { TreePanel } from './sessions/tree-panel';
import type { WindowUi } from './window/window-ui';
import type { HooklineWindow } from './window/window';

/** What commands act on. */
export interface CommandParts {
  readonly ui: WindowUi;
  readonly view: ChatView;
  readonly logPanel: LogPanel;
  readonly treePanel: TreePanel;
  readonly window: Lazy<HooklineWindow>;
}

export type GivenArguments = readonly unknown[];

/** Reads what VS Code passes. Menus pass things of their own (a resource, a view) where people pass nothing. */
export const READ = {
  nothing: (): [] => [],
  text: ([text]: GivenArguments): [text: string | undefined] => [textOf(text)],
  texts: ([first, second]: GivenArguments): [first: string | undefined, second: string | undefined] => [
    textOf(first),
    textOf(second),
  ],
  hook: ([target]: GivenArguments): [target: HookTarget | undefined] => [targetIn(target)],
  // A view passes nothing for a row that it has just redrawn: then the user is asked, and the hook in the editor
  // is not taken for the one they pointed at.
  hookOrEditor: (given: GivenArguments): [target: HookTarget | 'inEditor' | undefined] => [
    given.length === 0 ? 'inEditor' : targetIn(given[0]),
  ],
  anything: ([one, other]: GivenArguments): [one: unknown, other: unknown] => [one, other],
} satisfies { readonly [Kind in (typeof COMMANDS)[CommandId]['takes']]: (given: GivenArguments) => GivenArguments };

/** A handler for each command of the table, with the arguments that the table says. */
export type CommandHandlers = {
  readonly [Id in CommandId]: (...args: ReturnType<(typeof READ)[(typeof COMMANDS)[Id]['takes']]>) => unknown;
};

function textOf(argument: unknown): string | undefined {
  return typeof argument === 'string' ? argument : undefined;
}
