import { basename, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import { defined } from '../../base/defined';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import { singleLine } from '../../base/text/single-line';
import { hideSecrets } from '../../base/text/redact';
import { visibleText } from '../../base/text/visible-text';
import type { ShownCommand } from '../../chat/editor/command-screen';
import type { ComparedFile, DiffOrigin, EditorTarget, EditorPort, MessageChoice } from '../../chat/editor/editor-port';
import type { GoOn, MissingFolder } from '../../session/ports/ports';
import { hookRef } from '../../transcript/hook-ref';
import type { DialogOrigin, NoticeLevel } from '../../hook-contract/ui/ui';
import type { EditorCommand } from '../../protocol/items/chat-item';
import type { Proposals } from './proposals';
import type { HookTarget } from '../hooks-view/hook-target';
import { setContextKey } from '../context-keys';
import { EXTENSION_ID, type CommandId } from '../ids';
import type { CommandTerminals } from './command-terminal';
import { showPage, type PageFiles } from './editor-pages';
import { readLink } from './links';
import { literalMessage } from '../message-text';
import { pickGoOn } from './missing-folder-pick';
import type { TextDocuments } from '../text-documents';

/** Parts of the window that the editor port uses. */
export interface EditorParts {
  readonly log: Log;
  readonly texts: TextDocuments;
  readonly proposals: Proposals;
  readonly commandTerminals: CommandTerminals;
  /** Absolute path of the folder that relative links start from; undefined when none is open. */
  readonly folder: () => string | undefined;
  readonly setTitle: (title: string) => void;
  readonly setHookStatus: (texts: readonly string[]) => void;
  /** Goes to a conversation, wherever it is shown. */
  readonly revealChat: (conversation: string) => void;
  /** Whether a conversation is visible. */
  readonly isSeen: (conversation: string) => Promise<boolean>;
  readonly run: (command: CommandId, argument?: string | HookTarget) => void;
  readonly files: PageFiles;
  /** Takes the right to write to the session from another window. */
  readonly takeOverSession: () => Promise<unknown>;
}

/** What conversations can do in VS Code. Failures are logged and shown to the user; void methods never throw. */
export class VsCodeEditor implements EditorPort {
  constructor(private readonly parts: EditorParts) {}

  revealChat(conversation: string): boolean {
    this.parts.revealChat(conversation);
    return true;
  }

  offerConversation(conversation: string, name?: string): void {
    const { isSeen, revealChat } = this.parts;
    const show = vscode.l10n.t('Show');
    const text =
      name === undefined
        ? vscode.l10n.t('A hook is waiting for your answer.')
        : vscode.l10n.t('A hook is waiting for your answer in “{0}”.', name);
    const offer = async (): Promise<void> => {
      // Its page may only just be loading.
      if (await isSeen(conversation)) return;
      if ((await vscode.window.showInformationMessage(literalMessage(text), show)) === show) revealChat(conversation);
    };
    this.attempt(offer(), text);
  }

  openFile(path: string, line?: number, column?: number): void {
    const { folder } = this.parts;
    const file = isAbsolute(path) ? path : join(folder() ?? '', path);
    const at =
      line === undefined ? undefined : new vscode.Position(Math.max(0, line - 1), Math.max(0, (column ?? 1) - 1));
    const selection = at === undefined ? {} : { selection: new vscode.Range(at, at) };
    this.attempt(
      vscode.commands.executeCommand('vscode.open', vscode.Uri.file(file), { preview: true, ...selection }),
      vscode.l10n.t('{0} could not be opened', file),
    );
  }

  openLink(href: string): void {
    const link = readLink(href);
    if (link.type === 'file') this.openFile(link.path, link.line, link.column);
    else if (link.type === 'web') this.attempt(vscode.env.openExternal(vscode.Uri.parse(link.href, true)), link.href);
    else void vscode.window.showWarningMessage(vscode.l10n.t('Links of the kind "{0}" are not opened.', link.scheme));
  }

  openText(text: string, language: string): void {
    const open = async (): Promise<void> => {
      const known = await vscode.languages.getLanguages();
      const id = [language, ALIASES[language] ?? ''].find(name => known.includes(name)) ?? 'plaintext';
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: text, language: id }));
    };
    this.attempt(open(), vscode.l10n.t('The text could not be opened'));
  }

  chatFocused(focused: boolean): void {
    setContextKey('hookline.chatFocused', focused);
  }

  chatInTab(inTab: boolean): void {
    setContextKey('hookline.chatInTab', inTab);
  }

  openDiagram(mermaid: string): void {
    this.preview(asMarkdown(mermaid), vscode.l10n.t('Diagram.md'));
  }

  openPlan(markdown: string): void {
    this.preview(markdown, vscode.l10n.t('Plan.md'));
  }

  insertAtCursor(text: string): void {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t('There is no open editor to insert into. Open a file and put the cursor where the code belongs.'),
      );
      return;
    }
    const edit = editor.edit(builder => {
      for (const selection of editor.selections) builder.replace(selection, text);
    });
    this.attempt(
      Promise.resolve(edit).then(done => {
        if (!done) throw new Error(vscode.l10n.t('the file is read-only or was closed'));
      }),
      vscode.l10n.t('Nothing was inserted into {0}', basename(editor.document.fileName)),
    );
  }

  copy(text: string): void {
    this.attempt(vscode.env.clipboard.writeText(hideSecrets(text)), vscode.l10n.t('The text could not be copied'));
  }

  showDiff(path: string, before: string, title: string, now?: string, shows?: DiffOrigin): void {
    const { texts, proposals } = this.parts;
    const left = texts.add(before, basename(path));
    if (shows !== undefined) proposals.remember(left, shows);
    const right = now === undefined ? vscode.Uri.file(path) : texts.add(now, basename(path));
    this.attempt(
      vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true }),
      vscode.l10n.t('The changes of {0} could not be shown', path),
    );
  }

  showDiffs(title: string, files: readonly ComparedFile[]): void {
    const rows = files.map(({ path, before, was, isGone }) => {
      const file = vscode.Uri.file(path);
      const original =
        before === undefined ? undefined : this.parts.texts.addEarlier(before, vscode.Uri.file(was ?? path));
      return [file, original, isGone ? undefined : file];
    });
    this.attempt(
      vscode.commands.executeCommand('vscode.changes', title, rows),
      vscode.l10n.t('The changes could not be shown'),
    );
  }

  applyCode(code: string, language: string, path: string | undefined): void {
    const { proposals, folder } = this.parts;
    this.attempt(proposals.show({ code, language, path }, folder()), vscode.l10n.t('The code could not be applied'));
  }

  revealFile(path: string): void {
    this.attempt(
      vscode.commands.executeCommand('revealInExplorer', vscode.Uri.file(path)),
      vscode.l10n.t('{0} could not be shown in the Explorer', path),
    );
  }

  /**
   * Puts the command into the terminal without running it. A command with several lines is copied to the clipboard
   * instead, because the terminal would run each line but the last at once.
   */
  openTerminal(command: string): void {
    const cwd = this.parts.folder();
    const terminal =
      vscode.window.terminals.find(({ name, exitStatus }) => name === 'Hookline' && exitStatus === undefined) ??
      vscode.window.createTerminal({ name: 'Hookline', ...defined({ cwd }) });
    terminal.show();
    // eslint-disable-next-line no-control-regex -- control characters are keys to a terminal
    if (!/[\u0000-\u001f\u007f]/.test(command)) {
      terminal.sendText(command, false);
      return;
    }
    this.copy(command);
    void vscode.window.showInformationMessage(
      vscode.l10n.t('The command has several lines. It is in the clipboard: paste it into the terminal.'),
    );
  }

  showCommand(command: ShownCommand, stop: () => void): void {
    this.parts.commandTerminals.show(command, stop);
  }

  isUnsaved(path: string): boolean {
    return vscode.workspace.textDocuments.some(({ uri, isDirty }) => isDirty && uri.fsPath === path);
  }

  async confirm(question: string, detail: string, yes: string): Promise<boolean> {
    return (
      (await vscode.window.showWarningMessage(
        visibleText(question),
        { modal: true, detail: visibleText(detail) },
        yes,
      )) === yes
    );
  }

  notify(message: string, level: NoticeLevel, origin: DialogOrigin): void {
    const text = literalMessage(`${hookRef(origin.hookPath).name}: ${message}`);
    if (level === 'error') void vscode.window.showErrorMessage(text);
    else if (level === 'warning') void vscode.window.showWarningMessage(text);
    else void vscode.window.showInformationMessage(text);
  }

  setHookStatus(texts: readonly string[]): void {
    this.parts.setHookStatus(texts);
  }

  setTitle(title: string): void {
    this.parts.setTitle(title);
  }

  pickModel(search?: string): void {
    this.parts.run('hookline.chooseModel', search);
  }

  logIn(provider?: string): void {
    this.parts.run('hookline.logIn', provider);
  }

  logOut(provider?: string): void {
    this.parts.run('hookline.logOut', provider);
  }

  async pickMessage(messages: readonly MessageChoice[]): Promise<string | undefined> {
    const items = messages.map(({ entryId, text }) => ({ label: visibleText(singleLine(text)), entryId }));
    const chosen = await vscode.window.showQuickPick(items.reverse(), {
      title: vscode.l10n.t('Start a new session from a message'),
      placeHolder: vscode.l10n.t('Copies the session up to before this message, and puts its text into the composer'),
    });
    return chosen?.entryId;
  }

  async pickSessionFile(): Promise<string | undefined> {
    const [file] =
      (await vscode.window.showOpenDialog({
        title: vscode.l10n.t('Import a session'),
        filters: { [vscode.l10n.t('Sessions')]: ['jsonl'] },
      })) ?? [];
    return file?.fsPath;
  }

  askMissingFolder(missing: MissingFolder): Promise<GoOn | undefined> {
    return pickGoOn(missing);
  }

  show(page: EditorTarget): void {
    const { run, files } = this.parts;
    this.attempt(showPage(page, files, run), vscode.l10n.t('The page could not be opened'));
  }

  showHooks(): void {
    this.parts.run('hookline.showHooks');
  }

  showQuestion(): void {
    this.parts.run('hookline.answerQuestion');
  }

  showWriteDiff(questionId: string): void {
    this.parts.run('hookline.reviewWrite', questionId);
  }

  exportSession(): void {
    this.parts.run('hookline.exportSession');
  }

  renameSession(): void {
    this.parts.run('hookline.renameSession');
  }

  showTree(): void {
    this.parts.run('hookline.showSessionTree');
  }

  pickSession(search?: string): void {
    this.parts.run('hookline.resumeSession', search);
  }

  run(command: EditorCommand, hookPath?: string): void {
    const { parts } = this;
    const hook = hookPath === undefined ? undefined : { hookPath };
    switch (command) {
      case 'setApiKey':
        parts.run('hookline.setApiKey');
        return;
      case 'pickModel':
        parts.run('hookline.chooseModel');
        return;
      case 'trustWorkspace':
        parts.run('hookline.manageTrust');
        return;
      case 'chooseFolder':
        parts.run('hookline.chooseFolder');
        break;
      case 'decideTrust':
        parts.run('hookline.decideTrust');
        return;
      case 'openFolder':
        parts.run('hookline.openFolder');
        return;
      case 'compareHook':
        parts.run('hookline.compareHook', hook);
        return;
      case 'approveHook':
        parts.run('hookline.approveHook', hook);
        return;
      case 'rejectHook':
        parts.run('hookline.rejectHook', hook);
        return;
      case 'reviewHeldFiles':
        parts.run('hookline.reviewHeldFiles');
        return;
      case 'reviewUnfinishedWrites':
        parts.run('hookline.reviewUnfinishedWrites');
        return;
      case 'runHookAgain':
        parts.run('hookline.runHookAgain', hook);
        return;
      case 'showHooks':
        parts.run('hookline.showHooks');
        return;
      case 'getStarted':
        parts.run('hookline.getStarted');
        return;
      case 'showLog':
        parts.run('hookline.showLog');
        return;
      case 'logIn':
        this.logIn();
        return;
      case 'openSettings':
        void vscode.commands.executeCommand('workbench.action.openSettings', `@ext:${EXTENSION_ID}`);
        return;
      case 'takeOverSession':
        this.attempt(parts.takeOverSession(), vscode.l10n.t('Could not take over the session'));
        return;
    }
  }

  /** Shows Markdown, which is in no file, as VS Code renders it. `name` is the title of the tab. */
  private preview(markdown: string, name: string): void {
    this.attempt(
      vscode.commands.executeCommand('markdown.showPreview', this.parts.texts.add(markdown, name)),
      vscode.l10n.t('{0} could not be opened', name),
    );
  }

  private attempt(work: Thenable<unknown>, failure: string): void {
    work.then(undefined, (error: unknown) => {
      this.parts.log.error(`${failure}: ${messageOf(error)}`, error);
      void vscode.window.showErrorMessage(literalMessage(`${failure}: ${messageOf(error)}`));
    });
  }
}

/** Language names that models write after a code fence, where VS Code's language id differs. */
const ALIASES: Readonly<Record<string, string>> = {
  bash: 'shellscript',
  'c++': 'cpp',
  'c#': 'csharp',
  docker: 'dockerfile',
  golang: 'go',
  js: 'javascript',
  jsx: 'javascriptreact',
  md: 'markdown',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'shellscript',
  shell: 'shellscript',
  text: 'plaintext',
  ts: 'typescript',
  tsx: 'typescriptreact',
  yml: 'yaml',
  zsh: 'shellscript',
};

/**
 * Shows Mermaid source as a picture in VS Code's own markdown preview. A preview that does not support Mermaid (an older
 * VS Code without an extension for it) shows the source.
 */
/** Wraps the source in a fence that is longer than any inside of it, so that the source cannot close it. */
function asMarkdown(mermaid: string): string {
  const longest = Math.max(2, ...[...mermaid.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}mermaid\n${mermaid}\n${fence}\n`;
}
