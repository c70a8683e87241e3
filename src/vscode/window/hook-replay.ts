import * as vscode from 'vscode';
import { defined } from '../../base/defined';
import type { Log } from '../../base/log';
import type { HookConversation } from '../../hook-contract/conversation-port';
import type { HookHost } from '../../hook-run/host/host';
import type { HookLog } from '../../hook-insight/recording/hook-log';
import { readLines } from '../../hook-insight/recording/log-file';
import type { LogEntry } from '../../hook-insight/recording/log-entry';
import { InertScope } from '../../hook-load/ownership/inert-scope';
import { Replay, ReplayConversation, type ReplayOptions } from '../../hook-insight/replay/replay';
import {
  type ReplayedDispatch,
  type ReplayReport,
  overallText,
  type HandlerVerdict,
  type ReplayedHandler,
} from '../../hook-insight/replay/report';
import type { SampleContext } from '../../hook-contract/events/event-row';
import type { HookTarget } from '../hooks-view/hook-target';
import { hookName } from '../hooks-view/hook-words';
import type { WindowUi } from './window-ui';
import { createHooks, type HookDependencies } from './hook-host';
import type { ReplayPanel } from '../hook-log/replay-panel';
import { hookRef } from '../../transcript/hook-ref';
import { outcomeText } from '../../hook-insight/recording/outcome-text';
import type { ReplayHandlerRow, ReplayView } from '../../protocol/pages/replay';
import { calledAs } from '../../hook-contract/called-as';

export interface HookReplayParts {
  readonly services: HookDependencies;
  readonly ui: Pick<WindowUi, 'place' | 'switches'>;
  /** The hooks that conversations use. The replay reads their state but does not call them. */
  readonly live: Pick<HookHost, 'infos' | 'reload'>;
  readonly log: HookLog;
  readonly panel: ReplayPanel;
  readonly conversation: () => HookConversation;
  readonly facts: () => SampleContext;
  readonly output: Log;
}

/** The recorded events that the user chose for a replay. */
interface Recording {
  /** The name of the recording that is shown. */
  readonly source: string;
  /** The entries at the time of the call: a replay that is repeated includes entries that came later. */
  readonly entries: () => readonly LogEntry[];
  readonly ignoreMissing?: boolean;
}

/** Runs recorded events through today's hooks and shows which verdicts differ. */
export class HookReplay {
  constructor(private readonly parts: HookReplayParts) {}

