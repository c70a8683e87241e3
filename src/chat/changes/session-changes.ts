import * as l10n from '@vscode/l10n';
import {
  changesOfSession,
  filesOf,
  lastRevert,
  since,
  targetsFor,
  type Ancestors,
  type FileNet,
  type Target,
} from '../../agent/changes/net-changes';
import { callsOf, mayBeOf, type ChangeRecord } from '../../agent/changes/record';
import { performRevert, planRevert, recordRestored, type RevertPlan } from '../../agent/changes/revert';
import type { ChangeTracker } from '../../agent/changes/tracker';
import { defined } from '../../base/defined';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import { shownPath } from '../../base/files/shown-path';
import { NO_CHANGES, type Changes } from '../../protocol/panels/changes';
import type { ChatItem, UserItem } from '../../protocol/items/chat-item';
import { toolItemId, type ChatModel } from '../model/chat-model';
import type { HookConversation } from '../../hook-contract/conversation-port';
import type { DiffOrigin, EditorPort } from '../editor/editor-port';
import type { SessionState } from '../../session/state/session-state';
import { REVERTED } from '../../transcript/own-messages';
import type { Lineage } from '../call-records/lineage';
import { diffOf, decodedText, fileTexts, textBefore } from '../../agent/changes/file-texts';
import { ChangeReview } from './review';
import { revertRefusalText } from './revert-words';
import { ChangesSummary } from './summary';

/** Most names in a question; the list in the chat has all of them. */
const MOST_NAMES = 8;

export interface SessionChangesParts {
  readonly tracker: ChangeTracker;
  readonly chat: ChatModel;
  readonly log: Log;
  readonly editor: EditorPort;
  readonly state: SessionState;
  readonly lineage: Lineage;
  /** The conversation as hooks see it. */
  readonly conversation: HookConversation;
}

