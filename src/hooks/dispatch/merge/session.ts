import { dirname, resolve } from 'node:path';
import type { HookConversation } from '../../conversation-port';
import type { CompactionResult, HookEventOf, HookResults } from '../../events/hook-event';
import { keptIdAt, v1View } from '../../api/session-view';
import { answerOf, isObject, noAnswer, Reading } from './answers';
import type { Merging, Verdict } from './merging';

type Cancellable = 'session_before_switch' | 'session_before_branch' | 'session_before_compact' | 'session_before_tree';

/**
 * The last answer counts as a whole, `cancel` ends the dispatch (reference section 5.1, edges 10 and 12). `read` takes
 * from an answer what the event knows beyond `cancel`.
 */
function lastUnlessCancelled<T extends Cancellable>(
  event: HookEventOf<T>,
  read: (reading: Reading) => object,
): Merging<T> {
  let result: object = { cancelled: false, ...read(new Reading({})) };
  return {
    event,
    take(returned, hook): Verdict {
      const answer = answerOf(returned);
      if (answer === undefined) return noAnswer(returned);
      const reading = new Reading(answer);
      if (reading.flag('cancel')) {
        result = { ...read(new Reading({})), cancelled: true, by: hook.path };
        return { outcome: { type: 'cancelled' }, stop: true };
      }
      result = { cancelled: false, ...read(reading) };
      return reading.verdict();
    },
    result: () => result as never,
  };
}

export function mergeBeforeSwitch(event: HookEventOf<'session_before_switch'>): Merging<'session_before_switch'> {
  return lastUnlessCancelled(event, () => ({}));
}

export function mergeBeforeBranch(event: HookEventOf<'session_before_branch'>): Merging<'session_before_branch'> {
  return lastUnlessCancelled(event, reading => {
    const skipConversationRestore = reading.flag('skipConversationRestore');
    if (skipConversationRestore) reading.changed.push('skipConversationRestore');
    return { skipConversationRestore };
  });
}

export function mergeBeforeCompact(
  event: HookEventOf<'session_before_compact'>,
  conversation: HookConversation | undefined,
): Merging<'session_before_compact'> {
  return lastUnlessCancelled(event, reading => {
    const compaction = readCompaction(reading, event, conversation);
    if (compaction !== undefined) reading.changed.push('compaction');
    return compaction === undefined ? {} : { compaction };
  });
}

/** Either key is accepted from any hook (C7); an empty object means the default compaction (edge 16). */
function readCompaction(
  reading: Reading,
  event: HookEventOf<'session_before_compact'>,
  conversation: HookConversation | undefined,
): CompactionResult | undefined {
  const key = reading.has('compaction') ? 'compaction' : 'compactionEntry';
  const given = reading.object(key);
  if (given === undefined || Object.keys(given).length === 0) return undefined;
  const { summary, tokensBefore, details } = given;
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
    ...(details === undefined ? {} : { details }),
  };
}

function keptId(
  given: Readonly<Record<string, unknown>>,
  conversation: HookConversation | undefined,
): string | undefined {
  if (typeof given['firstKeptEntryId'] === 'string') return given['firstKeptEntryId'];
  return conversation === undefined ? undefined : keptIdAt(v1View(conversation), given['firstKeptEntryIndex']);
}

export function mergeBeforeTree(event: HookEventOf<'session_before_tree'>): Merging<'session_before_tree'> {
  return lastUnlessCancelled(event, reading => {
    const summary = event.preparation.userWantsSummary ? readSummary(reading) : undefined;
    const found = {
      ...optional('summary', summary),
      ...optional('customInstructions', reading.text('customInstructions')),
      ...optional('replaceInstructions', reading.boolean('replaceInstructions')),
      ...optional('label', reading.text('label')),
    };
    reading.changed.push(...Object.keys(found));
    return found;
  });
}

function readSummary(reading: Reading): { readonly summary: string; readonly details?: unknown } | undefined {
  const given = reading.object('summary');
  if (given === undefined) return undefined;
  if (typeof given['summary'] === 'string') {
    return { summary: given['summary'], ...optional('details', given['details']) };
  }
  reading.problems.push('"summary.summary" must be a string');
  return undefined;
}

function optional<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  return value === undefined ? {} : ({ [key]: value } as Partial<Record<K, V>>);
}

/** The latest answer counts as a whole (C25). */
export function mergeCompacting(event: HookEventOf<'session_compacting'>): Merging<'session_compacting'> {
  let result: HookResults['session_compacting'] = { context: [] };
  return {
    event,
    take(returned): Verdict {
      const answer = answerOf(returned);
      if (answer === undefined) return noAnswer(returned);
      const reading = new Reading(answer);
      const context = reading.texts('context');
      const prompt = reading.text('prompt');
      const preserveData = reading.typed('preserveData', 'an object', isObject);
      reading.changed.push(
        ...Object.keys({
          ...optional('context', context),
          ...optional('prompt', prompt),
          ...optional('preserveData', preserveData),
        }),
      );
      result = { context: context ?? [], ...optional('prompt', prompt), ...optional('preserveData', preserveData) };
      return reading.verdict();
    },
    result: () => result,
  };
}

/** The last directory counts. */
export function mergeDirectory(event: HookEventOf<'session_directory'>): Merging<'session_directory'> {
  let sessionDir: string | undefined;
  return {
    event,
    take(returned): Verdict {
      const answer = answerOf(returned);
      if (answer === undefined) return noAnswer(returned);
      const reading = new Reading(answer);
      const given = reading.text('sessionDir');
      if (given !== undefined) reading.changed.push('sessionDir');
      sessionDir = given ?? sessionDir;
      return reading.verdict();
    },
    result: () => optional('sessionDir', sessionDir),
  };
}

/** All paths of all hooks are collected; relative ones lie beside the hook. */
export function mergeResources(event: HookEventOf<'resources_discover'>): Merging<'resources_discover'> {
  const found = { skillPaths: [] as string[], promptPaths: [] as string[], themePaths: [] as string[] };
  return {
    event,
    take(returned, hook): Verdict {
      const answer = answerOf(returned);
      if (answer === undefined) return noAnswer(returned);
      const reading = new Reading(answer);
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
