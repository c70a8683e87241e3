import { dirname, resolve } from 'node:path';
import { defined } from '../../../base/defined';
import type { SessionEntry } from '../../../hook-typings/session/entries';
import { entriesFor, idFor } from '../../session/visible-session';
import { copyData } from '../../copy';
import type { DialectId } from '../../dialect-id';
import type { LoadedHook } from '../../loaded-hook';
import { answerOf, noAnswer, readUsage, AnswerReader } from '../answers/answer';
import { lastUnlessCancelled, withMember } from '../answers/cancellable-answers';
import { BEFORE_COMPACT, COMPACT, COMPACT_FAILED, COMPACTING } from './compaction-events';
import {
  onlyMembers,
  type AnswerReducer,
  type AnswerVerdict,
  type EventRows,
  type MembersOf,
  type PayloadSource,
} from '../event-row';
import type { HookEventOf, HookEventType, HookResults, Payloads, TreePreparation } from '../../hook-event';
import { branchTarget, entriesOf, lazy } from '../payload-parts';
import { SAMPLE_ENTRY } from '../sample-parts';
import { newSessionWord, previousFile, sessionPayload } from '../v1-session-event';

/** The dialects with a single event `session` for all steps, and those with an event for each step. */
const TOGETHER: readonly DialectId[] = ['v1', 'v2', 'tree'];
const SPLIT: readonly DialectId[] = ['tree', 'omp', 'ext', 'pi'];

type SessionEvent =
  Exclude<Extract<HookEventType, `session_${string}`>, 'session_stop'> | 'resources_discover' | 'project_trust';

