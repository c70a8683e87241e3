import { join } from 'node:path';
import * as vscode from 'vscode';
import type { HookConversation } from '../../hook-contract/conversation-port';
import type { HandlerDelivery } from '../../hook-run/dispatch/deliveries';
import { dryRunHandler, type DryRunResult } from '../../hook-insight/dry-run/dry-run-handler';
import type { HookEvent } from '../../hook-contract/hook-event';
import type { HookHost } from '../../hook-run/host/host';
import type { HookChange, HookInfo } from '../../hook-contract/hook-info';
import { clipped } from '../../base/text/clipped';
import { redact } from '../../base/text/redact';
import type { HookLog } from '../../hook-insight/recording/hook-log';
import { jsonOf, type LogEntry } from '../../hook-insight/recording/log-entry';
import { snapshot } from '../../hook-insight/recording/snapshot';
import type { SampleContext } from '../../hook-contract/events/event-row';
import { samplesFor, withRecorded } from '../../hook-insight/samples';
import type { ReplayedDispatch } from '../../hook-insight/replay/report';
import type { HookStats } from '../../hook-insight/stats';
import { showMarkdown } from '../pages/markdown-page';
import { shortPath } from '../short-path';
import { showFile } from '../show-file';
import { commandReport, dryRunReport } from './dry-run-report';
import type { HookComparisons } from './hook-comparisons';
import type { HookSwitches } from './hook-switches';
import { targetPlace, registeredIn, type HookTarget, type Registered } from './hook-target';
import { hookName, hookStateIcon, hookStateText, originText, outcomeLine, statsText } from './hook-words';
import { isRecord } from '../../base/json/is-record';
import { visibleText } from '../../base/text/visible-text';
import { isCommandCall } from '../../hook-contract/called-as';

export interface HookActionParts {
  readonly host: Pick<
    HookHost,
    'infos' | 'builtIn' | 'reload' | 'runner' | 'runAgain' | 'approve' | 'reject' | 'heldSources'
  >;
  /** Writes a test of a recorded call; resolves with its absolute path, or undefined when the user cancels. */
  readonly makeTest: (entry: LogEntry) => Promise<string | undefined>;
  /** Tests a command without any effect; undefined when the hook is not loaded. */
  readonly tryCommand: (hookPath: string, name: string, args: string) => Promise<ReplayedDispatch | undefined>;
  readonly stats: HookStats;
  readonly log: HookLog;
  readonly switches: HookSwitches;
  readonly comparisons: HookComparisons;
  /** Absolute path of the folder that reports are written to. */
  readonly reportsDir: string;
  /** Is called when the user has rejected a change, with the absolute paths of files that may be back. */
  readonly onDidRestore: (paths: readonly string[]) => Promise<void>;
  /** The conversation that tests with events belong to. */
  readonly conversation: () => HookConversation;
  readonly facts: () => SampleContext;
}

/** At most this many recorded calls are offered to the user. */
const MOST_CALLS = 100;
/** Of a payload or an event in a list. */
const MOST_CHARS = 160;

interface Choice {
  readonly label: string;
  readonly source: string;
  readonly event: HookEvent;
  readonly delivery: HandlerDelivery;
}

/** Actions on hooks for the Hooks view, the Command Palette and lenses. Without a target, they ask the user for a hook. */
export class HookActions {
  constructor(private readonly parts: HookActionParts) {}

  async open(target: HookTarget | undefined): Promise<void> {
    const info = await this.infoFor(target);
    if (info === undefined) return;
    const { file, line } = targetPlace(info, target ?? { hookPath: info.path });
    await showFile(file, { line });
  }

  /** Loads one hook again, even when its files have not changed. */
  async reload(target: HookTarget | undefined): Promise<void> {
    const info = await this.infoFor(target);
    if (info !== undefined) await this.parts.host.reload({ fresh: info.path });
  }

