import * as l10n from '@vscode/l10n';
import { membersOf } from '../../base/json/is-record';
import { diffTexts } from '../../agent/tools/files/editing/diff';
import type { ToolOutcome } from '../../agent/tools/tool';
import type { DispatchRecord } from '../../hook-contract/record';
import type { DialogAnswer } from '../../hook-contract/ui/ui';
import { defined } from '../../base/defined';
import { redactText } from '../../base/text/redact';
import { wordsIn } from '../../hook-run/tool-call/denial-words';
import type { HookVerdict, ToolState } from '../../protocol/items/chat-item';
import { hookRef } from '../../transcript/hook-ref';
import { shownOutput } from '../../transcript/message-text';

/** Characters of one value that are compared. */
const LONGEST = 20_000;

/** A handler's verdict about a call, with its changes and the user's answers to its questions; `earlier`: those before it. */
export function presentVerdict(record: DispatchRecord, earlier: () => readonly HookVerdict[]): HookVerdict {
  const hook = hookRef(record.hookPath, record.registration.line);
  const event = record.registeredAs;
  const durationMs = Math.round(record.durationMs);
  if (isSilent(record)) return { hook, event, durationMs, outcome: 'nothing' };
  const changes = changesIn(record);
  const asked = (record.dialogs ?? []).flatMap(answerOf);
  const changesInput = record.event === 'tool_call' && changes.some(({ member }) => member === 'input');
  const wasApproved = changesInput && record.approvalReason === undefined && earlier().some(isAnswered);
  return {
    hook,
    event,
    durationMs,
    ...(record.askedMs === 0 ? {} : { askedMs: Math.round(record.askedMs) }),
    ...outcomeOf(record),
    ...(changes.length === 0 ? {} : { changes }),
    ...(asked.length === 0 ? {} : { asked }),
    ...defined({ approvalReason: record.approvalReason }),
    ...(wasApproved ? { afterApproval: true as const } : {}),
  };
}

/** Whether the user answered a question of a hook, which does not ask again; the built-in gate does. */
function isAnswered({ asked = [], approvalReason }: HookVerdict): boolean {
  return approvalReason === undefined && asked.some(({ answer }) => answer !== undefined);
}

/** Whether the handler did nothing that a card tells of: by far the most verdicts. */
function isSilent({ outcome, before, dialogs, askedMs, approvalReason }: DispatchRecord): boolean {
  return (
    outcome.type === 'nothing' &&
    before === undefined &&
    dialogs === undefined &&
    askedMs === 0 &&
    approvalReason === undefined
  );
}

/** The state of a finished call. `durationMs` is undefined when the tool itself never began. */
export function endState(
  outcome: ToolOutcome,
  verdicts: readonly HookVerdict[],
  durationMs: number | undefined,
): Extract<ToolState, { readonly type: ToolOutcome['type'] }> {
  switch (outcome.type) {
    case 'done':
    case 'failed':
    case 'stopped':
      return { type: outcome.type, ...defined({ durationMs }) };
    case 'blocked': {
      const { type, reason, by } = outcome;
      if (by === undefined) return { type, reason };
      // The verdict knows the handler's line as well.
      const verdict = verdicts.findLast(({ hook }) => hook.path === by);
      const state = { type, by: verdict?.hook ?? hookRef(by), reason: shownOutput(reason) };
      const why = verdict?.approvalReason;
      // Earlier versions stored what the user said only in the reason.
      return why?.by === 'person' ? { ...state, denied: defined({ says: why.says ?? wordsIn(state.reason) }) } : state;
    }
    case 'notFound':
    case 'skipped':
      return outcome;
  }
}

function outcomeOf({
  outcome,
  approvalReason,
}: DispatchRecord): Pick<HookVerdict, 'outcome'> & { readonly detail?: string } {
  // A hook can only block a call. The built-in gate decides, and gives its reason.
  const silent = approvalReason === undefined ? 'nothing' : 'allowed';
  switch (outcome.type) {
    case 'nothing':
      return { outcome: silent };
    case 'returned':
      return outcome.changed.length === 0
        ? { outcome: silent }
        : { outcome: 'modified', detail: outcome.changed.join(', ') };
    case 'blocked':
      return { outcome: 'blocked', detail: outcome.reason };
    case 'threw':
      return { outcome: 'failed', detail: outcome.message };
    case 'late':
      return { outcome: 'late', detail: l10n.t('no answer within {0} ms', outcome.timeoutMs) };
    case 'ignored':
      return { outcome: 'nothing', detail: outcome.why };
    case 'cancelled':
    case 'handled':
      return { outcome: 'nothing' };
  }
}

/** Before and after of the input, or of what the handler returned of the result; read while the objects live. */
function changesIn({
  event,
  outcome,
  payload,
  returned,
  before,
  input,
}: DispatchRecord): NonNullable<HookVerdict['changes']> {
  if (event === 'tool_call') {
    return before === undefined ? [] : compared('input', before, input);
  }
  if (outcome.type !== 'returned') return [];
  const given = membersOf(payload);
  const answer = membersOf(returned);
  return outcome.changed.flatMap(member => compared(member, given[member], answer[member]));
}

function compared(member: string, before: unknown, after: unknown): NonNullable<HookVerdict['changes']> {
  const { diff } = diffTexts(readable(before), readable(after), 2);
  return diff === '' ? [] : [{ member, diff }];
}

/** A value as readable text: a text unchanged, content as its texts, anything else as JSON with real line breaks. */
function readable(value: unknown): string {
  const text = typeof value === 'string' ? value : (contentText(value) ?? jsonText(value));
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return redactText(short);
}

function contentText(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const parts = value.map(membersOf);
  if (!parts.every(({ type }) => type === 'text' || type === 'image')) return undefined;
  return parts.map(({ text }) => (typeof text === 'string' ? text : '[image]')).join('\n');
}

function jsonText(value: unknown): string {
  try {
    const json = JSON.stringify(value, null, 2) as string | undefined; // Undefined for undefined and functions.
    return (json ?? '').replace(/(?<!\\)((?:\\\\)*)\\n/g, '$1\n');
  } catch {
    return '…'; // A getter of a hook that throws, or a circle: there is nothing to compare.
  }
}

function answerOf({ kind, title, answer }: DialogAnswer): NonNullable<HookVerdict['asked']> {
  if (kind === 'custom') return [];
  const question = redactText(title);
  const text = answerText(answer);
  return [text === undefined ? { question } : { question, answer: redactText(text) }];
}

/** An answer as a card shows it; undefined when there was none. */
export function answerText(answer: unknown): string | undefined {
  if (typeof answer === 'boolean') return answer ? 'Yes' : 'No';
  return typeof answer === 'string' ? answer : undefined;
}
