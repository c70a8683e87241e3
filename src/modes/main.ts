import { setTimeout as sleep } from 'node:timers/promises';
import type { Disposable } from '../base/disposable';
import { defined } from '../base/defined';
import { messageOf } from '../base/errors';
import { silentLog } from '../base/log';
import { withTimeout } from '../base/async/wait';
import { EarlyHelper } from '../startup/helper-thread/helper-thread';
import type { CodePlace } from '../startup/hook-setup';
import { agentDirFrom } from '../startup/own-folders';
import type { Caller } from '../startup/agents/calling-agent';
import { helpText } from './arguments/help';
import type { CliOptions } from './arguments/options';
import { parseArguments } from './arguments/parse';
import { errorLog } from './terminal/error-log';
import { printErrorTo, printText } from './terminal/print';
import { takeOverStdout, type Output } from './terminal/output';
import { printEvents, runPrintMode } from './print-mode';
import { packageCommand } from './packages/package-arguments';
import type { ReplayArguments } from './replay-mode';
import { composePrompts, readPipedText, refuseMissingFiles } from './prompts';
import { protocolOf } from './protocol';
import type { FrontEnd, Runtime, RuntimeParts } from './start/runtime';
import { StopRequest } from './terminal/stop-request';
import { surviveForeignErrors } from './terminal/survive-foreign-errors';
import { terminalQuestions } from './terminal/terminal-question';
import { StartError, UsageError } from './arguments/usage-error';

/** Time limit for ending, in ms: for the shutdown handlers of hooks, and for closing what is open. */
const END_LIMIT_MS = 10_000;

/** How long output that nobody reads is kept after a signal, in ms. */
const UNREAD_LIMIT_MS = 2000;

/** How long a client of RPC mode, which has closed stdin, may read nothing of what waits, in ms. */
const IGNORED_LIMIT_MS = 5_000;

/** Exit code of a replay that could not run; 1 means that verdicts changed. */
const REPLAY_IMPOSSIBLE = 2;

/** The surroundings of the command line. */
export interface CliSurroundings {
  readonly argv: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  readonly process: NodeJS.Process;
  /** As it was before the program changed its own environment. */
  readonly caller: Caller;
  readonly code: CodePlace;
}

/**
 * Runs the command line and resolves with the exit code, after everything that it opened was closed. The code of a mode
 * is loaded only when that mode runs.
 */
export async function runCli(given: CliSurroundings): Promise<number> {
  const argv = given.argv[0] === 'acp' ? ['--acp', ...given.argv.slice(1)] : given.argv;
  const surroundings = { ...given, argv };
  const { process } = surroundings;
  if (argv[0] === 'mcp' && argv[1] === 'serve') {
    return (await import('./mcp-serve-mode')).runMcpServeMode(argv.slice(2), surroundings);
  }
  const command = packageCommand(argv[0]);
  if (command !== undefined || argv[0] === 'auth' || ['mcp', 'trust', 'writes'].includes(argv[0] ?? '')) {
    return whileHolding(surroundings, async () => {
      if (argv[0] === 'trust') return (await import('./trust-mode')).runTrustMode(argv.slice(1), surroundings);
      if (argv[0] === 'writes') return (await import('./writes-mode')).runWritesMode(argv.slice(1), surroundings);
      if (argv[0] === 'auth') return (await import('./auth-mode')).runAuthMode(argv.slice(1), process);
      if (command === undefined) return (await import('./mcp-mode')).runMcpMode(argv.slice(1), surroundings);
      return (await import('./packages/package-mode')).runPackageMode(command, argv.slice(1), surroundings);
    });
  }
  if (argv[0] === 'guard') {
    const run = async (): Promise<number> => {
      return (await import('./guard/guard-mode')).runGuardMode(argv.slice(1), surroundings);
    };
    return ['add', 'remove'].includes(argv[1] ?? '') ? whileHolding(surroundings, run) : run();
  }
  if (argv[0] === 'doctor') return (await import('./doctor/doctor-mode')).runDoctorMode(argv.slice(1), surroundings);
  if (argv[0] === 'hooks') return runHooks(argv.slice(1), surroundings);
  let options: CliOptions;
  let replay: ReplayArguments | undefined;
  try {
    if (argv[0] === 'replay') replay = (await import('./replay-mode')).readReplayArguments(argv.slice(1));
    options = replay?.options ?? parseArguments(argv);
  } catch (error) {
    printErrorTo(process.stderr, complaint(error));
    return argv[0] === 'replay' ? REPLAY_IMPOSSIBLE : 1;
  }
  if (options.version && !options.help) {
    printText(process.stdout, `${surroundings.code.version}\n`);
    return 0;
  }
  if (options.login && !options.help) return (await import('./auth-mode')).runAuthMode(['login'], process);
  if (options.export !== undefined) {
    return (await import('./export-mode')).exportSession(options.export, options, surroundings);
  }
  const stop = new StopRequest();
  const output = takeOverStdout(process.stdout, process.stderr, stop);
  stop.listen(process);
  surviveForeignErrors(process, text => output.printError(text));
  const code = await runTask({ surroundings, options, output, stop }, replay);
  const lost = await Promise.race([
    output.flush(),
    lastMoment(stop),
    ...(options.mode === 'rpc' ? [clientIsGone(output)] : []),
    ...(options.mode === 'acp' ? [output.whenIgnored(UNREAD_LIMIT_MS)] : []),
  ]);
  if (lost === undefined) return code;
  output.printError(`hookline: the output could not be written: ${lost.message}`);
  return replay === undefined ? 1 : REPLAY_IMPOSSIBLE;
}