  /** Turns a hook on or off in this workspace. */
  async turn(target: HookTarget | undefined, to: 'on' | 'off'): Promise<void> {
    const info = await this.infoFor(target, hook => (hook.state.type === 'off') === (to === 'on'));
    if (info === undefined) return;
    await this.parts.switches.turn(info.path, to);
    await this.parts.host.reload();
  }

  /** Copies the last recorded call of the target, or the hook's state when it was not called yet. Secrets are removed. */
  async copyRecord(target: HookTarget | undefined): Promise<void> {
    const info = await this.infoFor(target);
    if (info === undefined) return;
    const about = target ?? { hookPath: info.path };
    const entry = this.parts.log.findLast(each => concerns(each, about));
    const text = jsonOf(entry ?? redact(snapshot(this.summaryOf(info)).value));
    await vscode.env.clipboard.writeText(text);
    const message =
      entry === undefined
        ? vscode.l10n.t('{0} was not called yet. Its state was copied.', hookName(info.path))
        : vscode.l10n.t('The last record of {0} was copied.', hookName(info.path));
    vscode.window.setStatusBarMessage(message, 4_000);
  }

  /** Approves the held change of one hook. */
  async approve(target: HookTarget | undefined): Promise<void> {
    const info = await this.infoFor(target, isWaiting);
    if (info !== undefined) await this.parts.host.approve(info.path);
  }

  /** Restores the approved version of one hook on disk, after the user confirms that the held change is discarded. */
  async reject(target: HookTarget | undefined): Promise<void> {
    const info = await this.infoFor(target, isRejectable);
    if (info?.state.type !== 'waiting') return;
    const { question, detail, button } = rejection(info, info.state.change);
    const chosen = await vscode.window.showWarningMessage(
      visibleText(question),
      { modal: true, detail: visibleText(detail) },
      button,
    );
    if (chosen !== button) return;
    const { host, onDidRestore } = this.parts;
    const files = [info.path, ...host.heldSources(info.path).map(({ path }) => path)];
    try {
      await host.reject(info.path);
    } finally {
      await onDidRestore(files);
    }
  }

  /** Runs a stopped hook again. Without a target, it asks only when several hooks are stopped. */
  async runAgain(target: HookTarget | undefined): Promise<void> {
    const stopped = this.parts.host.infos().filter(({ state }) => state.type === 'stopped');
    const [only] = stopped;
    const path = target === undefined && stopped.length === 1 ? only?.path : undefined;
    const info = path === undefined ? await this.infoFor(target, ({ state }) => state.type === 'stopped') : only;
    if (info !== undefined) await this.parts.host.runAgain(info.path);
  }

  /** Shows the held change of one hook in diffs: the running version on the left, the waiting one on the right. */
  async compare(target: HookTarget | undefined): Promise<void> {
    const info = await this.infoFor(target, isWaiting);
    if (info !== undefined) await this.parts.comparisons.show(info.path);
  }

