import { createTwoFilesPatch } from 'diff';
import { silentLog } from '../base/log';
import { ApprovalStore, placeName, type ApprovalPlace } from '../hooks/held-changes/approval-store';
import { processesOfCalls } from '../hooks/held-changes/open-calls';
import type { HookInfo } from '../hooks/hook-info';
import type { HookHost } from '../hooks/host/host';
import { HookSource } from '../hooks/load/hook-source';
import { InertScope } from '../hooks/load/ownership/inert-scope';
import { refuseAgents, refuseDuringCalls, refuseLeftBehind } from './agents/refuse-agents';
import { parseArguments } from './arguments/parse';
import { openProcessServices, type ProcessServicesParts } from './start/process-services';
import { printErrorTo, printText } from './terminal/print';
import { heldText } from './terminal/print-hook-changes';
import { confirmInTerminal, terminalQuestions, type AskInTerminal } from './terminal/terminal-question';
import { trustWarning } from './trust-text';
import { StartError, UsageError } from './usage-error';

/** The commands: what each decides, after "only you can"; agents may run the others. */
const ACTIONS = {
  diff: undefined,
  approve: 'approve changes of hooks',
  reject: 'reject changes of hooks',
  'run-again': 'let a hook run again',
} as const;
type Action = keyof typeof ACTIONS;

/** The surroundings of the command. */
export type HooksSurroundings = Pick<ProcessServicesParts, 'cwd' | 'code' | 'caller'> & {
  readonly process: NodeJS.Process;
};

/** A hook in a certain state. */
type HookIn<T extends HookInfo['state']['type']> = HookInfo & {
  readonly state: Extract<HookInfo['state'], { readonly type: T }>;
};
type WaitingHook = HookIn<'waiting'>;

const USAGE = `Usage:
  hookline hooks diff [path]      show what waits for approval in this folder
  hookline hooks approve [path]   show it, ask in the terminal, and approve it
  hookline hooks reject [path]    put the approved version back on disk
  hookline hooks run-again [path] ask, and run a hook again that froze or ended a process
`;

/**
 * `hookline hooks …`: shows and decides about held hooks (docs/cli.md). Hooks are loaded in a scope in which they
 * cannot act. Resolves with 0, or with 1 if a hook still waits for a decision.
 * @throws {UsageError | StartError} that says what is wrong
 */
export async function runHooksMode(argv: readonly string[], surroundings: HooksSurroundings): Promise<number> {
  const { process, caller, cwd, code } = surroundings;
  const { stateDir } = code;
  const [word = 'help', ...rest] = argv;
  if (word === 'help' || rest.includes('--help')) {
    printText(process.stdout, USAGE);
    return 0;
  }
  const action = actionOf(word);
  const options = parseArguments(rest);
  const [unknown] = options.unknown;
  if (unknown !== undefined) throw new UsageError(`Unknown option of hooks: ${unknown}`);
  const decides = ACTIONS[action];
  if (decides !== undefined) refuseAgents(decides, caller, stateDir);
  const services = await openProcessServices({
    options: { ...options, messages: [] },
    cwd,
    startedIn: cwd,
    env: process.env,
    caller,
    code,
    flagValue: () => undefined,
    createScope: scope => new InertScope(scope, () => undefined),
    storedApprovals: action === 'diff' ? 'readOnly' : 'readWrite',
    log: silentLog,
  });
  const { host, dependencies } = services.hooks;
  const { agentDir } = services.place;
  try {
    await services.loadHooks();
    trustWarning(services.trust, line => printErrorTo(process.stderr, line))();
    const [wanted] = options.messages;
    const refuse = async (hooks: readonly HookInfo[]): Promise<void> => {
      if (decides !== undefined) await refuseProgramsOfCalls(decides, hooks, { stateDir, agentDir, cwd });
    };
    if (action === 'run-again') {
      const stopped = hooksIn(host, 'stopped', wanted);
      await refuse(stopped);
      return await letRun(stopped, host, process);
    }
    const waiting = hooksIn(host, 'waiting', wanted);
    await refuse(waiting);
    return await decide(action, waiting, host, process);
  } finally {
    await host.dispose();
    dependencies.dispose();
    services.models.dispose();
  }
}

