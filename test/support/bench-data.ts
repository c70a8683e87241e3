import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import type { AgentMessage } from '../../src/agent/messages';

const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const WORDS = 'the agent reads a file, changes a line of it and runs the tests once more; "quoted" ünï\n';

/** Text of about this many characters that says which one it is. */
export function textOf(chars: number, seed: number): string {
  return `${seed} ${WORDS.repeat(Math.ceil(chars / WORDS.length))}`.slice(0, chars);
}

/** What a long chat is made of: a question, an answer that calls a tool, its result; each of about `bytes`. */
export function historyOf(count: number, bytes: number): AgentMessage[] {
  return Array.from({ length: count }, (_, at) => messageAt(at, bytes));
}

function messageAt(at: number, bytes: number): AgentMessage {
  const text = textOf(bytes, at);
  const timestamp = 1_700_000_000_000 + at;
  if (at % 3 === 0) return { role: 'user', content: [{ type: 'text', text }], timestamp };
  const toolCallId = `call-${at - (at % 3)}`;
  if (at % 3 === 2) {
    return {
      role: 'toolResult',
      toolCallId,
      toolName: 'bash',
      content: [{ type: 'text', text }],
      details: undefined,
      isError: false,
      timestamp,
    };
  }
  return {
    role: 'assistant',
    content: [
      { type: 'text', text },
      { type: 'toolCall', id: toolCallId, name: 'bash', arguments: { command: 'npm test', timeout: 60 } },
    ],
    api: 'scripted',
    provider: 'test',
    model: 'scripted',
    usage: { input: 100, output: 20, cacheRead: 0, cacheWrite: 0, totalTokens: 120, cost: NO_COST },
    stopReason: 'toolUse',
    timestamp,
  };
}

export interface SessionOptions {
  readonly entries: number;
  readonly bytesPerEntry: number;
  /** A compaction stands so many entries before the end and keeps the entry before it. */
  readonly compactedBefore?: number;
  readonly id?: string;
  readonly cwd?: string;
}

/** Writes a session file in pi's format: one path of messages. */
export function writeSession(file: string, options: SessionOptions): void {
  const fd = openSync(file, 'w');
  try {
    for (const block of sessionLines(options)) writeSync(fd, block);
  } finally {
    closeSync(fd);
  }
}

function* sessionLines(options: SessionOptions): Generator<string> {
  const { entries, bytesPerEntry, compactedBefore, id = 'bench', cwd = '/w' } = options;
  const timestamp = '2026-01-01T00:00:00.000Z';
  let block = `${JSON.stringify({ type: 'session', version: 3, id, timestamp, cwd })}\n`;
  const idAt = (at: number): string | null => (at < 0 ? null : at.toString(16).padStart(8, '0'));
  for (let at = 0; at < entries; at++) {
    const head = { id: idAt(at), parentId: idAt(at - 1), timestamp };
    const kept = { summary: 'What came before.', firstKeptEntryId: idAt(at - 1), tokensBefore: 1000 };
    const isCompaction = compactedBefore !== undefined && at === entries - compactedBefore;
    const entry = isCompaction
      ? { type: 'compaction', ...head, ...kept }
      : { type: 'message', ...head, message: messageAt(at, Math.max(1, bytesPerEntry - 330)) };
    block += `${JSON.stringify(entry)}\n`;
    if (block.length < 1 << 20) continue;
    yield block;
    block = '';
  }
  yield block;
}

/** Writes a text of about `bytes` in numbered lines; `marked` of them, evenly spread, hold the word NEEDLE. */
export function writeLines(file: string, bytes: number, marked = 0): void {
  const line = (at: number, word: string): string => `line ${String(at).padStart(8)} ${word} ${WORDS}`;
  const count = Math.floor(bytes / line(0, 'plain').length);
  const every = marked === 0 ? Infinity : Math.floor(count / marked);
  const lines = Array.from({ length: count }, (_, at) => line(at, at % every === every >> 1 ? 'NEEDLE' : 'plain '));
  writeFileSync(file, lines.join(''));
}
