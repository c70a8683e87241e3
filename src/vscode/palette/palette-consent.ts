import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { Emitter, type Event } from '../../base/event';
import { SETTINGS_SECTION } from '../ids';
import type { VsCodeSettings } from '../settings';
import { COMPANION_ID } from './companion-manifest';
import type { Consent, PaletteChoice } from './palette-sync';

const NOT_NOW_KEY = 'palette.notNow';

/** The user's decision about the companion extension: the setting for all workspaces, and "Not now" for this workspace. */
export class PaletteConsent implements Consent, Disposable {
  private readonly store = new DisposableStore();
  private readonly changeEmitter = this.store.add(new Emitter<void>());
  readonly onDidChange = this.changeEmitter.event;
  private known: PaletteChoice;
  /** Resolves when the first hook command has run. Users who run none are not asked. */
  private readonly firstRun: Promise<void>;

  constructor(
    private readonly settings: VsCodeSettings,
    private readonly memory: vscode.Memento,
    onDidRunCommand: Event<void>,
  ) {
    this.firstRun = new Promise(resolve => {
      this.store.add(onDidRunCommand(resolve));
    });
    this.known = this.current;
    this.store.add(settings.onDidChange(() => this.look()));
  }

  get current(): PaletteChoice {
    return this.settings.value.hooks.commandsInPalette;
  }

  /**
   * Asks after a hook command has run, unless the user said "Not now" in this workspace before. A change of the setting also
   * answers the question. Resolves with true when the companion may be installed.
   */
  async ask(): Promise<boolean> {
    if (this.memory.get<boolean>(NOT_NOW_KEY) === true) return false;
    const waiting = new DisposableStore();
    const decided = new Promise<'decided'>(resolve => {
      waiting.add(this.onDidChange(() => resolve('decided')));
    });
    const answer = await Promise.race([this.firstRun.then(question), decided]);
    waiting.dispose();
    if (answer === 'decided') return this.current === 'always';
    if (answer === 'always') await this.decide('always');
    else if (answer === 'never') await this.decide('never');
    else await this.memory.update(NOT_NOW_KEY, true);
    return answer === 'always';
  }

  /** Stores the choice in the user's settings, for all workspaces. */
  async decide(choice: PaletteChoice): Promise<void> {
    const configuration = vscode.workspace.getConfiguration(SETTINGS_SECTION);
    await configuration.update('hooks.commandsInPalette', choice, vscode.ConfigurationTarget.Global);
  }

  dispose(): void {
    this.store.dispose();
  }

  private look(): void {
    if (this.current === this.known) return;
    this.known = this.current;
    this.changeEmitter.fire();
  }
}

async function question(): Promise<PaletteChoice | undefined> {
  const choices: ReadonlyMap<string, PaletteChoice> = new Map([
    [vscode.l10n.t('Add'), 'always'],
    [vscode.l10n.t('Not now'), 'ask'],
    [vscode.l10n.t('Never'), 'never'],
  ]);
  const text = vscode.l10n.t(
    'Do you want the commands of your hooks in the Command Palette? Hookline then installs a small extension without code, {0}, that lists them.',
    COMPANION_ID,
  );
  const answer = await vscode.window.showInformationMessage(text, ...choices.keys());
  return answer === undefined ? undefined : choices.get(answer);
}
