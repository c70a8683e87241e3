import type {
  Component,
  EditorOptions,
  EditorTheme,
  KeybindingsManager,
  MarkdownTheme,
  TUI,
} from '@mariozechner/pi-tui';
import { Container, Editor } from '@mariozechner/pi-tui';
import type { Theme } from './ui';

/** A line across the whole width. */
export declare class DynamicBorder implements Component {
  constructor(color?: (text: string) => string);
  render(width: number): string[];
  invalidate(): void;
}

/** A spinner with a text in a frame; Escape aborts `signal`. */
export declare class BorderedLoader extends Container {
  constructor(tui: TUI, theme: Theme, message: string, options?: { cancellable?: boolean });
  get signal(): AbortSignal;
  set onAbort(listener: (() => void) | undefined);
  handleInput(data: string): void;
  dispose(): void;
}

/** The input box, to be extended. */
export declare class CustomEditor extends Editor {
  constructor(tui: TUI, theme: EditorTheme, keybindings?: KeybindingsManager, options?: EditorOptions);
  readonly actionHandlers: Map<string, () => void>;
  onEscape?: () => void;
  onCtrlD?: () => void;
  onPasteImage?: () => void;
  onExtensionShortcut?: (data: string) => boolean;
  onAction(action: string, handler: () => void): void;
}

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly name?: string;
}

export declare class UserMessageComponent extends Container {
  constructor(text: string, theme?: MarkdownTheme);
}

export declare class AssistantMessageComponent extends Container {
  constructor(message?: { readonly content?: readonly Part[] }, hideThinking?: boolean, theme?: MarkdownTheme);
  updateContent(message: { readonly content?: readonly Part[] }): void;
  setHideThinkingBlock(hide: boolean): void;
}

export declare class ToolExecutionComponent extends Container {
  constructor(toolName: string, ...rest: unknown[]);
  updateArgs(args: unknown): void;
  updateResult(result: { readonly content?: readonly Part[]; readonly isError?: boolean }, isPartial?: boolean): void;
  setExpanded(expanded: boolean): void;
}

export declare class CustomMessageComponent extends Container {
  constructor(message: { readonly customType: string; readonly content: string | readonly Part[] });
  setExpanded(expanded: boolean): void;
}
