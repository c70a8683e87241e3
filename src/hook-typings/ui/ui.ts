import type {
  AutocompleteProvider,
  Component,
  EditorTheme,
  KeybindingsManager,
  OverlayHandle,
  OverlayOptions,
  TUI,
} from '@mariozechner/pi-tui';

/** Foreground colours. Any other name throws `Unknown theme color`. */
export type ThemeColor =
  | 'accent'
  | 'border'
  | 'borderAccent'
  | 'borderMuted'
  | 'success'
  | 'error'
  | 'warning'
  | 'muted'
  | 'dim'
  | 'text'
  | 'thinkingText'
  | 'userMessageText'
  | 'customMessageText'
  | 'customMessageLabel'
  | 'toolTitle'
  | 'toolOutput'
  | `md${'Heading' | 'Link' | 'LinkUrl' | 'Code' | 'CodeBlock' | 'CodeBlockBorder' | 'Quote' | 'QuoteBorder' | 'Hr' | 'ListBullet'}`
  | `toolDiff${'Added' | 'Removed' | 'Context'}`
  | `syntax${'Comment' | 'Keyword' | 'Function' | 'Variable' | 'String' | 'Number' | 'Type' | 'Operator' | 'Punctuation'}`
  | `thinking${'Off' | 'Minimal' | 'Low' | 'Medium' | 'High' | 'Xhigh' | 'Max'}`
  | 'bashMode'
  | 'scrollbarTrack'
  | 'scrollbarThumb'
  | 'searchMatchText';

/** Background colours. */
export type ThemeBg =
  | 'selectedBg'
  | 'userMessageBg'
  | 'customMessageBg'
  | 'toolPendingBg'
  | 'toolSuccessBg'
  | 'toolErrorBg'
  | 'searchMatchBg';

/** A concrete colour. */
export type Color =
  | { readonly kind: 'rgb'; readonly r: number; readonly g: number; readonly b: number }
  | { readonly kind: 'indexed'; readonly index: number }
  | { readonly kind: 'oklch'; readonly l: number; readonly c: number; readonly h: number };

/** Second argument of `theme.style`. */
export interface ThemeStyle {
  fg?: ThemeColor | Color;
  bg?: ThemeBg | Color;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
  inverse?: boolean;
  strikethrough?: boolean;
}

type Symbols<Names extends string> = { readonly [N in Names]: string };

/** Colours and signs, as terminal escapes; the panel turns them into VS Code's own colours. Read it again when you draw. */
export interface Theme {
  readonly name: string;
  /** Text in a foreground colour. */
  fg(color: ThemeColor, text: string): string;
  /** Text on a background colour. */
  bg(color: ThemeBg, text: string): string;
  bold(text: string): string;
  dim(text: string): string;
  italic(text: string): string;
  underline(text: string): string;
  inverse(text: string): string;
  strikethrough(text: string): string;
  /** The escape that switches the colour on, without a text. */
  getFgAnsi(color: ThemeColor): string;
  getBgAnsi(color: ThemeBg): string;
  getColorMode(): 'truecolor' | '256color';
  /** A text in several colours and marks at once. pi. */
  style(text: string, options: ThemeStyle): string;
  /** All colours, to be mixed or used in the other place. pi. */
  readonly colors: Readonly<Record<ThemeColor | ThemeBg, Color>>;
  /** What background it is made for. pi. */
  readonly appearance: 'dark' | 'light';
  getThinkingBorderColor(level: string): (text: string) => string;
  getBashModeBorderColor(): (text: string) => string;
  /** oh-my-pi's signs. */
  readonly status: Symbols<'success' | 'error' | 'warning' | 'info' | 'pending' | 'running' | 'aborted'>;
  readonly nav: Symbols<'cursor' | 'selected' | 'expand' | 'collapse' | 'back'>;
  readonly tree: Symbols<'branch' | 'last' | 'vertical' | 'horizontal' | 'hook'>;
  readonly checkbox: Symbols<'checked' | 'unchecked'>;
  readonly format: Symbols<'bullet' | 'dash'>;
  readonly sep: Symbols<'dot' | 'slash' | 'pipe'>;
}

