import * as vscode from 'vscode';
import { toDisposable, type Disposable } from '../../base/disposable';
import type { HookLog } from '../../hook-insight/recording/hook-log';
import type { LogEntry } from '../../hook-insight/recording/log-entry';
import { readLogToHost, type HostToLog, type LogFilter, type LogToHost } from '../../protocol/pages/log';
import type { HookTarget } from '../hooks-view/hook-target';
import { LOG_PANEL } from '../ids';
import { PagePanel, type OpenPage } from '../pages/page-panel';
import type { PageSurroundings, Receive } from '../pages/serve-page';
import { showFailure } from '../show-failure';
import { showFile } from '../show-file';
import type * as logRows from './log-rows';

/** What the panel shows and does. */
export interface LogPanelSource {
  readonly log: HookLog;
  /** Absolute path of the file in which the entry's handler is registered. */
  readonly fileOf: (entry: LogEntry) => string;
  readonly exportLog: () => Promise<void>;
  readonly makeTest: (entry: LogEntry) => Promise<unknown>;
}

export interface LogPanelParts extends PageSurroundings {
  /** Starts the window if necessary. */
  readonly source: () => Promise<LogPanelSource>;
}

/** The module `log-rows.ts`, which is loaded when the first page opens. */
type Rows = typeof logRows;

/** What a page that shows the log is connected to. */
interface Connected {
  readonly source: LogPanelSource;
  readonly rows: Rows;
  readonly post: (message: HostToLog) => void;
}

/** The hook log in an editor tab. There is at most one, and it reopens when the window is reloaded. */
export class LogPanel implements Disposable {
  private readonly panel: PagePanel<HostToLog>;
  private post: ((message: HostToLog) => void) | undefined;
  /** A filter that is kept until a page is ready to apply it. */
  private filter: LogFilter | undefined;

  constructor(private readonly parts: LogPanelParts) {
    this.panel = new PagePanel({
      ...parts,
      viewType: LOG_PANEL,
      title: vscode.l10n.t('Hook Log'),
      bundle: 'log',
      failure: vscode.l10n.t('The hook log could not be shown.'),
      comesBack: true,
      connect: page => this.connect(page),
    });
  }

  /** Opens the log or brings it to the front. With a target, the log shows only entries of that target. */
  show(target: HookTarget | undefined): void {
    if (target !== undefined) {
      const { hookPath, registeredAs = '' } = target;
      this.filter = { hookPath, registeredAs, tool: '', outcome: '', text: '' };
    }
    this.panel.show();
    this.sendFilter();
  }

  dispose(): void {
    this.panel.dispose();
  }

  private async connect({ owned, post }: OpenPage<HostToLog>): Promise<Receive | undefined> {
    const source = await this.parts.source();
    const rows = await import('./log-rows');
    if (owned.isDisposed) return undefined;
    const { log } = source;
    owned.add(
      log.onDidAdd(entries =>
        post({ type: 'rows', rows: entries.map(entry => rows.logRow(entry, log.run)), replace: false }),
      ),
    );
    owned.add(log.onDidAddSpan(span => post({ type: 'spans', spans: [rows.spanOf(span)], replace: false })));
    owned.add(log.onDidReplace(() => postAll(log, rows, post)));
    owned.add(
      toDisposable(() => {
        this.post = undefined;
      }),
    );
    return message => {
      const read = readLogToHost(message);
      if (read !== undefined) this.handle(read, { source, rows, post });
    };
  }

  private handle(message: LogToHost, { source, rows, post }: Connected): void {
    const { log } = source;
    switch (message.type) {
      case 'ready':
        this.post = post;
        postAll(log, rows, post);
        this.sendFilter();
        break;
      case 'select': {
        const entry = rows.findEntry(log, message.key);
        if (entry !== undefined) post({ type: 'details', details: rows.detailsOf(entry, source.fileOf(entry)) });
        break;
      }
      case 'search':
        post({ type: 'found', text: message.text, keys: log.search(message.text.trim()).map(rows.keyOf) });
        break;
      case 'copy': {
        const entry = rows.findEntry(log, message.key);
        if (entry !== undefined) copy(JSON.stringify(entry, undefined, 2)).catch(showFailure);
        break;
      }
      case 'makeTest': {
        const entry = rows.findEntry(log, message.key);
        if (entry !== undefined) source.makeTest(entry).catch(showFailure);
        break;
      }
      case 'replay':
        void vscode.commands.executeCommand('hookline.replayHooks');
        break;
      case 'openFile':
        showFile(message.path, message, { viewColumn: vscode.ViewColumn.Beside }).catch(showFailure);
        break;
      case 'export':
        source.exportLog().catch(showFailure);
        break;
      case 'clear':
        void vscode.commands.executeCommand('hookline.clearHookLog');
        break;
    }
  }

  private sendFilter(): void {
    if (this.post === undefined || this.filter === undefined) return;
    this.post({ type: 'filter', filter: this.filter });
    this.filter = undefined;
  }
}

async function copy(text: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
}

function postAll(log: HookLog, rows: Rows, post: (message: HostToLog) => void): void {
  post({ type: 'spans', spans: log.spans.map(rows.spanOf), replace: true });
  post({ type: 'rows', rows: log.entries.map(entry => rows.logRow(entry, log.run)), replace: true });
}
