import * as l10n from '@vscode/l10n';
import { sameState } from '../../agent/changes/file-state';
import { fileTexts } from '../../agent/changes/file-texts';
import { filesOf, renamesIn, type FileNet } from '../../agent/changes/net-changes';
import { mayBeOf, type ChangeRecord } from '../../agent/changes/record';
import type { ChangeTracker } from '../../agent/changes/tracker';
import type { ComparedFile, EditorPort } from '../editor/editor-port';
import type { ChatModel } from '../model/chat-model';

export interface ChangeReviewParts {
  readonly tracker: ChangeTracker;
  readonly chat: ChatModel;
  readonly editor: EditorPort;
  /** The changes of the session, oldest first. */
  readonly records: () => readonly ChangeRecord[];
  readonly session: () => string;
}

/** What the user has yet to review in a session, and what they keep. A file that is changed again is reviewed again. */
export class ChangeReview {
  constructor(private readonly parts: ChangeReviewParts) {}

  /** Opens the editor's own diff of all files to review. */
  async open(): Promise<void> {
    const { editor, chat, records } = this.parts;
    const nets = filesOf(records());
    const renames = renamesIn(nets);
    // A renamed file is compared with its earlier name.
    const earlier = new Set(renames.values());
    const files = this.left(nets).filter(net => !earlier.has(net));
    const all = await Promise.all(files.map(net => this.compared(net, renames.get(net.path))));
    const compared = all.filter(file => file !== undefined);
    if (compared.length === 0) chat.notice('info', l10n.t('There are no changes to review.'));
    else editor.showDiffs(l10n.t('All Changes of This Session'), compared);
  }

  /** Keeps all files, or only the one with this path. */
  async keep(path?: string): Promise<void> {
    const files = this.left(filesOf(this.parts.records()));
    await this.keepChanges(path === undefined ? files : files.filter(net => net.path === path));
  }

  /** Keeps these changes, with all earlier changes of their files. */
  async keepChanges(files: readonly FileNet[]): Promise<void> {
    const { tracker, session } = this.parts;
    await tracker.keep(
      session(),
      files.map(({ last }) => last),
    );
  }

  /** Whether the user keeps what a call changed: this or a later change of each file, and no revert came after it. */
  isKept(toolCallId: string, records = this.parts.records()): boolean {
    const { journal } = this.parts.tracker;
    const files = filesOf(records.filter(record => mayBeOf(record, toolCallId)));
    return (
      files.length > 0 &&
      files.every(({ path, last }) => {
        const since = records.filter(record => record.path === path && record.seq >= last.seq);
        return since.some(record => journal.isKept(record)) && since.every(({ kind }) => kind === 'tool');
      })
    );
  }

  /** Lets the cards say which changes are kept. */
  markCards(): void {
    const { chat, records } = this.parts;
    const all = records();
    for (const item of chat.items) {
      if (item.kind !== 'tool' || item.touched === undefined) continue;
      const { kept, ...card } = item;
      const isKept = this.isKept(item.toolCallId, all);
      if (isKept !== (kept === true)) {
        chat.apply({ type: 'item', item: { ...card, ...(isKept ? { kept: true } : {}) } });
      }
    }
  }

  private left(files: readonly FileNet[]): readonly FileNet[] {
    return files.filter(({ isBack, last }) => !isBack && !this.parts.tracker.journal.isKept(last));
  }

  /** Undefined for a file that is as before, whoever brought it back. */
  private async compared(file: FileNet, was: FileNet | undefined): Promise<ComparedFile | undefined> {
    const { first } = was ?? file;
    const { before, state } = await fileTexts(this.parts.tracker, { ...file, first });
    if (sameState(file.first.before, state)) return undefined;
    const { kind } = first.before;
    return {
      path: file.path,
      before: kind === 'absent' ? undefined : before,
      was: was?.path,
      isGone: state.kind === 'absent',
    };
  }
}
