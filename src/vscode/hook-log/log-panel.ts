import * as vscode from 'vscode';
import { toDisposable, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { isRecord } from '../../base/json/is-record';
import { factsOf } from '../../agent/tools';
import type { Log } from '../../base/log';
import type { HookLog } from '../../hook-insight/recording/hook-log';
import type { LogEntry } from '../../hook-insight/recording/log-entry';
import type { LogSpan as KeptSpan } from '../../hook-insight/recording/log-span';
import {
  readLogToHost,
  type HostToLog,
  type LogFilter,
  type LogToHost,
  type LogDetails,
  type LogSpan,
  type LogRow,
} from '../../protocol/log';
import type { HookTarget } from '../hooks-view/hook-target';
import { outcomeLine } from '../hooks-view/hook-words';
import { LOG_PANEL } from '../ids';
import { PagePanel, type OpenPage } from '../pages/page-panel';
import type { Receive } from '../pages/serve-page';
import { showFile } from '../show-file';
import { hookRef } from '../../conversation/hook-ref';

/** What the panel shows and does. */
export interface LogPanelSource {
  readonly log: HookLog;
  /** Where a handler is registered. */
  readonly fileOf: (entry: LogEntry) => string;
  readonly exportLog: () => Promise<void>;
  readonly makeTest: (entry: LogEntry) => Promise<unknown>;
}

export interface LogPanelParts {
  readonly extensionUri: vscode.Uri;
  readonly log: Log;
  /** Starts what is needed. */
  readonly source: () => Promise<LogPanelSource>;
}

/** The hook log in an editor tab; there is one at most, and a reload of the window brings it back. */
export class LogPanel implements Disposable {
  private readonly panel: PagePanel<HostToLog>;
  private post: ((message: HostToLog) => void) | undefined;
  /** Waits for a page that can show it. */
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

  /** Opens the log or brings it to the front; with a target, only that is let through. */
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
    if (owned.isDisposed) return undefined;
    const { log } = source;
    owned.add(
      log.onDidAdd(entries =>
        post({ type: 'rows', rows: entries.map(entry => rowOf(entry, log.run)), replace: false }),
      ),
    );
    owned.add(log.onDidAddSpan(span => post({ type: 'spans', spans: [spanOf(span)], replace: false })));
    owned.add(log.onDidReplace(() => postAll(log, post)));
    owned.add(
      toDisposable(() => {
        this.post = undefined;
      }),
    );
    return message => {
      const read = readLogToHost(message);
      if (read !== undefined) this.handle(read, source, post);
    };
  }

  private handle(message: LogToHost, source: LogPanelSource, post: (message: HostToLog) => void): void {
    const { log } = source;
    switch (message.type) {
      case 'ready':
        this.post = post;
        postAll(log, post);
        this.sendFilter();
        break;
      case 'select': {
        const entry = find(log, message.key);
        if (entry !== undefined) post({ type: 'details', details: detailsOf(entry, source.fileOf(entry)) });
        break;
      }
      case 'search':
        post({ type: 'found', text: message.text, keys: log.search(message.text.trim()).map(keyOf) });
        break;
      case 'copy': {
        const entry = find(log, message.key);
        if (entry !== undefined) void vscode.env.clipboard.writeText(JSON.stringify(entry, undefined, 2));
        break;
      }
      case 'makeTest': {
        const entry = find(log, message.key);
        if (entry !== undefined) source.makeTest(entry).catch(tellFailure);
        break;
      }
      case 'replay':
        void vscode.commands.executeCommand('hookline.replayHooks');
        break;
      case 'openFile':
        void showFile(message.path, message, { viewColumn: vscode.ViewColumn.Beside });
        break;
      case 'export':
        void source.exportLog();
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

function postAll(log: HookLog, post: (message: HostToLog) => void): void {
  post({ type: 'spans', spans: log.spans.map(spanOf), replace: true });
  post({ type: 'rows', rows: log.entries.map(entry => rowOf(entry, log.run)), replace: true });
}

function tellFailure(error: unknown): void {
  void vscode.window.showErrorMessage(messageOf(error));
}

function find(log: HookLog, key: string): LogEntry | undefined {
  const read = entryKey(key);
  return read === undefined ? undefined : log.find(read.run, read.seq);
}

/** Names an entry towards the page. */
function keyOf({ run, seq }: LogEntry): string {
  return `${run}:${seq}`;
}

/** Reads a key of the page; undefined for anything else. */
function entryKey(key: string): { readonly run: string; readonly seq: number } | undefined {
  const match = /^(\w+):(\d+)$/.exec(key);
  return match?.[1] === undefined ? undefined : { run: match[1], seq: Number(match[2]) };
}

/** The line of an entry; `run` is that of this window. */
function rowOf(entry: LogEntry, run: string): LogRow {
  const { at, hook, event, registeredAs, nth, tool = '', ms, askedMs, waits = [], outcome, ground, changes } = entry;
  const { toolCallId: call } = entry;
  const subject = subjectOf(entry);
  const isAllowed = outcome.type === 'nothing' && ground !== undefined;
  return {
    key: keyOf(entry),
    at,
    hookPath: hook,
    hook: hookRef(hook).name,
    event,
    registeredAs,
    nth,
    tool,
    outcome: isAllowed ? 'allowed' : outcome.type,
    text: outcomeLine(outcome, ground).slice(0, 300),
    ms,
    askedMs,
    waits,
    conversation: placeOf(entry),
    ...(call === undefined ? {} : { call }),
    ...(subject === undefined ? {} : { subject }),
    changed: changes !== undefined,
    earlier: entry.run !== run,
  };
}

function spanOf(entry: KeptSpan): LogSpan {
  const { span, at, ms, tool, toolCallId: call } = entry;
  return {
    kind: span,
    conversation: placeOf(entry),
    ...(call === undefined ? {} : { call }),
    ...(tool === undefined ? {} : { tool }),
    at,
    ms,
  };
}

/** Ids of conversations begin anew with each window. */
function placeOf({ run, conversation }: Pick<LogEntry, 'run' | 'conversation'>): string {
  return `${run}:${conversation}`;
}

function subjectOf({ event, tool, payload }: LogEntry): string | undefined {
  const input = isRecord(payload) ? payload['input'] : undefined;
  if (event !== 'tool_call' || tool === undefined || !isRecord(input)) return undefined;
  return factsOf(tool).summarize(input).slice(0, 200);
}

/** What the page shows of one entry; `file` is where its handler is registered. */
function detailsOf(entry: LogEntry, file: string): LogDetails {
  const { line, conversation, payload, returned, changes = [], dialogs = [], outcome, capped = false } = entry;
  const { stack } = outcome as { readonly stack?: unknown };
  return {
    key: keyOf(entry),
    file,
    ...(line === undefined ? {} : { line }),
    conversation,
    ...(payload === undefined ? {} : { payload }),
    ...(returned === undefined ? {} : { returned }),
    changes,
    dialogs,
    ...(typeof stack === 'string' ? { stack } : {}),
    capped,
  };
}
