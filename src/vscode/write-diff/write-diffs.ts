import * as vscode from 'vscode';
import { DisposableStore, toDisposable, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import type { OptionMeaning } from '../../hook-contract/ui/ui';
import { askedWrite } from '../../session/ports/asked-write';
import type { Question } from '../../session/ports/dialogs';
import { WRITE_SCHEME, WRITE_VIEW_SCHEME } from '../ids';
import { AnswerFiles } from '../questions/answer-files';
import type { Settings } from '../settings';
import type { DiffEvents, WriteReview } from '../questions/write-review';
import { DiskTexts } from './disk-texts';
import { WriteDiff, type DiffAnswers } from './write-diff';

/**
 * Shows what a call is about to write in VS Code's own diff editor: the file on disk, and the text that the call makes. For a
 * question of the built-in gate, the user can change that text, and Approve and Reject are in the editor's title; other questions are
 * answered elsewhere. Nothing reaches the disk from here.
 */
export class WriteDiffs implements WriteReview, Disposable {
  private readonly files = new AnswerFiles();
  /** The right sides that the user cannot change. */
  private readonly views = new AnswerFiles();
  private readonly store = new DisposableStore();
  private readonly disk = this.store.add(new DiskTexts());
  private open: WriteDiff | undefined;
  private count = 0;

  private settings: { readonly value: Pick<Settings, 'approvals'> } | undefined;

  constructor(private readonly log: Log) {
    const { registerFileSystemProvider } = vscode.workspace;
    this.store.add(registerFileSystemProvider(WRITE_SCHEME, this.files, { isCaseSensitive: true }));
    const isReadonly = new vscode.MarkdownString(
      vscode.l10n.t('You can only look at this text. Answer the question in the chat or in its pick.'),
    );
    this.store.add(registerFileSystemProvider(WRITE_VIEW_SCHEME, this.views, { isCaseSensitive: true, isReadonly }));
  }

  /** To be called when there are settings. Until then, no diff opens by itself. */
  follow(settings: { readonly value: Pick<Settings, 'approvals'> }): void {
    this.settings = settings;
  }

  review(question: Question, events: DiffEvents): ReturnType<WriteReview['review']> {
    const call = askedWrite(question);
    if (call === undefined) return undefined;
    this.count += 1;
    const answers = answersIn(question, events);
    const diff = new WriteDiff(call, String(this.count), {
      ...(answers === undefined
        ? { scheme: WRITE_VIEW_SCHEME, files: this.views }
        : { scheme: WRITE_SCHEME, files: this.files }),
      disk: this.disk,
      answers,
    });
    this.open = diff;
    return {
      show: options => diff.show(options),
      opensByItself: answers !== undefined && this.settings?.value.approvals.openDiff === true,
      ...toDisposable(() => {
        if (this.open === diff) this.open = undefined;
        this.track(diff.close());
      }),
    };
  }

  /** Approves the text in the active tab. False if the tab is no diff of a call that waits. */
  approveShown(): Promise<boolean> {
    return this.withShown(diff => diff.approve());
  }

  /** Rejects the call whose diff is in the active tab. False if the tab is no diff of a call that waits. */
  rejectShown(): Promise<boolean> {
    return this.withShown(diff => diff.reject());
  }

  dispose(): void {
    this.open = undefined;
    this.store.dispose();
  }

  private async withShown(act: (diff: WriteDiff) => void | Promise<void>): Promise<boolean> {
    const input: unknown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    const { open } = this;
    if (open === undefined || !(input instanceof vscode.TabInputTextDiff) || !open.isIn(input)) return false;
    await act(open);
    return true;
  }

  private track(closing: Promise<void>): void {
    closing.catch((error: unknown) =>
      this.log.error(`The diff of a question could not be closed: ${messageOf(error)}`, error),
    );
  }
}

/** How a diff answers a question; undefined if the agent takes no text of the user, or it is not known what the options mean. */
function answersIn(question: Question, { answered }: DiffEvents): DiffAnswers | undefined {
  if (question.guarded !== undefined) return undefined;
  const allows = optionFor(question, 'allowOnce');
  const refuses = optionFor(question, 'refuse');
  if (allows === undefined || refuses === undefined) return undefined;
  return { allowed: edited => answered(edited ?? allows), refused: () => answered(refuses) };
}

function optionFor({ dialog }: Question, wanted: OptionMeaning): string | undefined {
  if (dialog.type !== 'select') return undefined;
  return dialog.options[dialog.meanings?.indexOf(wanted) ?? -1];
}
