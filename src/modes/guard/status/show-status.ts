import { CONTRACTS } from '../../../guard/agents';
import { findAgents } from '../../../guard/config/find-agents';
import { guardStatus } from '../../../guard/config/guard-status';
import { readGuarded } from '../../../guard/config/guarded-agents';
import { activityOf, readGuardLog } from '../../../guard/protocol/agent-activity';
import { printJson, printText } from '../../terminal/print';
import { clientProblem } from './client-problem';
import { trustProblem } from '../codex-entries';
import type { GuardCommandLine } from '../guard-command-line';
import { askHost } from '../host-queries';
import { agentRecord } from './status-record';
import { hostText, statusText, type AgentFacts } from './status-text';
import { machineOf } from '../../../guard/config/this-machine';

/**
 * `hookline guard status`: what is known about the guard of each agent in this folder, and about the host. Resolves with 0, or with 1
 * if an agent that is guarded, or that was named, is not guarded as it should be.
 */
export async function showStatus(line: GuardCommandLine): Promise<number> {
  const facts = await agentFacts(line);
  return (line.given.json ? printRecords(line, facts) : await showFacts(line, facts)) ? 0 : 1;
}

/** Prints what is known for other programs; returns with whether all is as it should be. */
function printRecords(line: GuardCommandLine, facts: readonly AgentFacts[]): boolean {
  const { shown, named } = chosen(line, facts);
  const records = shown.map(each => agentRecord(each, clientProblem(line)));
  for (const record of records) printJson(line.process.stdout, JSON.stringify(record));
  return records.every(({ isGuarded, problems }) => (isGuarded ? problems.length === 0 : named.length === 0));
}

/** The agents that are shown: those that are named, else those that are here or guarded. */
function chosen(
  { given }: GuardCommandLine,
  facts: readonly AgentFacts[],
): { readonly shown: readonly AgentFacts[]; readonly named: readonly AgentFacts[] } {
  const named = facts.filter(({ contract: { id } }) => given.agents.includes(id));
  const known = facts.filter(({ found, guarded }) => found !== undefined || guarded !== undefined);
  return { shown: named.length > 0 ? named : known, named };
}

/** Prints what is known; resolves with whether all is as it should be. */
export async function showFacts(line: GuardCommandLine, facts: readonly AgentFacts[]): Promise<boolean> {
  const { process } = line;
  const { shown, named } = chosen(line, facts);
  let isFine = true;
  for (const each of shown) {
    const { lines, isFine: isThisFine = named.length === 0 } = statusText(each);
    isFine &&= isThisFine;
    printText(process.stdout, `${lines.join('\n')}\n`);
  }
  const ids = facts.filter(({ guarded }) => guarded !== undefined).map(({ contract: { id } }) => id);
  const problem = ids.length === 0 ? undefined : clientProblem(line);
  if (problem !== undefined) {
    isFine = false;
    printText(process.stdout, `! ${problem}; run "hookline guard add ${ids.join(' ')}"\n`);
  }
  if (shown.length === 0) printText(process.stdout, 'No agent that Hookline can guard was found on this machine.\n');
  printText(process.stdout, `${hostText(await askHost(line))}\n`);
  return isFine;
}

/** What is known about all agents; the folder is that in which the command was started. */
export async function agentFacts(line: GuardCommandLine): Promise<readonly AgentFacts[]> {
  const { place, process, cwd } = line;
  const machine = machineOf(process);
  const [all, guarded, { entries }] = await Promise.all([
    findAgents(CONTRACTS, machine),
    readGuarded(place),
    readGuardLog(place),
  ]);
  return Promise.all(
    CONTRACTS.map(async contract => {
      const found = all.find(({ id }) => id === contract.id);
      const status = await guardStatus({ contract, place, machine, project: cwd });
      const { configured } = status;
      const asksForTrust = contract.id === 'codex' && configured.type === 'yes' && configured.scope === 'user';
      return {
        ...{ contract, found, status },
        guarded: guarded[contract.id],
        untrusted: asksForTrust ? await trustProblem(line, found) : undefined,
        activity: activityOf(entries, contract.id, Date.now()),
      };
    }),
  );
}
