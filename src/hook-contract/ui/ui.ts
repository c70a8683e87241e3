import type { AutocompleteProvider, Component, TUI } from '@mariozechner/pi-tui';
import type { Disposable } from '../../base/disposable';
import type { CallDetails } from '../approvals/asked-call';

/**
 * The hook that opens a dialog, and its subject: shown with the question, and used to close it when the run is aborted.
 */
export interface DialogOrigin {
  /** Absolute path of the hook's entry file. */
  readonly hookPath: string;
  /** Event whose handler asks, `command:<name>` or `load`. */
  readonly event: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  /** The input for the tool: the live object, so that a question shows the changes of earlier handlers. */
  readonly input?: Readonly<Record<string, unknown>>;
}

/**
 * Who asks a question. It decides how the question may come up, and what a prompt that opened by itself takes as an
 * answer: see `src/vscode/questions/prompt-rules.ts`.
 */
export type Asker =
  /** Hookline's own gate. `follows`: asks on, because of the user's answer to its last question about the same call. */
  | { readonly type: 'gate'; readonly follows?: true }
  /** A handler or tool of a hook whose result blocks or changes something, or is sent to the model. */
  | { readonly type: 'deciding' }
  /** A handler of a hook whose result changes nothing. */
  | { readonly type: 'listening' }
  /**
   * A command or shortcut that the user started. `actedAt`: when they started it or answered its last dialog, on the clock of
   * `performance.now()`.
   */
  | { readonly type: 'command'; readonly actedAt: number };

/** What an option does. `goesOn` decides nothing: a further question follows. */
export type OptionMeaning = 'allowOnce' | 'allowInSession' | 'allowAlways' | 'refuse' | 'goesOn';

/** What a question of the built-in gate is about, as data: front ends need not read its title. */
export type QuestionSubject =
  | {
      readonly type: 'call';
      readonly call: CallDetails;
      /** What the call changes in its file, as differences in cards are; absent for calls that change no file. */
      readonly diff?: string;
      /** What the user should know before they decide, besides the call itself; shown as text. */
      readonly remarks: readonly string[];
      /** The call comes from an agent that a hook started. */
      readonly isOfSubagent: boolean;
    }
  | { readonly type: 'plan'; readonly plan: string };

/** What a question asks for. */
export type DialogKind =
  | {
      readonly type: 'select';
      readonly options: readonly string[];
      /** What the options of Hookline's own questions mean, one for each option. Options of hooks have no known meaning. */
      readonly meanings?: readonly OptionMeaning[];
      /** The option of Hookline's own questions that allows nothing. It is active when the user opens the question. */
      readonly usual?: string;
      /** The option that means the same as a cancellation. */
      readonly cancels?: string;
    }
  | { readonly type: 'confirm' }
  | { readonly type: 'input'; readonly placeholder: string }
  | { readonly type: 'editor'; readonly prefill: string };

/** A question as a hook asks it. */
export interface HookQuestion {
  readonly title: string;
  /** Further text below the title. */
  readonly message: string;
  readonly dialog: DialogKind;
  readonly asker: Asker;
  readonly origin: DialogOrigin;
  /** Absent for questions of hooks, and for questions that follow another one about the same subject. */
  readonly subject?: QuestionSubject;
  /**
   * Where the hook of the origin does not ask for a call that is real: Hookline asks because that hook does not run, or the
   * hook is tried and nothing follows from the answer.
   */
  readonly instead?: 'missing-guard' | 'dry-run';
  /** One of the options refuses and then asks what to tell the model, so no separate denial with a message is offered. */
  readonly asksWhy?: true;
  /** Closes the question as cancelled. */
  readonly signal?: AbortSignal;
  /** Milliseconds after being shown until the question closes as cancelled. */
  readonly timeout?: number;
}

/** The user says no, and tells the model why or what to do instead; a blank text tells nothing. */
export interface Denial {
  readonly denied: string;
}

/** Nobody answered the built-in gate, because the question could not be asked or its answer could not be read. */
export interface Unanswered {
  /** Why, for the model. */
  readonly unanswered: string;
}

/** The user allows a call that writes a file once, with another text of the file. Only the built-in gate is answered so. */
export interface EditedText {
  /** The whole text, with a line feed at each line end and without a mark at its start. */
  readonly edited: string;
  /** The text of the file that the user compared it with, as `CallDiff` has it; null: there was none. */
  readonly over: string | null;
}

/** True or false for `confirm`, a text for the other kinds, undefined when the question was cancelled. */
export type Answer = string | boolean | Denial | Unanswered | EditedText | undefined;

/** A question that a handler asked, and the answer: undefined when it was cancelled. */
export interface DialogAnswer {
  readonly kind: 'select' | 'confirm' | 'input' | 'editor' | 'custom';
  readonly title: string;
  /** See `recordedAnswer`: secrets are not kept even here. */
  readonly answer: unknown;
}

export type NoticeLevel = 'info' | 'warning' | 'error';

