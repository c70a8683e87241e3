import { createTwoFilesPatch } from 'diff';
import { messageOf } from '../base/errors';
import { silentLog } from '../base/log';
import { ApprovalStore, placeName, type ApprovalPlace, type PlaceName } from '../gate/approval-store/approval-store';
import type { HeldFile, HeldFiles } from '../gate/held-changes/held-files';
import type { HookInfo } from '../hook-contract/hook-info';
import type { HookHost } from '../hook-run/host/host';
import { HookSource } from '../hook-load/graph/hook-source';
import { InertScope } from '../hook-load/ownership/inert-scope';
import { refuseAgents, refuseDuringCalls, refuseLeftBehind } from './agents/refuse-agents';
import { parseArguments } from './arguments/parse';
import { openProcessServices, type ProcessServicesParts } from './start/process-services';
import { printErrorTo, printText } from './terminal/print';
import { HELD_FILE, heldText } from './terminal/print-hook-changes';
import { agreesInTerminal, terminalQuestions } from './terminal/terminal-question';
import { trustWarning } from './start/trust-text';
import { StartError, UsageError } from './arguments/usage-error';
import { isRunning } from '../base/ending/known-process';
import { readProcessRow } from '../base/ending/process-table';
import { LeftoverProcesses, type LeftoverProcess } from '../agent/tools/shell/leftover-processes';
import type { CallingRun } from '../gate/approval-store/approval-record';

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
    const refuse = async (places: readonly PlaceName[]): Promise<void> => {
      if (decides !== undefined) await refuseProgramsOfCalls(decides, places, { stateDir, agentDir, cwd });
    };
    if (action === 'run-again') {
      const stopped = hooksIn(host, 'stopped', wanted);
      await refuse(stopped.map(placeName));
      return await letRun(stopped, host, process);
    }
    const files = services.heldFiles.held.filter(({ path }) => isNamed(path, wanted));
    const hooks = files.length > 0 && wanted !== undefined ? [] : hooksIn(host, 'waiting', wanted);
    await refuse([...hooks.map(placeName), ...files.map(({ place }) => place)]);
    return await decide(action, { hooks, files }, { host, heldFiles: services.heldFiles }, process);
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

/** Refuses to decide about these places while a tool call may be what asks. @throws {StartError} that names the processes */
async function refuseProgramsOfCalls(deed: string, places: readonly PlaceName[], place: ApprovalPlace): Promise<void> {
  refuseLeftBehind(deed, place.stateDir);
  const store = new ApprovalStore(place);
  for (const name of new Set(places)) refuseDuringCalls(deed, await processesOfCalls(store, name));
}

/** The hooks in this state, or if `wanted` is given, only those with that path or that end of a path. */
function hooksIn<T extends 'waiting' | 'stopped'>(
  host: HookHost,
  type: T,
  wanted: string | undefined,
): readonly HookIn<T>[] {
  const found = host.infos().filter((info): info is HookIn<T> => info.state.type === type);
  if (wanted === undefined) return found;
  const named = found.filter(({ path }) => isNamed(path, wanted));
  if (named.length > 0) return named;
  if (type === 'waiting') throw new StartError(`No hook named ${wanted} waits for approval.`);
  throw new StartError(`No hook named ${wanted} was stopped.`);
}

/** Whether a path is the one that the user wrote, or ends with it; true if the user wrote none. */
function isNamed(path: string, wanted: string | undefined): boolean {
  return wanted === undefined || path === wanted || path.endsWith(`/${wanted}`);
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
    if (await agreesInTerminal(ask, 'hooks run-again', 'Run it again?')) host.letRun(path);
    else open++;
  }
  return open > 0 ? 1 : 0;
}

async function decide(
  action: Action,
  { hooks, files }: { readonly hooks: readonly WaitingHook[]; readonly files: readonly HeldFile[] },
  { host, heldFiles }: { readonly host: HookHost; readonly heldFiles: HeldFiles },
  process: NodeJS.Process,
): Promise<number> {
  if (hooks.length + files.length === 0) {
    printText(process.stdout, 'No hook and no settings file waits for approval in this folder.\n');
    return 0;
  }
  const ask = terminalQuestions(process);
  let open = 0;
  const settle = async (approve: () => Promise<boolean>, reject: () => Promise<void>): Promise<void> => {
    if (action === 'diff') return;
    const question = action === 'approve' ? 'Approve this?' : 'Put back what was approved?';
    if (!(await agreesInTerminal(ask, `hooks ${action}`, question))) open++;
    else if (action === 'reject') await reject();
    else if (!(await approve())) {
      open++;
      printText(process.stdout, 'It changed again in the meantime, and still waits.\n');
    }
  };
  for (const hook of hooks) {
    printText(process.stdout, `${hook.path}\n${heldText(hook.state)}\n${differenceOf(host, hook)}\n`);
    const approve = async (): Promise<boolean> => {
      await host.approve(hook.path);
      return true;
    };
    await settle(approve, () => host.reject(hook.path));
  }
  for (const file of files) {
    const { path, approved = '', held = '' } = file;
    printText(process.stdout, `${path}\n${HELD_FILE}\n${createTwoFilesPatch(path, path, approved, held)}\n`);
    await settle(
      () => Promise.resolve(heldFiles.approve(file)),
      () => heldFiles.reject(file).catch(refuseToReject(path)),
    );
  }
  return action === 'diff' || open > 0 ? 1 : 0;
}

function refuseToReject(path: string): (error: unknown) => never {
  return error => {
    throw new StartError(`${path} could not be put back: ${messageOf(error)}`);
  };
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

/**
 * The processes of tool calls in a place: those in which calls are open now, and what calls started and left running, also
 * when the process of the calls has ended. Never rejects. On Windows, only the former are seen.
 */
async function processesOfCalls(
  store: Pick<ApprovalStore, 'runsAtCall' | 'rootsOf'>,
  name: PlaceName,
): Promise<readonly LeftoverProcess[]> {
  const found = await Promise.all(
    store.runsAtCall(name).map(async run => [...hostOf(run), ...(await startedBy(run, store.rootsOf(run)))]),
  );
  return [...new Map(found.flat().map(each => [each.pid, each])).values()];
}

function hostOf(run: CallingRun): readonly LeftoverProcess[] {
  return isRunning(run) ? [{ pid: run.pid, name: readProcessRow(run.pid)?.name }] : [];
}

function startedBy({ marker }: CallingRun, roots: readonly number[]): Promise<readonly LeftoverProcess[]> {
  return new LeftoverProcesses({ of: { name: marker, roots } }).look();
}
