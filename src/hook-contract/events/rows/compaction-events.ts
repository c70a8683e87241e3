import { isConversation } from '../../../agent/messages';
import { defined } from '../../../base/defined';
import type { StoredCompactionEntry, SessionEntry } from '../../../hook-typings/session/entries';
import { indexOnPath, keptIdAt, v1View } from '../../session/session-view';
import { entriesFor, indexFor, visibleIndex } from '../../session/visible-session';
import type { HookConversation } from '../../conversation-port';
import { copyData } from '../../copy';
import type { LoadedHook } from '../../loaded-hook';
import { answerOf, noAnswer, readUsage, AnswerReader } from '../answers/answer';
import { lastUnlessCancelled, withMember } from '../answers/cancellable-answers';
import {
  onlyMembers,
  type AnswerReducer,
  type AnswerVerdict,
  type EventRow,
  type MembersOf,
  type PayloadSource,
  type SampleContext,
} from '../event-row';
import type {
  CompactionPreparation,
  CompactionResult,
  EntryLike,
  HookEventOf,
  HookResults,
  Payloads,
} from '../../hook-event';
import { entriesOf, lazy, messagesFor } from '../payload-parts';
import { SAMPLE_ENTRY, sampleEntry, sampleMessages, sampleModel } from '../sample-parts';
import { sessionPayload } from '../v1-session-event';
import { isRecord } from '../../../base/json/is-record';

type Before = HookEventOf<'session_before_compact'>;

export const BEFORE_COMPACT: EventRow<'session_before_compact'> = {
  names: [
    { name: 'session_before_compact', of: ['tree', 'omp', 'ext', 'pi'], payload: planPayload },
    {
      name: 'session',
      of: ['v1', 'v2', 'tree'],
      payload: (event, source) => sessionPayload(source, 'before_compact', planPayload(event, source)),
    },
  ],
  timeout: 'long',
  answers: ownCompaction,
  members: {
    preparation: true,
    branchEntries: true,
    previousCompactions: true,
    customInstructions: true,
    reason: true,
    willRetry: true,
    model: true,
    signal: true,
  },
  samples: facts => [
    {
      type: 'session_before_compact',
      preparation: samplePreparation(facts),
      branchEntries: [],
      previousCompactions: [],
      reason: 'manual',
      willRetry: false,
      model: sampleModel(facts),
      signal: new AbortController().signal,
    },
  ],
};

export const COMPACTING: EventRow<'session_compacting'> = {
  names: [
    {
      name: 'session.compacting',
      of: ['omp'],
      payload: (event, { hook }) =>
        lazy(
          { type: 'session.compacting' as const, sessionId: event.sessionId },
          { messages: () => messagesFor(hook, event.messages) },
        ),
    },
  ],
  endsWithRun: true,
  answers: summaryRequest,
  members: { sessionId: true, messages: true },
  samples: facts => [{ type: 'session_compacting', sessionId: SAMPLE_ENTRY, messages: sampleMessages(facts) }],
};

export const COMPACT: EventRow<'session_compact'> = {
  names: [
    { name: 'session_compact', of: ['tree', 'omp', 'ext', 'pi'], payload: compactedPayload },
    {
      name: 'session',
      of: ['v1', 'v2', 'tree'],
      payload: (event, source) => sessionPayload(source, 'compact', compactedPayload(event, source)),
    },
  ],
  endsWithRun: true,
  members: { compactionEntry: true, tokensBefore: true, fromHook: true, reason: true, willRetry: true },
  samples: () => [
    {
      type: 'session_compact',
      compactionEntry: sampleEntry('compaction', {
        summary: 'So far: hello.',
        firstKeptEntryId: SAMPLE_ENTRY,
        tokensBefore: 90_000,
      }),
      tokensBefore: 90_000,
      fromHook: false,
      reason: 'manual',
      willRetry: false,
    },
  ],
};

export const COMPACT_FAILED: EventRow<'session_compact_failed'> = {
  names: [{ name: 'session_compact_failed', of: ['pi'] }],
  endsWithRun: true,
  members: { reason: true, aborted: true, willRetry: true, errorMessage: true, fromExtension: true },
  samples: () => [
    {
      type: 'session_compact_failed',
      reason: 'threshold',
      errorMessage: 'Auto-compaction failed: 503 overloaded',
      aborted: false,
      willRetry: false,
      fromExtension: false,
    },
  ],
};

