import { Type, type Static } from '@sinclair/typebox';
import { parse } from '../../base/json/schema';
import type { AssistantBlock } from '../../protocol/items/chat-item';

/** How long the thoughts of one answer took, which its session does not say: one line of the session's record. */
const ThoughtRecordSchema = Type.Object({
  /** When the answer ended, ms since the epoch. */
  at: Type.Number(),
  /** `timestamp` of the answer. */
  answer: Type.Number(),
  /** Thoughts whose end was observed: their place among the blocks of the answer, and their time in ms. */
  thoughts: Type.Array(Type.Object({ block: Type.Number(), ms: Type.Number() })),
});

export type ThoughtRecord = Static<typeof ThoughtRecordSchema>;

/** The times of an answer as they are kept; undefined where none is known. */
export function thoughtsOf(blocks: readonly AssistantBlock[], answer: number, at: number): ThoughtRecord | undefined {
  const thoughts = blocks.flatMap(({ type, durationMs }, block) =>
    type === 'thinking' && durationMs !== undefined ? [{ block, ms: durationMs }] : [],
  );
  return thoughts.length === 0 ? undefined : { at, answer, thoughts };
}

/** Blocks that were drawn from their session alone, with the times that are kept of their answer. */
export function withThoughts(
  blocks: readonly AssistantBlock[],
  record: ThoughtRecord | undefined,
): readonly AssistantBlock[] {
  if (record === undefined) return blocks;
  const times = new Map(record.thoughts.map(({ block, ms }) => [block, ms]));
  return blocks.map((block, index) => {
    const durationMs = times.get(index);
    return block.type === 'thinking' && durationMs !== undefined ? { ...block, durationMs } : block;
  });
}

/** A line of the file; undefined when it is none of these. */
export function readThoughts(value: unknown): ThoughtRecord | undefined {
  const result = parse(ThoughtRecordSchema, value);
  return result.ok ? result.value : undefined;
}
