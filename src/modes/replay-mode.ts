import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { SessionStore } from '../agent/session/store';
import { messageOf } from '../base/errors';
import { silentLog } from '../base/log';
import { visibleLine } from '../base/text/visible-text';
import type { CodePlace } from '../startup/hook-setup';
import { readLines } from '../hook-insight/recording/log-file';
import { outcomeText } from '../hook-insight/recording/outcome-text';
import { InertScope } from '../hook-load/ownership/inert-scope';
import { Replay, ReplayConversation } from '../hook-insight/replay/replay';
import {
  overallText,
  type ReplayedDispatch,
  type ReplayedHandler,
  type ReplayReport,
} from '../hook-insight/replay/report';
import { emptyConversation } from '../hook-contract/empty-conversation';
import type { Caller } from '../startup/agents/calling-agent';
import type { CliOptions } from './arguments/options';
import { parseArguments } from './arguments/parse';
import { openProcessServices } from './start/process-services';
import type { Output } from './terminal/output';
import { printProblems, printTrust, refuseBrokenNamedHooks } from './start/folder-problems';
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

/**
 * The result of a replay as lines for a terminal: the changes in full, the rest as counts. Hidden characters are marked.
 */
function replayText(report: ReplayReport): string {
  const { dispatches, counts, missing } = report;
  const listed = dispatches.filter(({ status }) => status === 'changed' || status === 'unsure');
  const skipped = new Map<string, number>();
  for (const { why = '' } of dispatches.filter(({ status }) => status === 'skipped')) {
    skipped.set(why, (skipped.get(why) ?? 0) + 1);
  }
  const lines = [
    ...listed.flatMap(dispatchLines),
    ...(listed.length === 0 ? [] : ['']),
    `${dispatches.length} events replayed, nothing executed: ${counts.same} as recorded, ${counts.changed} changed, ` +
      `${counts.unsure} not certain, ${counts.skipped} not repeatable.`,
    ...[...skipped].map(([why, count]) => `${count} not repeatable: ${why}.`),
    ...missing.map(path => `Recorded, but not loaded now: ${path}`),
  ];
  return `${lines.map(visibleLine).join('\n')}\n`;
}

function dispatchLines({ event, tool, brief, status, handlers }: ReplayedDispatch): readonly string[] {
  const sign = status === 'changed' ? '✗' : '?';
  const subject = [event, tool].filter(Boolean).join(' ');
  const verdicts = `${overallText(handlers, 'before')} → ${overallText(handlers, 'after')}`;
  return [
    `${sign} ${subject}${brief === '' ? '' : ` ${JSON.stringify(brief)}`}: ${verdicts}`,
    ...handlers.filter(handler => handler.status !== 'same').flatMap(handlerLines),
  ];
}

function handlerLines(handler: ReplayedHandler): readonly string[] {
  const { file, line, registeredAs, before, after, notes } = handler;
  const was = before === undefined ? 'not asked' : outcomeText(before.outcome);
  const is = after === undefined ? 'not asked' : outcomeText(after.outcome);
  const what = was === is && before !== undefined ? `${was}, with another result` : `${was} → ${is}`;
  return [
    `    ${basename(file)}${line === undefined ? '' : `:${line}`} ${registeredAs}: ${what}`,
    ...notes.map(note => `      (${note})`),
  ];
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
