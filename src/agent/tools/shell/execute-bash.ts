import { StringDecoder } from 'node:string_decoder';
import { defined } from '../../../base/defined';
import { DelayedCall } from '../../../base/async/repeated-calls';
import { deferred, unlessAborted } from '../../../base/async/wait';
import { messageOf } from '../../../base/errors';
import { BashOutput, placeText, type BashSnapshot } from './bash-output';
import { callBashOperations, localBash, type BashOperations, type LocalRun } from './bash-operations';
import { commandEnvironment, type FolderVariables } from './process';
import type { KeptCommandEnd, CommandKeeper } from '../command-keeper';
import type { CommandExit, CommandFollower, ToolContext } from '../tool';
import type { TruncationResult } from '../truncate';

/** Between two partial results, in ms. */
const UPDATE_INTERVAL_MS = 100;
/** Most bytes of output in a result as data. */
const STRUCTURED_BYTES = 1024 * 1024;
/** How long foreign operations may take to notice an abort before they are left alone. */
const FOREIGN_ABORT_MS = 1000;

/** The end of a command that did not begin, or whose end cannot be seen. */
const UNKNOWN_END: CommandExit = { exitCode: null, signal: null };

/** Details of a `bash` result; undefined when nothing was cut. */
export interface BashToolDetails {
  readonly truncation?: TruncationResult;
  readonly fullOutputPath?: string;
  /** The user let the command run on, so the call returned before its end. */
  readonly stillRunning?: true;
}

