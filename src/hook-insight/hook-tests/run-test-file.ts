import type { ChildProcess } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import * as l10n from '@vscode/l10n';
import { runProcess, type ProcessEnd } from '../../agent/tools/shell/process';
import { messageOf } from '../../base/errors';
import { newMark, withMark } from '../../base/ending/mark';
import { endMarked } from '../../base/ending/started-tree';
import { parse } from '../../base/json/schema';
import { TestEventSchema, type CollectedTest, type TestEvent, type TestTask } from './test-event';

/** What the run of a file reports: what its process says, and what can only be seen from outside. */
export type TestRunEvent =
  | Exclude<TestEvent, { type: 'waiting' | 'done' | 'limited' }>
  /** A test, or loading the file, took longer than its limit and was ended. `id`: of the test, or path of the file. */
  | { readonly type: 'late'; readonly id: string; readonly limitMs: number }
  /** The process ended by itself in a test, or outside of one. `code` is null if a signal ended it. */
  | { readonly type: 'ended'; readonly id: string; readonly code: number | null }
  | { readonly type: 'notStarted'; readonly id: string; readonly why: string };

export interface TestFileRun {
  /** Absolute path of the built `hook-test-runner.js`. */
  readonly runner: string;
  /** Absolute path of the file of tests. */
  readonly file: string;
  /** Ids of the tests to run; all without it. */
  readonly only?: readonly string[];
  /** Absolute; the working folder of the process. */
  readonly cwd: string;
  /** The whole environment of the process, but for what makes an Electron program Node. */
  readonly env: NodeJS.ProcessEnv;
  /** How long loading the file, or a test that sets no limit, may take, ms. */
  readonly limitMs: number;
  /** Attaches a debugger to a port of 127.0.0.1. With it, nothing has a time limit. */
  readonly attach?: (port: number) => Promise<void>;
  readonly onEvent: (event: TestRunEvent) => void;
  /** Gets the beginning of what the tests print, up to 1 MB, and that there is more. */
  readonly onOutput: (text: string) => void;
  /** When aborted, the process is ended, with all that it started. */
  readonly signal: AbortSignal;
}

/**
 * Runs a file of hook tests in a process of its own. If a test has to be ended, the others run in another process. Resolves when
 * nothing of its processes is left that is known to be theirs, with whether the signal stopped it. Never rejects.
 */
export async function runTestFile(given: TestFileRun): Promise<'over' | 'stopped'> {
  const run = { ...given, onOutput: beginningOnly(given.onOutput) };
  let { only } = run;
  for (;;) {
    if (run.signal.aborted) return 'stopped';
    const process = new TestProcess(run, only);
    only = await process.whenOver();
    if (process.wasStopped) return 'stopped';
    if (only.length === 0) return 'over';
  }
}

/** Characters. */
const MOST_OUTPUT = 1024 * 1024;

function beginningOnly(take: (text: string) => void): (text: string) => void {
  let left = MOST_OUTPUT;
  return text => {
    if (left < 0) return;
    take(text.slice(0, left));
    left -= text.length;
    if (left < 0) take(`\n${l10n.t('[The tests print more than 1 MB. The rest is not shown.]')}\n`);
  };
}

/** How long a process may take to end after its tests, ms. */
const END_MS = 2_000;

class TestProcess {
  private readonly mark = newMark();
  private readonly stopping = new AbortController();
  /** The tests that have not begun or ended. */
  private left: readonly CollectedTest[] = [];
  /** The test that runs, or the path of the file. */
  private current: string;
  private limitMs: number;
  private timer: NodeJS.Timeout | undefined;
  private isDone = false;
  /** Why the process was ended. */
  private ending: 'late' | 'aborted' | 'notStarted' | undefined;

  constructor(
    private readonly run: TestFileRun,
    private readonly only: readonly string[] | undefined,
  ) {
    this.current = run.file;
    this.limitMs = run.limitMs;
  }

  get wasStopped(): boolean {
    return this.ending === 'aborted';
  }

