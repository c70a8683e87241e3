import { createInterface } from 'node:readline/promises';

/**
 * Asks the user at the terminal; resolves undefined when there is no terminal to ask in. Rejects with an `AbortError` when
 * the signal ends it, or Ctrl+C.
 */
export type AskInTerminal = (question: string, signal?: AbortSignal) => Promise<string | undefined>;

/** Asks on stderr, so that stdout holds the answer alone; the reply is a line of stdin. */
export function terminalQuestions({ stdin, stderr }: Pick<NodeJS.Process, 'stdin' | 'stderr'>): AskInTerminal {
  return async (question, signal) => {
    if (!stdin.isTTY || !stderr.isTTY) return undefined;
    const lines = createInterface({ input: stdin, output: stderr });
    try {
      return await (signal === undefined ? lines.question(question) : lines.question(question, { signal }));
    } catch (error) {
      stderr.write('\n');
      throw error;
    } finally {
      lines.close();
    }
  };
}
