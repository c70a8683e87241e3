import { posix } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, toDisposable, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { Log } from '../../base/log';
import type { Question, SharedText } from '../../session/ports/dialogs';
import { AnswerFiles } from './answer-files';
import type { OpenPrompt, PromptEvents } from './open-prompt';
import { ANSWER_SCHEME } from '../ids';
import { toVsCodeEvent } from './vscode-event';
import { headingOf } from './question-words';
import { questionText } from './question-text';

interface OpenAnswer {
  readonly uri: vscode.Uri;
  readonly question: Question;
  readonly text: SharedText;
  readonly events: EditorEvents;
}

type EditorEvents = Pick<PromptEvents, 'answered' | 'hidden'>;

/**
 * Lets the user answer `ui.editor` questions in an editor tab. A line above the text says which hook asks and has Accept
 * and Cancel, which are also buttons in the tab's title. While the tab is open, it has the text of the answer. When its last
 * tab is closed, the text returns to the card, and the question stays open.
 */
export class AnswerEditor implements Disposable, vscode.CodeLensProvider {
  private readonly files = new AnswerFiles();
  private readonly store = new DisposableStore();
  private readonly lensEmitter = this.store.add(new Emitter<void>());
  readonly onDidChangeCodeLenses = toVsCodeEvent(this.lensEmitter.event);
  private open: OpenAnswer | undefined;
  private count = 0;

  constructor(private readonly log: Log) {
    const selector = { scheme: ANSWER_SCHEME };
    this.store.add(vscode.workspace.registerFileSystemProvider(ANSWER_SCHEME, this.files, { isCaseSensitive: true }));
    this.store.add(vscode.languages.registerCodeLensProvider(selector, this));
    this.store.add(
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        const { open } = this;
        if (open === undefined) return;
        const isOpen = (uri: vscode.Uri): boolean => isSame(uri, open.uri);
        // The text has several tabs in a split editor, and for a moment when it moves to another group.
        if (closed.some(tab => shows(tab, isOpen)) && tabsOf(isOpen).length === 0) this.tabClosed(open);
      }),
    );
    this.store.add(
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        const { open } = this;
        if (open !== undefined && isSame(document.uri, open.uri)) open.text.note(document.getText(), titleOf(open.uri));
      }),
    );
  }

  /**
   * Opens the tab with the text typed so far, or with `prefill` when nothing was typed. For a question that has a tab already,
   * brings it to the front.
   */
  prompt(
    question: Question,
    { text, prefill }: { readonly text: SharedText; readonly prefill: string },
    events: EditorEvents,
  ): OpenPrompt {
    const uri = this.open?.question === question ? this.open.uri : this.newFile(question, text.current ?? prefill);
    const open: OpenAnswer = { uri, question, text, events };
    this.open = open;
    text.note(text.current ?? prefill, titleOf(uri));
    const shown = vscode.window.showTextDocument(uri, { preview: false }).then(
      () => undefined,
      () => this.tabClosed(open),
    );
    this.lensEmitter.fire();
    const closing = toDisposable(() => {
      if (this.open !== open) return;
      this.open = undefined;
      // A tab that is still opening cannot be closed yet.
      this.track(shown.then(() => this.close(uri)));
    });
    return { isSeen: true, dispose: () => closing.dispose() };
  }

  /** Answers the question with the text in the tab. */
  accept(): void {
    const { open } = this;
    if (open === undefined) return;
    const document = findDocument(open.uri);
    if (document !== undefined) open.events.answered(document.getText());
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const { open } = this;
    if (open === undefined || !isSame(open.uri, document.uri)) return [];
    const top = new vscode.Range(0, 0, 0, 0);
    const heading = `${headingOf(open.question)}: ${questionText(open.question).line}`;
    return [
      new vscode.CodeLens(top, { title: heading, command: '' }),
      new vscode.CodeLens(top, { title: `$(check) ${vscode.l10n.t('Submit')}`, command: 'hookline.acceptAnswer' }),
      new vscode.CodeLens(top, { title: `$(close) ${vscode.l10n.t('Cancel')}`, command: 'hookline.discardAnswer' }),
    ];
  }

  dispose(): void {
    this.open = undefined;
    this.store.dispose();
  }

  /** Each tab has a file of its own, because VS Code keeps the text of a closed one for a while. */
  private newFile(question: Question, text: string): vscode.Uri {
    this.count += 1;
    const path = `/${question.hook.name}/${fileName(question)}`;
    const uri = vscode.Uri.from({ scheme: ANSWER_SCHEME, path, query: String(this.count) });
    this.files.add(uri, text);
    return uri;
  }

  private tabClosed(open: OpenAnswer): void {
    if (this.open !== open) return;
    this.open = undefined;
    this.files.delete(open.uri);
    const { current } = open.text;
    if (current !== undefined) open.text.note(current);
    open.events.hidden();
  }

  /** Saves the text first (only in memory), because VS Code asks before it closes a tab with changes. */
  private async close(uri: vscode.Uri): Promise<void> {
    const document = findDocument(uri);
    if (document?.isDirty === true) await document.save();
    await closeTabs(other => isSame(other, uri));
    this.files.delete(uri);
  }

  private track(closing: Thenable<void>): void {
    closing.then(undefined, (error: unknown) =>
      this.log.error(`The tab of an answer could not be closed: ${messageOf(error)}`, error),
    );
  }
}

function fileName(question: Question): string {
  const words = question.title
    .replace(/[^\p{L}\p{N} _-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 40)
    .trim();
  return `${words === '' ? question.hook.name : words}.md`;
}

function titleOf({ path }: vscode.Uri): string {
  return posix.basename(path);
}

function findDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(document => isSame(document.uri, uri));
}

function isSame(one: vscode.Uri, other: vscode.Uri): boolean {
  return one.toString() === other.toString();
}

function shows(tab: vscode.Tab, matches: (uri: vscode.Uri) => boolean): boolean {
  return tab.input instanceof vscode.TabInputText && matches(tab.input.uri);
}

function tabsOf(matches: (uri: vscode.Uri) => boolean): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(group => group.tabs).filter(tab => shows(tab, matches));
}

async function closeTabs(matches: (uri: vscode.Uri) => boolean): Promise<void> {
  const tabs = tabsOf(matches);
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
}