/** Runs a command in which changes of settings files that wait for the user do not count. */
async function whileHolding(
  { cwd, process, code, caller }: CliSurroundings,
  command: () => Promise<number>,
): Promise<number> {
  const [{ watchFiles }, { mayBePerson }, { agentsWatchedFiles }, { machineOf }] = await Promise.all([
    import('../startup/watched-files'),
    import('./agents/refuse-agents'),
    import('../guard/config/agents-watched-files'),
    import('../guard/config/this-machine'),
  ]);
  const agentDir = agentDirFrom(undefined, process.env);
  const mayDecide = (): boolean => mayBePerson(caller, code.stateDir);
  const { stateDir } = code;
  const ofAgents = agentsWatchedFiles({ stateDir, cwd, machine: machineOf(process) });
  const files = watchFiles({ stateDir, agentDir, cwd }, { writes: true, mayDecide, ofAgents, log: silentLog });
  try {
    return await command();
  } finally {
    files.dispose();
  }
}

/** Resolves when a client, which has closed its end, also reads nothing more. */
async function clientIsGone(output: Output): Promise<Error> {
  await output.whenIgnored(IGNORED_LIMIT_MS);
  return new Error('nobody reads it');
}

/** Resolves some time after a signal, when output that nobody reads is given up. */
async function lastMoment(stop: StopRequest): Promise<undefined> {
  await stop.signalled;
  await sleep(UNREAD_LIMIT_MS, undefined, { ref: false });
}

async function runTask(start: Start, replay: ReplayArguments | undefined): Promise<number> {
  const { surroundings, output, stop } = start;
  try {
    if (replay === undefined) return await runMode(start);
    const { runReplayMode } = await import('./replay-mode');
    return await runReplayMode({ ...surroundings, given: replay, output, stop });
  } catch (error) {
    output.printError(complaint(error));
    return replay !== undefined && error instanceof UsageError ? REPLAY_IMPOSSIBLE : 1;
  }
}

async function runHooks(argv: readonly string[], surroundings: CliSurroundings): Promise<number> {
  try {
    return await (await import('./hooks-mode')).runHooksMode(argv, surroundings);
  } catch (error) {
    printErrorTo(surroundings.process.stderr, complaint(error));
    return 1;
  }
}

/** Sets the same variables as pi, so that a pi that a tool starts does not use the network either. */
function goOffline(env: NodeJS.ProcessEnv): void {
  env['PI_OFFLINE'] = '1';
  env['PI_SKIP_VERSION_CHECK'] = '1';
}

function runMode(start: Start): Promise<number> {
  const { surroundings, options, output } = start;
  for (const warning of options.warnings) output.printError(`hookline: ${warning}`);
  if (options.offline) goOffline(surroundings.process.env);
  if (options.help) return help(start);
  if (options.listModels !== undefined) return list(start, options.listModels);
  if (options.mode === 'acp') return serveAcp(start);
  return options.mode === 'rpc' ? serve(start) : print(start);
}

interface Start {
  readonly surroundings: CliSurroundings;
  readonly options: CliOptions;
  readonly output: Output;
  readonly stop: StopRequest;
}

/** Prints the help with the flags of hooks, as pi does; without these flags if the hooks cannot be loaded. */
async function help({ surroundings, options, output, stop }: Start): Promise<number> {
  const nobody: FrontEnd = { mode: 'print', shutdown: () => undefined };
  const { listFlags } = await import('./start/runtime');
  const loading = listFlags(runtimeParts(surroundings, options, output, nobody)).catch((error: unknown) => {
    output.printError(complaint(error));
    return [];
  });
  const flags = await Promise.race([loading, stop.requested]);
  if (typeof flags === 'number') return flags;
  output.write(helpText(flags));
  return 0;
}

async function list({ surroundings, options, output, stop }: Start, search: string): Promise<number> {
  const nobody: FrontEnd = { mode: 'print', shutdown: () => stop.ask(0) };
  const { listModels } = await import('./start/runtime');
  const table = await Promise.race([
    listModels(runtimeParts(surroundings, options, output, nobody), search),
    stop.requested,
  ]);
  if (typeof table === 'number') return table;
  output.write(table);
  return 0;
}

