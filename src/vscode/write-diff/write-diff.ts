import { basename } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable';
import type * as TextForm from '../../agent/tools/files/editing/call-for-text';
import type { CallDiff } from '../../agent/tools/files/editing/call-diff';
import type { CallDetails } from '../../hook-contract/approvals/asked-call';
import type { EditedText } from '../../hook-contract/ui/ui';
import type * as Planning from '../../session/approvals/edited-call';
import { WRITE_SCHEME } from '../ids';
import type { AnswerFiles } from '../questions/answer-files';
import type { DiffOpening } from '../questions/write-review';
import { showFailure } from '../show-failure';
import { DiskTexts } from './disk-texts';
import { approvalOf, type TextChange } from './reviewed-text';

export interface WriteDiffParts {
  /** The right sides. */
  readonly files: AnswerFiles;
  /** The left sides. */
  readonly disk: DiskTexts;
  /** The user approved; `edited`: with another text than that of the call. */
  readonly allowed: (edited: EditedText | undefined) => void;
  readonly refused: () => void;
}

/** Loaded with the first diff: the matcher of the file tools is too much for the start of a window. */
const planning = (): Promise<typeof Planning> => import('../../session/approvals/edited-call');
const textForm = (): Promise<typeof TextForm> => import('../../agent/tools/files/editing/call-for-text');

/** The diff of one call. Its right side keeps what the user typed, also while its tab is closed. */
export class WriteDiff {
  private readonly store = new DisposableStore();
  private readonly right: vscode.Uri;
  private readonly left: vscode.Uri;
  private readonly path: string;
  /** What the diff shows; undefined until it was opened. */
  private shown: TextChange | undefined;
  private isOver = false;

  constructor(
    private readonly call: CallDetails,
    id: string,
    private readonly parts: WriteDiffParts,
  ) {
    this.path = call.file?.real ?? '';
    this.left = DiskTexts.uriOf(this.path);
    this.right = vscode.Uri.from({ scheme: WRITE_SCHEME, path: `/${basename(this.path)}`, query: id });
  }

  isIn({ modified }: vscode.TabInputTextDiff): boolean {
    return modified.toString() === this.right.toString();
  }

  /** Opens the diff, or brings it to the front. False if the texts cannot be compared, or the question is over. */
  async show({ keepsFocus }: DiffOpening): Promise<boolean> {
    if (this.shown === undefined) {
      const change = await this.plan();
      if (this.isOver || change?.type !== 'change') return false;
      this.begin(change);
    }
    const title = vscode.l10n.t('{0} (current ↔ proposed)', basename(this.path));
    const options = { preview: false, preserveFocus: keepsFocus };
    await vscode.commands.executeCommand('vscode.diff', this.left, this.right, title, options);
    // The question may be over by now, and its tab could not be closed before.
    if (this.isOver) await this.closeTabs();
    return true;
  }

  /** Allows the call with the text that the right side has now, or tells the user why not. */
  async approve(): Promise<void> {
    const { shown } = this;
    if (shown === undefined) return;
    const { editorText } = await textForm();
    const document = await vscode.workspace.openTextDocument(this.right);
    const now = await this.plan();
    if (this.isOver) return;
    const name = basename(this.path);
    const approval = approvalOf(this.call, { text: editorText(document.getText()), shown }, now, editorText);
    switch (approval.type) {
      case 'asItIs':
        this.parts.allowed(undefined);
        return;
      case 'edited':
        this.parts.allowed({ edited: approval.text, over: shown.before });
        return;
      case 'moved':
        await this.take(approval.now);
        warn(vscode.l10n.t('{0} was changed, and nothing was written. Look at the diff, and approve it again.', name));
        return;
      case 'misfit':
        warn(vscode.l10n.t('This change no longer fits {0}. Nothing was written.', name));
        return;
      case 'unchanged':
        warn(
          vscode.l10n.t('Your text is {0} as it is, so there is nothing to write. You can reject the change.', name),
        );
    }
  }

  reject(): void {
    this.parts.refused();
  }

  /** Closes the tab, because the question is over. */
  async close(): Promise<void> {
    this.isOver = true;
    this.store.dispose();
    if (this.shown === undefined) return;
    await this.closeTabs();
    this.parts.files.delete(this.right);
  }

  private begin(change: TextChange): void {
    this.shown = change;
    const { files, disk } = this.parts;
    files.add(this.right, withoutMark(change.after));
    disk.update(this.path);
    this.store.add(disk.watch(this.path, () => void this.refresh().catch(showFailure)));
    if (vscode.workspace.textDocuments.some(({ uri, isDirty }) => isDirty && uri.fsPath === this.path)) {
      const text = vscode.l10n.t(
        '{0} has unsaved changes in an editor. The diff shows the file on disk.',
        basename(this.path),
      );
      void vscode.window.showInformationMessage(text);
    }
  }

  /** The file was changed: the right side follows, unless the user changed its text. */
  private async refresh(): Promise<void> {
    const now = await this.plan();
    if (!this.isOver && now?.type === 'change' && !(await this.isEdited())) await this.take(now);
  }

  private async take(now: TextChange): Promise<void> {
    const isEdited = await this.isEdited();
    this.shown = now;
    this.parts.disk.update(this.path);
    if (!isEdited) this.parts.files.writeFile(this.right, new TextEncoder().encode(withoutMark(now.after)));
  }

  private async isEdited(): Promise<boolean> {
    const { editorText } = await textForm();
    const document = await vscode.workspace.openTextDocument(this.right);
    return this.shown !== undefined && editorText(document.getText()) !== editorText(this.shown.after);
  }

  private async plan(): Promise<CallDiff | undefined> {
    return (await planning()).changeForEditor(this.call);
  }

  /** Saves the text first (only in memory), because VS Code asks before it closes a tab with changes. */
  private async closeTabs(): Promise<void> {
    const key = this.right.toString();
    const document = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === key);
    if (document?.isDirty === true) await document.save();
    await closeDiffs(uri => uri.toString() === key);
  }
}

function warn(text: string): void {
  void vscode.window.showWarningMessage(text);
}

function withoutMark(text: string): string {
  return text.replace(/^\ufeff/, '');
}

/** Closes the diffs with such a right side. */
export async function closeDiffs(isRight: (uri: vscode.Uri) => boolean): Promise<void> {
  const tabs = vscode.window.tabGroups.all
    .flatMap(group => group.tabs)
    .filter(({ input }) => input instanceof vscode.TabInputTextDiff && isRight(input.modified));
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
}
