import { Type, type Static } from '@sinclair/typebox';
import { ApprovalReasonSchema } from '../../hook-contract/approvals/approval-reason';
import { contextRecord, type MessageLists } from '../../hook-contract/events/answers/context-answers';
import { STREAMED } from '../../hook-contract/events/event-table';
import type { DispatchRecord } from '../../hook-contract/record';
import { same } from '../../hook-contract/copy';
import { defined } from '../../base/defined';
import { redact, redactText } from '../../base/text/redact';
import { isJsonList, type Json } from '../../base/json/json';
import { snapshot, type Snapshot } from './snapshot';
import { isRecord, membersOf } from '../../base/json/is-record';

const Text = Type.String();

/** An `ctx.agent` as it is read back from disk. */
const OtherAgentSchema = Type.Object({
  name: Text,
  version: Type.Optional(Text),
  sessionId: Text,
  subagent: Type.Optional(Type.Object({ id: Text, type: Type.Optional(Text) })),
  isAttended: Type.Optional(Type.Boolean()),
});

/** A dispatch as the log stores it: plain data without secrets, one line of the log's file. */
export const LogEntrySchema = Type.Object({
  /**
   * When this run of the window began, in ms since 1970 as base 36; together with `seq`, it identifies the dispatch.
   */
  run: Text,
  seq: Type.Number(),
  /** ms since 1970 */
  at: Type.Number(),
  conversation: Text,
  /** The agent of others whose event it was; absent for Hookline's own. */
  agent: Type.Optional(OtherAgentSchema),
  hook: Text,
  event: Text,
  registeredAs: Text,
  nth: Type.Number(),
  line: Type.Optional(Type.Number()),
  tool: Type.Optional(Text),
  toolCallId: Type.Optional(Text),
  ms: Type.Number(),
  askedMs: Type.Number(),
  /** When the handler waited for the user, in ms since 1970, and for how many ms. */
  waits: Type.Optional(Type.Array(Type.Object({ at: Type.Number(), ms: Type.Number() }))),
  outcome: Type.Object({ type: Text }, { additionalProperties: true }),
  /** Why the built-in gate decided as it did; absent for other hooks. */
  approvalReason: Type.Optional(ApprovalReasonSchema),
  payload: Type.Optional(Type.Unknown()),
  returned: Type.Optional(Type.Unknown()),
  /** The members that the handler changed, with its answer or in place. */
  changes: Type.Optional(
    Type.Array(
      Type.Object({ member: Text, before: Type.Optional(Type.Unknown()), after: Type.Optional(Type.Unknown()) }),
    ),
  ),
  /** What the handler asked the user; `answer` is absent when the dialog was cancelled. */
  dialogs: Type.Optional(Type.Array(Type.Object({ kind: Text, title: Text, answer: Type.Optional(Type.Unknown()) }))),
  /** The conversation had no user interface, so nobody could answer. */
  noUi: Type.Optional(Type.Literal(true)),
  /** Parts were cut because they are too long. */
  capped: Type.Optional(Type.Literal(true)),
});

export type LogEntry = Static<typeof LogEntrySchema>;
export type Change = NonNullable<LogEntry['changes']>[number];

/** Of an event that comes with each piece of text, only the new text is kept, up to this many characters. */
const STREAMED_LIMIT = 2_048;

/** Copies from a dispatch, made before its objects change; {@link entryOf} later makes the entry from them. */
export interface CapturedDispatch {
  readonly record: DispatchRecord;
  readonly payload: Snapshot;
  readonly returned: Snapshot;
  readonly dialogs: Snapshot;
  readonly changes: readonly { readonly member: string; readonly before: Snapshot; readonly after: Snapshot }[];
}

const NO_VALUE: Snapshot = { value: null, capped: false };