/** The events of a session, in the order in which they occur. */
export const SESSION_EVENTS: EventRows<SessionEvent> = {
  project_trust: {
    names: [{ name: 'project_trust', of: ['pi'] }],
    timeout: 'always',
    isBeforeConversations: true,
    answers: firstDecision,
    members: { cwd: true },
    samples: ({ cwd }) => [{ type: 'project_trust', cwd }],
  },
  resources_discover: {
    names: [{ name: 'resources_discover', of: ['ext', 'pi'] }],
    answers: allPaths,
    members: { cwd: true, reason: true },
    samples: ({ cwd }) => [{ type: 'resources_discover', cwd, reason: 'startup' }],
  },
  session_directory: {
    names: [{ name: 'session_directory', of: ['ext'] }],
    answers: lastDirectory,
    members: { cwd: true },
    samples: ({ cwd }) => [{ type: 'session_directory', cwd }],
  },
  session_start: {
    names: [
      {
        name: 'session_start',
        of: SPLIT,
        reaches: (event, hook) => !isStartAfterSwitch(event) || hook.dialect.startsOnSwitch,
      },
      {
        name: 'session',
        of: TOGETHER,
        reaches: event => !isStartAfterSwitch(event),
        payload: (_event, source) => sessionPayload(source, 'start'),
      },
    ],
    members: { reason: true, previousSessionFile: true },
    samples: () => [{ type: 'session_start', reason: 'startup' }],
  },
  session_info_changed: {
    names: [{ name: 'session_info_changed', of: ['pi'] }],
    members: { name: true },
    samples: () => [{ type: 'session_info_changed', name: 'Release notes' }],
  },
  session_before_switch: {
    names: [
      {
        name: 'session_before_switch',
        of: SPLIT,
        reaches: (event, hook) => !isNewSessionEvent(event, hook),
      },
      {
        name: 'session',
        of: TOGETHER,
        payload: (event, source) =>
          sessionPayload(source, event.reason === 'new' ? `before_${newSessionWord(source)}` : 'before_switch'),
      },
      { name: 'session_before_new', of: ['tree'], now: 'session_before_switch', reaches: isNewSessionEvent },
    ],
    answers: event => lastUnlessCancelled(event, () => ({})),
    members: { reason: true, targetSessionFile: true },
    samples: ({ sessionFile }) => [
      { type: 'session_before_switch', reason: 'new' },
      { type: 'session_before_switch', reason: 'resume', targetSessionFile: sessionFile ?? '/sessions/other.jsonl' },
    ],
  },
  session_switch: {
    names: [
      {
        name: 'session_switch',
        of: ['tree', 'omp', 'ext'],
        reaches: (event, hook) => !isNewSessionEvent(event, hook),
        payload: switchPayload,
      },
      { name: 'session', of: TOGETHER, payload: sessionSwitchPayload },
      {
        name: 'session_new',
        of: ['tree'],
        reaches: isNewSessionEvent,
        payload: (event, source) => ({ ...switchPayload(event, source), type: 'session_new' }),
      },
    ],
    members: { reason: true, previousSessionFile: true },
    samples: ({ sessionFile }) => [
      { type: 'session_switch', reason: 'new', previousSessionFile: sessionFile },
      { type: 'session_switch', reason: 'resume', previousSessionFile: sessionFile },
    ],
  },
  session_before_branch: {
    names: [
      {
        name: 'session_before_branch',
        of: ['tree', 'omp'],
        now: 'session_before_fork',
        reaches: (_event, hook) => !hook.features.events.has('session_before_fork'),
        payload: branchPayload,
      },
      {
        name: 'session',
        of: TOGETHER,
        payload: (event, source) =>
          sessionPayload(source, 'before_branch', branchTarget(source.conversation, event.entryId)),
      },
      {
        name: 'session_before_fork',
        of: ['ext', 'pi'],
        payload: (event, source) => ({
          ...branchPayload(event, source),
          type: 'session_before_fork',
          position: event.position,
        }),
      },
      {
        // Hooks older than v1 use this name for the event before branching.
        name: 'branch',
        of: ['v1'],
        payload: (event, { conversation }) =>
          lazy(
            { type: 'branch' as const, ...branchTarget(conversation, event.entryId) },
            { entries: () => entriesOf(conversation) },
          ),
      },
    ],
    answers: event =>
      lastUnlessCancelled(event, reading => {
        const skipConversationRestore = reading.flag('skipConversationRestore');
        if (skipConversationRestore) reading.changed.push('skipConversationRestore');
        return { skipConversationRestore };
      }),
    members: { entryId: true, position: true },
    samples: () => [{ type: 'session_before_branch', entryId: SAMPLE_ENTRY, position: 'before' }],
  },
  session_branch: {
    names: [
      {
        name: 'session_branch',
        of: ['tree', 'omp'],
        reaches: (_event, hook) => !hook.features.events.has('session_fork'),
        payload: branchPayload,
      },
      {
        name: 'session',
        of: TOGETHER,
        payload: (event, source) =>
          sessionPayload(source, 'branch', {
            ...branchTarget(source.conversation, event.entryId),
            ...previousFile(event.previousSessionFile),
          }),
      },
      {
        name: 'session_fork',
        of: ['ext'],
        payload: (event, source) => ({ ...branchPayload(event, source), type: 'session_fork' }),
      },
    ],
    members: { entryId: true, previousSessionFile: true },
    samples: ({ sessionFile }) => [{ type: 'session_branch', entryId: SAMPLE_ENTRY, previousSessionFile: sessionFile }],
  },
  session_before_compact: BEFORE_COMPACT,
  session_before_tree: {
    names: [
      {
        name: 'session_before_tree',
        of: SPLIT,
        payload: treePlanPayload,
      },
    ],
    answers: ownSummary,
    members: { preparation: true, model: true, signal: true },
    samples: ({ model }) => [
      {
        type: 'session_before_tree',
        preparation: {
          targetId: SAMPLE_ENTRY,
          oldLeafId: null,
          commonAncestorId: null,
          entriesToSummarize: [],
          userWantsSummary: true,
        },
        model,
        signal: new AbortController().signal,
      },
    ],
  },
  session_compacting: COMPACTING,
  session_compact: COMPACT,
  session_compact_failed: COMPACT_FAILED,
  session_tree: {
    names: [
      {
        name: 'session_tree',
        of: SPLIT,
        payload: ({ summaryEntry, ...event }, { hook, conversation }) => ({
          ...event,
          newLeafId: idFor(hook.dialect, conversation?.sessionManager, event.newLeafId),
          oldLeafId: idFor(hook.dialect, conversation?.sessionManager, event.oldLeafId),
          ...(summaryEntry === undefined
            ? {}
            : { summaryEntry: copyData(entriesFor(hook.dialect, [summaryEntry])[0]) as SessionEntry }),
          ...defined({ fromExtension: event.fromHook }),
        }),
      },
    ],
    members: { newLeafId: true, oldLeafId: true, summaryEntry: true, fromHook: true },
    samples: () => [{ type: 'session_tree', newLeafId: SAMPLE_ENTRY, oldLeafId: null }],
  },
  session_shutdown: {
    names: [
      {
        name: 'session_shutdown',
        of: SPLIT,
        reaches: (event, hook) => !isReplacement(event) || hook.dialect.endsWithSession,
      },
      {
        name: 'session',
        of: TOGETHER,
        reaches: event => !isReplacement(event),
        payload: (_event, source) => sessionPayload(source, 'shutdown'),
      },
    ],
    members: { reason: true, targetSessionFile: true },
    samples: () => [{ type: 'session_shutdown', reason: 'reload' }],
  },
};

/** Whether a start follows a switch, fork or new session; only some dialects have the event then. */
function isStartAfterSwitch({ reason }: HookEventOf<'session_start'>): boolean {
  return reason !== 'startup' && reason !== 'reload';
}

/** Whether the conversation continues with another session; older dialects have other events for that. */
function isReplacement({ reason }: HookEventOf<'session_shutdown'>): boolean {
  return reason !== 'quit' && reason !== 'reload';
}

/** Whether a file listens to the special events for a new session and gets only those (docs/dialects.md, C3). */
function isNewSessionEvent(
  { reason }: HookEventOf<'session_before_switch' | 'session_switch'>,
  { features }: LoadedHook,
): boolean {
  return reason === 'new' && (features.events.has('session_before_new') || features.events.has('session_new'));
}

const TREE_PREPARATION: MembersOf<TreePreparation> = {
  targetId: true,
  oldLeafId: true,
  commonAncestorId: true,
  entriesToSummarize: true,
  userWantsSummary: true,
  customInstructions: true,
  replaceInstructions: true,
  label: true,
};