/** What a spawn hook sees and may replace. */
export interface BashSpawnContext {
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export type BashSpawnHook = (context: BashSpawnContext) => BashSpawnContext;

/** Options of {@link createBashTool} (EXT). */
export interface BashToolOptions {
  readonly operations?: BashOperations | undefined;
  /** A line that runs before each command. */
  readonly commandPrefix?: string | undefined;
  readonly spawnHook?: BashSpawnHook | undefined;
  /** Used instead of the shell that is looked up. */
  readonly shellPath?: string | undefined;
  /** False: commands get no variables about the session and the model (docs/hooks.md). */
  readonly exposeSessionEnvironment?: boolean | undefined;
  readonly variables?: FolderVariables | undefined;
}

/** One run of a command line; what the `bash` tool and the user's `!command` share. */
export interface BashRequest extends BashToolOptions {
  readonly command: string;
  readonly cwd: string;
  /** Seconds. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Runs the command where no operations are given; bash when absent. */
  readonly local?: LocalRun | undefined;
  /** The conversation whose session and model are in the environment of the command, and who follows it. */
  readonly context?: ToolContext | undefined;
  /** The outcome is also returned as data. */
  readonly isStructured?: true;
  /** Gets the end of the output so far, at most ten times a second. */
  readonly onOutput?: ((text: string, details: BashToolDetails | undefined) => void) | undefined;
}

/** How a command line ended. `output` is the shown part of its output, with a notice about the rest. */
export interface BashOutcome {
  readonly end:
    | { readonly kind: 'exited'; readonly exitCode: number | null }
    | { readonly kind: 'aborted' }
    /** The user ended this command, and not its call. */
    | { readonly kind: 'stopped' }
    | { readonly kind: 'timeout'; readonly seconds: string }
    /** It runs on. `outputPlace`: in words for a model, where its output goes. */
    | { readonly kind: 'letGo'; readonly outputPlace: string };
  readonly output: string;
  readonly details: BashToolDetails | undefined;
  /** The same as data, where that was asked for and the command came to its end by itself. */
  readonly structured?: BashStructured;
}

/** A command's end for programs that call the tool; `output` is far longer than what a model gets. */
export interface BashStructured {
  readonly output: string;
  readonly truncated: boolean;
  /** Where all of it is, when `output` is not. */
  readonly full_output_path?: string;
  readonly exit_code: number;
  /** Seconds, to a tenth. */
  readonly wall_time_seconds: number;
}

/**
 * Runs a command line to its end, or until the keeper of the conversation lets it go. Rejects only when it could not be run at
 * all.
 */
export async function executeBash(request: BashRequest): Promise<BashOutcome> {
  const { signal, context, onOutput } = request;
  if (signal?.aborted === true) {
    context?.command?.end(UNKNOWN_END);
    return { end: { kind: 'aborted' }, output: '', details: undefined };
  }
  const output = new BashOutput();
  const updates = new Updates(output, onOutput);
  const run: CommandRun = { output, updates, signal, grew: () => updates.request() };
  const keeper = context?.keeper;
  try {
    return await (keeper === undefined ? runIn(request, run) : runKept(request, run, keeper));
  } finally {
    updates.stop();
  }
}

/** One run of a command. */
interface CommandRun {
  readonly output: BashOutput;
  readonly updates: Updates;
  /** Ends the command. */
  readonly signal: AbortSignal | undefined;
  /** Called after each piece of output. */
  readonly grew: () => void;
}

/** Runs a command that its keeper may let go: then the call returns, and the command runs on. */
async function runKept(request: BashRequest, run: CommandRun, keeper: CommandKeeper): Promise<BashOutcome> {
  const { output, updates } = run;
  const returned = deferred<BashOutcome>();
  const letGo = (): void => {
    output.saveAll();
    updates.stop();
    const snapshot = output.snapshot();
    const details = { ...detailsOf(snapshot), ...savedAt(snapshot), stillRunning: true as const };
    returned.resolve({
      ...present(output, snapshot),
      details,
      end: { kind: 'letGo', outputPlace: placeText(snapshot) },
    });
  };
  const { command } = request;
  const watch = keeper.begin({ command, outputFrom: position => output.from(position), letGo }, request.signal);
  const grew = (): void => {
    run.grew();
    watch.grew();
  };
  runIn(request, { ...run, signal: watch.signal, grew }).then(
    outcome => {
      const isAlone = outcome.end.kind === 'aborted' && request.signal?.aborted !== true;
      const ended = isAlone ? { ...outcome, end: { kind: 'stopped' as const } } : outcome;
      watch.end(endForKeeper(ended.end, output.snapshot()));
      returned.resolve(ended);
    },
    (error: unknown) => {
      watch.end({ how: 'failed', message: messageOf(error) });
      returned.reject(error);
    },
  );
  return await returned.promise;
}

function endForKeeper(end: BashOutcome['end'], snapshot: BashSnapshot): KeptCommandEnd {
  const { fullOutputPath: path, saveProblem } = snapshot;
  const isSaved = path !== undefined || saveProblem !== undefined;
  const place = isSaved ? { outputPlace: placeText(snapshot), ...defined({ outputPath: path }) } : {};
  switch (end.kind) {
    case 'exited':
      return { how: 'exited', exitCode: end.exitCode, ...place };
    case 'timeout':
      return { how: 'timeout', seconds: end.seconds, ...place };
    case 'aborted':
    case 'stopped':
    case 'letGo':
      return { how: 'stopped', ...place };
  }
}

async function runIn(request: BashRequest, { output, updates, signal, grew }: CommandRun): Promise<BashOutcome> {
  const follower = request.context?.command;
  const followed = follower && new FollowedCommand(follower, signal);
  const began = performance.now();
  try {
    const { end, ...exit } = await runToEnd({ ...request, signal }, chunk => {
      const held = output.append(chunk);
      grew();
      const taken = followed?.add(chunk);
      return held && taken ? held.then(() => taken) : (held ?? taken);
    });
    followed?.end(exit);
    const snapshot = await output.finish();
    const outcome = { end, ...present(output, snapshot) };
    if (request.isStructured !== true || end.kind !== 'exited' || end.exitCode === null) return outcome;
    const { text, isWhole } = await output.whole(STRUCTURED_BYTES);
    const path = isWhole ? undefined : snapshot.fullOutputPath;
    const structured = {
      output: text,
      truncated: !isWhole,
      ...defined({ full_output_path: path }),
      exit_code: end.exitCode,
      wall_time_seconds: Math.round((performance.now() - began) / 100) / 10,
    };
    return { ...outcome, structured };
  } catch (error) {
    followed?.end(UNKNOWN_END);
    await output.finish();
    throw error;
  } finally {
    updates.stop();
  }
}

/** Environment variables that name the conversation that runs the command, not a session that Hookline itself runs in. */
function shellEnvironment({ context, exposeSessionEnvironment = true, variables }: BashRequest): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...commandEnvironment(process.env), ...variables?.() };
  const sessionEnv = exposeSessionEnvironment && context !== undefined ? sessionVariables(context) : {};
  for (const name of SESSION_VARIABLES) {
    const value = sessionEnv[name];
    if (typeof value === 'string' && value !== '') env[name] = value;
    else Reflect.deleteProperty(env, name);
  }
  return env;
}

const SESSION_VARIABLES = [
  'PI_SESSION_ID',
  'PI_SESSION_FILE',
  'PI_PROVIDER',
  'PI_MODEL',
  'PI_REASONING_LEVEL',
] as const;

type SessionVariables = Partial<Record<(typeof SESSION_VARIABLES)[number], string | null | undefined>>;