/** Copies the values of a dispatch, each cut at `RECORD_LIMIT`. */
export function captureDispatch(record: DispatchRecord): CapturedDispatch {
  const metadata: DispatchRecord = { ...record, payload: undefined, returned: undefined, before: undefined };
  const dialogs = record.dialogs === undefined ? NO_VALUE : snapshot(record.dialogs);
  if (STREAMED.has(record.event)) {
    return { record: metadata, payload: streamed(record.payload), returned: NO_VALUE, dialogs, changes: [] };
  }
  const messages = record.event === 'context' ? contextRecord(record.payload) : undefined;
  if (messages !== undefined) {
    const { payload, changes } = recordedMessages(messages, record.returned);
    const returned = snapshot(answerWithout(record.returned, 'messages'));
    return { record: metadata, payload, returned, dialogs, changes };
  }
  readSmall(record.payload);
  return {
    record: metadata,
    payload: snapshot(record.payload),
    returned: snapshot(record.returned),
    dialogs,
    changes: changesIn(record),
  };
}

/**
 * A message list as ids of entries; only messages that differ from the session are stored in full. A log with the full
 * history of each turn would grow quadratically.
 */
function recordedMessages(lists: MessageLists, returned: unknown): Pick<CapturedDispatch, 'payload' | 'changes'> {
  const { messages, entryIds, given } = lists;
  const before = entryIds.map((id, place) => id ?? `[${messages[place]?.role ?? 'message'} without an entry]`);
  const payload = snapshot({ type: 'context', messages: before });
  const after = messageList(returned) ?? given;
  if (after === undefined) return { payload: snapshot({ type: 'context', count: before.length }), changes: [] };
  if (after === given && !lists.isChangedInPlace) return { payload, changes: [] };
  const elements = elementsOf(after, lists);
  if (elements.length === before.length && elements.every((element, place) => element === before[place])) {
    return { payload, changes: [] };
  }
  return {
    payload,
    changes: [{ member: 'messages', before: snapshot(before), after: snapshot(elements) }],
  };
}

/** For each element: the id of its entry if the message is unchanged, otherwise the message. */
function elementsOf(after: readonly unknown[], { messages, entryIds, places }: MessageLists): readonly unknown[] {
  return after.map(element => {
    const message = messageIn(element);
    const place = message === undefined ? undefined : places.get(message);
    if (place === undefined) return message ?? element;
    const original = messages[place];
    const id = entryIds[place] ?? `[${original?.role ?? 'message'} without an entry]`;
    return same(message, original) ? id : { entry: id, message };
  });
}

function messageList(returned: unknown): readonly unknown[] | undefined {
  if (typeof returned !== 'object' || returned === null || !('messages' in returned)) return undefined;
  return Array.isArray(returned.messages) ? returned.messages : undefined;
}

/** Hooks of v2 wrap each message. */
function messageIn(element: unknown): object | undefined {
  if (typeof element !== 'object' || element === null) return undefined;
  if ('role' in element) return element;
  return 'message' in element && typeof element.message === 'object' ? (element.message ?? undefined) : element;
}

/** Makes the redacted entry that is written and shown. */
export function entryOf({ record, payload, returned, dialogs, changes }: CapturedDispatch, run: string): LogEntry {
  const { seq, startedAt, conversation, hookPath, event, registeredAs, nth, registration, toolName, toolCallId } =
    record;
  const capped = [payload, returned, dialogs, ...changes.flatMap(({ before, after }) => [before, after])].some(
    part => part.capped,
  );
  return {
    run,
    seq,
    at: Math.round(startedAt),
    conversation,
    ...defined({ agent: record.agent }),
    hook: hookPath,
    event,
    registeredAs,
    nth,
    ...defined({ line: registration.line, tool: toolName, toolCallId }),
    ms: rounded(record.durationMs),
    askedMs: rounded(record.askedMs),
    ...(record.waits === undefined
      ? {}
      : { waits: record.waits.map(({ at, ms }) => ({ at: rounded(at), ms: rounded(ms) })) }),
    outcome: outcomeOf(record),
    ...(record.approvalReason === undefined ? {} : { approvalReason: redactedReason(record.approvalReason) }),
    ...(payload.value === null ? {} : { payload: redact(payload.value) }),
    ...(returned.value === null ? {} : { returned: redact(returned.value) }),
    ...(changes.length === 0 ? {} : { changes: changes.map(redactedChange) }),
    ...(isJsonList(dialogs.value) ? { dialogs: redact(dialogs.value) as unknown as LogEntry['dialogs'] & object } : {}),
    ...(record.noUi === true ? { noUi: true as const } : {}),
    ...(capped ? { capped: true as const } : {}),
  };
}

