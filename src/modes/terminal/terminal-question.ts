import { createInterface } from 'node:readline/promises';

/**
 * Asks the user at the terminal; resolves undefined when there is no terminal. Rejects with an `AbortError` when the
 * signal is aborted or the user presses Ctrl+C.
 */
export type AskInTerminal = (question: string, signal?: AbortSignal) => Promise<string | undefined>;

/** Makes a function that asks on stderr, so that stdout has only the output, and reads a line from stdin. */
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