function sessionVariables({ model, thinkingLevel, sessionManager }: ToolContext): SessionVariables {
  return {
    PI_SESSION_ID: sessionManager.getSessionId(),
    PI_SESSION_FILE: sessionManager.getSessionFile(),
    PI_PROVIDER: model?.provider,
    PI_MODEL: model?.id,
    PI_REASONING_LEVEL: thinkingLevel,
  };
}

async function runToEnd(
  request: BashRequest,
  onData: (chunk: Buffer) => void | Promise<void>,
): Promise<CommandExit & Pick<BashOutcome, 'end'>> {
  const { commandPrefix, command, cwd, signal, timeout, shellPath } = request;
  const line = commandPrefix === undefined || commandPrefix === '' ? command : `${commandPrefix}\n${command}`;
  const base: BashSpawnContext = { command: line, cwd, env: shellEnvironment(request) };
  const spawn = request.spawnHook?.(base) ?? base;
  const options = { onData, signal, timeout, env: spawn.env };
  if (request.operations === undefined) {
    const { local = localBash(shellPath) } = request;
    const { kind, code, exitSignal } = await local(spawn.command, spawn.cwd, options);
    const ends = {
      exited: { kind: 'exited', exitCode: code },
      aborted: { kind: 'aborted' },
      timeout: { kind: 'timeout', seconds: String(timeout ?? 0) },
    } as const;
    return { end: ends[kind], exitCode: exitSignal === null ? code : null, signal: exitSignal };
  }
  const run = callBashOperations(request.operations, spawn.command, spawn.cwd, options);
  const end = await foreignEnd(run, signal);
  return { end, exitCode: end.kind === 'exited' ? end.exitCode : null, signal: null };
}

async function foreignEnd(run: Promise<number | null>, signal: AbortSignal | undefined): Promise<BashOutcome['end']> {
  try {
    const exited = run.then(exitCode => ({ kind: 'exited' as const, exitCode }));
    return await unlessAborted(exited, signal, () => ({ kind: 'aborted' as const }), FOREIGN_ABORT_MS);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (message === 'aborted') return { kind: 'aborted' };
    if (message.startsWith('timeout:')) return { kind: 'timeout', seconds: message.slice('timeout:'.length) };
    throw error;
  }
}

/** Tells a follower of the output and the end of a command. A character that arrives in pieces is told when it is whole. */
class FollowedCommand {
  private readonly decoder = new StringDecoder('utf8');
  private isOver = false;

  constructor(
    private readonly follower: CommandFollower,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** Settles when the follower can take more, or the command is aborted. */
  add(chunk: Buffer): Promise<void> | undefined {
    if (this.isOver) return undefined; // Foreign operations may go on after an abort.
    const text = this.decoder.write(chunk);
    const taken = text === '' ? undefined : this.follower.output(text);
    return taken && unlessAborted(taken, this.signal, () => undefined);
  }

  end(end: CommandExit): void {
    if (this.isOver) return;
    this.isOver = true;
    const rest = this.decoder.end();
    if (rest !== '') void this.follower.output(rest);
    this.follower.end(end);
  }
}

function present(output: BashOutput, snapshot: BashSnapshot): Pick<BashOutcome, 'output' | 'details'> {
  if (!snapshot.truncation.truncated) return { output: snapshot.text, details: undefined };
  return { output: `${snapshot.text}\n\n${output.notice(snapshot)}`, details: detailsOf(snapshot) };
}

function detailsOf(snapshot: BashSnapshot): BashToolDetails | undefined {
  const { truncation } = snapshot;
  return truncation.truncated ? { truncation, ...savedAt(snapshot) } : undefined;
}

function savedAt({ fullOutputPath }: BashSnapshot): Pick<BashToolDetails, 'fullOutputPath'> {
  return defined({ fullOutputPath });
}

/** Calls the listener at most every 100 ms, and once more for the last output. */
class Updates {
  private readonly later = new DelayedCall(() => this.send());
  private lastAt = 0;
  private isStopped = false;

  constructor(
    private readonly output: BashOutput,
    private readonly listener: BashRequest['onOutput'],
  ) {}

  request(): void {
    if (this.listener === undefined || this.isStopped || this.later.isScheduled) return;
    const wait = this.lastAt + UPDATE_INTERVAL_MS - Date.now();
    if (wait <= 0) this.send();
    else this.later.schedule(wait);
  }

  stop(): void {
    this.isStopped = true;
    this.later.cancel();
  }

  private send(): void {
    this.lastAt = Date.now();
    const snapshot = this.output.snapshot();
    try {
      this.listener?.(snapshot.text, detailsOf(snapshot));
    } catch {
      // A listener that fails must not fail the command; the final result reaches it anyway.
    }
  }
}