/** Small members that say what an event is about. Long histories are not computed if the hook did not read them. */
const SMALL = ['input', 'args', 'content', 'details', 'result', 'message'];

/** Reads these members, so that they are computed and recorded even if the handler did not read them. */
function readSmall(payload: unknown): void {
  const given = membersOf(payload);
  for (const name of SMALL) {
    try {
      Reflect.get(given, name);
    } catch {
      // A hook defined a getter that throws; the record will say that the member cannot be read.
    }
  }
}

function redactedChange({ member, before, after }: CapturedDispatch['changes'][number]): Change {
  return { member, before: redact(before.value), after: redact(after.value) };
}

function outcomeOf({ outcome }: DispatchRecord): LogEntry['outcome'] {
  const redacted = redact(snapshot(outcome).value);
  return isRecord(redacted) ? { ...redacted, type: outcome.type } : { type: outcome.type };
}

/** Redacts the rule of a reason: it can contain a command, and the command a password. */
function redactedReason(
  approvalReason: NonNullable<DispatchRecord['approvalReason']>,
): NonNullable<LogEntry['approvalReason']> {
  return 'rule' in approvalReason && approvalReason.rule !== undefined
    ? { ...approvalReason, rule: redactText(approvalReason.rule) }
    : approvalReason;
}

function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

function streamed(payload: unknown): Snapshot {
  const { type, toolCallId, toolName, assistantMessageEvent } = membersOf(payload);
  const { type: kind, contentIndex, delta } = membersOf(assistantMessageEvent);
  const event = {
    ...(typeof kind === 'string' ? { type: kind } : {}),
    ...(typeof contentIndex === 'number' ? { contentIndex } : {}),
    ...(typeof delta === 'string' ? { delta: delta.slice(0, STREAMED_LIMIT) } : {}),
  };
  const value: Json = {
    ...(typeof type === 'string' ? { type } : {}),
    ...(typeof toolCallId === 'string' ? { toolCallId } : {}),
    ...(typeof toolName === 'string' ? { toolName } : {}),
    ...(assistantMessageEvent === undefined ? {} : { assistantMessageEvent: event }),
  };
  return { value, capped: typeof delta === 'string' && delta.length > STREAMED_LIMIT };
}

/** The members that an answer replaces in the payload, and the input if a `tool_call` handler changed it in place. */
function changesIn({ event, outcome, payload, returned, before }: DispatchRecord): CapturedDispatch['changes'] {
  const changed = outcome.type === 'returned' && event !== 'tool_call' ? outcome.changed : [];
  const given = membersOf(payload);
  const answer = membersOf(returned);
  // Members that were changed in place are not in the answer.
  const laid = changed
    .filter(member => member in answer)
    .map(member => ({
      member,
      before: snapshot(given[member]),
      after: snapshot(answer[member]),
    }));
  if (before === undefined || same(before, given['input'])) return laid;
  return [...laid, { member: 'input', before: snapshot(before), after: snapshot(given['input']) }];
}

function answerWithout(answer: unknown, member: string): unknown {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return answer;
  const rest = Object.fromEntries(Object.entries(answer).filter(([name]) => name !== member));
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** Formats an entry or a value as JSON for the user. */
export function jsonOf(value: Json | LogEntry): string {
  return JSON.stringify(value, undefined, 2);
}
