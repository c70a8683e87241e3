import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { commandEnvironment } from '../../agent/tools/shell/process';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { runTestFile } from '../../hook-insight/hook-tests/run-test-file';
import { attachConfiguration } from '../debug/debug-configuration';
import { hookPlace } from '../hook-authoring/hook-place';
import { leavesOf, rootOf, type TestItems } from './test-items';
import { TestReport } from './test-report';

/** How long a test that sets no limit may take, and loading a file, ms. A test starts Hookline's command line. */
const LIMIT_MS = 30_000;

/** Marks the debug session of a run; its value is the port. */
const MARK = '__hooklineTest';

/** What runs of hook tests depend on. */
export interface TestRunPlace {
  /** Folder of this copy of the extension, absolute. */
  readonly extensionDir: string;
  /** Absolute path of the command line. */
  readonly cli: string;
  readonly agentDir: string;
  /** Whether tests in the folder `tests` of a workspace folder may run; both are absolute. Never rejects. */
  readonly isTrusted: (workspaceFolder: string, tests: string) => Promise<boolean>;
  /** By which processes inherit the trust in the window's folder. */
  readonly variables: () => Readonly<Record<string, string>>;
}

/** Runs hook tests for the Test Explorer, one file after the other, each in a process of its own. */
export class TestRuns implements Disposable {
  private readonly end = new AbortController();

  constructor(
    private readonly controller: vscode.TestController,
    private readonly items: TestItems,
    private readonly place: TestRunPlace,
  ) {}

  /** Resolves when all is over. Never rejects. */
  async run(request: vscode.TestRunRequest, token: vscode.CancellationToken, debugs: boolean): Promise<void> {
    const run = this.controller.createTestRun(request);
    const stop = new AbortController();
    const listening = new DisposableStore();
    listening.add(token.onCancellationRequested(() => stop.abort()));
    listening.add(run.token.onCancellationRequested(() => stop.abort()));
    const signal = AbortSignal.any([stop.signal, this.end.signal]);
    const chosen = [...this.chosenIn(request)];
    for (const [, tests] of chosen) for (const test of tests) run.enqueued(test);
    const trusted = new Map<string, Promise<boolean>>();
    const isTrusted = (workspaceFolder: string, tests: string): Promise<boolean> => {
      const decision = trusted.get(tests) ?? this.place.isTrusted(workspaceFolder, tests);
      trusted.set(tests, decision);
      return decision;
    };
    try {
      for (const [file, tests] of chosen) {
        if (signal.aborted) break;
        await this.runFile({ run, request, file, tests, isTrusted, signal, debugs, stop: () => stop.abort() });
      }
    } finally {
      listening.dispose();
      run.end();
    }
  }

  /** Ends what runs. */
  dispose(): void {
    this.end.abort();
  }

  /** The chosen tests of each file, by the file's item. */
  private chosenIn({ include, exclude = [] }: vscode.TestRunRequest): ReadonlyMap<vscode.TestItem, vscode.TestItem[]> {
    const all = include ?? [...this.controller.items].map(([, item]) => item);
    const excluded = new Set(exclude.flatMap(leavesOf));
    const chosen = new Map<vscode.TestItem, vscode.TestItem[]>();
    for (const test of new Set(all.flatMap(leavesOf))) {
      if (excluded.has(test)) continue;
      const file = rootOf(test);
      chosen.set(file, [...(chosen.get(file) ?? []), test]);
    }
    return chosen;
  }

  private async runFile(given: FileRun): Promise<void> {
    const { place } = this;
    const { run, file, tests, signal, debugs } = given;
    const uri = file.uri ?? vscode.Uri.file(file.id);
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    if (folder !== undefined && !(await given.isTrusted(folder.uri.fsPath, dirname(uri.fsPath)))) {
      const text = vscode.l10n.t('The folder "{0}" is not trusted, so its hook tests do not run.', folder.name);
      for (const test of tests) run.errored(test, new vscode.TestMessage(text));
      return;
    }
    const report = new TestReport(run, file, this.items);
    const sessions = new DisposableStore();
    const left = new AbortController();
    const attach = async (port: number): Promise<void> => {
      sessions.add(whenLeft(port, () => left.abort()));
      await this.attach(run, folder, port);
    };
    try {
      const end = await runTestFile({
        ...{ file: uri.fsPath, ...onlyOf(given), signal: AbortSignal.any([signal, left.signal]), limitMs: LIMIT_MS },
        runner: join(place.extensionDir, 'dist', 'hook-test-runner.js'),
        cwd: folder?.uri.fsPath ?? place.agentDir,
        env: this.environment(),
        ...(debugs ? { attach } : {}),
        onEvent: event => report.add(event),
        onOutput: text => report.print(text),
      });
      if (end === 'stopped') given.stop();
    } finally {
      sessions.dispose();
    }
  }

  private async attach(run: vscode.TestRun, folder: vscode.WorkspaceFolder | undefined, port: number): Promise<void> {
    const { extensionDir, agentDir } = this.place;
    const hooks = hookPlace(folder) ?? { folder: agentDir, agentDir, configured: [] };
    const name = vscode.l10n.t('Hookline: Debug Hook Tests');
    const configuration = attachConfiguration(name, port, { ...hooks, extensionDir });
    const hasStarted = await vscode.debug.startDebugging(folder, { ...configuration, [MARK]: port }, { testRun: run });
    if (!hasStarted) throw new Error(vscode.l10n.t('the debugger of VS Code did not start.'));
  }

  /** The environment that commands get, in which keys of model providers can be withheld. */
  private environment(): NodeJS.ProcessEnv {
    const { cli, agentDir, variables } = this.place;
    return { ...commandEnvironment(process.env), ...variables(), HOOKLINE_CLI: cli, PI_CODING_AGENT_DIR: agentDir };
  }
}

interface FileRun {
  readonly run: vscode.TestRun;
  readonly request: vscode.TestRunRequest;
  readonly file: vscode.TestItem;
  /** The chosen tests of the file; the file itself if it is not known which tests it contains. */
  readonly tests: readonly vscode.TestItem[];
  /** As that of the place, but asked once in a run for each folder of tests: a hook that decides may ask the user. */
  readonly isTrusted: TestRunPlace['isTrusted'];
  readonly signal: AbortSignal;
  readonly debugs: boolean;
  /** Stops the whole run. */
  readonly stop: () => void;
}

/** Which tests of the file run. All of a file includes those that are known only when it runs. */
function onlyOf({ request, file, tests }: FileRun): { readonly only?: readonly string[] } {
  const { include = [file], exclude = [] } = request;
  const isWhole = (exclude.length === 0 && include.includes(file)) || tests.includes(file);
  return isWhole ? {} : { only: tests.map(({ id }) => id) };
}

/** Calls `left` when the debug session at this port ends. If the user ends it, that leaves the process alone. */
function whenLeft(port: number, left: () => void): Disposable {
  return vscode.debug.onDidTerminateDebugSession(({ configuration, parentSession }) => {
    if (parentSession === undefined && configuration[MARK] === port) left();
  });
}
