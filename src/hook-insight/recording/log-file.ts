import { JsonLinesFile, readJsonLines, type ReadLines } from '../../base/json/json-lines-file';
import { parse } from '../../base/json/schema';
import { LogEntrySchema, type LogEntry } from './log-entry';
import { LogSpanSchema, type RecordedSpan } from './log-span';

export type LogLine = LogEntry | RecordedSpan;

export function isSpan(line: LogLine): line is RecordedSpan {
  return 'span' in line;
}

/** The hook log on disk. */
export class LogFile extends JsonLinesFile<LogLine> {
  /** `path` is absolute; `limit` is in bytes, see {@link JsonLinesFile}. */
  constructor(path: string, limit?: number) {
    super(path, lineOf, limit);
  }
}

/** Reads the dispatches from a text that {@link LogFile} wrote or the user exported. */
export function readLines(text: string): ReadLines<LogEntry> {
  const { entries, unreadable } = readJsonLines(text, lineOf);
  return { entries: entries.flatMap(line => (isSpan(line) ? [] : [line])), unreadable };
}

function lineOf(value: unknown): LogLine | undefined {
  const entry = parse(LogEntrySchema, value);
  if (entry.ok) return entry.value;
  const span = parse(LogSpanSchema, value);
  return span.ok ? span.value : undefined;
}
