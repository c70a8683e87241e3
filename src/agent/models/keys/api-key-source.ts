import type { Event } from '../../../base/event';

/**
 * The source of the keys that the user typed in: `SecretStorage` in the extension, none on the command line. It is asked for one
 * provider at a time, and callers never keep a key.
 */
export interface ApiKeySource {
  get(provider: string): Promise<string | undefined>;
  set?(provider: string, key: string): Promise<void>;
  delete?(provider: string): Promise<void>;
  /** Names of providers that have a key, when the source can tell without being asked for each. */
  list?(): Promise<readonly string[]>;
  /** Fires with the provider whose key was set or deleted. */
  readonly onDidChange?: Event<string>;
}

/** A source without keys. */
export const noKeys: ApiKeySource = { get: () => Promise.resolve(undefined) };
