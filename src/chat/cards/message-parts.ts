import { isAbsolute, relative, sep } from 'node:path';
import type { AssistantMessage } from '../../agent/messages';
import type { AssistantBlock, AssistantItem, ChatItem } from '../../protocol/items/chat-item';

/** Texts and thoughts of an answer as the chat draws them; empty ones are left out. */
export function blocksOf(message: AssistantMessage): AssistantBlock[] {
  return message.content.flatMap((part): AssistantBlock[] => {
    if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    if (part.type === 'thinking') return part.thinking === '' ? [] : [{ type: 'thinking', text: part.thinking }];
    return [];
  });
}

/** A path as it is shown: relative to the folder if it is below it. */
export function shownName(name: string, cwd: string): string {
  return isAbsolute(name) && name.startsWith(cwd + sep) ? relative(cwd, name) : name;
}

/** Sessions do not record the times of thoughts: keeps the observed ones. */
export function withTimes(blocks: readonly AssistantBlock[], drawn: ChatItem | undefined): readonly AssistantBlock[] {
  if (drawn?.kind !== 'assistant') return blocks;
  return blocks.map((block, index) => {
    const { type, durationMs } = drawn.blocks[index] ?? {};
    return type === block.type && durationMs !== undefined ? { ...block, durationMs } : block;
  });
}

/** An answer of nothing but tool calls is drawn as their cards; one that failed or was stopped says so. */
export function saysSomething({ blocks, state }: AssistantItem): boolean {
  return blocks.length > 0 || state === 'error' || state === 'aborted';
}
