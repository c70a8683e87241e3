import { readGuardLog } from '../../guard/protocol/agent-activity';
import { printErrorTo, printJson, printText } from '../terminal/print';
import type { GuardCommandLine } from './guard-command-line';
import { recordText } from './record-text';

/** `hookline guard log`: prints the newest guarded calls, the newest last. */
export async function printLog({ given, place, process }: GuardCommandLine): Promise<number> {
  const { agents, lines, json } = given;
  const { entries, unreadable } = await readGuardLog(place);
  const wanted = entries.filter(({ agent }) => agents.length === 0 || agents.some(id => id === agent)).slice(-lines);
  for (const record of wanted) {
    if (json) printJson(process.stdout, JSON.stringify(record));
    else printText(process.stdout, `${recordText(record)}\n`);
  }
  if (unreadable > 0) printErrorTo(process.stderr, `${unreadable} lines of ${place.log} cannot be read.`);
  if (wanted.length === 0) printErrorTo(process.stderr, 'No guarded call is in the log.');
  return 0;
}
