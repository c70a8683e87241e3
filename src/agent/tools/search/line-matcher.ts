import { Worker } from 'node:worker_threads';
import type { Disposable } from '../../../base/disposable';
import { messageOf } from '../../../base/errors';
import { deferred, unlessAborted, withTimeout } from '../../../base/wait';
import { throwAborted } from '../abort';
import type { GrepQuery } from './search';

/** The code of the thread: it tests each line of a message, and answers with the results. */
const TEST_LINES = `
  const { parentPort, workerData } = require('node:worker_threads');
  parentPort.on('message', lines => parentPort.postMessage(lines.map(line => workerData.test(line))));
`;
/** The time for one call, in ms. Patterns that do not backtrack need a few for the lines of a chunk of a file. */
const LIMIT_MS = 10_000;

/**
 * Tests lines against a pattern. It does so in a thread of its own, because a pattern from a model can backtrack for
 * hours, and only the end of its thread stops it.
 */
export class LineMatcher implements Disposable {
  private readonly thread: Worker;
  private readonly failure = deferred<Error>();

  /** @throws Error when the pattern is invalid */
  constructor(
    private readonly query: Pick<GrepQuery, 'pattern' | 'literal' | 'ignoreCase'>,
    private readonly limitMs = LIMIT_MS,
  ) {
    this.thread = new Worker(TEST_LINES, { eval: true, workerData: compilePattern(query) });
    this.thread.once('error', (error: Error) => this.failure.resolve(error));
  }

  /**
   * Returns one result per line. A caller waits for it before the next call.
   * @throws Error when it takes longer than the limit, when the thread fails, or as soon as the signal fires
   */
  async test(lines: readonly string[], signal: AbortSignal | undefined): Promise<readonly boolean[]> {
    const answer = deferred<readonly boolean[]>();
    this.thread.once('message', (results: readonly boolean[]) => answer.resolve(results));
    this.thread.postMessage(lines);
    const first = Promise.race([answer.promise, this.failure.promise]);
    const outcome = await withTimeout(unlessAborted(first, signal, throwAborted), this.limitMs, () => {
      const { pattern } = this.query;
      return new Error(
        `The regular expression '${pattern}' takes too long: it backtracks too much. Use a simpler one.`,
      );
    });
    if (outcome instanceof Error) throw outcome;
    return outcome;
  }

  dispose(): void {
    void this.thread.terminate();
  }
}

function compilePattern(query: Pick<GrepQuery, 'pattern' | 'literal' | 'ignoreCase'>): RegExp {
  let { pattern, ignoreCase } = query;
  if (query.literal) {
    pattern = pattern.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  } else {
    if (pattern.startsWith('(?i)')) {
      pattern = pattern.slice('(?i)'.length);
      ignoreCase = true;
    }
    pattern = pattern.replaceAll('(?P<', '(?<');
  }
  const flags = ignoreCase ? 'i' : '';
  try {
    return new RegExp(pattern, `u${flags}`);
  } catch {
    // Escapes that are needless in JavaScript's strict mode (`\-`, `\_`) are common in patterns for other engines.
  }
  try {
    return new RegExp(pattern, flags);
  } catch (error) {
    throw new Error(`Invalid regular expression '${query.pattern}': ${messageOf(error)}`, { cause: error });
  }
}
