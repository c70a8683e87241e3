import { join } from 'node:path';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { messageOf } from '../../base/errors';
import { CONTRACTS } from '../../guard/agents';
import type { AgentContract } from '../../guard/agents/agent';
import { installClient } from '../../guard/client/install-client';
import { applyPlan } from '../../guard/config/apply-plan';
import { findAgents, type FoundAgent } from '../../guard/config/find-agents';
import { readGuarded, writeGuarded } from '../../guard/config/guarded-agents';
import { planGuard, type FileChange, type GuardPlan } from '../../guard/config/plan-guard';
import { programOf } from '../../guard/protocol/program';
import { agentDirFrom } from '../../startup/own-folders';
import { StartError } from '../arguments/usage-error';
import { printErrorTo, printText } from '../terminal/print';
import { confirmInTerminal, terminalQuestions } from '../terminal/terminal-question';
import type { GuardCommandLine } from './guard-command-line';
import { trustEntries } from './codex-entries';
import { foundText } from './status/status-text';
import { machineOf } from '../../guard/config/this-machine';

/** What changes for one agent. */
interface Change {
  readonly contract: AgentContract;
  readonly found: FoundAgent | undefined;
  readonly plan: GuardPlan;
}

/**
 * `hookline guard add` and `remove`: shows what changes, asks, and writes it. Resolves with 0, or with 1 if the person says no, or
 * if an agent could not be changed.
 */
export async function changeGuards(line: GuardCommandLine): Promise<number> {
  const { given, process } = line;
  const { changes, failures } = await plan(line);
  for (const change of changes) printText(process.stdout, `${changeText(change, given.command)}\n`);
  let failed = failures.length;
  if (changes.some(each => each.plan.changes.length > 0) && !(await agrees(line))) return 1;
  if (given.command === 'add' && changes.length > 0) {
    const { distDir } = line.code;
    const program = { node: process.execPath, cli: join(distDir, 'cli.js') };
    const { env } = process;
    await installClient(line.place, distDir, programOf(program, env, agentDirFrom(undefined, env)));
  }
  for (const change of changes) {
    try {
      await write(change, line);
    } catch (error) {
      failed += 1;
      printErrorTo(process.stderr, `hookline: ${messageOf(error)}`);
    }
  }
  for (const failure of failures) printErrorTo(process.stderr, `hookline: ${failure}`);
  return failed === 0 ? 0 : 1;
}

/** What would change. What is wrong with one agent does not keep the others from being changed. */
async function plan({
  given,
  place,
  process,
}: GuardCommandLine): Promise<{ readonly changes: readonly Change[]; readonly failures: readonly string[] }> {
  const machine = machineOf(process);
  const found = await findAgents(CONTRACTS, machine);
  const changes: Change[] = [];
  const failures: string[] = [];
  const takesFoundOnly = given.isAll && given.command === 'add';
  for (const contract of CONTRACTS) {
    const program = found.find(({ id }) => id === contract.id);
    if (!given.agents.includes(contract.id) || (takesFoundOnly && program === undefined)) continue;
    try {
      const scope = given.system ? 'system' : 'user';
      const action = given.command === 'add' ? 'add' : 'remove';
      const tools = given.tools ? { tools: action === 'add' ? ('too' as const) : ('only' as const) } : {};
      const planned = await planGuard({ contract, action, scope, ...tools, place, machine });
      changes.push({ contract, found: program, plan: planned });
    } catch (error) {
      failures.push(messageOf(error));
    }
  }
  if (changes.length + failures.length === 0) {
    const names = CONTRACTS.map(({ name }) => name).join(', ');
    throw new StartError(`none of these was found on this machine: ${names}. Name the agents to guard them anyway.`);
  }
  return { changes, failures };
}

/** @throws {StartError} when there is no terminal to ask in */
async function agrees({ given, process }: GuardCommandLine): Promise<boolean> {
  if (given.yes) return true;
  const answer = await confirmInTerminal(terminalQuestions(process), 'Write these changes?');
  if (answer === undefined) throw new StartError(`guard ${given.command} needs a terminal to ask in, or --yes.`);
  return answer;
}

async function write({ contract: { id, name }, found, plan }: Change, line: GuardCommandLine): Promise<void> {
  const { given, place, process } = line;
  const scope = given.system ? 'system' : 'user';
  const before = (await readGuarded(place))[id];
  if (given.command === 'add') {
    const gate = given.gate ?? before?.gate ?? 'off';
    // Before the agent calls the client, so that the host knows how.
    await writeGuarded(place, id, { scope, gate });
    await applyPlan(plan);
    const isTrusted = id !== 'codex' || scope === 'system' || (await trustEntries(line, found));
    if (!isTrusted) throw new StartError(`${name} is not guarded yet.`);
    const beside = gate === 'off' ? '' : `, and by the built-in gate (${gate})`;
    printText(process.stdout, `${name} is guarded by your hooks${beside}.\n`);
    if (given.tools) printText(process.stdout, `${name} gets the tools of your hooks.\n`);
    return;
  }
  await applyPlan(plan);
  if (given.tools) {
    if (plan.changes.length > 0) printText(process.stdout, `${name} does not get the tools of your hooks any more.\n`);
    return;
  }
  if (before?.scope === scope) await writeGuarded(place, id, undefined);
  if (plan.changes.length > 0) printText(process.stdout, `${name} is not guarded any more.\n`);
}

function changeText({ contract, found, plan }: Change, command: string): string {
  const nothing = command === 'add' ? 'Its configuration is as it should be.' : 'Hookline is not in its configuration.';
  return [
    foundText(contract, found),
    ...plan.changes.map(patchOf),
    ...(plan.changes.length === 0 ? [nothing] : []),
    ...(command === 'add' ? plan.cannotGuard.map(sentence => `Cannot be guarded: ${sentence}`) : []),
    '',
  ].join('\n');
}

function patchOf({ file, before, after, backup }: FileChange): string {
  const patch = createTwoFilesPatch(file, file, before ?? '', after ?? '', presence(before), presence(after), {
    headerOptions: FILE_HEADERS_ONLY,
  });
  return backup.does === 'write' ? `${patch}A copy of the file as it is goes to ${backup.file}.` : patch.trimEnd();
}

function presence(text: string | undefined): string | undefined {
  return text === undefined ? '(no file)' : undefined;
}