function treePlanPayload(
  event: HookEventOf<'session_before_tree'>,
  { hook, conversation }: PayloadSource,
): Payloads['session_before_tree'] {
  const { preparation } = event;
  const idIn = (id: string | null): string | null => idFor(hook.dialect, conversation?.sessionManager, id);
  const copy = copyData({
    ...onlyMembers(preparation, TREE_PREPARATION),
    oldLeafId: idIn(preparation.oldLeafId),
    commonAncestorId: idIn(preparation.commonAncestorId),
    entriesToSummarize: entriesFor(hook.dialect, preparation.entriesToSummarize),
  });
  return { ...event, preparation: copy as Payloads['session_before_tree']['preparation'] };
}

function switchPayload(
  event: HookEventOf<'session_switch'>,
  { conversation }: PayloadSource,
): Payloads['session_switch'] {
  return { ...event, newSessionFile: conversation?.sessionFile ?? null };
}

function sessionSwitchPayload(event: HookEventOf<'session_switch'>, source: PayloadSource): Payloads['session'] {
  const previous = previousFile(event.previousSessionFile);
  return event.reason === 'new'
    ? sessionPayload(source, newSessionWord(source), { ...previous, entries: [] })
    : sessionPayload(source, 'switch', previous);
}

function branchPayload<E extends HookEventOf<'session_before_branch' | 'session_branch'>>(
  event: E,
  { conversation }: PayloadSource,
): Omit<E, 'position'> & ReturnType<typeof branchTarget> {
  const copy: Omit<E, 'position'> & { position?: unknown } = { ...event };
  delete copy.position;
  return { ...copy, ...branchTarget(conversation, event.entryId) };
}

function ownSummary(event: HookEventOf<'session_before_tree'>): AnswerReducer<'session_before_tree'> {
  return lastUnlessCancelled(event, reading => {
    const summary = event.preparation.userWantsSummary ? readSummary(reading) : undefined;
    const found = {
      ...withMember('summary', summary),
      ...withMember('customInstructions', reading.text('customInstructions')),
      ...withMember('replaceInstructions', reading.boolean('replaceInstructions')),
      ...withMember('label', reading.text('label')),
    };
    reading.changed.push(...Object.keys(found));
    return found;
  });
}

function readSummary(reading: AnswerReader): HookResults['session_before_tree']['summary'] {
  const given = reading.object('summary');
  if (given === undefined) return undefined;
  if (typeof given['summary'] === 'string') {
    const usage = readUsage(reading, 'summary', given);
    return { summary: given['summary'], ...withMember('details', given['details']), ...withMember('usage', usage) };
  }
  reading.problems.push('"summary.summary" must be a string');
  return undefined;
}

/** The last hook that returns a directory decides. */
function lastDirectory(event: HookEventOf<'session_directory'>): AnswerReducer<'session_directory'> {
  let sessionDir: string | undefined;
  return {
    event,
    add(returned): AnswerVerdict {
      const answer = answerOf(returned);
      if (answer === undefined) return noAnswer(returned);
      const reading = new AnswerReader(answer);
      const given = reading.text('sessionDir');
      if (given !== undefined) reading.changed.push('sessionDir');
      sessionDir = given ?? sessionDir;
      return reading.verdict();
    },
    result: () => withMember('sessionDir', sessionDir),
  };
}

/** The first hook that does not answer `undecided` decides; any text other than `yes` means no, as in pi. */
function firstDecision(event: HookEventOf<'project_trust'>): AnswerReducer<'project_trust'> {
  let decision: HookResults['project_trust']['decision'];
  return {
    event,
    add(returned, hook): AnswerVerdict {
      const answer = answerOf(returned);
      if (answer === undefined) return noAnswer(returned);
      const reading = new AnswerReader(answer);
      const trusted = reading.text('trusted');
      if (!reading.has('trusted')) reading.problems.push('"trusted" must be yes, no or undecided');
      if (reading.problems.length > 0 || trusted === undefined || trusted === 'undecided') return reading.verdict();
      decision = { trusted: trusted === 'yes', remember: reading.get('remember') === true, by: hook.path };
      reading.changed.push('trusted');
      return reading.verdict(undefined, true);
    },
    result: () => withMember('decision', decision),
  };
}

/** The paths of all hooks are collected; relative paths start at the hook's folder. */
function allPaths(event: HookEventOf<'resources_discover'>): AnswerReducer<'resources_discover'> {
  const found = { skillPaths: [] as string[], promptPaths: [] as string[], themePaths: [] as string[] };
  return {
    event,
    add(returned, hook): AnswerVerdict {
      const answer = answerOf(returned);
      if (answer === undefined) return noAnswer(returned);
      const reading = new AnswerReader(answer);
      for (const kind of ['skillPaths', 'promptPaths', 'themePaths'] as const) {
        const paths = reading.texts(kind);
        if (paths === undefined) continue;
        reading.changed.push(kind);
        found[kind].push(...paths.map(path => resolve(dirname(hook.path), path)));
      }
      return reading.verdict();
    },
    result: () => found,
  };
}