function actionOf(word: string): Action {
  if (Object.hasOwn(ACTIONS, word)) return word as Action;
  throw new UsageError(`There is no command "hooks ${word}".`);
}

/** Refuses to decide about these hooks while a tool call may be what asks. @throws {StartError} that names the processes */
async function refuseProgramsOfCalls(
  deed: string,
  hooks: readonly HookInfo[],
  place: Omit<ApprovalPlace, 'hasSessions'>,
): Promise<void> {
  refuseLeftBehind(deed, place.stateDir);
  const store = new ApprovalStore({ ...place, hasSessions: () => false });
  for (const name of new Set(hooks.map(placeName))) refuseDuringCalls(deed, await processesOfCalls(store, name));
}

/** The hooks in this state, or if `wanted` is given, only those with that path or that end of a path. */
function hooksIn<T extends 'waiting' | 'stopped'>(
  host: HookHost,
  type: T,
  wanted: string | undefined,
): readonly HookIn<T>[] {
  const found = host.infos().filter((info): info is HookIn<T> => info.state.type === type);
  if (wanted === undefined) return found;
  const named = found.filter(({ path }) => path === wanted || path.endsWith(`/${wanted}`));
  if (named.length > 0) return named;
  if (type === 'waiting') throw new StartError(`No hook named ${wanted} waits for approval.`);
  throw new StartError(`No hook named ${wanted} was stopped.`);
}

async function letRun(stopped: readonly HookIn<'stopped'>[], host: HookHost, process: NodeJS.Process): Promise<number> {
  if (stopped.length === 0) {
    printText(process.stdout, 'No hook was stopped in this folder.\n');
    return 0;
  }
  const ask = terminalQuestions(process);
  let open = 0;
  for (const { path, state } of stopped) {
    printText(process.stdout, `${path}\n${state.problems.map(({ message }) => message).join('\n')}\n`);
    if (await isYes(ask, 'run-again', 'Run it again?')) host.letRun(path);
    else open++;
  }
  return open > 0 ? 1 : 0;
}

/** Asks the user a yes-or-no question. @throws {StartError} when there is no terminal to ask in */
async function isYes(ask: AskInTerminal, action: Action, question: string): Promise<boolean> {
  const answer = await confirmInTerminal(ask, question);
  if (answer === undefined) throw new StartError(`hooks ${action} needs a terminal to ask in.`);
  return answer;
}

async function decide(
  action: Action,
  waiting: readonly WaitingHook[],
  host: HookHost,
  process: NodeJS.Process,
): Promise<number> {
  if (waiting.length === 0) {
    printText(process.stdout, 'No hook waits for approval in this folder.\n');
    return 0;
  }
  const ask = terminalQuestions(process);
  let open = 0;
  for (const hook of waiting) {
    printText(process.stdout, `${hook.path}\n${heldText(hook.state)}\n${differenceOf(host, hook)}\n`);
    if (action === 'diff') continue;
    const question = action === 'approve' ? 'Approve this?' : 'Put back what was approved?';
    if (!(await isYes(ask, action, question))) open++;
    else if (action === 'approve') await host.approve(hook.path);
    else await host.reject(hook.path);
  }
  return action === 'diff' || open > 0 ? 1 : 0;
}

function differenceOf(host: HookHost, { path }: WaitingHook): string {
  return host
    .heldSources(path)
    .map(source =>
      createTwoFilesPatch(
        source.path,
        source.path,
        source.running ?? '',
        HookSource.readIfPossible(source.path)?.text ?? '',
      ),
    )
    .join('\n');
}
