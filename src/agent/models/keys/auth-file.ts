import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { OAuthCredentials } from '@mariozechner/pi-ai';
import { Type, type Static } from '@sinclair/typebox';
import { defined } from '../../../base/defined';
import { readCountedText } from '../../../base/files/counted-text';
import { readRegularText } from '../../../base/files/regular-file';
import { isCode, messageOf } from '../../../base/errors';
import { isRecord } from '../../../base/json/is-record';
import { failed, type Problem, type Result } from '../../../base/result';
import { parse } from '../../../base/json/schema';
import { unlessAborted } from '../../../base/async/wait';
import type { ConfigValue } from './config-value';
import { replaceLocked, withFileLock } from './file-lock';
import { knownProvider } from './provider-names';

const ApiKeyEntry = Type.Object({
  type: Type.Literal('api_key'),
  key: Type.Optional(Type.String({ minLength: 1 })),
  env: Type.Optional(Type.Record(Type.String(), Type.String())),
});
const OAuthEntry = Type.Object({
  type: Type.Literal('oauth'),
  access: Type.String(),
  refresh: Type.String(),
  expires: Type.Number(),
});

/** One provider's entry in auth.json; `expires` is in ms since 1970. */
export type AuthEntry = Static<typeof ApiKeyEntry> | (Static<typeof OAuthEntry> & Readonly<Record<string, unknown>>);

/** A change of a provider's OAuth login: new tokens, or undefined to remove it. */
type Change = OAuthCredentials | undefined;

/** Requests wait for a renewal, and other processes for the lock that is held meanwhile. */
const RENEWAL_LIMIT_MS = 60_000;

/**
 * pi's `<agentDir>/auth.json`. Only OAuth tokens are written to it: the file is read again, one entry is changed, and a file of
 * mode 0600 is renamed over it. Everything else in it stays as it is. A file that cannot be read is never written.
 */
export class AuthFile {
  private entries = new Map<string, AuthEntry>();
  private found: readonly Problem[] = [];

  /** `renewalLimitMs`: how long {@link renewLogin} waits for tokens. */
  constructor(
    readonly path: string,
    private readonly renewalLimitMs = RENEWAL_LIMIT_MS,
  ) {}

  /** The problems of the last time that the file was read. */
  get problems(): readonly Problem[] {
    return this.found;
  }

  get(provider: string): AuthEntry | undefined {
    return this.entries.get(provider);
  }

  list(): readonly string[] {
    return [...this.entries.keys()];
  }

  /** The key of a provider's entry, not resolved yet. Undefined for logins and for entries without a key. */
  key(provider: string): ConfigValue | undefined {
    const entry = this.entries.get(provider);
    if (entry?.type !== 'api_key' || entry.key === undefined) return undefined;
    return {
      text: entry.key,
      place: `auth.json, provider "${provider}", key`,
      file: this.path,
      ...defined({ env: entry.env }),
      keepsOutput: true,
    };
  }

  /** All that {@link key} gives. */
  keys(): readonly ConfigValue[] {
    return this.list().flatMap(provider => this.key(provider) ?? []);
  }

  /** Variables of a provider's entry; they count before the environment for this provider alone. */
  env(provider: string): Readonly<Record<string, string>> | undefined {
    const entry = this.entries.get(provider);
    return entry?.type === 'api_key' ? entry.env : undefined;
  }

  /** Reads the file again; a missing file is an empty one. Never rejects: see {@link problems}. */
  async load(): Promise<void> {
    try {
      this.take(await this.readAll());
    } catch (error) {
      this.entries = new Map();
      this.found = [{ message: messageOf(error), file: this.path }];
    }
  }

  /** Saves the tokens of a login. @throws when the file cannot be read or written */
  async saveLogin(provider: string, tokens: OAuthCredentials): Promise<void> {
    await this.locked(() => this.change(provider, tokens));
  }

  /** Removes the tokens of a login; an API key of that provider stays. @throws as {@link saveLogin} */
  async removeLogin(provider: string): Promise<void> {
    await this.locked(() => this.change(provider, undefined));
  }

  /**
   * Renews a login with `renew` while no other process does, and saves it. If another process was faster, its tokens
   * are used: a refresh token often works only once. Returns the current entry; undefined if there is no login any
   * more. Rejects if `renew` does or takes too long; then its signal fires.
   */
  renewLogin(
    provider: string,
    isFresh: (entry: OAuthCredentials) => boolean,
    renew: (entry: OAuthCredentials, signal: AbortSignal) => Promise<OAuthCredentials>,
  ): Promise<OAuthCredentials | undefined> {
    return this.locked(async () => {
      this.take(await this.readAll());
      const entry = this.get(provider);
      if (entry?.type !== 'oauth') return undefined;
      if (isFresh(entry)) return entry;
      const signal = AbortSignal.timeout(this.renewalLimitMs);
      const tokens = await unlessAborted(renew(entry, signal), signal, () => {
        throw new Error(`no answer within ${this.renewalLimitMs / 1000} s`);
      });
      await this.change(provider, tokens);
      return tokens;
    });
  }

  private async locked<T>(action: () => Promise<T>): Promise<T> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    return withFileLock(this.path, action);
  }

  private async change(provider: string, change: Change): Promise<void> {
    // Changes that wait for approval stay in the file.
    const all = await this.readAll(readRegularText);
    const isLogin = parse(OAuthEntry, all[provider]).ok;
    if (change === undefined && !isLogin) return;
    const { [provider]: before, ...others } = all;
    const kept = isLogin ? (before as object) : {};
    const next = change === undefined ? others : { ...others, [provider]: { ...kept, ...change, type: 'oauth' } };
    await replaceLocked(this.path, `${JSON.stringify(next, null, 2)}\n`);
    this.take(await this.readAll());
  }

  private take(all: Readonly<Record<string, unknown>>): void {
    const entries = new Map<string, AuthEntry>();
    const problems: Problem[] = [];
    for (const [provider, value] of Object.entries(all)) {
      const entry = readEntry(value);
      if (entry.ok) entries.set(knownProvider(provider), entry.value);
      else problems.push(...entry.problems.map(({ message }) => this.problem(`provider "${provider}": ${message}`)));
    }
    this.entries = entries;
    this.found = problems;
  }

  private problem(message: string): Problem {
    return { message: `auth.json, ${message}`, file: this.path };
  }

  private async readAll(read = readCountedText): Promise<Readonly<Record<string, unknown>>> {
    let text: string;
    try {
      text = await read(this.path);
    } catch (error) {
      if (isCode(error, 'ENOENT')) return {};
      throw new Error(`${this.path} cannot be read: ${messageOf(error)}`, { cause: error });
    }
    try {
      const value: unknown = text.trim() === '' ? {} : JSON.parse(text.replace(/^\uFEFF/, ''));
      if (isRecord(value)) return value;
    } catch {
      // JSON.parse quotes the text, which holds keys: its words must not reach a message or a log.
    }
    throw new Error(`${this.path} does not hold a JSON object. Hookline does not change it and reads no keys from it.`);
  }
}

function readEntry(value: unknown): Result<AuthEntry> {
  const type = isRecord(value) ? value['type'] : undefined;
  if (type === 'oauth') return parse(OAuthEntry, value);
  if (typeof type === 'string' && type !== 'api_key') {
    return failed({ message: `credentials of type "${type}" are unknown; Hookline does not change them.` });
  }
  const entry = parse(ApiKeyEntry, value);
  if (!entry.ok || entry.value.key !== undefined || entry.value.env !== undefined) return entry;
  return failed({ message: 'key: Required, unless "env" is given' });
}
