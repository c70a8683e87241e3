import * as vscode from 'vscode';
import { DisposableStore, toDisposable, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import type { CallDetails } from '../../hook-contract/approvals/asked-call';
import type { OptionMeaning } from '../../hook-contract/ui/ui';
import type { Question } from '../../session/ports/dialogs';
import { WRITE_SCHEME } from '../ids';
import { AnswerFiles } from '../questions/answer-files';
import type { Settings } from '../settings';
import type { DiffEvents, WriteReview } from '../questions/write-review';
import { DiskTexts } from './disk-texts';
import { closeDiffs, WriteDiff } from './write-diff';

/**
 * Shows what a call is about to write in VS Code's own diff editor: the file on disk, and the text that the call makes, which
 * the user can change. Approve and Reject are in the editor's title. Nothing reaches the disk from here.
 */
export class WriteDiffs implements WriteReview, Disposable {
  private readonly files = new AnswerFiles();
  private readonly store = new DisposableStore();
  private readonly disk = this.store.add(new DiskTexts());
  private open: WriteDiff | undefined;
  private count = 0;

  private settings: { readonly value: Pick<Settings, 'approvals'> } | undefined;

  constructor(private readonly log: Log) {
    this.store.add(vscode.workspace.registerFileSystemProvider(WRITE_SCHEME, this.files, { isCaseSensitive: true }));
    // Tabs that VS Code restored from an earlier window have no question.
    this.track(closeDiffs(uri => uri.scheme === WRITE_SCHEME));
  }

  get opensAlways(): boolean {
    return this.settings?.value.approvals.openDiff === true;
  }

  /** To be called when there are settings. Until then, no diff opens by itself. */
  follow(settings: { readonly value: Pick<Settings, 'approvals'> }): void {
    this.settings = settings;
  }

  review(question: Question, events: DiffEvents): ReturnType<WriteReview['review']> {
    const call = writeAbout(question);
    const allows = optionFor(question, 'allowOnce');
    const refuses = optionFor(question, 'refuse');
    if (call === undefined || allows === undefined || refuses === undefined) return undefined;
    this.count += 1;
    const diff = new WriteDiff(call, String(this.count), {
      files: this.files,
      disk: this.disk,
      allowed: edited => events.answered(edited ?? allows),
      refused: () => events.answered(refuses),
    });
    this.open = diff;
    return {
      show: options => diff.show(options),
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

/** The call that a question is about, if it writes a file whose place is known, and its agent takes another text of the user. */
function writeAbout({ subject, guarded }: Question): CallDetails | undefined {
  if (subject?.type !== 'call' || guarded !== undefined) return undefined;
  const { call } = subject;
  return call.kind === 'writes' && call.file !== undefined && call.file.place !== 'unclear' ? call : undefined;
}

function optionFor({ dialog }: Question, wanted: OptionMeaning): string | undefined {
  if (dialog.type !== 'select') return undefined;
  return dialog.options[dialog.meanings?.indexOf(wanted) ?? -1];
}
