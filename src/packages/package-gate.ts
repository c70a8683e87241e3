import { toDisposable } from '../base/disposable';
import type { Event } from '../base/event';
import type { InstalledPackage } from './installed';

/**
 * `new`: no version was approved yet. `changed`: another version was approved, or its files changed since. `unreadable`:
 * its files or the user's decisions cannot be read, so an approval would not help.
 */
export type HeldReason = 'new' | 'changed' | 'unreadable';

/** Whether a package may run. */
export type PackageVerdict =
  | { readonly type: 'runs' }
  /** It may not run yet. `why` is shown to the user and says what to do. */
  | { readonly type: 'held'; readonly reason: HeldReason; readonly why: string }
  /** The user turned it off. */
  | { readonly type: 'off' };

/** Decides whether an installed package may run, before any of its code is loaded. */
export interface PackageGate {
  /** Called each time the packages are read; no code of the package is loaded before the answer. Never rejects. */
  verdictOn(installed: InstalledPackage): Promise<PackageVerdict>;
  /** Fires when the verdict on some package may have changed. */
  readonly onDidChange: Event<void>;
}

/** Lets every package run. */
export const openGate: PackageGate = {
  verdictOn: () => Promise.resolve({ type: 'runs' }),
  onDidChange: () => toDisposable(() => undefined),
};