async function print({ surroundings, options, output, stop }: Start): Promise<number> {
  const { stdin } = surroundings.process;
  const wantsPrompt = options.messages.length + options.files.length === 0;
  if (stdin.isTTY && wantsPrompt) {
    throw new UsageError(
      'Hookline has no terminal interface: use -p "prompt", --mode json or --mode rpc (see --help).',
    );
  }
  const reading = readPipedText(stdin, text => output.printError(text));
  const piped = await Promise.race([reading, stop.requested]);
  if (typeof piped === 'number') return piped;
  refuseMissingFiles(options.files, surroundings.cwd); // This error can be reported before hooks are loaded.
  const protocol = options.mode === 'json' ? protocolOf(options.rpcVersion) : undefined;
  let events: Disposable | undefined;
  const front: FrontEnd = {
    mode: options.mode === 'json' ? 'json' : 'print',
    shutdown: () => undefined, // As in pi: the process ends after the last prompt.
    whenDrained: () => output.whenDrained(),
    onOpen: conversation => {
      if (protocol !== undefined) events = printEvents(conversation, protocol, output);
    },
  };
  const run = async (runtime: Runtime): Promise<number> => {
    const { options: whole } = runtime;
    const prompts = await composePrompts(whole, piped, surroundings.cwd);
    if (prompts.length === 0) {
      output.printError('hookline: there is no prompt, neither as an argument nor on stdin. Try "hookline --help".');
    }
    const code = await runPrintMode(runtime, prompts, protocol, output);
    events?.dispose();
    // If the reader has closed stdout, this asks the process to stop.
    await Promise.race([output.flush(), stop.requested]);
    return code === 0 ? (stop.code ?? code) : code;
  };
  return withRuntime(runtimeParts(surroundings, options, output, front), stop, run);
}

async function serve({ surroundings, options, output, stop }: Start): Promise<number> {
  const { RpcServer } = await import('./rpc/rpc-mode');
  const { rpcVersion: version, rpcRendered: rendered } = options;
  const server = new RpcServer({ stdin: surroundings.process.stdin, output, stop, version, rendered });
  const parts = runtimeParts(surroundings, options, output, server.frontEnd);
  return withRuntime(parts, stop, runtime => server.serve(runtime));
}

/** A client that is gone is the usual end of this mode, whatever tells of it: the exit code is 0. */
async function serveAcp({ surroundings, options, output, stop }: Start): Promise<number> {
  const { process, code } = surroundings;
  if (process.stdin.isTTY) {
    output.printError('hookline acp is started by editors: it waits for their messages on stdin.');
  }
  const { AcpServer } = await import('./acp/acp-mode');
  const server = new AcpServer({
    stdin: process.stdin,
    output,
    stop,
    version: code.version,
    hasKey: async () => (await import('./auth-mode')).isAnyKeyKnown(process.env),
    loadSessions: async () => {
      const { openSessions } = await import('./acp/sessions/open-sessions');
      return client => openSessions(folderParts(surroundings, options, output), client);
    },
  });
  await stop.requested;
  await withTimeout(server.end(), END_LIMIT_MS, () => undefined);
  return 0;
}

/** Opens a runtime, runs `run` with it until it ends or the process is asked to stop, and closes the runtime. */
async function withRuntime(
  parts: RuntimeParts,
  stop: StopRequest,
  run: (runtime: Runtime) => Promise<number>,
): Promise<number> {
  // It looks at packages while the code of a runtime is loaded.
  const earlyHelper = EarlyHelper.start(parts.code.distDir, {
    agentDir: agentDirFrom(undefined, parts.env),
    cwd: parts.startedIn,
  });
  const { openRuntime } = await import('./start/runtime');
  const opening = openRuntime({ ...parts, ...defined({ earlyHelper }) });
  const runtime = await Promise.race([opening, stop.requested]);
  if (runtime === undefined) return 0; // The user was asked for a session and chose none.
  if (typeof runtime === 'number') {
    await withTimeout(
      opening.then(late => late?.dispose()).catch(() => undefined),
      END_LIMIT_MS,
      () => undefined,
    ); // A runtime that opens after the request to stop is closed.
    return runtime;
  }
  // A hook may have deleted what the end needs.
  stop.prepare = () => runtime.host.restoreGlobals();
  const running = run(runtime);
  try {
    return await Promise.race([running, stop.requested]);
  } finally {
    runtime.host.restoreGlobals();
    const ending = runtime.dispose().then(() => (stop.code === undefined ? undefined : running.catch(() => undefined)));
    await withTimeout(ending, END_LIMIT_MS, () => undefined);
  }
}

function runtimeParts(
  surroundings: CliSurroundings,
  options: CliOptions,
  output: Output,
  front: FrontEnd,
): RuntimeParts {
  return { ...folderParts(surroundings, options, output), front, ask: terminalQuestions(surroundings.process) };
}

/** What a folder is loaded with, whichever it is. */
function folderParts(
  { argv, cwd, process, caller, code }: CliSurroundings,
  { verbose }: CliOptions,
  output: Output,
): Omit<RuntimeParts, 'front' | 'ask'> {
  const printError = (text: string): void => {
    output.printError(text);
  };
  return {
    argv,
    startedIn: cwd,
    env: process.env,
    caller,
    code,
    printError,
    log: verbose ? errorLog(printError) : silentLog,
  };
}

function complaint(error: unknown): string {
  if (error instanceof UsageError) return `hookline: ${error.message}\nTry "hookline --help".`;
  if (error instanceof StartError) return `hookline: ${error.message}`;
  return `hookline: ${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}`;
}