  /** Resolves with the ids of the tests that could not run because another one was ended. */
  async whenOver(): Promise<readonly string[]> {
    const { run } = this;
    const stop = (): void => {
      if (!this.isDone) this.end('aborted');
    };
    run.signal.addEventListener('abort', stop);
    try {
      const end = await this.exit();
      if (end.kind === 'failed') this.notStarted(end.error);
      else if (this.ending === undefined && !this.isDone) {
        this.noteEnd({ type: 'ended', id: this.current, code: end.exitSignal === null ? end.code : null });
      }
    } finally {
      run.signal.removeEventListener('abort', stop);
      clearTimeout(this.timer);
      // The process is over; a test may have left others behind.
      await endMarked(this.mark);
    }
    return this.left.map(({ id }) => id);
  }

  /** Starts the process. Resolves when it is over and its output was read, as far as it is not held by what it left behind. */
  private exit(): Promise<ProcessEnd> {
    const { run } = this;
    const outputOf = (decoder: StringDecoder) => (chunk: Buffer) => run.onOutput(decoder.write(chunk));
    return runProcess({
      command: process.execPath,
      args: [run.runner],
      cwd: run.cwd,
      env: {
        ...run.env,
        ...withMark(this.mark),
        ...('electron' in process.versions ? { ELECTRON_RUN_AS_NODE: '1' } : {}),
      },
      signal: this.stopping.signal,
      talk: child => this.talk(child),
      onStdout: outputOf(new StringDecoder('utf8')),
      onStderr: outputOf(new StringDecoder('utf8')),
    });
  }

  private talk(child: ChildProcess): void {
    const { run, only } = this;
    child.on('message', message => this.take(message));
    const task: TestTask = {
      file: run.file,
      limitMs: run.limitMs,
      debug: run.attach !== undefined,
      ...(only === undefined ? {} : { only }),
    };
    // If the process has ended already, its end says so.
    child.send(task, () => undefined);
    this.startTimer();
  }

  private take(message: unknown): void {
    const parsed = parse(TestEventSchema, message);
    // A test can send messages, too.
    if (!parsed.ok || this.ending !== undefined) return;
    this.follow(parsed.value);
    this.startTimer();
  }

  private follow(event: TestEvent): void {
    const { run } = this;
    switch (event.type) {
      case 'waiting':
        run.attach?.(event.port).catch((error: unknown) => this.notStarted(error));
        return;
      case 'limited':
        this.limitMs = event.limitMs;
        return;
      case 'done':
        this.isDone = true;
        this.left = [];
        this.limitMs = END_MS;
        return;
      case 'collected':
        this.left = event.tests;
        break;
      case 'started':
        this.current = event.id;
        this.limitMs = event.limitMs;
        break;
      case 'passed':
      case 'failed':
      case 'skipped':
        this.over(event.id);
        break;
      case 'broken':
        break;
    }
    run.onEvent(event);
  }

  private over(id: string): void {
    this.left = this.left.filter(test => test.id !== id);
    this.current = this.run.file;
    this.limitMs = this.run.limitMs;
  }

  private startTimer(): void {
    clearTimeout(this.timer);
    const { limitMs, run } = this;
    // A debugger may not let go of a process that is done.
    if ((run.attach !== undefined && !this.isDone) || limitMs === 0) return;
    this.timer = setTimeout(() => {
      if (!this.isDone) this.noteEnd({ type: 'late', id: this.current, limitMs });
      this.end('late');
    }, limitMs);
  }

  private noteEnd(event: TestRunEvent & { readonly type: 'late' | 'ended' }): void {
    this.run.onEvent(event);
    const { current, left } = this;
    this.over(current);
    // What ends outside of tests would end again.
    if (left.length === this.left.length) this.left = [];
  }

  private notStarted(error: unknown): void {
    this.run.onEvent({ type: 'notStarted', id: this.run.file, why: messageOf(error) });
    this.end('notStarted');
  }

  private end(why: 'late' | 'aborted' | 'notStarted'): void {
    this.ending ??= why;
    if (why !== 'late') this.left = [];
    this.stopping.abort();
  }
}
