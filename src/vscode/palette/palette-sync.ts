import { DisposableStore, toDisposable, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { Emitter, type Event } from '../../base/event';
import type { Log } from '../../base/log';
import { DelayedCall, oneAtATime } from '../../base/async/repeated-calls';
import type { WorkspaceCommandStore } from './workspace-command-store';
import { companionManifest, showsExactly, type PaletteCommand } from './companion-manifest';
import { deferred, withTimeout } from '../../base/async/wait';

/**
 * How often this window restores its entries after another window replaced them, until its own commands change. A few
 * repairs are enough when windows start at the same time. The limit ends a conflict between two windows of one folder that
 * run different versions of a hook, for example while one of them holds a change.
 */
const MOST_REPAIRS = 3;

/** The companion extension in VS Code. */
export interface Companion {
  /** Manifest of the companion; undefined when it is not installed or not enabled. */
  manifest(): unknown;
  /** Fires when any extension is installed, removed or changed. */
  readonly onDidChange: Event<void>;
  /** Installs the companion with this manifest. When VS Code does not allow that, this may resolve without any effect. */
  install(manifest: object): Promise<void>;
  /** Shows or hides the entries of this workspace. */
  show(visible: boolean): void;
}

/** Whether hook commands are listed in the palette; `ask`: the user has not decided. */
export type PaletteChoice = 'ask' | 'always' | 'never';

/** The user's decision about hook commands in the palette. */
export interface Consent {
  readonly current: PaletteChoice;
  /** Fires when `current` has changed. */
  readonly onDidChange: Event<void>;
  /** Asks the user, once for each workspace. True when the companion may be installed. */
  ask(): Promise<boolean>;
}

/**
 * Whether hook commands are in the palette. `none`: there are no commands. `pending`: they are being added. `shown`: they
 * are listed. `declined`: the user does not want them. `unavailable`: VS Code does not install the companion. In the last
 * two states, "Hookline: Run Hook Command…" still runs the commands.
 */
export type PaletteState = 'none' | 'pending' | 'shown' | 'declined' | 'unavailable';

export interface PaletteSyncOptions {
  readonly companion: Companion;
  readonly consent: Consent;
  readonly commandStore: Pick<WorkspaceCommandStore, 'put' | 'remove' | 'all'>;
  readonly hash: string;
  readonly folder: string | undefined;
  readonly log: Log;
  /** Changes within this time are handled together, ms. */
  readonly debounceMs?: number;
  /** How long VS Code may take to show the installed entries, ms. */
  readonly showTimeoutMs?: number;
}

/**
 * Lists the hook commands of a window in the Command Palette, together with those of other windows. It
 * installs the companion, but never twice at the same time, and not when there are no commands or the right entries are
 * listed already.
 */
export class PaletteSync implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changeEmitter = this.store.add(new Emitter<PaletteState>());
  readonly onDidChangeState = this.changeEmitter.event;
  private readonly arrange = oneAtATime(() => this.arrangeNow());
  private wanted: readonly PaletteCommand[] = [];
  private readonly laterArrange = this.store.add(new DelayedCall(() => void this.arrange()));
  private current: PaletteState = 'none';
  /** The user disabled or removed the companion, so this window does not install it again. */
  private declined = false;
  private repairs = 0;

  constructor(private readonly options: PaletteSyncOptions) {
    this.store.add(options.companion.onDidChange(() => this.look()));
    this.store.add(options.consent.onDidChange(() => this.choose()));
  }

  get state(): PaletteState {
    return this.current;
  }

  /** Lists these commands instead of the ones before. */
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
    // The right entries may be listed already, for example after a reload of the window. Then there is no need to wait.
    if (this.isShowing()) this.reveal();
    this.laterArrange.schedule(ms);
  }

  /** Applies a new decision of the user. */
  private choose(): void {
    if (this.wanted.length === 0) return;
    this.declined = false;
    this.schedule(0);
  }

  /** Reacts to a change of extensions: the companion may be installed, removed, or replaced by another window. */
  private look(): void {
    if (this.wanted.length === 0 || this.current === 'pending') return;
    if (this.isShowing()) this.reveal();
    // During an update, VS Code may have neither the old nor the new companion for a moment, so this waits longer.
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

  /** Whether the companion may be installed. If it is installed for another workspace, entries are added without asking. */
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
      'VS Code did not install the small extension that lists hook commands in the Command Palette ' +
        '(it may be disabled, or not allowed by the setting "extensions.allowed"). Use "Hookline: Run Hook Command…".',
    );
    this.become('unavailable');
  }

  /** Resolves when VS Code shows the entries, or when that takes too long. */
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
