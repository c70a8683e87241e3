import { messageOfEntry } from '../../agent/session/context';
import { collectBranchEntries, summarizeBranch } from '../../agent/compaction/branch-summary';
import type { EntryId, StoredEntry, StoredUsage } from '../../agent/session/entry';
import type { ForkOutcome, HookConversation } from '../../hook-contract/conversation-port';
import type { TreePreparation } from '../../hook-contract/hook-event';
import { defined } from '../../base/defined';
import { isAborted } from '../../base/async/wait';
import { typedText } from '../attachments/attached-files';
import { summarizer } from '../compaction/compactor';
import { modelForSummary } from '../requests/model-routing';
import type { RunControl } from '../run/run-control';
import type { RunPhase } from '../run/run-phases';
import type { SessionFollowing } from './session-following';
import type { ConversationPorts } from '../ports/ports';
import type { SessionEvents } from '../ports/session-events';
import type { SessionState } from '../state/session-state';
import { joinedText } from '../state/session-stats';

export interface TreeFlowParts {
  readonly ports: ConversationPorts;
  readonly state: SessionState;
  readonly conversation: HookConversation;
  readonly control: RunControl;
  readonly following: SessionFollowing;
  readonly events: SessionEvents;
}

export interface NavigateOptions {
  readonly summarize?: boolean;
  readonly customInstructions?: string;
  readonly replaceInstructions?: boolean;
  readonly label?: string;
  /**
   * The user's message is about to be sent again: its text is not returned, and moving to the current leaf
   * is not skipped.
   */
  readonly resend?: boolean;
  /** The leaf becomes the entry itself, even if it is a message of the user. */
  readonly stays?: boolean;
  /** Rejects while a run is active; otherwise that run is stopped. */
  readonly onlyWhenIdle?: boolean;
}

const NO_MODEL = 'No model is chosen that could write the summary.';

/** The error when `onlyWhenIdle` rejects, by what is active. */
const BUSY: Readonly<Record<RunPhase['type'], string>> = (() => {
  const answer = 'The session tree cannot be navigated while an answer is under way: wait until the agent is idle.';
  const summary = 'The session tree cannot be navigated during a compaction or another navigation: wait for its end.';
  return { idle: answer, running: answer, retrying: answer, compacting: summary };
})();

/** Moving within a session's tree. */
export class TreeFlow {
  constructor(private readonly parts: TreeFlowParts) {}

  /**
   * Goes to an entry. A message of the user or of a hook is opened for editing: the leaf becomes its parent and the
   * text is returned. The current leaf is a no-op without events. Throws `Entry <id> not found`, and when there is
   * no model for a summary that is requested.
   */
  async navigate(targetId: string, options: NavigateOptions = {}): Promise<ForkOutcome> {
    const { control, state } = this.parts;
    if (options.onlyWhenIdle === true && !control.isIdle) throw new Error(BUSY[control.phase.type]);
    const { store } = state;
    const oldLeafId = store.getLeafId();
    if (targetId === oldLeafId && options.resend !== true) return { cancelled: false };
    if (options.summarize === true && state.model === undefined) throw new Error(NO_MODEL);
    const target = store.getEntry(targetId);
    if (target === undefined) throw new Error(`Entry ${targetId} not found`);
    await control.stop();
    return control.beside({ type: 'compacting' }, signal => this.go(target, oldLeafId, options, signal));
  }

  private async go(
    target: StoredEntry,
    oldLeafId: EntryId | null,
    options: NavigateOptions,
    signal: AbortSignal,
  ): Promise<ForkOutcome> {
    const { state, ports, conversation, following, events } = this.parts;
    const preparation = this.prepare(target, oldLeafId, options);
    const event = { type: 'session_before_tree', preparation, model: state.model, signal } as const;
    const before = await ports.hooks.runner.emit(event, conversation);
    if (before.cancelled || isAborted(signal)) return { cancelled: true };
    const request = { ...options, ...defined(before) };
    const summary = await this.summaryFor(preparation, before.summary, request, signal);
    if (isAborted(signal)) return { cancelled: true };
    const edited = options.stays === true ? undefined : editableText(target);
    const summaryId = this.move(target, edited !== undefined, summary);
    if (request.label !== undefined) state.store.appendLabelChange(summaryId ?? target.id, request.label);
    state.readContext();
    following.tell();
    if (edited !== undefined && options.resend !== true) {
      events.fire({ type: 'text_returned', text: edited, images: [], files: [] });
    }
    const summaryEntry = summaryId === undefined ? undefined : state.store.getEntry(summaryId);
    await ports.hooks.runner.emit(
      {
        type: 'session_tree',
        newLeafId: state.store.getLeafId(),
        oldLeafId,
        ...(summaryEntry === undefined ? {} : { summaryEntry: summaryEntry, fromHook: before.summary !== undefined }),
      },
      conversation,
    );
    return { cancelled: false };
  }

  private prepare(target: StoredEntry, oldLeafId: EntryId | null, options: NavigateOptions): TreePreparation {
    const { store } = this.parts.state;
    const { entries, commonAncestorId } = collectBranchEntries(store, oldLeafId, target.id);
    return {
      targetId: target.id,
      oldLeafId,
      commonAncestorId,
      entriesToSummarize: entries,
      userWantsSummary: options.summarize === true,
      ...defined({
        customInstructions: options.customInstructions,
        replaceInstructions: options.replaceInstructions,
        label: options.label,
      }),
    };
  }

  /** A hook's summary counts only when one was asked for. */
  private async summaryFor(
    preparation: TreePreparation,
    given: Summary | undefined,
    options: NavigateOptions,
    signal: AbortSignal,
  ): Promise<(Summary & { readonly fromHook: boolean }) | undefined> {
    const { state, ports } = this.parts;
    if (!preparation.userWantsSummary) return undefined;
    if (given !== undefined) return { ...given, fromHook: true };
    if (preparation.entriesToSummarize.length === 0) return undefined;
    if (state.model === undefined) throw new Error(NO_MODEL);
    const { reserveTokens } = ports.settings.current.branchSummary;
    const writer = await modelForSummary(this.parts, state.model, signal);
    const { complete, used } = summarizer(this.parts, writer, { source: 'branchSummary' });
    const made = await summarizeBranch(preparation.entriesToSummarize as readonly StoredEntry[], {
      complete,
      reserveTokens,
      contextWindow: writer.model.contextWindow,
      signal,
      customInstructions: options.customInstructions,
      replaceInstructions: options.replaceInstructions,
    });
    return made === undefined ? undefined : { ...made, fromHook: false, usage: used() };
  }

  private move(
    target: StoredEntry,
    edit: boolean,
    summary: (Summary & { readonly fromHook: boolean }) | undefined,
  ): EntryId | undefined {
    const { state } = this.parts;
    const { store } = state;
    const leaf = edit ? target.parentId : target.id;
    if (summary !== undefined) {
      state.spending.use(summary.usage);
      return store.branchWithSummary(leaf, summary.summary, summary.details, summary.fromHook, summary.usage);
    }
    if (leaf === null) store.resetLeaf();
    else store.branch(leaf);
    return undefined;
  }
}

interface Summary {
  readonly summary: string;
  /** What the model used for it. */
  readonly usage?: StoredUsage | undefined;
  readonly details?: unknown;
}

/** Text of a message that is opened for editing rather than continued from. */
function editableText(entry: StoredEntry): string | undefined {
  const message = messageOfEntry(entry);
  if (message?.role === 'custom') return joinedText(message.content);
  return message?.role === 'user' ? typedText(message.content) : undefined;
}
