import { join } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { Emitter } from '../../base/event';
import type { Log } from '../../base/log';
import type { HookConversation } from '../../hook-contract/conversation-port';
import { coverageOf } from '../../hook-insight/event-coverage';
import { EVENT_NAMES } from '../../hook-contract/events/event-table';
import { HookFindings } from '../../hook-insight/findings';
import type { HookHost } from '../../hook-run/host/host';
import { HookLog } from '../../hook-insight/recording/hook-log';
import type { LogEntry } from '../../hook-insight/recording/log-entry';
import { LogFile } from '../../hook-insight/recording/log-file';
import type { SampleContext } from '../../hook-contract/events/event-row';
import { HookStats } from '../../hook-insight/stats';
import type { LogPanelSource } from '../hook-log/log-panel';
import type { AgentOverview } from '../guard/agent-overview';
import type { VsCodeSettings } from '../settings';
import { HookReplay } from './hook-replay';
import { cliIn, makeHookTest } from '../hook-log/make-test';
import { ReplayPanel } from '../hook-log/replay-panel';
import type { WindowUi } from './window-ui';
import { workFolder } from './work-folder';
import type { HookDependencies } from './hook-host';
import { HookActions } from '../hooks-view/hook-actions';
import { HookComparisons } from '../hooks-view/hook-comparisons';
import { HookFixes } from '../hooks-view/hook-fixes';
import { HookLenses } from '../hooks-view/hook-lenses';
import { registeredIn } from '../hooks-view/hook-target';
import type { HooksSource } from '../hooks-view/hooks-view';

const LOG_NAME = 'hook-log.jsonl';

export interface HookMonitorParts {
  readonly host: HookHost;
  readonly ui: WindowUi;
  readonly settings: VsCodeSettings;
  readonly services: HookDependencies;
  readonly conversation: () => HookConversation;
  readonly onDidRestore: (paths: readonly string[]) => Promise<void>;
  readonly facts: () => SampleContext;
  readonly agents: Pick<AgentOverview, 'rows' | 'onDidChange'>;
  readonly log: Log;
}

/** Counts and records every dispatch of the window, and shows it in the Hooks view, lenses, Problems panel and hook log. */
export class HookMonitor implements Disposable {
  readonly stats = new HookStats();
  readonly log: HookLog;
  readonly findings: HookFindings;
  readonly actions: HookActions;
  readonly replay: HookReplay;
  private readonly store = new DisposableStore();
  private readonly changeEmitter = this.store.add(new Emitter<void>());

  /** Must be made before the hooks are loaded, so that it misses no dispatch. */
  constructor(private readonly parts: HookMonitorParts) {
    const { host, ui } = parts;
    const { workspaceStorageDir } = ui;
    const file =
      workspaceStorageDir === undefined
        ? undefined
        : new LogFile(vscode.Uri.joinPath(vscode.Uri.file(workspaceStorageDir), LOG_NAME).fsPath);
    this.log = this.store.add(new HookLog({ file, log: parts.log }));
    this.findings = this.store.add(new HookFindings(host));
    const { stats, log } = this;
    const { texts, switches } = ui;
    this.actions = new HookActions({
      ...parts,
      stats,
      log,
      comparisons: this.store.add(new HookComparisons({ host, texts })),
      reportsDir: join(ui.place.storageDir, 'reports'),
      switches,
      makeTest: entry => this.makeTest(entry),
      tryCommand: (...given) => this.replay.tryCommand(...given),
    });
    const panel = this.store.add(new ReplayPanel({ extensionUri: ui.extensionUri, log: parts.log, quiet: ui.quiet }));
    this.replay = new HookReplay({ ...parts, live: host, log, panel, output: parts.log });
    this.listen();
    this.show();
    void log.load();
  }

  /** What the hook log's panel needs. */
  get panelSource(): LogPanelSource {
    return {
      log: this.log,
      fileOf: entry => this.fileOf(entry),
      exportLog: () => this.exportLog(),
      makeTest: entry => this.makeTest(entry),
    };
  }

  /** Saves the hook log as JSON lines in a file that the user chooses. */
  async exportLog(): Promise<void> {
    const folder = workFolder(this.parts.ui.workspaceMemory);
    const uri = await vscode.window.showSaveDialog({
      title: vscode.l10n.t('Export the hook log, without secrets'),
      filters: { [vscode.l10n.t('JSON lines')]: ['jsonl'] },
      defaultUri: folder && vscode.Uri.joinPath(folder.uri, LOG_NAME),
    });
    if (uri === undefined) return;
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(this.log.exportText()));
    const { length } = this.log.entries;
    const saved =
      length === 1 ? vscode.l10n.t('1 hook call was saved.') : vscode.l10n.t('{0} hook calls were saved.', length);
    vscode.window.setStatusBarMessage(saved, 4_000);
  }

  /** Writes a test of one entry; see {@link makeHookTest}. */
  makeTest(entry: LogEntry): Promise<string | undefined> {
    const { ui, services } = this.parts;
    const { agentDir } = services.place;
    return makeHookTest(entry, { cli: cliIn(ui.place.dir), agentDir, workspace: workFolder(ui.workspaceMemory) });
  }

  /** Writes the rest of the log to disk, then disposes. To be called before the window ends. */
  async close(): Promise<void> {
    await this.log.flush();
    this.dispose();
  }

  dispose(): void {
    this.store.dispose();
  }

  private listen(): void {
    const { host, settings, ui, agents } = this.parts;
    const changed = (): void => {
      this.changeEmitter.fire();
    };
    this.store.add(
      host.records.onDidDispatch(record => {
        this.stats.add(record);
        changed();
      }),
    );
    this.store.add(host.records.onDidDispatch(this.log.add));
    this.store.add(host.records.onDidEndSpan(this.log.addSpan));
    this.store.add(host.onDidChange(changed));
    this.store.add(agents.onDidChange(changed));
    this.store.add(settings.onDidChange(changed));
    this.store.add(this.findings.onDidChange(() => ui.diagnostics.updateFindings(this.findings.list())));
  }

  private show(): void {
    const { host, settings, ui, agents } = this.parts;
    const source: HooksSource = {
      infos: () => [...host.infos(), ...host.builtIn],
      stats: handler => this.stats.of(handler),
      coverage: () => coverageOf(host),
      isEvent: name => EVENT_NAMES.has(name),
      agents: () => agents.rows,
      onDidChange: this.changeEmitter.event,
    };
    this.store.add(ui.hooksView.show(source));
    this.store.add(new HookLenses({ ...source, isOn: () => settings.value.codeLens }));
    this.store.add(new HookFixes(source.infos));
  }

  private fileOf({ hook, registeredAs, nth }: LogEntry): string {
    const info = this.parts.host.infos().find(({ path }) => path === hook);
    const registered = info === undefined ? [] : registeredIn(info);
    return registered.find(each => each.registeredAs === registeredAs && each.nth === nth)?.file ?? hook;
  }
}
