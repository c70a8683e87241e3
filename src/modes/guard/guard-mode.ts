import { messageOf } from '../../base/errors';
import { guardPlace } from '../../guard/protocol/place';
import { refuseAgents, refuseLeftBehind } from '../agents/refuse-agents';
import { printErrorTo, printText } from '../terminal/print';
import { guardHelp, readGuardArguments, type GuardCommandName } from './guard-arguments';
import type { GuardCommandLine, GuardModeParts } from './guard-command-line';

type Run = (line: GuardCommandLine) => Promise<number>;

/** The code of a command is loaded only when it runs. */
const RUN: Readonly<Record<GuardCommandName, Run>> = {
  add: async line => (await import('./change-guards')).changeGuards(line),
  remove: async line => (await import('./change-guards')).changeGuards(line),
  status: async line => (await import('./status/show-status')).showStatus(line),
  check: async line => (await import('./status/check-guards')).checkGuards(line),
  log: async line => (await import('./print-log')).printLog(line),
  watch: async line => (await import('./watch/watch-calls')).watchCalls(line),
  serve: async line => (await import('./serve/serve-agents')).serveAgents(line),
  start: async line => (await import('./start-host')).startHost(line),
};

/** A reader that has read enough, such as `head`, does not end the command: it may be about to write a configuration. */
function outliveReader(stdout: NodeJS.WriteStream): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

/** `hookline guard …` (docs/guard.md). Resolves with the exit code. */
export async function runGuardMode(argv: readonly string[], parts: GuardModeParts): Promise<number> {
  const { process, caller, code } = parts;
  outliveReader(process.stdout);
  try {
    const given = readGuardArguments(argv);
    if (given === undefined) {
      printText(process.stdout, guardHelp());
      return 0;
    }
    const { command, decides } = given;
    if (decides !== undefined) {
      refuseAgents(decides, caller, code.stateDir);
      refuseLeftBehind(decides, code.stateDir);
    }
    return await RUN[command]({ ...parts, given, place: guardPlace(code.stateDir) });
  } catch (error) {
    printErrorTo(process.stderr, `hookline: ${messageOf(error)}`);
    return 1;
  }
}
