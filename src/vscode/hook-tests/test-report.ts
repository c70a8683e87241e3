import * as vscode from 'vscode';
import type { TestRunEvent } from '../../hook-insight/hook-tests/run-test-file';
import type { CollectedTest, TestFailure } from '../../hook-insight/hook-tests/test-event';
import type { TestItems } from './test-items';

/** Tells VS Code how the run of one file goes. */
export class TestReport {
  private readonly items = new Map<string, vscode.TestItem>();

  constructor(
    private readonly run: vscode.TestRun,
    private readonly file: vscode.TestItem,
    private readonly shown: TestItems,
  ) {}

  add(event: TestRunEvent): void {
    const { run } = this;
    if (event.type === 'collected') {
      this.collect(event.tests);
      return;
    }
    const item = this.items.get(event.id) ?? this.file;
    switch (event.type) {
      case 'started':
        run.started(item);
        return;
      case 'passed':
        run.passed(item, event.ms);
        return;
      case 'skipped':
        run.skipped(item);
        return;
      case 'failed':
        run.failed(item, this.messageFor(event.failure, item), event.ms);
        this.printStack(event.failure, item);
        return;
      case 'broken':
        run.errored(item, this.messageFor(event.failure, item));
        this.printStack(event.failure, item);
        return;
      case 'late':
      case 'ended':
      case 'notStarted':
        run.errored(item, this.at(new vscode.TestMessage(endText(event)), item));
    }
  }

  /** Shows what the process printed. */
  print(text: string): void {
    this.run.appendOutput(terminalText(text));
  }

  private collect(tests: readonly CollectedTest[]): void {
    for (const test of tests) {
      const item = this.shown.itemFor(test, this.file);
      this.items.set(test.id, item);
      for (let suite = item.parent; suite !== undefined; suite = suite.parent) this.items.set(suite.id, suite);
      this.run.enqueued(item);
    }
  }

  private messageFor(failure: TestFailure, item: vscode.TestItem): vscode.TestMessage {
    const { difference, place, isCut = false } = failure;
    const note = vscode.l10n.t('The texts of this failure are longer. "…" stands for what is not shown.');
    const message = isCut ? `${failure.message}\n${note}` : failure.message;
    const text =
      difference === undefined
        ? new vscode.TestMessage(message)
        : vscode.TestMessage.diff(message, difference.expected, difference.actual);
    const known = place ?? this.shown.fileOf(item)?.problem;
    return this.at(text, item, known);
  }

  private at(
    message: vscode.TestMessage,
    item: vscode.TestItem,
    place?: { readonly line?: number; readonly column?: number },
  ): vscode.TestMessage {
    const { uri, range } = item;
    const position =
      place?.line === undefined ? range?.start : new vscode.Position(place.line - 1, (place.column ?? 1) - 1);
    if (uri !== undefined) message.location = new vscode.Location(uri, position ?? new vscode.Position(0, 0));
    return message;
  }

  private printStack({ stack, message }: TestFailure, item: vscode.TestItem): void {
    this.run.appendOutput(terminalText(`${stack ?? message}\n`), undefined, item);
  }
}

function endText(event: Extract<TestRunEvent, { type: 'late' | 'ended' | 'notStarted' }>): string {
  switch (event.type) {
    case 'late':
      return vscode.l10n.t('This took longer than {0} s and was stopped.', event.limitMs / 1000);
    case 'ended':
      return event.code === null
        ? vscode.l10n.t('The process of the tests was ended from outside.')
        : vscode.l10n.t('The process of the tests ended by itself, with code {0}.', event.code);
    case 'notStarted':
      return vscode.l10n.t('The tests could not be started: {0}', event.why);
  }
}

/** Test output is shown in a terminal. */
function terminalText(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}
