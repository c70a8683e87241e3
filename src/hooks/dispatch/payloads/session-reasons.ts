import { branchTarget } from './branching';
import { beforeCompact, compacted, entriesOf } from './compaction';
import { lazy } from './lazy';
import type { Shape, ShapeSource } from './shape';

/**
 * The one `session` event of V1 and of the TREE document: a reason, and files that may be null (docs/dialects.md, C22).
 */
function sessionEvent(source: ShapeSource, reason: string, more: object = {}): object {
  const base = {
    type: 'session',
    reason,
    sessionFile: source.conversation?.sessionFile ?? null,
    previousSessionFile: null,
  };
  // Defined before `entries`, which an own member of `more` replaces.
  const payload = lazy(base, { entries: () => entriesOf(source) });
  return Object.defineProperties(payload, Object.getOwnPropertyDescriptors(more));
}

const previous = (file: string | undefined): object => ({ previousSessionFile: file ?? null });

/** Which word this hook knows for a new session: its text decides, else its dialect (docs/dialects.md, C2). */
function newWord(source: ShapeSource): 'new' | 'clear' {
  return source.hook.features.newSessionWord ?? source.hook.dialect.newSessionWord;
}

export const sessionStart: Shape<'session_start'> = (_event, source) => sessionEvent(source, 'start');

export const sessionBeforeSwitch: Shape<'session_before_switch'> = (event, source) =>
  sessionEvent(source, event.reason === 'new' ? `before_${newWord(source)}` : 'before_switch');

export const sessionSwitch: Shape<'session_switch'> = (event, source) => {
  if (event.reason !== 'new') return sessionEvent(source, 'switch', previous(event.previousSessionFile));
  return sessionEvent(source, newWord(source), { ...previous(event.previousSessionFile), entries: [] });
};

export const sessionBeforeBranch: Shape<'session_before_branch'> = (event, source) =>
  sessionEvent(source, 'before_branch', branchTarget(source.conversation, event.entryId));

export const sessionBranch: Shape<'session_branch'> = (event, source) =>
  sessionEvent(source, 'branch', {
    ...branchTarget(source.conversation, event.entryId),
    ...previous(event.previousSessionFile),
  });

export const sessionBeforeCompact: Shape<'session_before_compact'> = (event, source) =>
  sessionEvent(source, 'before_compact', without('type', beforeCompact(event, source)));

export const sessionCompact: Shape<'session_compact'> = (event, source) =>
  sessionEvent(source, 'compact', without('type', compacted(event, source)));

export const sessionShutdown: Shape<'session_shutdown'> = (_event, source) => sessionEvent(source, 'shutdown');

/** Without reading lazy members. */
function without(name: string, payload: object): object {
  const members: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(payload);
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- a map of descriptors, built here
  delete members[name];
  return Object.defineProperties({}, members);
}

/** H18's `branch`: asked before branching (docs/dialects.md, C34). */
export const branchOfH18: Shape<'session_before_branch'> = (event, source) =>
  lazy({ type: 'branch', ...branchTarget(source.conversation, event.entryId) }, { entries: () => entriesOf(source) });
