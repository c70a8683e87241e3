import * as l10n from '@vscode/l10n';
import { DelayedCall } from '../../base/async/repeated-calls';
import type { Disposable } from '../../base/disposable';
import type { KeptCommandEnd } from '../../agent/tools/command-keeper';
import { visibleText } from '../../base/text/visible-text';
import { formatSize } from '../../agent/tools/truncate';
import type { RunningCommand } from '../../session/commands/running-command';

/** Between two pieces, in ms. */
const PIECES_MS = 50;
const DIM = '\x1b[2m';
const PLAIN = '\x1b[0m';
const INTERRUPT = '\x03';

/** A command as an editor shows it. */
export type ShownCommand = Pick<
  RunningCommand,
  'toolCallId' | 'command' | 'outputFrom' | 'onDidGrow' | 'isOver' | 'ended'
>;

/**
 * What a terminal shows of a command: its output from the beginning, as far as that is kept, and then as it comes. It keeps no
 * output itself: a terminal that cannot follow gets what is kept by then, after a line that says how much is missing.
 */
export class CommandScreen implements Disposable {
  private position = 0;
  private hasSaidNoInput = false;
  private isDisposed = false;
  private readonly later = new DelayedCall(() => this.print());
  private growing: Disposable | undefined;

  /** `stop` ends the command. */
  constructor(
    private readonly shown: ShownCommand,
    private readonly stop: () => void,
    private readonly write: (text: string) => void,
  ) {}

  /** To be called once, when the terminal can show something. */
  open(): void {
    this.note(`$ ${visibleText(this.shown.command)}`);
    this.growing = this.shown.onDidGrow(() => this.later.schedule(PIECES_MS));
    this.print();
    void this.shown.ended.then(end => this.end(end));
  }

  /** Keys are not taken, as the command has no input; Ctrl+C stops it. */
  keys(data: string): void {
    if (this.shown.isOver) return;
    if (data === INTERRUPT) {
      this.note(l10n.t('Stopping…'));
      this.stop();
      return;
    }
    // A terminal answers some sequences in the output by itself.
    if (this.hasSaidNoInput || data.startsWith('\x1b')) return;
    this.hasSaidNoInput = true;
    this.note(l10n.t('A command of the agent takes no input. Ctrl+C stops it.'));
  }

  dispose(): void {
    this.isDisposed = true;
    this.later.cancel();
    this.growing?.dispose();
  }

  private print(): void {
    const { text, position, omitted } = this.shown.outputFrom(this.position);
    this.position = position;
    if (omitted > 0) this.note(l10n.t('[{0} of the output are not shown here.]', formatSize(omitted)));
    if (text !== '') this.write(text.replace(/\r?\n/g, '\r\n'));
  }

  private end(end: KeptCommandEnd): void {
    if (this.isDisposed) return;
    this.later.cancel();
    this.print();
    this.growing?.dispose();
    this.note(endText(end));
  }

  /** A line that is not part of the output. */
  private note(text: string): void {
    const line = text.replace(/\r?\n/g, '\r\n');
    this.write(`${this.position === 0 ? '' : `${PLAIN}\r\n`}${DIM}${line}${PLAIN}\r\n`);
  }
}

function endText(end: KeptCommandEnd): string {
  switch (end.how) {
    case 'exited':
      return end.exitCode === null ? l10n.t('[Ended]') : l10n.t('[Ended with exit code {0}]', end.exitCode);
    case 'stopped':
      return l10n.t('[Stopped]');
    case 'timeout':
      return l10n.t('[Ended by its timeout]');
    case 'failed':
      return l10n.t('[Failed: {0}]', end.message);
  }
}
