import { DisposableStore, toDisposable, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { Emitter, type Event } from '../../base/event';
import type { Log } from '../../base/log';
import { DelayedCall, oneAtATime } from '../../base/repeated-calls';
import type { WorkspaceCommandStore } from './workspace-command-store';
import { companionManifest, showsExactly, type PaletteCommand } from './companion-manifest';
import { deferred, withTimeout } from '../../base/wait';

/**
 * How often entries that another window replaced are put back without a change of our own: enough when windows came at the
 * same time, and an end where two windows of one folder run different versions of a hook, as while one holds a change back.
 */
const MOST_REPAIRS = 3;

/** The companion extension as VS Code has it. */
export interface Companion {
  /** Manifest of the installed and enabled one; undefined when there is none. */
  manifest(): unknown;
  /** Extensions came, went or changed. */
  readonly onDidChange: Event<void>;
  /** Puts this manifest in the place of the one before. May resolve without effect where it is not allowed. */
  install(manifest: object): Promise<void>;
  /** Lets this workspace's entries be seen, or not. */
  show(visible: boolean): void;
}

/** Whether hook commands are listed in the palette; `ask`: the user has not decided. */
export type PaletteChoice = 'ask' | 'always' | 'never';

/** What the user wants. */
export interface Consent {
  readonly current: PaletteChoice;
  /** The current choice is another one. */
  readonly onDidChange: Event<void>;
  /** Asks, once for each workspace; true: the companion may be installed. */
  ask(): Promise<boolean>;
}

/**
 * How it stands: `none` there is nothing to show; `pending` on its way; `shown`; `declined` the user does not want
 * it; `unavailable` VS Code does not take the companion. "Hookline: Run Hook Command…" is then the only way.
 */
export type PaletteState = 'none' | 'pending' | 'shown' | 'declined' | 'unavailable';

export interface PaletteSyncOptions {
  readonly companion: Companion;
  readonly consent: Consent;
  readonly commandStore: Pick<WorkspaceCommandStore, 'put' | 'remove' | 'all'>;
  readonly hash: string;
  readonly folder: string | undefined;
  readonly log: Log;
  /** Changes within this time are one, ms. */
  readonly debounceMs?: number;
  /** How long VS Code may take to show what was installed, ms. */
  readonly showTimeoutMs?: number;
}

/**
 * Brings the commands of a window's hooks into the Command Palette and keeps them there, beside those of other windows.
 * One installation at a time; nothing is installed while there is no command, or when the right entries are there.
 */
export class PaletteSync implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changeEmitter = this.store.add(new Emitter<PaletteState>());
  readonly onDidChangeState = this.changeEmitter.event;
  private readonly arrange = oneAtATime(() => this.arrangeNow());
  private wanted: readonly PaletteCommand[] = [];
  private readonly laterArrange = this.store.add(new DelayedCall(() => void this.arrange()));
  private current: PaletteState = 'none';
  /** The user disabled or removed the companion while it was in use: not forced on them again in this window. */
  private declined = false;
  private repairs = 0;

  constructor(private readonly options: PaletteSyncOptions) {
    this.store.add(options.companion.onDidChange(() => this.look()));
    this.store.add(options.consent.onDidChange(() => this.choose()));
  }

  get state(): PaletteState {
    return this.current;
  }

  /** Takes over the commands that exist now. */
  update(commands: readonly PaletteCommand[]): void {
    if (this.store.isDisposed) return;
    if (sameCommands(this.wanted, commands)) return;
    this.wanted = commands.map(({ name, description }) => ({ name, description }));
    this.repairs = 0;
    if (commands.length === 0) this.clear();
    else this.schedule(this.options.debounceMs ?? 300);
  }

  dispose(): void {
    this.store.dispose();
  }

  private clear(): void {
    this.laterArrange.cancel();
    this.options.companion.show(false);
    this.become('none');
    void this.arrange();
  }

  private schedule(ms: number): void {
    this.laterArrange.cancel();
    if (this.current !== 'shown') this.become('pending');
    // Entries that are right already need no waiting, as after a reload of the window.
    if (this.isShowing()) this.reveal();
    this.laterArrange.schedule(ms);
  }

  /** The user decided again. */
  private choose(): void {
    if (this.wanted.length === 0) return;
    this.declined = false;
    this.schedule(0);
  }

  /** Something happened to an extension: ours may have come, gone, or been replaced by another window's. */
  private look(): void {
    if (this.wanted.length === 0 || this.current === 'pending') return;
    if (this.isShowing()) this.reveal();
    // While an update is on its way VS Code may have neither the old nor the new one for a moment.
    else if (this.current === 'shown' && this.repairs < MOST_REPAIRS) {
      this.repairs += 1;
      this.schedule(this.gone() ? this.showTimeoutMs : (this.options.debounceMs ?? 300));
    }
  }

  private async arrangeNow(): Promise<void> {
    const { companion, commandStore, hash, folder, log } = this.options;
    const commands = this.wanted;
    try {
      if (commands.length === 0) {
        await commandStore.remove(hash);
        return;
      }
      await commandStore.put({ hash, folder, commands });
      if (!this.isShowing(commands)) {
        if (this.current === 'shown' && this.gone()) this.declined = true;
        if (!this.declined && !(await this.mayInstall())) {
          if (!this.store.isDisposed && commands === this.wanted) this.keepAway();
          return;
        }
        if (!this.declined) {
          await companion.install(companionManifest(await commandStore.all()));
          await this.untilShowing(commands);
        }
      }
    } catch (error) {
      log.error(`The hook commands could not be put into the Command Palette: ${messageOf(error)}`, error);
    }
    if (this.store.isDisposed || commands !== this.wanted) return;
    if (this.isShowing()) this.reveal();
    else this.giveUp();
  }

  /** The companion that is there already serves other workspaces: its entries may be added to. */
  private async mayInstall(): Promise<boolean> {
    const { consent } = this.options;
    return consent.current === 'ask' && this.gone() ? consent.ask() : consent.current !== 'never';
  }

  private keepAway(): void {
    this.options.companion.show(false);
    this.become('declined');
  }

  private reveal(): void {
    this.options.companion.show(true);
    this.become('shown');
  }

  private giveUp(): void {
    this.options.companion.show(false);
    this.options.log.warn(
      'VS Code did not take the small extension that lists hook commands in the Command Palette ' +
        '(it may be disabled, or not allowed by the setting "extensions.allowed"). Use "Hookline: Run Hook Command…".',
    );
    this.become('unavailable');
  }

  /** Resolves when VS Code has the entries, or takes too long. */
  private async untilShowing(commands: readonly PaletteCommand[]): Promise<void> {
    if (this.isShowing(commands)) return;
    const over = deferred();
    const waiting = this.store.add(new DisposableStore());
    waiting.add(toDisposable(() => over.resolve()));
    waiting.add(
      this.options.companion.onDidChange(() => {
        if (this.isShowing(commands)) over.resolve();
      }),
    );
    await withTimeout(over.promise, this.showTimeoutMs, () => undefined);
    this.store.release(waiting);
  }

  private isShowing(commands = this.wanted): boolean {
    const { consent, companion, hash } = this.options;
    return consent.current !== 'never' && showsExactly(companion.manifest(), { hash, commands });
  }

  private gone(): boolean {
    return this.options.companion.manifest() === undefined;
  }

  private get showTimeoutMs(): number {
    return this.options.showTimeoutMs ?? 4000;
  }

  private become(state: PaletteState): void {
    if (state === this.current) return;
    this.current = state;
    this.changeEmitter.fire(state);
  }
}

function sameCommands(left: readonly PaletteCommand[], right: readonly PaletteCommand[]): boolean {
  const key = (commands: readonly PaletteCommand[]): string =>
    JSON.stringify(commands.map(({ name, description }) => [name, description]));
  return key(left) === key(right);
}