  /** Makes a test of a recorded call that the user chooses. Resolves with its absolute path; undefined when there is none. */
  async makeTest(target: HookTarget | undefined): Promise<string | undefined> {
    const about = target ?? (await this.handlerFor(undefined));
    if (about === undefined) return undefined;
    const calls = this.parts.log.entries.filter(each => concerns(each, about)).reverse();
    if (calls.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('{0} was not called yet.', hookName(about.hookPath)));
      return undefined;
    }
    const entry = await pickCall(hookName(about.hookPath), calls);
    return entry && this.parts.makeTest(entry);
  }

  /**
   * Tests a handler with an event that the user chooses, or a command with arguments, and shows the result. Undefined when
   * the user cancels or no event reaches the handler.
   */
  async testWithEvent(target: HookTarget | undefined): Promise<DryRunResult | ReplayedDispatch | undefined> {
    const command = /^command:(.+)$/.exec(target?.registeredAs ?? '')?.[1];
    if (target !== undefined && command !== undefined) return this.dryRun(target.hookPath, command);
    const registered = await this.handlerFor(target);
    if (registered === undefined) return undefined;
    const choice = await pickEvent(registered, this.choicesFor(registered));
    if (choice === undefined) return undefined;
    const { host, conversation } = this.parts;
    const title = vscode.l10n.t('Test of {0} in {1}', registered.label, hookName(registered.hookPath));
    const fired = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () =>
      dryRunHandler(choice.delivery, choice.event, conversation(), host.runner.services),
    );
    await this.showReport(`${registered.label} ${hookName(registered.hookPath)}`, from =>
      dryRunReport(registered, fired, choice.source, from),
    );
    return fired;
  }

  private async dryRun(hookPath: string, name: string): Promise<ReplayedDispatch | undefined> {
    const title = vscode.l10n.t('Test of {0} with an event: nothing is executed', `/${name}`);
    const prompt = vscode.l10n.t('Arguments of the command (optional)');
    const args = await vscode.window.showInputBox({ title, prompt });
    if (args === undefined) return undefined;
    const done = await this.parts.tryCommand(hookPath, name, args);
    if (done === undefined) return undefined;
    await this.showReport(`${name} ${hookName(hookPath)}`, from =>
      commandReport(`/${name} ${args}`.trim(), hookName(hookPath), done, from),
    );
    return done;
  }

  /** Shows a report as a page. `textIn` makes the text for the folder that it is written to. */
  private showReport(name: string, textIn: (from: string) => string): Promise<void> {
    const { reportsDir } = this.parts;
    const title = `${vscode.l10n.t('Test')} ${name}`;
    return showMarkdown(join(reportsDir, `${title.replaceAll(/[^\p{L}\d.-]+/gu, '-')}.md`), textIn(reportsDir));
  }

  /** Events that the handler can be tested with: recorded ones first, then made-up ones. */
  private choicesFor(registered: Registered): readonly Choice[] {
    const { host, log, facts } = this.parts;
    const samples = samplesFor(registered.registeredAs, facts()).flatMap(({ label, event }): Choice[] => {
      const delivery = deliveryTo(host.runner.deliveries(event), registered);
      return delivery === undefined ? [] : [{ label, event, delivery, source: vscode.l10n.t('sample event') }];
    });
    const recorded = new Map<string, Choice>();
    for (const { label, event, delivery } of samples) {
      const payload = log.lastPayload(event.type, 'toolName' in event ? event.toolName : undefined);
      if (!isRecord(payload) || recorded.has(label)) continue;
      const source = vscode.l10n.t('last recorded event');
      recorded.set(label, { label, event: withRecorded(event, payload), delivery, source });
    }
    return [...recorded.values(), ...samples];
  }

  private async handlerFor(target: HookTarget | undefined): Promise<Registered | undefined> {
    const live = (info: HookInfo): boolean => info.handlers.length > 0;
    const info = await this.infoFor(target, live);
    if (info === undefined) return undefined;
    const handlers = registeredIn(info).filter(each => !isCommandCall(each.registeredAs));
    const own = handlers.find(each => each.registeredAs === target?.registeredAs && each.nth === (target.nth ?? 0));
    if (own !== undefined || handlers.length === 1) return own ?? handlers[0];
    const items = handlers.map(registered => ({
      label: registered.label,
      description: statsText(this.parts.stats.of(registered)),
      registered,
    }));
    const placeHolder = vscode.l10n.t('Which handler of {0}?', hookName(info.path));
    return (await vscode.window.showQuickPick(items, { placeHolder }))?.registered;
  }

  private async infoFor(
    target: HookTarget | undefined,
    suits: (info: HookInfo) => boolean = () => true,
  ): Promise<HookInfo | undefined> {
    const { host } = this.parts;
    const infos = host.infos();
    if (target !== undefined) return [...infos, ...host.builtIn].find(info => info.path === target.hookPath);
    const items = infos.filter(suits).map(info => ({
      label: `$(${hookStateIcon(info).id}) ${hookName(info.path)}`,
      description: hookStateText(info),
      detail: `${originText(info.origin)} · ${shortPath(info.path)}`,
      info,
    }));
    if (items.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t('This window has no such hook.'));
      return undefined;
    }
    return (await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t('Which hook?') }))?.info;
  }

  private summaryOf(info: HookInfo): object {
    const { path, origin, state, dialect } = info;
    const registered = registeredIn(info).map(each => ({ ...each, stats: this.parts.stats.of(each) }));
    return { path, origin, state, dialect, registered };
  }
}

