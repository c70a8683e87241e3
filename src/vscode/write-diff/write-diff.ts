import { basename } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable';
import type * as TextForm from '../../agent/tools/files/editing/call-for-text';
import type { CallDiff } from '../../agent/tools/files/editing/call-diff';
import type { CallDetails } from '../../hook-contract/approvals/asked-call';
import type { EditedText } from '../../hook-contract/ui/ui';
import type * as Planning from '../../session/approvals/edited-call';
import type { AnswerFiles } from '../questions/answer-files';
import type { DiffOpening } from '../questions/write-review';
import { showFailure } from '../show-failure';
import { DiskTexts } from './disk-texts';
import { approvalOf, type TextChange } from './reviewed-text';

/** How a diff answers the question. */
export interface DiffAnswers {
  /** The user approved; `edited`: with another text than that of the call. */
  readonly allowed: (edited: EditedText | undefined) => void;
  readonly refused: () => void;
}

export interface WriteDiffParts {
  /** The right sides. */
  readonly files: AnswerFiles;
  /** The scheme of these. */
  readonly scheme: string;
  /** The left sides. */
  readonly disk: DiskTexts;
  /** Undefined: the question is answered elsewhere, and the user cannot change the text. */
  readonly answers: DiffAnswers | undefined;
}

/** What a diff shows. */
interface Shown {
  readonly change: TextChange;
  readonly left: vscode.Uri;
  readonly right: vscode.Uri;
}

/** Loaded with the first diff: the matcher of the file tools is too much for the start of a window. */
const planning = (): Promise<typeof Planning> => import('../../session/approvals/edited-call');
const textForm = (): Promise<typeof TextForm> => import('../../agent/tools/files/editing/call-for-text');

/** The diff of one call. Its right side keeps what the user typed, also while its tab is closed. */
export class WriteDiff {
  private readonly store = new DisposableStore();
  /** Undefined until it was opened. */
  private shown: Shown | undefined;
  private isOver = false;

  constructor(
    private readonly call: CallDetails,
    private readonly id: string,
    private readonly parts: WriteDiffParts,
  ) {}

  isIn({ modified }: vscode.TabInputTextDiff): boolean {
    return modified.toString() === this.shown?.right.toString();
  }

  /** Opens the diff, or brings it to the front. False if the texts cannot be compared, or the question is over. */
  async show({ keepsFocus }: DiffOpening): Promise<boolean> {
    const shown = this.shown ?? (await this.begin());
    if (shown === undefined) return false;
    const { change, left, right } = shown;
    const title = vscode.l10n.t('{0} (current ↔ proposed)', basename(change.path));
    const options = { preview: false, preserveFocus: keepsFocus };
    await vscode.commands.executeCommand('vscode.diff', left, right, title, options);
    // The question may be over by now, and its tab could not be closed before.
    if (this.isOver) await this.closeTabs();
    return true;
  }

  /** Allows the call with the text that the right side has now, or tells the user why not. */
  async approve(): Promise<void> {
    const { shown } = this;
    const { answers } = this.parts;
    if (shown === undefined || answers === undefined) return;
    const { editorText } = await textForm();
    const text = editorText((await vscode.workspace.openTextDocument(shown.right)).getText());
    const now = await this.plan();
    if (this.isOver) return;
    const name = basename(shown.change.path);
    const approval = approvalOf(this.call, { text, shown: shown.change }, now, editorText);
    switch (approval.type) {
      case 'asItIs':
        answers.allowed(undefined);
        return;
      case 'edited':
        answers.allowed({ edited: approval.text, over: shown.change.before });
        return;
      case 'moved':
        await this.take({ ...shown, change: approval.now });
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
    this.parts.answers?.refused();
  }

  /** Closes the tab, because the question is over. */
  async close(): Promise<void> {
    this.isOver = true;
    this.store.dispose();
    const { shown } = this;
    if (shown === undefined) return;
    await this.closeTabs();
    this.parts.files.delete(shown.right);
  }

  private async begin(): Promise<Shown | undefined> {
    const change = await this.plan();
    if (this.isOver || change?.type !== 'change') return undefined;
    return (this.shown ??= this.place(change));
  }

  /** Makes the two sides, which follow the file from then on. */
  private place(change: TextChange): Shown {
    const { files, disk, scheme } = this.parts;
    const { path } = change;
    const right = vscode.Uri.from({ scheme, path: `/${basename(path)}`, query: this.id });
    files.add(right, withoutMark(change.after));
    disk.update(path);
    this.store.add(disk.watch(path, () => void this.refresh().catch(showFailure)));
    if (vscode.workspace.textDocuments.some(({ uri, isDirty }) => isDirty && uri.fsPath === path)) {
      const text = vscode.l10n.t(
        '{0} has unsaved changes in an editor. The diff shows the file on disk.',
        basename(path),
      );
      void vscode.window.showInformationMessage(text);
    }
    return { change, left: DiskTexts.uriOf(path), right };
  }

  /** The file was changed: the right side follows, unless the user changed its text. */
  private async refresh(): Promise<void> {
    const now = await this.plan();
    const { shown } = this;
    if (this.isOver || shown === undefined || now?.type !== 'change' || (await isEdited(shown))) return;
    await this.take({ ...shown, change: now });
  }

  private async take(now: Shown): Promise<void> {
    const keepsText = this.shown === undefined || (await isEdited(this.shown));
    this.shown = now;
    const { change, right } = now;
    this.parts.disk.update(change.path);
    if (!keepsText) this.parts.files.writeFile(right, new TextEncoder().encode(withoutMark(change.after)));
  }

  private async plan(): Promise<CallDiff | undefined> {
    return (await planning()).changeForEditor(this.call);
  }

  /** Saves the text first (only in memory), because VS Code asks before it closes a tab with changes. */
  private async closeTabs(): Promise<void> {
    const key = this.shown?.right.toString();
    const document = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === key);
    if (document?.isDirty === true) await document.save();
    const tabs = vscode.window.tabGroups.all
      .flatMap(group => group.tabs)
      .filter(({ input }) => input instanceof vscode.TabInputTextDiff && this.isIn(input));
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
  }
}

async function isEdited({ change, right }: Shown): Promise<boolean> {
  const { editorText } = await textForm();
  const document = await vscode.workspace.openTextDocument(right);
  return editorText(document.getText()) !== editorText(change.after);
}

function warn(text: string): void {
  void vscode.window.showWarningMessage(text);
}

function withoutMark(text: string): string {
  return text.replace(/^\ufeff/, '');
}
