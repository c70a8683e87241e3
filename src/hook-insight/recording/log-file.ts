import { JsonLinesFile, readJsonLines, type ReadLines } from '../../base/json/json-lines-file';
import { parse } from '../../base/json/schema';
import { LogEntrySchema, type LogEntry } from './log-entry';

/** The hook log on disk. */
export class LogFile extends JsonLinesFile<LogEntry> {
  /** `path` absolute; `limit` in bytes, see {@link JsonLinesFile}. */
  constructor(path: string, limit?: number) {
    super(path, entryOf, limit);
  }
}

/** Reads what {@link LogFile} wrote or a person exported. */
export function readLines(text: string): ReadLines<LogEntry> {
  return readJsonLines(text, entryOf);
}

function entryOf(value: unknown): LogEntry | undefined {
  const result = parse(LogEntrySchema, value);
  return result.ok ? result.value : undefined;
}
