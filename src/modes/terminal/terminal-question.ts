import { createInterface } from 'node:readline/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '../arguments/usage-error';
import { textForTerminal } from './print';

/**
 * Asks the user at the terminal; resolves undefined when there is no terminal. Rejects with an `AbortError` when the
 * signal is aborted or the user presses Ctrl+C.
 */
export type AskInTerminal = (question: string, signal?: AbortSignal) => Promise<string | undefined>;

/**
 * Makes a function that asks on stderr, so that stdout has only the output, and reads a line from stdin. What was typed before
 * the question is discarded: it was not meant as its answer.
 */
export function terminalQuestions({ stdin, stderr }: Pick<NodeJS.Process, 'stdin' | 'stderr'>): AskInTerminal {
  return async (question, signal) => {
    if (!stdin.isTTY || !stderr.isTTY) return undefined;
    await discardTyped(stdin);
    const lines = createInterface({ input: stdin, output: stderr });
    try {
      const shown = textForTerminal(question);
      return await (signal === undefined ? lines.question(shown) : lines.question(shown, { signal }));
    } catch (error) {
      stderr.write('\n');
      throw error;
    } finally {
      lines.close();
    }
  };
}

/**
 * Asks a question that is answered with the whole word yes or no, and asks again after any other line. Resolves and rejects
 * as {@link AskInTerminal} does.
 */
export async function confirmInTerminal(
  ask: AskInTerminal,
  question: string,
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  let text = question;
  for (;;) {
    const answer = await ask(`${text} [yes/no] `, signal);
    if (answer === undefined) return undefined;
    const word = answer.trim().toLowerCase();
    if (word === 'yes' || word === 'no') return word === 'yes';
    text = 'Please type the whole word.';
  }
}

/**
 * Asks the user a yes-or-no question in the name of a command. Rejects as {@link AskInTerminal} does.
 * @throws {StartError} when there is no terminal to ask in
 */
export async function agreesInTerminal(ask: AskInTerminal, command: string, question: string): Promise<boolean> {
  const answer = await confirmInTerminal(ask, question);
  if (answer === undefined) throw new StartError(`${command} needs a terminal to ask in.`);
  return answer;
}

/** A terminal from which nothing came for so long has nothing more that was typed before, in ms. */
const SETTLED_MS = 50;
const CTRL_C = 0x03;

/** Reads what is waiting in the terminal, also a line without its end. Rejects with an `AbortError` at Ctrl+C. */
async function discardTyped(stdin: NodeJS.ReadStream): Promise<void> {
  const seen = { chunks: 0, isInterrupted: false };
  const read = (data: Buffer | string): void => {
    seen.chunks += 1;
    if (Buffer.from(data).includes(CTRL_C)) seen.isInterrupted = true;
  };
  // Only in raw mode does the terminal give away a line that is not complete.
  stdin.setRawMode(true);
  stdin.on('data', read);
  try {
    for (let before = -1; before !== seen.chunks;) {
      before = seen.chunks;
      await delay(SETTLED_MS);
    }
  } finally {
    stdin.off('data', read);
    stdin.pause();
    stdin.setRawMode(false);
  }
  if (seen.isInterrupted) throw new DOMException('The user pressed Ctrl+C.', 'AbortError');
}