  /**
   * Replays the calls of the target, or a recording that the user chooses. Undefined when the user cancels or nothing is
   * recorded. Rejects when hooks cannot be loaded.
   */
  async start(target: HookTarget | undefined): Promise<ReplayReport | undefined> {
    const recording = target === undefined ? await this.choose() : this.callsOf(target);
    if (recording === undefined) return undefined;
    if (recording.entries().length === 0) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t('Nothing is recorded yet, so there is nothing to replay.'),
      );
      return undefined;
    }
    let report: ReplayReport | undefined;
    await this.parts.panel.run(async progress => {
      const { ignoreMissing = false } = recording;
      report = await this.run(recording.entries(), { ...progress, ignoreMissing });
      return viewOf(report, recording.source);
    });
    return report;
  }

  /**
   * Loads the hooks a second time, separate from those that conversations use, and runs the entries through them. Hooks
   * that are turned off or held are not loaded. Rejects when hooks cannot be loaded.
   */
  async run(entries: readonly LogEntry[], options: Omit<ReplayOptions, 'facts'>): Promise<ReplayReport> {
    const { services, ui, live, conversation, facts, output } = this.parts;
    await live.reload();
    const waiting = live.infos().filter(({ state }) => state.type === 'waiting');
    const off = [...ui.switches.off, ...waiting.map(({ path }) => path)];
    const withheld: string[] = [];
    const { host, dependencies } = createHooks({
      services,
      extension: ui.place,
      switches: { off },
      createScope: scope => new InertScope(scope, action => withheld.push(action)),
      log: output,
    });
    const replayed = new ReplayConversation(conversation(), withheld);
    host.attach(replayed.conversation);
    try {
      await host.reload();
      return await new Replay(host, replayed, { ...options, facts: facts() }).run(entries);
    } finally {
      await host.dispose();
      dependencies.dispose();
    }
  }

  /** Tests a command of a hook in a separate instance without any effect; its dialogs are canceled. */
  async tryCommand(hookPath: string, name: string, args: string): Promise<ReplayedDispatch | undefined> {
    const event = calledAs('command', name);
    const entry: LogEntry = {
      run: 'dry',
      seq: 1,
      at: Date.now(),
      conversation: 'dry',
      hook: hookPath,
      event,
      registeredAs: event,
      nth: 0,
      ms: 0,
      askedMs: 0,
      outcome: { type: 'nothing' },
      payload: { args },
    };
    return (await this.run([entry], { alone: true, ignoreMissing: true })).dispatches[0];
  }

  private callsOf({ hookPath }: HookTarget): Recording {
    return {
      source: vscode.l10n.t('calls of {0} in the hook log', hookName(hookPath)),
      entries: () => this.parts.log.entries.filter(entry => entry.hook === hookPath),
      ignoreMissing: true,
    };
  }

  private async choose(): Promise<Recording | undefined> {
    const { log } = this.parts;
    await log.flush();
    const own = (): readonly LogEntry[] => log.entries.filter(entry => entry.run === log.run);
    const all: Recording = { source: vscode.l10n.t('the hook log'), entries: () => log.entries };
    const here: Recording = { source: vscode.l10n.t('the hook log since the window was opened'), entries: own };
    const count = (recording: Recording): string => {
      const { length } = recording.entries();
      return length === 1 ? vscode.l10n.t('1 hook call') : vscode.l10n.t('{0} hook calls', length);
    };
    const items = [
      { label: vscode.l10n.t('Since this window was opened'), description: count(here), recording: here },
      { label: vscode.l10n.t('The whole hook log'), description: count(all), recording: all },
      { label: vscode.l10n.t('An exported hook log…'), recording: undefined },
    ];
    const title = vscode.l10n.t('Replay against the hooks as they are now: nothing is executed');
    const placeHolder = vscode.l10n.t(
      'Choose a recording. Hookline loads the hooks again. Their packages are not restricted.',
    );
    const chosen = await vscode.window.showQuickPick(items, { title, placeHolder });
    if (chosen === undefined) return undefined;
    return chosen.recording ?? this.openExported();
  }

  private async openExported(): Promise<Recording | undefined> {
    const [uri] =
      (await vscode.window.showOpenDialog({
        title: vscode.l10n.t('Replay an exported hook log'),
        filters: { [vscode.l10n.t('JSON lines')]: ['jsonl'] },
      })) ?? [];
    if (uri === undefined) return undefined;
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    const { entries } = readLines(text);
    const name = uri.path.split('/').at(-1) ?? '';
    if (entries.length === 0) throw new Error(vscode.l10n.t('{0} contains no entries of a hook log.', name));
    return { source: name, entries: () => entries };
  }
}

/** The report in the form that the page shows; `source` is the name of the recording. */
function viewOf({ dispatches, missing }: ReplayReport, source: string): ReplayView {
  return {
    source,
    rows: dispatches.map(({ run, seq, at, event, tool, brief, status, why, handlers }) => ({
      key: `${run}:${seq}`,
      at,
      subject: [event, tool].filter(Boolean).join(' '),
      brief,
      status,
      before: overallText(handlers, 'before'),
      after: overallText(handlers, 'after'),
      ...defined({ why }),
      handlers: handlers.map(handlerRow),
    })),
    missing: missing.map(path => hookRef(path).name),
  };
}

function handlerRow({
  hookPath,
  registeredAs,
  file,
  line,
  status,
  before,
  after,
  notes,
}: ReplayedHandler): ReplayHandlerRow {
  return {
    hook: hookRef(hookPath).name,
    registeredAs,
    file,
    ...defined({ line }),
    status,
    before: textOf(before),
    after: textOf(after),
    ...defined({ beforeValue: before && withoutPlace(before), afterValue: after && withoutPlace(after) }),
    ...defined({ thrown: after && thrownBy(after) }),
    notes,
  };
}

/** The verdict without where an error was thrown: no difference to the recording counts there. */
function withoutPlace(verdict: HandlerVerdict): object {
  const places: readonly string[] = ['line', 'column', 'stack'];
  const outcome = Object.entries(verdict.outcome).filter(([name]) => !places.includes(name));
  return { ...verdict, outcome: Object.fromEntries(outcome) };
}

function thrownBy({ outcome }: HandlerVerdict): ReplayHandlerRow['thrown'] {
  const { message, line, stack } = outcome as Readonly<Record<string, unknown>>;
  if (outcome.type !== 'threw' || typeof message !== 'string') return undefined;
  return {
    message,
    ...(typeof line === 'number' ? { line } : {}),
    ...(typeof stack === 'string' ? { stack } : {}),
  };
}

function textOf(verdict: HandlerVerdict | undefined): string {
  return verdict === undefined ? vscode.l10n.t('not asked') : outcomeText(verdict.outcome);
}
