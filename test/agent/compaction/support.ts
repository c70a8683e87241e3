import fc from 'fast-check';
import { estimateTokens } from '../../../src/agent/compaction/tokens';
import type { CutPoint } from '../../../src/agent/compaction/plan';
import { messageOfEntry } from '../../../src/agent/session/context';
import { asEntryId, type SessionEntry, type StoredEntry } from '../../../src/agent/session/entry';
import { assistant, user } from '../session/support';

/** The kinds of entries a path can hold, as short names for generated sessions. */
export type Kind =
  | 'user'
  | 'assistant'
  | 'toolResult'
  | 'bash'
  | 'customRole'
  | 'custom_message'
  | 'branch_summary'
  | 'model_change'
  | 'thinking_level_change'
  | 'custom'
  | 'label'
  | 'session_info'
  | 'compaction'
  | 'unknown';

export interface Made {
  readonly kind: Kind;
  /** Characters of text. */
  readonly size: number;
}

/** An entry of this kind with as many characters. */
export function entryOf({ kind, size }: Made, index: number): StoredEntry {
  const id = asEntryId(`e${index}`);
  const base = { id, parentId: index === 0 ? null : asEntryId(`e${index - 1}`), timestamp: '2026-01-01T00:00:00.000Z' };
  const text = 'x'.repeat(size);
  const message = (value: Extract<SessionEntry, { type: 'message' }>['message']): StoredEntry => ({
    ...base,
    type: 'message',
    message: value,
  });
  switch (kind) {
    case 'user':
      return message(user(text));
    case 'assistant':
      return message(assistant(text));
    case 'toolResult':
      return message({
        role: 'toolResult',
        toolCallId: 't',
        toolName: 'bash',
        content: [{ type: 'text', text }],
        isError: false,
        timestamp: 1,
      });
    case 'bash':
      return message({
        role: 'bashExecution',
        command: '',
        output: text,
        exitCode: 0,
        cancelled: false,
        truncated: false,
        timestamp: 1,
      });
    case 'customRole':
      return message({ role: 'custom', customType: 'n', content: text, display: true, timestamp: 1 });
    case 'custom_message':
      return { ...base, type: kind, customType: 'n', content: text, display: true };
    case 'branch_summary':
      return { ...base, type: kind, fromId: 'root', summary: text };
    case 'model_change':
      return { ...base, type: kind, provider: 'p', modelId: 'm' };
    case 'thinking_level_change':
      return { ...base, type: kind, thinkingLevel: 'low' };
    case 'custom':
      return { ...base, type: kind, customType: 'n', data: text };
    case 'label':
      return { ...base, type: kind, targetId: id, label: 'x' };
    case 'session_info':
      return { ...base, type: kind, name: 'x' };
    case 'compaction':
      return { ...base, type: kind, summary: `sum${index}`, firstKeptEntryId: id, tokensBefore: 1 };
    case 'unknown':
      return { ...base, type: 'stack_pop', text };
  }
}

export const KINDS: readonly Kind[] = [
  'user',
  'assistant',
  'toolResult',
  'bash',
  'customRole',
  'custom_message',
  'branch_summary',
  'model_change',
  'thinking_level_change',
  'custom',
  'label',
  'session_info',
  'unknown',
];

/** Paths of up to 40 entries, conversation more often than the rest, sizes around a budget of some hundred tokens. */
export function pathOf(extra: readonly Kind[] = []): fc.Arbitrary<Made[]> {
  const kind = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<Kind>('user', 'assistant', 'assistant', 'toolResult') },
    { weight: 4, arbitrary: fc.constantFrom(...KINDS, ...extra) },
  );
  return fc.array(fc.record({ kind, size: fc.constantFrom(0, 3, 4, 5, 40, 400, 401, 2000) }), {
    maxLength: 40,
    size: 'max',
  });
}

/** Budgets that fall on, just beside and far from sums of the sizes above. */
export const budget = fc.constantFrom(0, 1, 2, 10, 11, 100, 101, 110, 200, 500, 501, 1000, 5000);

/**
 * Section 12, steps 1 to 6, word by word and slowly, on kinds instead of entries, with messages of hooks and summaries of
 * branches counted as today's pi does: nothing here is shared with the code under test but the estimate of a message.
 */
export function cutPointByTheBook(path: readonly Made[], start: number, end: number, keep: number): CutPoint {
  const kind = (index: number): Kind | undefined => path[index]?.kind;
  const indices = Array.from({ length: Math.max(end - start, 0) }, (_, offset) => start + offset);
  const isMessage = (index: number): boolean =>
    ['user', 'assistant', 'toolResult', 'bash', 'customRole', 'custom_message'].includes(kind(index) ?? '') ||
    (kind(index) === 'branch_summary' && path[index]!.size > 0);

  // 1. Valid cut points.
  const valid = indices.filter(index => isMessage(index) && kind(index) !== 'toolResult');
  // 2. None: keep from the range start, not split.
  if (valid.length === 0) return { firstKeptEntryIndex: start, turnStartIndex: -1, isSplitTurn: false };

  // 3. The sum of message estimates from i to the end reaches the budget; the latest such i counts.
  const tokens = path.map((made, index) => {
    const message = isMessage(index) ? messageOfEntry(entryOf(made, index)) : undefined;
    return message === undefined ? 0 : estimateTokens(message);
  });
  const tokensFrom = (index: number): number => tokens.slice(index, end).reduce((sum, size) => sum + size, 0);
  const reached = indices.filter(index => tokens[index]! > 0 && tokensFrom(index) >= keep).at(-1);
  // 4. When the budget is not reached, the first valid cut point; when none follows, the last.
  const message = reached === undefined ? valid[0]! : (valid.find(index => index >= reached) ?? valid.at(-1)!);

  // 5. Back over preceding non-message entries, until a message or a compaction.
  let cut = message;
  while (cut - 1 >= start && !isMessage(cut - 1) && kind(cut - 1) !== 'compaction') cut--;

  // 6. Split turn, the quirk fixed: a setting in front of the beginning of a turn stands for that message.
  const turnStart = (index: number): boolean => isMessage(index) && !['assistant', 'toolResult'].includes(kind(index)!);
  const turnStartIndex = turnStart(message)
    ? -1
    : (indices.filter(index => index <= cut && turnStart(index)).at(-1) ?? -1);
  return { firstKeptEntryIndex: cut, turnStartIndex, isSplitTurn: turnStartIndex !== -1 };
}
