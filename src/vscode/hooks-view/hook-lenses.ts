import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Event } from '../../base/event';
import { DelayedCall } from '../../base/async/repeated-calls';
import type { HookInfo } from '../../hook-contract/hook-info';
import { linesNow } from '../../hook-authoring/registrations-in';
import type { HandlerKey, HandlerStats } from '../../hook-insight/stats';
import { registeredIn, type HookTarget, type Registered } from './hook-target';
import { durationText, errorsText, verdictText } from './hook-words';
import { isCommandCall } from '../../hook-contract/called-as';

/** Lenses are updated at most this often, ms. */
const REDRAW_MS = 500;

const HOOK_SOURCES: vscode.DocumentSelector = ['typescript', 'javascript', 'typescriptreact', 'javascriptreact'].map(
  language => ({ scheme: 'file', language }),
);

export interface LensData {
  readonly infos: () => readonly HookInfo[];
  readonly stats: (handler: HandlerKey) => HandlerStats | undefined;
  readonly isOn: () => boolean;
  /** Hooks, their numbers or the setting changed. */
  readonly onDidChange: Event<void>;
}

/** Shows calls and verdicts of each handler and command above the line that registers it. */
export class HookLenses implements vscode.CodeLensProvider, Disposable {
  private readonly store = new DisposableStore();
  private readonly changeEmitter = this.store.add(new vscode.EventEmitter<void>());
  readonly onDidChangeCodeLenses = this.changeEmitter.event;
  private readonly redraw = this.store.add(new DelayedCall(() => this.changeEmitter.fire()));

  constructor(private readonly facts: LensData) {
    this.store.add(vscode.languages.registerCodeLensProvider(HOOK_SOURCES, this));
    this.store.add(facts.onDidChange(() => this.redraw.schedule(REDRAW_MS)));
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    if (!this.facts.isOn()) return [];
    const here = this.facts
      .infos()
      .flatMap(registeredIn)
      .filter(({ file }) => file === document.uri.fsPath);
    if (here.length === 0) return [];
    return linesNow(here, document.getText()).flatMap(({ registered, line }) => {
      const range = new vscode.Range(line - 1, 0, line - 1, 0);
      return this.commandsFor(registered).map(command => new vscode.CodeLens(range, command));
    });
  }

  dispose(): void {
    this.store.dispose();
  }

  private commandsFor(registered: Registered): readonly vscode.Command[] {
    const { hookPath, registeredAs, nth } = registered;
    const target: HookTarget = { hookPath, registeredAs, nth };
    const log: vscode.Command = {
      command: 'hookline.showHookLog',
      title: lensText(this.facts.stats(registered)),
      tooltip: vscode.l10n.t('Show these calls in the hook log'),
      arguments: [target],
    };
    const dryRun: vscode.Command = {
      command: 'hookline.dryFireHook',
      title: vscode.l10n.t('Test with Event'),
      tooltip: isCommandCall(registeredAs)
        ? vscode.l10n.t('Run this command and show what it would do; nothing is executed')
        : vscode.l10n.t('Call this handler with a sample event and show what it returns; nothing is executed'),
      arguments: [target],
    };
    const debug: vscode.Command = {
      command: 'hookline.debugHooks',
      title: vscode.l10n.t('Debug'),
      tooltip: vscode.l10n.t('Open a second window that stops at breakpoints in hooks'),
    };
    return [log, dryRun, debug, { ...log, title: vscode.l10n.t('Log') }];
  }
}

/** A text such as "12× · p95 3.1 ms · blocked: reason". */
function lensText(stats: HandlerStats | undefined): string {
  if (stats === undefined) return vscode.l10n.t('not called yet');
  const errors = stats.errors > 0 ? ` · ${errorsText(stats.errors)}` : '';
  return `${stats.count}×${errors} · p95 ${durationText(stats.p95)} · ${verdictText(stats)}`;
}