/** Names of keys, for hints in what you draw. pi. */
export interface KeybindingHints {
  /** Keys of a binding such as `tui.select.confirm`; empty where there is none. */
  keyText(keybinding: string): string;
  /** The keys, and what they do. */
  keyHint(keybinding: string, description: string): string;
}

/** Last argument of `select`, `confirm`, `input` and `editor`. */
export interface DialogOptions {
  /** Closes the dialog as cancelled. */
  signal?: AbortSignal;
  /** ms until the dialog closes as cancelled. */
  timeout?: number;
}

/** Second argument of `ctx.ui.custom`. */
export interface CustomOptions {
  /** Draw over the chat instead of below it. */
  overlay?: boolean;
  overlayOptions?: OverlayOptions | (() => OverlayOptions);
  onHandle?: (handle: OverlayHandle) => void;
  /** The agent waits for the user: the row of the working agent says so, and for what. pi. */
  blocked?: { kind: 'question' | 'permission' | 'auth'; message: string };
}

/** What `ctx.ui.custom(component)` gives at once (tree). */
export interface CustomHandle {
  close(): void;
  requestRender(): void;
}

/** Third argument of footer factories. */
export interface FooterData {
  getGitBranch(): string | null;
  /** Texts of `setStatus`, by key. */
  getExtensionStatuses(): ReadonlyMap<string, string>;
  getAvailableProviderCount(): number;
  onBranchChange(callback: () => void): () => void;
}

/** A component that may hold timers and the like; `dispose` is called when it goes. */
export type OwnedComponent = Component & { dispose?(): void };

type Made = OwnedComponent | Promise<OwnedComponent>;
type Done<T> = (result: T) => void;

/** `(tui, theme, done)`: tree, omp. */
export type CustomFactory<T> = (tui: TUI, theme: Theme, done: Done<T>) => Made;
/** `(tui, theme, keybindings, done)`: ext. */
export type CustomFactoryWithKeys<T> = (tui: TUI, theme: Theme, keybindings: KeybindingsManager, done: Done<T>) => Made;

/** The dialogs. Opened from several handlers at once they wait for each other; a handler's clock stands still meanwhile. */
export interface Dialogs<Cancelled> {
  /**
   * Asks the user to pick one of `options`.
   *
   * Resolves with the text of the option. **Cancelled or no UI:** `null` in v1, v2 and tree, `undefined` in omp and ext.
   */
  select(title: string, options: readonly string[], dialog?: DialogOptions): Promise<string | Cancelled>;
  /** Asks yes or no. **Cancelled or no UI:** `false`. */
  confirm(title: string, message?: string, dialog?: DialogOptions): Promise<boolean>;
  /** Asks for a line of text. **Cancelled or no UI:** `null` in v1, v2 and tree, `undefined` in omp and ext. */
  input(title: string, placeholder?: string, dialog?: DialogOptions): Promise<string | Cancelled>;
  /** Asks for a longer text in an editor. Cancel values as in `select`. omp, ext. */
  editor(title: string, prefill?: string, dialog?: DialogOptions): Promise<string | Cancelled>;
}

/** Pictures shown in turn while the agent works; `intervalMs` is the time of one, 80 when absent. pi. */
export interface WorkingIndicatorOptions {
  frames?: string[];
  intervalMs?: number;
}