/** The files that the agent touched in one conversation: listed, compared, and brought back. */
export class SessionChanges implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly summary: ChangesSummary;
  private readonly review: ChangeReview;
  private refreshing: Promise<void> = Promise.resolve();
  private shown: Changes = NO_CHANGES;

  constructor(private readonly parts: SessionChangesParts) {
    const { tracker, chat, editor } = parts;
    this.summary = new ChangesSummary(tracker);
    this.review = new ChangeReview({
      tracker,
      chat,
      editor,
      records: () => this.records(),
      session: () => this.session,
    });
    this.owned.add(parts.tracker.onDidChange(() => void this.refresh()));
  }

  /** As the page has it. */
  get current(): Changes {
    return this.shown;
  }

  /** Takes the first snapshot before a command needs it. */
  warm(): void {
    this.parts.tracker.warm();
  }

  /** The files that a call changed, for its card. */
  touchedBy(toolCallId: string): readonly { readonly path: string; readonly displayPath: string }[] {
    const { cwd } = this.parts.tracker;
    return filesOf(this.recordsOf(toolCallId)).map(({ path }) => ({ path, displayPath: shownPath(path, cwd) }));
  }

  /** Whether the user keeps what a call changed. */
  isKept(toolCallId: string): boolean {
    return this.review.isKept(toolCallId);
  }

  /** Computes the list again; pages are notified when it changed. */
  refresh(): Promise<void> {
    this.refreshing = this.refreshing.then(async () => {
      try {
        this.review.markCards();
        const changes = await this.summary.of(this.records());
        if (JSON.stringify(changes) === JSON.stringify(this.shown)) return;
        this.shown = changes;
        this.parts.chat.apply({ type: 'changes', changes });
      } catch (error) {
        // The next change works it out again.
        this.parts.log.error(`The list of changed files could not be worked out: ${messageOf(error)}`, error);
      }
    });
    return this.refreshing;
  }

  /** Sends the difference of one listed file to the pages. */
  async loadDiff(path: string): Promise<void> {
    await this.refreshing;
    const net = this.fileOf(path);
    const version = this.shown.files.find(file => file.path === path)?.version;
    if (net === undefined || version === undefined) return;
    const texts = await fileTexts(this.parts.tracker, net);
    const isKnown = texts.before !== undefined && texts.after !== undefined;
    const why = isKnown
      ? l10n.t('This file is too long to be compared here.')
      : l10n.t('This file is not text, so it is not compared.');
    const diff = diffOf(texts);
    const isText = diff !== undefined;
    this.parts.chat.apply({ type: 'fileDiff', diff: { path, version, diff: diff ?? why, isText } });
  }

  /** Opens the editor's own diff of a listed file against the text before the session. */
  async open(path: string): Promise<void> {
    const net = this.fileOf(path);
    if (net === undefined) return;
    const { tracker, editor } = this.parts;
    const before = await textBefore(tracker, net);
    if (before === undefined) {
      editor.openFile(path);
      return;
    }
    const now = await tracker.read(this.session, path);
    const title = l10n.t('{0} (before this session ↔ now)', shownPath(path, tracker.cwd));
    editor.showDiff(path, before, title, now.kind === 'absent' ? '' : undefined, this.originOf(path));
  }

  /** Opens the editor's own diff of all files that the user has yet to review. */
  reviewAll(): Promise<void> {
    return this.review.open();
  }

  /** The user keeps all changes so far: of one file (an absolute path), or of all. */
  keepFiles(path?: string): Promise<void> {
    return this.review.keep(path);
  }

  /** The user keeps what a diff stands for. */
  keep(shows: DiffOrigin): Promise<void> {
    return this.review.keepChanges(filesOf(this.recordsFor(shows)));
  }

  /** What the file of a call said before it; undefined when that is not known. */
  async textBefore(toolCallId: string): Promise<string | undefined> {
    const { tracker } = this.parts;
    const [record] = this.recordsOf(toolCallId);
    return record && decodedText(await tracker.bytes(record, record.before));
  }

  /** Messages of the user that files can be taken back to, the latest first. */
  turns(): readonly { readonly id: string; readonly text: string; readonly files: number }[] {
    const items = this.parts.chat.items.filter(item => item.kind === 'user' && item.state === 'sent');
    return items
      .toReversed()
      .map(item => ({ id: item.id, text: (item as UserItem).text, files: filesOf(this.after(item.id)).length }))
      .filter(({ files }) => files > 0);
  }

  async revertFile(path: string): Promise<void> {
    const undone = this.records().filter(record => record.path === path);
    await this.revert(undone, undefined);
  }

  /** Everything the session changed. */
  async revertAll(): Promise<void> {
    const undone = this.records();
    const count = filesOf(undone).filter(({ isBack }) => !isBack).length;
    const question =
      count === 1
        ? l10n.t('Revert 1 file to its state before this session?')
        : l10n.t('Revert {0} files to their state before this session?', count);
    await this.revert(undone, question);
  }

  async revertCall(itemId: string): Promise<void> {
    const undone = this.ofItem(itemId);
    if (undone.length === 0) this.parts.chat.notice('info', l10n.t('This call has no changes that can be reverted.'));
    else await this.revert(undone, undefined);
  }

  /** What a diff that is opened now stands for. */
  originOf(path: string, item?: string): DiffOrigin {
    return {
      conversation: this.parts.conversation.id,
      session: this.session,
      path,
      ...defined({ item }),
    };
  }

  /** Undoes what a diff stands for, also after the conversation went on in a fork of its session. */
  async reject(shows: DiffOrigin): Promise<void> {
    const undone = this.recordsFor(shows);
    if (undone.length === 0) this.parts.chat.notice('info', l10n.t('This call has no changes that can be reverted.'));
    else await this.revert(undone, undefined);
  }

  /** Back to before a message of the user. */
  async revertTo(itemId: string): Promise<void> {
    const undone = this.after(itemId);
    const count = filesOf(undone).length;
    if (count === 0) {
      this.parts.chat.notice('info', l10n.t('No file was changed since then.'));
      return;
    }
    const question =
      count === 1
        ? l10n.t('Revert 1 file to its state before this message?')
        : l10n.t('Revert {0} files to their state before this message?', count);
    await this.revert(undone, question);
  }

  /** How many files were changed since a message of the user. */
  countSince(itemId: string): number {
    return filesOf(this.after(itemId)).filter(({ isBack }) => !isBack).length;
  }

  /** What brings files back to before a message, also once the conversation has left what came after it. */
  restoreTo(itemId: string): () => Promise<void> {
    const targets = targetsFor(this.after(itemId), this.records());
    return () => this.bring(targets, undefined);
  }

  /** The user restored these files (absolute paths) in another way: their present content counts as reverted. */
  async noteRestored(paths: readonly string[]): Promise<void> {
    const { tracker } = this.parts;
    const names = new Set(await Promise.all(paths.map(path => tracker.ownName(path))));
    const restored = filesOf(this.records()).filter(({ path }) => names.has(path));
    await recordRestored(tracker, this.session, restored);
  }

  /** Takes the last revert back; again: takes that back. */
  async undoRevert(): Promise<void> {
    const undone = lastRevert(this.records());
    if (undone.length === 0) this.parts.chat.notice('info', l10n.t('There is no revert to undo.'));
    else await this.bring(targetsFor(undone, this.records()), undefined, undoneText);
  }

  dispose(): void {
    this.owned.dispose();
  }

  private recordsFor({ session, path, item }: DiffOrigin): readonly ChangeRecord[] {
    const isHere = session === this.session;
    const meant = item === undefined ? this.records().filter(record => record.path === path) : this.ofItem(item);
    return meant.filter(record => isHere || record.session === session);
  }

  private async revert(undone: readonly ChangeRecord[], question: string | undefined): Promise<void> {
    await this.bring(targetsFor(undone, this.records()), question);
  }

  private async bring(
    targets: readonly Target[],
    question: string | undefined,
    doneText: (names: readonly string[]) => string = revertedText,
  ): Promise<void> {
    const { tracker, editor, chat, conversation } = this.parts;
    if (!conversation.isIdle('end')) {
      chat.notice('warning', l10n.t('Files can be reverted when the agent is done. Stop it first.'));
      return;
    }
    const plan = await planRevert(tracker, this.session, targets, path => editor.isUnsaved(path));
    if (plan.steps.length > 0 && !(await this.mayGoOn(plan, question))) return;
    const { done, refused } = await performRevert(tracker, this.session, plan);
    const names = done.map(path => shownPath(path, tracker.cwd));
    if (names.length > 0) this.reportFiles(names, doneText(names));
    else if (refused.length === 0) chat.notice('info', l10n.t('Nothing to do: the files are unchanged.'));
    for (const { path, refusal } of refused) {
      chat.notice(
        'warning',
        l10n.t('{0} was not reverted: {1}', shownPath(path, tracker.cwd), revertRefusalText(refusal)),
      );
    }
    await this.refresh();
  }

  private reportFiles(names: readonly string[], text: string): void {
    const { chat, conversation } = this.parts;
    chat.notice('info', text, { detail: names.join('\n') });
    const content = `The user changed these files back to an earlier state: ${names.join(', ')}. Read them again before you edit them.`;
    void conversation.sendCustomMessage({ customType: REVERTED, content, display: false }, { triggerTurn: false });
  }

  /** Asks the user if there are several files, if one was changed since, or if some are left out. */
  private async mayGoOn({ steps, changedSince, refused }: RevertPlan, question: string | undefined): Promise<boolean> {
    if (question === undefined && changedSince.length === 0) return true;
    const { editor, tracker } = this.parts;
    const list = (paths: readonly string[]): string => {
      const names = paths.slice(0, MOST_NAMES).map(path => shownPath(path, tracker.cwd));
      return [...names, ...(paths.length > MOST_NAMES ? [l10n.t('and {0} more', paths.length - MOST_NAMES)] : [])].join(
        ', ',
      );
    };
    const detail = [
      ...(question === undefined ? [] : [list(steps.map(({ path }) => path))]),
      ...(changedSince.length === 0
        ? []
        : [l10n.t('Later changes by you, the agent or another program will also be undone: {0}', list(changedSince))]),
      ...refused.map(({ path, refusal }) =>
        l10n.t('{0} will not be reverted: {1}', shownPath(path, tracker.cwd), revertRefusalText(refusal)),
      ),
      l10n.t('This can be undone.'),
    ];
    const title = question ?? l10n.t('{0} was changed since. Revert it anyway?', list(changedSince));
    return editor.confirm(title, detail.join('\n\n'), l10n.t('Revert'));
  }

  private get session(): string {
    return this.parts.state.store.getSessionId();
  }

  private get ancestors(): Ancestors {
    const { lineage, state } = this.parts;
    return lineage.of(state.store);
  }

  private recordsOf(toolCallId: string): readonly ChangeRecord[] {
    const { tracker } = this.parts;
    const ofCall = tracker.journal.records.filter(record => mayBeOf(record, toolCallId));
    return changesOfSession(ofCall, this.session, new Set([toolCallId]), this.ancestors);
  }

  /** What the call changed whose card this is. */
  private ofItem(itemId: string): readonly ChangeRecord[] {
    return this.records().filter(record => callsOf(record).some(call => toolItemId(call) === itemId));
  }

  private records(): readonly ChangeRecord[] {
    const { tracker, chat } = this.parts;
    return changesOfSession(tracker.journal.records, this.session, callsIn(chat.items), this.ancestors);
  }

  private after(itemId: string): readonly ChangeRecord[] {
    const { chat } = this.parts;
    const message = chat.messageOf(itemId);
    if (message === undefined) return [];
    const items = chat.items;
    const earlier = items.slice(
      0,
      items.findIndex(({ id }) => id === itemId),
    );
    return since(this.records(), { at: message.timestamp, before: callsIn(earlier) });
  }

  private fileOf(path: string): FileNet | undefined {
    return filesOf(this.records()).find(net => net.path === path);
  }
}

/** Ids of the tool calls that are among drawn items. */
function callsIn(items: readonly ChatItem[]): ReadonlySet<string> {
  return new Set(items.flatMap(item => (item.kind === 'tool' ? [item.toolCallId] : [])));
}

function revertedText(names: readonly string[]): string {
  const [first = ''] = names;
  return names.length === 1
    ? l10n.t('Reverted {0}. Use "Undo Revert" to restore it.', first)
    : l10n.t('Reverted {0} files. Use "Undo Revert" to restore them.', names.length);
}

function undoneText(names: readonly string[]): string {
  const [first = ''] = names;
  return names.length === 1
    ? l10n.t('Undid the last revert: {0} is restored. Use "Undo Revert" again to revert it.', first)
    : l10n.t('Undid the last revert: {0} files are restored. Use "Undo Revert" again to revert them.', names.length);
}
