import { createTwoFilesPatch } from 'diff';
import { writeRecordsIn } from '../agent/tools/files/writing/write-records';
import { UnfinishedWrites, type UnfinishedWrite } from '../agent/tools/files/writing/unfinished-writes';
import { messageOf } from '../base/errors';
import { decodedText } from '../agent/changes/file-texts';
import type { CodePlace } from '../startup/hook-setup';
import type { Caller } from '../startup/agents/calling-agent';
import { refuseAgents, refuseLeftBehind } from './agents/refuse-agents';
import { printErrorTo, printText } from './terminal/print';
import { unfinishedText } from './terminal/print-unfinished-writes';
import { agreesInTerminal, terminalQuestions } from './terminal/terminal-question';
import { StartError, UsageError } from './arguments/usage-error';

const USAGE = `Usage:
  hookline writes                   show the files that Hookline was writing when it ended, of all folders
  hookline writes put-back [path]   show them, ask in the terminal, and give them back the content from before
  hookline writes keep [path]       ask in the same way, and leave them as they are
`;

/** The commands: what each decides, after "only you can", and its question. */
const ACTIONS = {
  list: undefined,
  'put-back': { decides: 'put files back', question: 'Put back what it held before?' },
  keep: { decides: 'give up the earlier content of files', question: 'Leave it, and forget what it held before?' },
} as const;
type Action = keyof typeof ACTIONS;

/** The surroundings of the command. */
export interface WritesModeParts {
  readonly process: NodeJS.Process;
  readonly caller: Caller;
  readonly code: Pick<CodePlace, 'stateDir'>;
}

/**
 * `hookline writes …`: shows and decides about files whose writing ended with a process (docs/cli.md). Resolves with 0, or
 * with 1 if something is wrong or a file still waits for a decision.
 */
export async function runWritesMode(argv: readonly string[], parts: WritesModeParts): Promise<number> {
  const { process, caller, code } = parts;
  try {
    if (argv.some(argument => ['help', '--help', '-h'].includes(argument))) {
      printText(process.stdout, USAGE);
      return 0;
    }
    const [word = 'list', path, ...more] = argv;
    if (!Object.hasOwn(ACTIONS, word) || more.length > 0) {
      throw new UsageError(`There is no command "writes ${argv.join(' ')}".`);
    }
    const action = ACTIONS[word as Action];
    if (action !== undefined) {
      refuseAgents(action.decides, caller, code.stateDir);
      refuseLeftBehind(action.decides, code.stateDir);
    }
    return await decide(word as Action, path, await UnfinishedWrites.open(writeRecordsIn(code.stateDir)), process);
  } catch (error) {
    printErrorTo(process.stderr, `hookline: ${messageOf(error)}`);
    return 1;
  }
}

async function decide(
  name: Action,
  path: string | undefined,
  writes: UnfinishedWrites,
  process: NodeJS.Process,
): Promise<number> {
  const found = writes.list.filter(
    write => path === undefined || write.path === path || write.path.endsWith(`/${path}`),
  );
  if (path !== undefined && found.length === 0) throw new StartError(`Hookline did not end while it wrote ${path}.`);
  if (found.length === 0) printText(process.stdout, 'No file was left unfinished.\n');
  const ask = terminalQuestions(process);
  let open = 0;
  for (const write of found) {
    printText(process.stdout, `${write.path}\n${unfinishedText(write)}\n${differenceOf(write)}\n`);
    const action = ACTIONS[name];
    if (action === undefined || !(await agreesInTerminal(ask, `writes ${name}`, action.question))) open++;
    else if (name === 'keep') await writes.keep(write);
    else if (!(await writes.putBack(write))) {
      open++;
      printText(process.stdout, 'It changed again in the meantime, and was not put back.\n');
    }
  }
  return open > 0 ? 1 : 0;
}

/** From what the file holds now to what it held before. */
function differenceOf({ path, now, before }: UnfinishedWrite): string {
  const [from, to] = [now === undefined ? '' : decodedText(now), decodedText(before)];
  if (from === undefined || to === undefined) return 'It is not text, or not UTF-8.';
  return createTwoFilesPatch(path, path, from, to, 'now', 'before');
}
