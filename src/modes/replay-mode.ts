import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SessionStore } from '../agent/session/store';
import { messageOf } from '../base/errors';
import { silentLog } from '../base/log';
import type { CodePlace } from '../startup/hook-setup';
import { readLines } from '../hook-insight/recording/log-file';
import { InertScope } from '../hook-load/ownership/inert-scope';
import { Replay, ReplayConversation } from '../hook-insight/replay/replay';
import type { ReplayReport } from '../hook-insight/replay/report';
import { emptyConversation } from '../hook-insight/replay/empty-conversation';
import { replayText } from '../hook-insight/replay/report-text';
import type { Caller } from './agents/calling-agent';
import type { CliOptions } from './arguments/options';
import { parseArguments } from './arguments/parse';
import { openProcessServices } from './start/process-services';
import type { Output } from './terminal/output';
import { printProblems, printTrust, refuseBrokenNamedHooks } from './start/runtime';
import type { StopRequest } from './terminal/stop-request';
import { StartError, UsageError } from './arguments/usage-error';

/** The parsed arguments of `hookline replay`; nothing is looked up yet. */
export interface ReplayArguments {
  readonly options: CliOptions;
  /** Path as written; `-` is stdin. */
  readonly file: string;
  readonly json: boolean;
  readonly alone: boolean;
}

/**
 * Reads the arguments after `replay`.
 * @throws {UsageError} that names what is missing or unknown
 */
export function readReplayArguments(argv: readonly string[]): ReplayArguments {
  const own = ['--json', '--alone'];
  const options = parseArguments(argv.filter(argument => !own.includes(argument)));
  const [unknown] = options.unknown;
  if (unknown !== undefined) throw new UsageError(`Unknown option of replay: ${unknown}`);
  const [file, extra] = options.messages;
  const isAsking = options.help || options.version;
  if (file === undefined && !isAsking) throw new UsageError('replay needs the file of an exported hook log, or "-".');
  if (extra !== undefined) throw new UsageError(`replay takes one file, not also "${extra}".`);
  return { options, file: file ?? '-', json: argv.includes('--json'), alone: argv.includes('--alone') };
}

export interface ReplayRun {
  readonly given: ReplayArguments;
  readonly cwd: string;
  readonly process: NodeJS.Process;
  readonly caller: Caller;
  readonly code: CodePlace;
  readonly output: Output;
  readonly stop: StopRequest;
}

/**
 * Sends a recorded run to the hooks of this folder and to those that the command line names, and prints what changed.
 * No tool is executed. Resolves with 1 when a verdict changed.
 * @throws {UsageError | StartError} for a file that cannot be read, or a named hook that does not load
 */
export async function runReplayMode(run: ReplayRun): Promise<number> {
  const { given, cwd, process, caller, code, output, stop } = run;
  const { options } = given;
  const text = await Promise.race([textOf(given.file, cwd, process), stop.requested]);
  if (typeof text === 'number') return text;
  const { entries, unreadable } = readLines(text);
  if (entries.length === 0) throw new UsageError(`${given.file} contains no entries of a hook log.`);
  if (unreadable > 0) output.printError(`Warning: ${unreadable} lines are not records of a hook log and are skipped.`);
  const withheld: string[] = [];
  const services = await openProcessServices({
    options,
    cwd,
    startedIn: cwd,
    env: process.env,
    caller,
    code,
    flagValue: () => undefined,
    storedApprovals: 'readOnly',
    createScope: scope => new InertScope(scope, action => withheld.push(action)),
    log: silentLog,
  });
  const { host, dependencies } = services.hooks;
  const empty = emptyConversation({ cwd, sessionManager: SessionStore.inMemory(cwd), modelRegistry: services.models });
  const replayed = new ReplayConversation(empty, withheld);
  host.attach(replayed.conversation);
  try {
    await services.loadHooks();
    refuseBrokenNamedHooks(host);
    const printError = (text: string): void => output.printError(text);
    printTrust(services, printError);
    printProblems(services, printError);
    const stopped = new AbortController();
    void stop.requested.then(() => stopped.abort());
    const facts = { cwd, model: undefined, messages: [], sessionFile: undefined };
    const { alone } = given;
    const ignoreMissing = !options.searchHooks;
    const report = await new Replay(host, replayed, { facts, alone, ignoreMissing, signal: stopped.signal }).run(
      entries,
    );
    if (given.json) output.json(report);
    else output.write(replayText(report));
    return stop.code ?? exitCode(report);
  } finally {
    await host.dispose();
    dependencies.dispose();
    services.models.dispose();
  }
}

function exitCode({ dispatches, counts }: ReplayReport): number {
  if (dispatches.length === 0) {
    throw new StartError('None of the recorded hooks is loaded: there is nothing to replay.');
  }
  return counts.changed > 0 ? 1 : 0;
}

async function textOf(file: string, cwd: string, { stdin }: NodeJS.Process): Promise<string> {
  if (file === '-') {
    const chunks: Buffer[] = [];
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array));
    return Buffer.concat(chunks).toString('utf8');
  }
  try {
    return await readFile(resolve(cwd, file), 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${messageOf(error)}`);
  }
}
