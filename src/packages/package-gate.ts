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
  /** `content`: the hash of its approved content; absent where content needs no approval. */
  | { readonly type: 'runs'; readonly content?: string }
  /**
   * It may not run yet. `why` is shown to the user and says what to do. `gatesTools`: the user approved a version of it
   * that gates tools.
   */
  | { readonly type: 'held'; readonly reason: HeldReason; readonly why: string; readonly gatesTools?: true }
  /** The user turned it off. */
  | { readonly type: 'off' };

/** Decides whether an installed package may run, before any of its code is loaded. */
export interface PackageGate {
  /** Called each time the packages are read; no code of the package is loaded before the answer. Never rejects. */
  verdictOn(installed: InstalledPackage): Promise<PackageVerdict>;
  /** Whether the user approved a version of this package that gates tools, and did not turn it off. Never rejects. */
  gatesTools(identity: string): Promise<boolean>;
  /** Fires when the verdict on some package may have changed. */
  readonly onDidChange: Event<void>;
}

/** Lets every package run. */
export const openGate: PackageGate = {
  verdictOn: () => Promise.resolve({ type: 'runs' }),
  gatesTools: () => Promise.resolve(false),
  onDidChange: () => toDisposable(() => undefined),
};
