import { SessionDecoder } from '../../src/agent/session/file/codec';
import type { SessionHeader, StoredEntry } from '../../src/agent/session/entry';
import type { Problem } from '../../src/base/result';

/** A session read from a text. */
interface DecodedSession {
  readonly header: SessionHeader | undefined;
  /** As found in the file. */
  readonly version: number | undefined;
  readonly entries: readonly StoredEntry[];
  /** With 1-based line numbers. */
  readonly problems: readonly Problem[];
}

/** Reads a whole session from text; never throws. */
export function decodeSession(text: string): DecodedSession {
  const reader = new SessionDecoder();
  const entries: StoredEntry[] = [];
  const problems: Problem[] = [];
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    const read = reader.read(line, index + 1);
    if (read.kind === 'entry') entries.push(read.entry);
    if ('problem' in read && read.problem) problems.push(read.problem);
  }
  if (reader.headProblem && !problems.some(problem => problem.line === reader.headProblem?.line)) {
    const { message, line } = reader.headProblem;
    problems.unshift(line === undefined ? { message } : { message, line });
  }
  return { header: reader.header, version: reader.version, entries, problems };
}