function samplePreparation(facts: SampleContext): CompactionPreparation {
  return {
    cutPoint: { firstKeptEntryIndex: 1, turnStartIndex: -1, isSplitTurn: false },
    firstKeptEntryId: SAMPLE_ENTRY,
    messagesToSummarize: sampleMessages(facts).filter(isConversation),
    messagesToKeep: [],
    turnPrefixMessages: [],
    isSplitTurn: false,
    tokensBefore: 90_000,
    fileOps: { read: new Set(['README.md']), written: new Set(), edited: new Set(['src/index.ts']) },
    settings: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 },
    boundaryStart: 0,
  };
}

/** The members that any dialect has for a planned compaction, in one object (docs/dialects.md, C8). */
function planPayload(event: Before, source: PayloadSource): Payloads['session_before_compact'] {
  const payload = {
    type: event.type,
    model: event.model,
    signal: event.signal,
    tokensBefore: event.preparation.tokensBefore,
    previousSummary: event.preparation.previousSummary,
    customInstructions: event.customInstructions,
    reason: event.reason,
    willRetry: event.willRetry,
    resolveApiKey: (model: Before['model']) => source.conversation?.resolveApiKey(model) ?? Promise.resolve(undefined),
  };
  let prepared: CompactionPreparation | undefined;
  const preparation = (): CompactionPreparation => (prepared ??= copyPreparation(event, source.hook));
  return lazy(payload, {
    preparation,
    cutPoint: () => viewCutPoint(event, source.conversation),
    messagesToSummarize: () => preparation().messagesToSummarize,
    messagesToKeep: () => preparation().messagesToKeep,
    branchEntries: () => entriesFor(source.hook.dialect, event.branchEntries).map(copyData) as SessionEntry[],
    previousCompactions: () => event.previousCompactions.map(entry => withIndex(entry, source)),
    entries: () => entriesOf(source.conversation),
  });
}

function compactedPayload(event: HookEventOf<'session_compact'>, source: PayloadSource): Payloads['session_compact'] {
  return lazy(
    {
      type: event.type,
      tokensBefore: event.tokensBefore,
      fromHook: event.fromHook,
      fromExtension: event.fromHook,
      reason: event.reason,
      willRetry: event.willRetry,
    },
    { compactionEntry: () => withIndex(event.compactionEntry, source) },
  );
}

const PREPARATION: MembersOf<CompactionPreparation> = {
  cutPoint: true,
  boundaryStart: true,
  firstKeptEntryId: true,
  messagesToSummarize: true,
  messagesToKeep: true,
  turnPrefixMessages: true,
  isSplitTurn: true,
  tokensBefore: true,
  previousSummary: true,
  fileOps: true,
  settings: true,
};

/** Copies the preparation; indices in the copy count the entries that the hook gets as `branchEntries`. */
function copyPreparation({ preparation, branchEntries }: Before, hook: LoadedHook): CompactionPreparation {
  const { messagesToSummarize, messagesToKeep, turnPrefixMessages, fileOps, cutPoint, settings } = preparation;
  const indexIn = (index: number): number => indexFor(hook.dialect, branchEntries, index);
  const copy = {
    ...onlyMembers(preparation, PREPARATION),
    cutPoint: {
      firstKeptEntryIndex: indexIn(cutPoint.firstKeptEntryIndex),
      turnStartIndex: indexIn(cutPoint.turnStartIndex),
      isSplitTurn: cutPoint.isSplitTurn,
    },
    boundaryStart: indexIn(preparation.boundaryStart),
    settings: {
      enabled: settings.enabled,
      reserveTokens: settings.reserveTokens,
      keepRecentTokens: settings.keepRecentTokens,
    },
    fileOps: { read: new Set(fileOps.read), written: new Set(fileOps.written), edited: new Set(fileOps.edited) },
  };
  return lazy(copy, {
    messagesToSummarize: () => messagesFor(hook, messagesToSummarize),
    messagesToKeep: () => messagesFor(hook, messagesToKeep),
    turnPrefixMessages: () => messagesFor(hook, turnPrefixMessages),
  });
}