/** What a hook mounts with `ctx.ui.custom`; the host gives it a terminal and keyboard focus. */
export interface CustomMount {
  readonly overlay: boolean;
  readonly overlayOptions?: unknown;
  /** What the user is waited for while it is open; empty where the hook says only that. */
  readonly blocked?: string;
  /** Builds the component for a terminal; may be async. `close` ends the mount with a value. */
  create(tui: TUI, close: (value: unknown) => void): Component | Promise<Component>;
  /**
   * Called with errors of the component while it is drawn or gets keys; the component stays. Absent: the user sees
   * them.
   */
  failed?(error: unknown): void;
}

export interface OverlayBounds {
  readonly row: number;
  readonly col: number;
  readonly width: number;
  readonly height: number;
}

/** A mounted component. `closed` resolves with the value given to `close`, or undefined when dismissed by the host. */
export interface CustomHandle {
  readonly closed: Promise<unknown>;
  close(value?: unknown): void;
  requestRender(): void;
  /** What pi's overlay handles can do beside; absent where nothing is shown. */
  setHidden?(hidden: boolean): void;
  isHidden?(): boolean;
  focus?(): void;
  /** Gives the keyboard back; `target`, a mounted component, gets it in place of what had it before. */
  unfocus?(target?: unknown): void;
  isFocused?(): boolean;
  /** Where an overlay was drawn last, in cells; undefined while it is not seen. */
  bounds?(): OverlayBounds | undefined;
}

/** What completes in the composer beside the usual: the factory of a hook. */
export interface CompletionSource {
  /** Gives the hook's provider, of whatever shape. `current` is what would be asked without it. May throw. */
  create(current: AutocompleteProvider): unknown;
  /** Runs code of the provider, so that its late calls find their conversation. */
  run<V>(code: () => V): V;
  /** Called if the provider throws, gives a wrong answer or none; the user sees it once. */
  failed(error: unknown): void;
}

/** Pictures shown in turn while the agent works. */
export interface WorkingFrames {
  readonly frames: readonly string[];
  readonly intervalMs: number;
}

export type WidgetPlacement = 'aboveEditor' | 'belowEditor';

/**
 * The port behind `ctx.ui`. One per conversation; the runtime builds each hook's own `ctx.ui` on
 * it, with that hook's dialect for cancel values and signatures. Dialogs are shown one at a time, later ones wait
 * their turn; `ask` never rejects. No method may throw for a closed or missing UI.
 */
export interface HookUIContext {
  ask(question: HookQuestion): Promise<Answer>;
  notify(message: string, level: NoticeLevel, origin: DialogOrigin): void;
  /** `text` arrives sanitised (one line, runs of blanks collapsed); undefined removes the key. */
  setStatus(key: string, text: string | undefined, origin: DialogOrigin): void;
  setWidget(
    key: string,
    content: readonly string[] | CustomMount | undefined,
    placement: WidgetPlacement,
    origin: DialogOrigin,
  ): void;
  setWorkingMessage(message: string | undefined): void;
  /** Shows or hides the row that says that the agent works. */
  setWorkingVisible(visible: boolean): void;
  /** Pictures of that row, without escape sequences; undefined brings the usual one back, an empty list shows none. */
  setWorkingIndicator(indicator: WorkingFrames | undefined): void;
  /** Name of folded thoughts; undefined brings the usual words back. */
  setHiddenThinkingLabel(label: string | undefined): void;
  setTitle(title: string): void;
  setEditorText(text: string): void;
  getEditorText(): string;
  pasteToEditor(text: string): void;
  custom(mount: CustomMount, origin: DialogOrigin): CustomHandle;
  setHeader(mount: CustomMount | undefined, origin: DialogOrigin): void;
  setFooter(mount: CustomMount | undefined, origin: DialogOrigin): void;
  getToolsExpanded(): boolean;
  setToolsExpanded(expanded: boolean): void;
  /** Replaces the input box by a component; undefined restores it. Absent: the UI has no such place. */
  setEditorComponent?(mount: CustomMount | undefined, origin: DialogOrigin): void;
  /** Extends what the composer completes, until disposed. Absent: nothing is completed. */
  addAutocompleteProvider?(source: CompletionSource): Disposable;
  /** Raw terminal input while the chat has focus; a listener that returns true keeps the key from the chat. */
  onTerminalInput?(listener: (data: string) => boolean, origin: DialogOrigin): Disposable;
}

const nothing = (): void => undefined;

/** Answers every dialog with its no-UI default at once. */
export const noUi: HookUIContext = {
  ask: () => Promise.resolve(undefined),
  notify: nothing,
  setStatus: nothing,
  setWidget: nothing,
  setWorkingMessage: nothing,
  setWorkingVisible: nothing,
  setWorkingIndicator: nothing,
  setHiddenThinkingLabel: nothing,
  setTitle: nothing,
  setEditorText: nothing,
  getEditorText: () => '',
  pasteToEditor: nothing,
  custom: () => ({ closed: Promise.resolve(undefined), close: nothing, requestRender: nothing }),
  setHeader: nothing,
  setFooter: nothing,
  getToolsExpanded: () => false,
  setToolsExpanded: nothing,
};
