import { Type, type Static } from '@sinclair/typebox';
import { parse } from '../../base/json/schema';
import { redact, redactText } from '../../base/text/redact';
import { ApprovalReasonSchema } from '../../hook-contract/approvals/approval-reason';
import type { ToolItem, ToolState } from '../../protocol/items/chat-item';

const Text = Type.String();
const Hook = Type.Object({ path: Text, name: Text, line: Type.Optional(Type.Number()) });

const Verdict = Type.Object({
  hook: Hook,
  event: Text,
  durationMs: Type.Number(),
  askedMs: Type.Optional(Type.Number()),
  outcome: Type.Union(
    (['nothing', 'allowed', 'modified', 'blocked', 'failed', 'late'] as const).map(outcome => Type.Literal(outcome)),
  ),
  detail: Type.Optional(Text),
  changes: Type.Optional(Type.Array(Type.Object({ member: Text, diff: Text }))),
  asked: Type.Optional(Type.Array(Type.Object({ question: Text, answer: Type.Optional(Text) }))),
  afterApproval: Type.Optional(Type.Literal(true)),
  approvalReason: Type.Optional(ApprovalReasonSchema),
});

const ENDS = ['done', 'failed', 'stopped', 'notFound', 'blocked', 'skipped'] as const;

/** How one tool call came about and ended, as far as its session does not say: one line of the session's record. */
const CallRecordSchema = Type.Object({
  /** When it ended, ms since the epoch: before its result is written. */
  at: Type.Number(),
  /** Tool call id; models may use one again, in a branch for instance. */
  call: Text,
  end: Type.Union(ENDS.map(end => Type.Literal(end))),
  /** How long the tool itself ran, ms; absent: it never began. */
  ms: Type.Optional(Type.Number()),
  /** Who blocked it; absent: Hookline itself. */
  by: Type.Optional(Hook),
  /** In the order in which the handlers ran. */
  verdicts: Type.Array(Verdict),
  /** What the tool got, where hooks had changed what the model asked for. */
  input: Type.Optional(Type.Object({ summary: Text, args: Text })),
});

export type CallRecord = Static<typeof CallRecordSchema>;

/** A line as long as a payload of the hook log, in characters. */
const LONGEST_LINE = 64 * 1024;
/** Characters that stay of a text when a record is too long. */
const SHORT = 2_000;

/** The card of a call that is over as it is kept, without secrets; undefined while it goes on. */
export function recordOf(item: ToolItem, at: number): CallRecord | undefined {
  const { toolCallId, state, verdicts, modelArgs, summary, args } = item;
  if (!isOver(state)) return undefined;
  const record: CallRecord = {
    at,
    call: toolCallId,
    end: state.type,
    ...('durationMs' in state && state.durationMs !== undefined ? { ms: state.durationMs } : {}),
    ...(state.type === 'blocked' && state.by !== undefined ? { by: state.by } : {}),
    verdicts: [...verdicts] as CallRecord['verdicts'],
    ...(modelArgs === undefined ? {} : { input: { summary, args } }),
  };
  return holdsSecret(record) ? readRecord(redact(record)) : record;
}

/** Its members have names of ours, and the same few texts are in each verdict: they are looked at once. */
function holdsSecret(record: CallRecord): boolean {
  const texts = new Set<string>();
  gatherTexts(record, texts);
  const all = [...texts].join('\n');
  return redactText(all) !== all;
}

function gatherTexts(value: unknown, texts: Set<string>): void {
  if (typeof value === 'string') texts.add(value);
  else if (Array.isArray(value)) {
    for (const member of value) gatherTexts(member, texts);
  } else if (typeof value === 'object' && value !== null) {
    for (const name of Object.keys(value)) gatherTexts((value as Readonly<Record<string, unknown>>)[name], texts);
  }
}

/** A line of the file; undefined when it is none of ours. */
export function readRecord(value: unknown): CallRecord | undefined {
  const result = parse(CallRecordSchema, value);
  if (!result.ok) return undefined;
  const { verdicts, ...record } = result.value;
  return { ...record, verdicts: verdicts.map(withoutOldWord) };
}

/** Older records say `allowed` of hooks that made no decision; only the built-in gate allows, and it gives a reason. */
function withoutOldWord(verdict: CallRecord['verdicts'][number]): CallRecord['verdicts'][number] {
  const { outcome, approvalReason } = verdict;
  return outcome === 'allowed' && approvalReason === undefined ? { ...verdict, outcome: 'nothing' } : verdict;
}

/** One line. What makes it too long is cut, or left out where half of it would say nothing. */
export function lineOf(record: CallRecord): string {
  const line = JSON.stringify(record);
  return `${line.length <= LONGEST_LINE ? line : JSON.stringify(shortened(record))}\n`;
}

/** A card that was drawn from its session alone, with what hooks did to its call; the state is left as it is. */
export function withRecord(item: ToolItem, { input, verdicts }: CallRecord): ToolItem {
  return { ...item, ...(input === undefined ? {} : { ...input, modelArgs: item.args }), verdicts };
}

function isOver(state: ToolState): state is Extract<ToolState, { type: CallRecord['end'] }> {
  return ENDS.some(end => end === state.type);
}

function shortened({ input: _input, verdicts, ...record }: CallRecord): CallRecord {
  return {
    ...record,
    verdicts: verdicts.map(({ changes: _changes, asked, detail, ...verdict }) => ({
      ...verdict,
      ...(detail === undefined ? {} : { detail: short(detail) }),
      ...(asked === undefined ? {} : { asked: asked.map(each => ({ ...each, question: short(each.question) })) }),
    })),
  };
}

function short(text: string): string {
  return text.length > SHORT ? `${text.slice(0, SHORT)}…` : text;
}
