import { StartError } from '../../arguments/usage-error';
import { printErrorTo, printText } from '../../terminal/print';
import { StopRequest } from '../../terminal/stop-request';
import { terminalQuestions } from '../../terminal/terminal-question';
import type { GuardCommandLine } from '../guard-command-line';
import { connectToHost } from '../host-queries';
import { recordText } from '../record-text';
import { WatchedQuestions } from './watched-questions';

const NO_TERMINAL = 'guard watch needs a terminal to ask in.';

/**
 * `hookline guard watch`: shows guarded calls as they come, and asks the questions of hooks in this terminal, until Ctrl+C. Starts the
 * host if none runs. Resolves with the exit code.
 */
export async function watchCalls(line: GuardCommandLine): Promise<number> {
  const { process } = line;
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw new StartError(NO_TERMINAL);
  const connection = await connectToHost(line, 'watch');
  const stop = new StopRequest();
  stop.listen(process);
  const questions = new WatchedQuestions({
    ask: terminalQuestions(process),
    answered: (id, answer) => connection.send({ type: 'answer', id, ...(answer === undefined ? {} : { answer }) }),
    print: text => printText(process.stdout, `${text}\n`),
    onInterrupt: () => stop.ask(0),
  });
  printErrorTo(process.stderr, 'Guarded calls are shown here, and hooks ask here. Ctrl+C ends it.');
  connection.listen(
    message => {
      if (message.type === 'record') questions.print(recordText(message.record));
      else if (message.type === 'question') questions.add(message);
      else if (message.type === 'close') questions.close(message.id);
    },
    () => {
      if (stop.code !== undefined) return;
      printErrorTo(
        process.stderr,
        'hookline: the host of the guard has ended. Run "hookline guard watch" again to start another one.',
      );
      stop.ask(1);
    },
  );
  const code = await stop.requested;
  questions.dispose();
  connection.dispose();
  return code === INTERRUPTED ? 0 : code;
}

/** Ctrl+C is the usual end. */
const INTERRUPTED = 130;