/** Whether an entry of the log is a call of the target. */
function concerns(entry: LogEntry, target: HookTarget): boolean {
  if (entry.hook !== target.hookPath) return false;
  if (target.registeredAs === undefined) return true;
  return entry.registeredAs === target.registeredAs && entry.nth === (target.nth ?? 0);
}

function deliveryTo(
  deliveries: readonly HandlerDelivery[],
  { hookPath, registeredAs, nth }: Registered,
): HandlerDelivery | undefined {
  return deliveries.find(
    ({ hook, handler }) => hook.path === hookPath && handler.name === registeredAs && handler.nth === nth,
  );
}

async function pickEvent(registered: Registered, choices: readonly Choice[]): Promise<Choice | undefined> {
  const [only] = choices;
  if (only === undefined) {
    const text = vscode.l10n.t('No event reaches "{0}" of {1}.', registered.label, hookName(registered.hookPath));
    void vscode.window.showWarningMessage(text);
    return undefined;
  }
  if (choices.length === 1) return only;
  const items = choices.map(choice => ({
    label: choice.label,
    description: choice.source,
    detail: briefOf(choice.event),
    choice,
  }));
  const title = vscode.l10n.t('Test of {0} with an event: nothing is executed', registered.label);
  const placeHolder = vscode.l10n.t('With which event?');
  return (await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDetail: true }))?.choice;
}

/** Asks for one of several recorded calls. When there is only one, it is taken without asking. */
async function pickCall(hook: string, calls: readonly LogEntry[]): Promise<LogEntry | undefined> {
  const [only] = calls;
  if (calls.length === 1) return only;
  const items = calls.slice(0, MOST_CALLS).map(entry => ({
    label: `${entry.registeredAs}${entry.tool === undefined ? '' : ` ${entry.tool}`}`,
    description: `${new Date(entry.at).toLocaleTimeString(vscode.env.language)} · ${outcomeLine(entry.outcome, entry.approvalReason)}`,
    detail: clipped(JSON.stringify(entry.payload ?? {}), MOST_CHARS),
    entry,
  }));
  const title = vscode.l10n.t('Make a test of a call of {0}', hook);
  const placeHolder = vscode.l10n.t('Which call?');
  const matching = { matchOnDescription: true, matchOnDetail: true };
  return (await vscode.window.showQuickPick(items, { title, placeHolder, ...matching }))?.entry;
}

/** An event as one line of JSON without secrets. */
function briefOf(event: HookEvent): string {
  return clipped(JSON.stringify(redact(snapshot({ ...event, type: undefined }, 400).value)), MOST_CHARS);
}

function isWaiting({ state }: HookInfo): boolean {
  return state.type === 'waiting';
}

function isRejectable({ state }: HookInfo): boolean {
  return state.type === 'waiting' && state.change !== 'unknown';
}

/**
 * The question before a held change is discarded. For a new hook, this removes its entry from the settings, or deletes its
 * file when a hook folder contains it.
 */
function rejection({ path, origin }: HookInfo, change: HookChange): Record<'question' | 'detail' | 'button', string> {
  const name = hookName(path);
  if (change === 'appeared') {
    const detail = vscode.l10n.t('It is new, and you did not approve it.');
    return origin === 'settings'
      ? {
          question: vscode.l10n.t('Remove the hook {0} from the settings?', name),
          detail,
          button: vscode.l10n.t('Remove Hook'),
        }
      : { question: vscode.l10n.t('Delete the hook {0}?', name), detail, button: vscode.l10n.t('Delete') };
  }
  return {
    question: vscode.l10n.t('Reject the change to the hook {0}?', name),
    detail: vscode.l10n.t('Its files go back to the version that you approved. Later changes to them are lost.'),
    button: vscode.l10n.t('Reject'),
  };
}
