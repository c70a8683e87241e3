import { fireAt, type FireResult } from '../../../guard/fire/fire-at';
import { isFiredId } from '../../../guard/fire/fired-agents';
import { printText } from '../../terminal/print';
import { tryClient, type Tried } from './check-client';
import { clientProblem } from './client-problem';
import type { GuardCommandLine } from '../guard-command-line';
import { denyCallsIn } from '../host-queries';
import { agentFacts, showFacts } from './show-status';
import { foundText, type AgentFacts } from './status-text';

const VERDICTS: Readonly<Record<FireResult['verdict'], string>> = {
  blocked: 'BLOCKED',
  ran: 'RAN',
  unknown: 'UNKNOWN',
};

const NOT_TRIED: Tried = { text: 'There is no client to try: "hookline guard add" installs it.', isFine: true };

/**
 * `hookline guard check [--fire]`: shows the status and tries the client; with `--fire`, also runs the agents that are guarded or named,
 * and prints whether they obey. Resolves with 0 if all is as it should be, else with 1.
 */
export async function checkGuards(line: GuardCommandLine): Promise<number> {
  const { given, process } = line;
  const facts = await agentFacts(line);
  let isFine = await showFacts(line, facts);
  // The status says it where agents are guarded.
  const tried = clientProblem(line) === undefined ? await tryClient(line) : [NOT_TRIED];
  for (const { text, isFine: isThisFine } of tried) {
    isFine &&= isThisFine;
    printText(process.stdout, `${isThisFine ? '' : '! '}${text}\n`);
  }
  if (!given.fire) return isFine ? 0 : 1;
  const fired = facts.filter(({ contract: { id }, guarded }) =>
    given.agents.length > 0 ? given.agents.includes(id) : guarded !== undefined,
  );
  for (const each of fired) isFine = (await fire(line, each)) && isFine;
  return isFine ? 0 : 1;
}

/** Resolves with whether the agent obeyed. */
async function fire(line: GuardCommandLine, { contract, found }: AgentFacts): Promise<boolean> {
  const { stdout } = line.process;
  if (!isFiredId(contract.id)) {
    const why = 'Hookline cannot start it without its user, so it is not tried.';
    printText(stdout, `${foundText(contract, found)}: UNKNOWN. ${why}\n`);
    return false;
  }
  if (found?.program === undefined) {
    printText(stdout, `${contract.name}: UNKNOWN. Its program is not on PATH.\n`);
    return false;
  }
  const { verdict, reason, leaves } = await fireAt(contract.id, {
    program: { command: found.program },
    env: line.caller.env,
    denyIn: (folder, why) => denyCallsIn(line, folder, why),
  });
  const kept = leaves.length === 0 ? '' : ` It keeps ${leaves.join(', ')}.`;
  printText(stdout, `${foundText(contract, found)}: ${VERDICTS[verdict]}. ${reason}${kept}\n`);
  return verdict === 'blocked';
}
