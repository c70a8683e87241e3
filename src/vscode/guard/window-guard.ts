import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { Lazy } from '../lazy';
import type { TextDocuments } from '../text-documents';
import type { GuardSetup } from './guard-setup';
import type { WindowFront, WindowFrontParts } from './window-front';

export interface WindowGuardParts extends WindowFrontParts {
  readonly texts: TextDocuments;
}

/**
 * The part of a window in guarding other agents: it answers the calls of guarded agents in its folder, and lets the user choose
 * who is guarded. What that needs is loaded when it is wanted.
 */
export class WindowGuard implements Disposable {
  private readonly store = new DisposableStore();
  private readonly front: Lazy<WindowFront>;
  private readonly dialogs: Lazy<GuardSetup>;

  constructor(private readonly parts: WindowGuardParts) {
    const { overview } = parts;
    this.front = new Lazy(async () => {
      const { WindowFront } = await import('./window-front');
      return this.store.add(await WindowFront.open(parts));
    });
    this.dialogs = new Lazy(async () => {
      const { GuardSetup } = await import('./guard-setup');
      return new GuardSetup(parts);
    });
    this.store.add(overview.onDidChange(() => void this.offerWindow()));
    void this.offerWindow();
  }

  /** The dialogs about which agents are guarded. */
  setup(): Promise<GuardSetup> {
    return this.dialogs.get();
  }

  /** Opens a question of a folder that no window has open: the one with this id, else the oldest. Does nothing when it is over. */
  async answer(id?: string): Promise<void> {
    await this.front.current?.answer(id);
  }

  /** Has this window answer calls in its folder, even if no agent is guarded; resolves when it does. Never rejects: a window whose guard fails must still work. */
  async answerCalls(): Promise<void> {
    const { log } = this.parts;
    if (this.store.isDisposed) return;
    try {
      const { firstTry } = await this.front.get();
      await firstTry;
    } catch (error) {
      log.error(`Calls of other agents cannot be answered in this window: ${messageOf(error)}`, error);
    }
  }

  dispose(): void {
    this.store.dispose();
  }

  /** Answers calls from the moment that an agent is guarded. */
  private async offerWindow(): Promise<void> {
    if (Object.keys(this.parts.overview.guarded).length > 0) await this.answerCalls();
  }
}
