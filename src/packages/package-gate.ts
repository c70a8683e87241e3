import { toDisposable } from '../base/disposable';
import type { Event } from '../base/event';
import type { InstalledPackage } from './installed';

/** `new`: no version of it was approved yet, `changed`: another one was, or its files were written since. */
export type HeldReason = 'new' | 'changed' | 'unreadable';

/** What became of the question whether a package may run. */
export type PackageVerdict =
  | { readonly type: 'runs' }
  /** `why` is for people and says what to do. */
  | { readonly type: 'held'; readonly reason: HeldReason; readonly why: string }
  /** The user turned it off. */
  | { readonly type: 'off' };

/** Decides, before anything of an installed package is loaded, whether it may run. */
export interface PackageGate {
  /** Asked at each reading of the packages; nothing of the package is loaded before the answer. Never rejects. */
  verdictOn(installed: InstalledPackage): Promise<PackageVerdict>;
  /** The verdict on some package may have become another. */
  readonly onDidChange: Event<void>;
}

/** Lets every package run. */
export const openGate: PackageGate = {
  verdictOn: () => Promise.resolve({ type: 'runs' }),
  onDidChange: () => toDisposable(() => undefined),
};
