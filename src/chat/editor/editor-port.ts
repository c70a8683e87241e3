import type { DialogOrigin, NoticeLevel } from '../../hook-contract/ui/ui';
import type { GoOn, MissingFolder } from '../../session/ports/ports';
import type { ShownCommand } from './command-screen';
import type { EditorCommand } from '../../protocol/items/chat-item';

/** What a diff stands for: one call, or without `item` all that a session did to the file. Given back to refuse it. */
export interface DiffOrigin {
  readonly conversation: string;
  readonly session: string;
  readonly path: string;
  readonly item?: string;
}

/** A file before and now, for a diff of several files. */
export interface ComparedFile {
  /** Absolute. */
  readonly path: string;
  /** Its text before; undefined for a new file. */
  readonly before: string | undefined;
  /** Its path before, of a renamed file. */
  readonly was: string | undefined;
  /** There is no such file now. */
  readonly isGone: boolean;
}

/** A message of the session to choose. */
export interface MessageChoice {
  readonly entryId: string;
  readonly text: string;
}

/** A page, a list or a question of the editor that a command leads to. */
export type EditorTarget =
  'settings' | 'scopedModels' | 'keys' | 'changelog' | 'trust' | 'thinking' | 'closeConversation';

/** What a conversation asks of the editor around it. Nothing here may throw; a missing editor does nothing. */
export interface EditorPort {
  openFile(path: string, line?: number, column?: number): void;
  openLink(href: string): void;
  openText(text: string, language: string): void;
  /** Shows Mermaid source as a picture. */
  openDiagram(mermaid: string): void;
  /** Shows a plan, which is Markdown, as a preview. */
  openPlan(markdown: string): void;
  insertAtCursor(text: string): void;
  copy(text: string): void;
  /** Opens the editor's diff of a file with an earlier text; `now` is the text of a file that no longer exists. */
  showDiff(path: string, before: string, title: string, now?: string, shows?: DiffOrigin): void;
  /** Opens the editor's diff of several files with their earlier texts. */
  showDiffs(title: string, files: readonly ComparedFile[]): void;
  /** True when an editor holds text of the file that is not on disk. */
  isUnsaved(path: string): boolean;
  /** Asks in a modal dialog; false if the user declines. */
  confirm(question: string, detail: string, yes: string): Promise<boolean>;
  /** A message of a hook outside the chat. */
  notify(message: string, level: NoticeLevel, origin: DialogOrigin): void;
  /** Texts for the status bar, sorted by key. */
  setHookStatus(texts: readonly string[]): void;
  setTitle(title: string): void;
  /** Lets the user choose; resolves when done. */
  show(page: EditorTarget): void;
  /** `search` is typed in already. */
  pickModel(search?: string): void;
  /** `search` is typed in already. */
  pickSession(search?: string): void;
  /** Resolves with the chosen message; undefined when the user cancels. */
  pickMessage(messages: readonly MessageChoice[]): Promise<string | undefined>;
  /** Asks for a session file; resolves with its path, undefined when the user cancels. */
  pickSessionFile(): Promise<string | undefined>;
  /** Asks how to continue a session whose folder no longer exists; undefined if the user cancels. */
  askMissingFolder(missing: MissingFolder): Promise<GoOn | undefined>;
  /** Logs in to this provider, or to one that the user chooses. */
  logIn(provider?: string): void;
  /** Forgets the login of this provider, or of one that the user chooses. */
  logOut(provider?: string): void;
  /** Asks for format and target and exports the conversation's session. */
  exportSession(): void;
  /** Asks for a name of the conversation's session. */
  renameSession(): void;
  /** Draws the tree of the conversation's session. */
  showTree(): void;
  /** Shows the prompt of the open question: a pick, a box, or the editor tab with its text. */
  showQuestion(): void;
  /** Opens the diff of the write about which a question is, if it is the one that is open. */
  showWriteDiff(questionId: string): void;
  /** Shows which hooks there are and what became of them. */
  showHooks(): void;
  run(command: EditorCommand, hookPath?: string): void;
  /** Shows code as a change of a file that the user accepts or rejects; `path` as the model wrote it. */
  applyCode(code: string, language: string, path: string | undefined): void;
  /** Shows a file in the explorer. */
  revealFile(path: string): void;
  /** Puts a command into a terminal of the folder, without running it. */
  openTerminal(command: string): void;
  /** Shows the output of a command of a call in a terminal, where it can be stopped. */
  showCommand(command: ShownCommand, stop: () => void): void;
  /** The chat has the keyboard, or has it no more: its keys are in force or not. */
  chatFocused(focused: boolean): void;
  /** The page that the user went to last is in an editor tab, or is that of the side bar. */
  chatInTab(inTab: boolean): void;
  /**
   * Brings a page with this conversation to the front and gives it the focus: the user has called for something of a hook there.
   * False if the user works with another conversation now.
   */
  revealChat(conversation: string): boolean;
  /** Tells that a hook waits for the user in a conversation that no visible page shows, and offers to go there. */
  offerConversation(conversation: string, name?: string): void;
}
