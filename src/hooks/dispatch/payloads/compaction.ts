import type { HookConversation } from '../../conversation-port';
import { copyData } from '../copy';
import type { CompactionPreparation, EntryLike, HookEventOf } from '../../events/hook-event';
import type { LoadedHook } from '../../loaded-hook';
import { indexInView, v1View } from '../../api/session-view';
import { lazy } from './lazy';
import { messagesFor } from './messages';
import type { Shape, ShapeSource } from './shape';

type Before = HookEventOf<'session_before_compact'>;

/** Everything that any document tells of a compaction to come, in one object (C8). */
export const beforeCompact: Shape<'session_before_compact'> = (event, source) => {
  const payload = {
    type: event.type,
    model: event.model,
    signal: event.signal,
    tokensBefore: event.preparation.tokensBefore,
    previousSummary: event.preparation.previousSummary,
    customInstructions: event.customInstructions,
    resolveApiKey: (model: Before['model']) => source.conversation?.resolveApiKey(model) ?? Promise.resolve(undefined),
  };
  const preparation = copyPreparation(event.preparation, source.hook);
  return lazy(payload, {
    preparation: () => preparation,
    cutPoint: () => viewCutPoint(event.preparation, source.conversation),
    messagesToSummarize: () => preparation.messagesToSummarize,
    messagesToKeep: () => preparation.messagesToKeep,
    branchEntries: () => event.branchEntries.map(copyData),
    previousCompactions: () => event.previousCompactions.map(entry => withIndex(entry, source.conversation)),
    entries: () => entriesOf(source),
  });
};

export const compacted: Shape<'session_compact'> = (event, source) =>
  lazy(
    { type: event.type, tokensBefore: event.tokensBefore, fromHook: event.fromHook, fromExtension: event.fromHook },
    { compactionEntry: () => withIndex(event.compactionEntry, source.conversation) },
  );

/** The V1 view as a fresh array: hooks may change theirs. */
export function entriesOf(source: ShapeSource): unknown[] {
  return source.conversation === undefined ? [] : [...v1View(source.conversation)];
}

function copyPreparation(preparation: CompactionPreparation, hook: LoadedHook): CompactionPreparation {
  const { messagesToSummarize, messagesToKeep, turnPrefixMessages, fileOps, ...rest } = preparation;
  const copy = {
    ...rest,
    cutPoint: { ...preparation.cutPoint },
    settings: { ...preparation.settings },
    fileOps: { read: new Set(fileOps.read), written: new Set(fileOps.written), edited: new Set(fileOps.edited) },
  };
  return lazy(copy, {
    messagesToSummarize: () => messagesFor(hook, messagesToSummarize),
    messagesToKeep: () => messagesFor(hook, messagesToKeep),
    turnPrefixMessages: () => messagesFor(hook, turnPrefixMessages),
  }) as CompactionPreparation;
}

/** V1's cut point counts in the view with the header, whatever the plan counted in. */
function viewCutPoint(
  preparation: CompactionPreparation,
  conversation: HookConversation | undefined,
): CompactionPreparation['cutPoint'] {
  const { firstKeptEntryIndex, turnStartIndex, isSplitTurn } = preparation.cutPoint;
  const kept = conversation === undefined ? -1 : indexInView(v1View(conversation), preparation.firstKeptEntryId);
  if (kept < 0) return { ...preparation.cutPoint };
  const shift = kept - firstKeptEntryIndex;
  return { firstKeptEntryIndex: kept, turnStartIndex: turnStartIndex < 0 ? -1 : turnStartIndex + shift, isSplitTurn };
}

/** A compaction entry that also carries V1's index (C6, C9). */
function withIndex(entry: EntryLike, conversation: HookConversation | undefined): unknown {
  const copy = copyData(entry) as Record<string, unknown>;
  const viewed = conversation === undefined ? undefined : v1View(conversation).find(member => member.id === entry.id);
  const index = viewed?.['firstKeptEntryIndex'];
  const fromHook = copy['fromHook'];
  return {
    ...copy,
    ...(index === undefined ? {} : { firstKeptEntryIndex: index }),
    ...(fromHook === undefined ? {} : { fromExtension: fromHook }),
  };
}