/** What a hook can leave in the UI. It goes when the hook's load goes. Without UI all of these do nothing. */
export interface Marks {
  /** Shows a notice; any other type counts as `info`. All dialects. */
  notify(message: string, type?: 'info' | 'warning' | 'error' | 'success'): void;
  /**
   * A text in the status line; `undefined` removes it. Sorted by key; line breaks and tabs become blanks. omp, ext.
   */
  setStatus(key: string, text: string | undefined): void;
  /** Lines, or a component, above or below the input box; `undefined` removes it. ext. */
  setWidget(
    key: string,
    content: readonly string[] | ((tui: TUI, theme: Theme) => OwnedComponent) | undefined,
    options?: { placement?: 'aboveEditor' | 'belowEditor' },
  ): void;
  /** Shown while the agent works; no argument brings the usual text back. ext. */
  setWorkingMessage(message?: string): void;
  /** Shows or hides the row that says that the agent works. ext, pi. */
  setWorkingVisible(visible: boolean): void;
  /** Pictures of that row in turn; an empty list shows none, no argument brings the usual one back. ext, pi. */
  setWorkingIndicator(options?: WorkingIndicatorOptions): void;
  /** Name of folded thoughts; no argument brings the usual words back. ext, pi. */
  setHiddenThinkingLabel(label?: string): void;
  /** Title of the view. ext. */
  setTitle(title: string): void;
  setHeader(factory: ((tui: TUI, theme: Theme) => OwnedComponent) | undefined): void;
  setFooter(factory: ((tui: TUI, theme: Theme, footerData: FooterData) => OwnedComponent) | undefined): void;
}

/** The input box, the theme, and raw keys. */
export interface Surroundings {
  /** Replaces what is in the input box. omp, ext. */
  setEditorText(text: string): void;
  /** What is in the input box; `''` without UI. omp, ext. */
  getEditorText(): string;
  /** Inserts at the cursor of the input box. ext. */
  pasteToEditor(text: string): void;
  /** Puts a component in the place of the input box. ext. */
  setEditorComponent(
    factory: ((tui: TUI, theme: EditorTheme, keybindings: KeybindingsManager) => OwnedComponent) | undefined,
  ): void;
  /** The factory in the place of the input box, whichever hook gave it; `undefined` for the usual one. ext, pi. */
  getEditorComponent(): ((tui: TUI, theme: EditorTheme, keybindings: KeybindingsManager) => OwnedComponent) | undefined;
  /**
   * Extends what the composer completes: the factory gets the provider that is there and gives one in front of it. It goes
   * with the load, and with the session. ext, pi.
   */
  addAutocompleteProvider(factory: (current: AutocompleteProvider) => AutocompleteProvider): void;
  /** Raw terminal input while the chat has focus; `{ consume: true }` keeps a key from the chat. ext. */
  onTerminalInput(listener: (data: string) => { consume?: boolean } | boolean | undefined): () => void;
  readonly theme: Theme;
  getAllThemes(): { name: string; path: string | undefined }[];
  getTheme(name: string): Theme | undefined;
  setTheme(theme: string | Theme): { success: boolean; error?: string };
  getToolsExpanded(): boolean;
  setToolsExpanded(expanded: boolean): void;
}

/** `ctx.ui` of v1, v2 and tree, with what came after. Test dialogs with `!choice`: nothing chosen is `null` or `undefined`. */
export interface HookUIContext<Cancelled = null | undefined> extends Dialogs<Cancelled>, Marks, Surroundings {
  /**
   * Gives a component of pi-tui the keyboard. The factory's `done` ends it and is what the promise resolves with;
   * `undefined` when it was dismissed or there is no UI. tree, omp.
   */
  custom<T = unknown>(factory: CustomFactory<T>, options?: CustomOptions): Promise<T | undefined>;
  // eslint-disable-next-line @typescript-eslint/unified-signatures -- of a union, the parameters would not be inferred
  custom<T = unknown>(factory: CustomFactoryWithKeys<T>, options?: CustomOptions): Promise<T | undefined>;
  /** The form of tree: shows the component at once; `done` is called once it is gone. */
  custom(component: OwnedComponent, done?: () => void): CustomHandle;
}

/** `ctx.ui` of ext. */
export interface ExtensionUIContext extends Dialogs<undefined>, Marks, Surroundings {
  /**
   * Gives a component of pi-tui the keyboard. The factory's `done` ends it and is what the promise resolves with;
   * `undefined` when it was dismissed or there is no UI: let `T` say so, or look at `ctx.hasUI` and `ctx.mode` first.
   */
  custom<T = unknown>(factory: CustomFactoryWithKeys<T>, options?: CustomOptions): Promise<T>;
}
