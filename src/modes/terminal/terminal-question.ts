import { createInterface } from 'node:readline/promises';

/** Asks the person at the terminal; resolves undefined when there is no terminal to ask in. */
export type AskInTerminal = (question: string) => Promise<string | undefined>;

/** Asks on stderr, so that stdout holds the answer alone; the reply is a line of stdin. */
export function terminalQuestions({ stdin, stderr }: Pick<NodeJS.Process, 'stdin' | 'stderr'>): AskInTerminal {
  return async question => {
    if (!stdin.isTTY || !stderr.isTTY) return undefined;
    const lines = createInterface({ input: stdin, output: stderr });
    try {
      return await lines.question(question);
    } finally {
      lines.close();
    }
  };
}