/** The cut point with indices in the v1 view, in which the header counts. */
function viewCutPoint(
  { preparation, branchEntries }: Before,
  conversation: HookConversation | undefined,
): CompactionPreparation['cutPoint'] {
  const { firstKeptEntryIndex, turnStartIndex, isSplitTurn } = preparation.cutPoint;
  const kept = conversation === undefined ? -1 : indexOnPath(conversation, preparation.firstKeptEntryId);
  if (kept < 0) return { firstKeptEntryIndex, turnStartIndex, isSplitTurn };
  const shift = kept - visibleIndex(branchEntries, firstKeptEntryIndex);
  const turnStart = turnStartIndex < 0 ? -1 : visibleIndex(branchEntries, turnStartIndex) + shift;
  return { firstKeptEntryIndex: kept, turnStartIndex: turnStart, isSplitTurn };
}

/** A compaction entry with the index of v1 added (docs/dialects.md, C6 and C9). */
function withIndex(entry: EntryLike, { conversation, hook }: PayloadSource): StoredCompactionEntry {
  const [visible = entry] = entriesFor(hook.dialect, [entry]);
  const copy = copyData(visible) as StoredCompactionEntry;
  const viewed = conversation === undefined ? undefined : v1View(conversation).find(member => member.id === entry.id);
  const index = viewed?.['firstKeptEntryIndex'];
  return {
    ...copy,
    ...(typeof index === 'number' ? { firstKeptEntryIndex: index } : {}),
    ...defined({ fromExtension: copy.fromHook }),
  };
}

function ownCompaction(
  event: HookEventOf<'session_before_compact'>,
  conversation: HookConversation | undefined,
): AnswerReducer<'session_before_compact'> {
  return lastUnlessCancelled(event, reading => {
    const compaction = readCompaction(reading, event, conversation);
    if (compaction !== undefined) reading.changed.push('compaction');
    return defined({ compaction });
  });
}

/** Reads `compaction` or `compactionEntry` (docs/dialects.md, C7); `{}` means the default compaction. */
function readCompaction(
  reading: AnswerReader,
  event: HookEventOf<'session_before_compact'>,
  conversation: HookConversation | undefined,
): CompactionResult | undefined {
  const key = reading.has('compaction') ? 'compaction' : 'compactionEntry';
  const given = reading.object(key);
  if (given === undefined || Object.keys(given).length === 0) return undefined;
  const { summary, tokensBefore, details } = given;
  const usage = readUsage(reading, key, given);
  if (typeof summary !== 'string') {
    reading.problems.push(`"${key}.summary" must be a string`);
    return undefined;
  }
  const firstKeptEntryId = keptId(given, conversation);
  if (firstKeptEntryId === undefined) {
    reading.problems.push(`"${key}" must name the first kept entry by "firstKeptEntryId" or "firstKeptEntryIndex"`);
    return undefined;
  }
  return {
    summary,
    firstKeptEntryId,
    tokensBefore: typeof tokensBefore === 'number' ? tokensBefore : event.preparation.tokensBefore,
    ...withMember('usage', usage),
    ...defined({ details }),
  };
}

function keptId(
  given: Readonly<Record<string, unknown>>,
  conversation: HookConversation | undefined,
): string | null | undefined {
  const { firstKeptEntryId } = given;
  if (typeof firstKeptEntryId === 'string' || firstKeptEntryId === null) return firstKeptEntryId;
  return conversation === undefined ? undefined : keptIdAt(v1View(conversation), given['firstKeptEntryIndex']);
}

/** Only the last answer counts (docs/dialects.md, C25). */
function summaryRequest(event: HookEventOf<'session_compacting'>): AnswerReducer<'session_compacting'> {
  let result: HookResults['session_compacting'] = { context: [] };
  return {
    event,
    add(returned): AnswerVerdict {
      const answer = answerOf(returned);
      if (answer === undefined) return noAnswer(returned);
      const reading = new AnswerReader(answer);
      const context = reading.texts('context');
      const prompt = reading.text('prompt');
      const preserveData = reading.typed('preserveData', 'an object', isRecord);
      reading.changed.push(
        ...Object.keys({
          ...withMember('context', context),
          ...withMember('prompt', prompt),
          ...withMember('preserveData', preserveData),
        }),
      );
      result = { context: context ?? [], ...withMember('prompt', prompt), ...withMember('preserveData', preserveData) };
      return reading.verdict();
    },
    result: () => result,
  };
}
