import { StringDecoder } from 'node:string_decoder';
import * as l10n from '@vscode/l10n';
import { defined } from '../../../base/defined';
import { withoutRepository } from '../../../base/git-environment';
import { runGitProcess } from '../../../agent/tools/shell/git-process';
import { commandEnvironment, runProcess, type ProcessEnd, type ProcessSpec } from '../../../agent/tools/shell/process';
import { errorCode } from '../../../agent/tools/result';
import { InstallFailure } from '../install-failure';

/** A call of npm or git. */
export interface ProgramCall {
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** The environment from which the program's environment is made. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Time limit in ms; no limit when absent. */
  readonly timeoutMs?: number;
  /** Is called for each line of stderr, where both programs print their progress. */
  readonly onLine?: (line: string) => void;
}

/** The output and the exit code of a program. */
export interface ProgramAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How long a program may take to end after it was asked to stop, before it is killed, in ms. */
const GRACE_MS = 2_000;

/**
 * Runs a program to its end, without a shell and without a terminal. Git that it starts uses the repository of its folder.
 * @throws the reason of the signal when it fires, {@link InstallFailure} when the program cannot start or takes too
 * long
 */
export function callProgram(call: ProgramCall): Promise<ProgramAnswer> {
  const { command, env } = call;
  return answerOf(command, call, spec =>
    runProcess({ ...spec, command, env: withoutRepository(commandEnvironment(env)) }),
  );
}

/** Runs git as {@link callProgram} does, with these variables. */
export function callGit(call: Omit<ProgramCall, 'command'>, set: NodeJS.ProcessEnv): Promise<ProgramAnswer> {
  return answerOf('git', call, spec => runGitProcess({ ...spec, from: call.env, set }));
}

async function answerOf(
  program: string,
  { args, cwd, signal, timeoutMs, onLine }: Omit<ProgramCall, 'command'>,
  run: (spec: Omit<ProcessSpec, 'command' | 'env'>) => Promise<ProcessEnd>,
): Promise<ProgramAnswer> {
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const tell = (chunk: Buffer): void => {
    const lines = (rest + decoder.write(chunk)).split(/[\r\n]+/);
    rest = lines.pop() ?? '';
    for (const line of lines) onLine?.(line);
  };
  const end = await run({
    args,
    cwd,
    signal,
    graceMs: GRACE_MS,
    ...defined({ timeoutMs }),
    onStdout: chunk => void stdout.push(chunk),
    onStderr: chunk => {
      stderr.push(chunk);
      tell(chunk);
    },
  });
  switch (end.kind) {
    case 'aborted':
      signal.throwIfAborted();
      throw new InstallFailure(l10n.t('{0} was stopped.', program));
    case 'timeout':
      throw new InstallFailure(l10n.t('{0} did not answer within {1} seconds.', program, (timeoutMs ?? 0) / 1000));
    case 'failed':
      if (errorCode(end.error) !== 'ENOENT') {
        throw new InstallFailure(l10n.t('{0} cannot be started: {1}', program, end.error.message));
      }
      throw new InstallFailure(l10n.t('{0} was not found. Install it, or make sure that it is in the PATH.', program));
    case 'exited':
      return {
        code: end.code,
        stdout: Buffer.concat(stdout).toString('utf8'),
        stderr: Buffer.concat(stderr).toString('utf8'),
      };
  }
}
