import type { AnyModel, FetchFunction, ModelsStoreEntry, ModelType } from '@mariozechner/pi-ai';
import { Type } from '@sinclair/typebox';
import { messageOf } from '../../base/errors';
import { isRecord } from '../../base/json/is-record';
import { defined } from '../../base/defined';
import { parse } from '../../base/json/schema';
import type { Log } from '../../base/log';
import { anySignal } from '../../base/async/wait';
import type { ModelsStoreFile } from './files/models-store';

/** Where pi publishes the models of a provider that appear between two of its releases. */
const ADDRESS = 'https://pi.dev/api/models/providers/';
const DAY_MS = 24 * 60 * 60 * 1000;
const TIMEOUT_MS = 10_000;

/** What every reader of models needs; other members are kept. */
const Listed = Type.Object({
  id: Type.String({ minLength: 1 }),
  name: Type.String(),
  api: Type.String(),
  baseUrl: Type.String(),
  type: Type.Optional(Type.Union([Type.Literal('chat'), Type.Literal('image'), Type.Literal('classifier')])),
});

export interface CatalogUpdatesParts {
  readonly store: Pick<ModelsStoreFile, 'readAll' | 'write'>;
  /** When the shipped lists were made, in ms since 1970. */
  readonly shippedAt: number | undefined;
  /** The models that ship, by provider. */
  readonly shipped: ReadonlyMap<string, readonly AnyModel[]>;
  /** Tells the server which lists the shipped clients can read. */
  readonly userAgent: string;
  readonly send: FetchFunction;
  /** In ms since 1970. */
  readonly now: () => number;
  readonly log: Log;
}

/**
 * Models of the built-in providers that appeared after the release, kept in pi's `models-store.json` (docs/models.md). A list
 * counts if it is newer than the shipped one. A model counts only if a shipped model of its provider has the same address: a list
 * must not send a key elsewhere.
 */
export class CatalogUpdates {
  private entries = new Map<string, ModelsStoreEntry>();

  constructor(private readonly parts: CatalogUpdatesParts) {}

  /** Reads what was found earlier. */
  async restore(): Promise<void> {
    this.entries = new Map(await this.parts.store.readAll());
  }

  /** The shipped models of a provider, with newer ones added or in their place. */
  modelsOf(provider: string): readonly AnyModel[] {
    const { shipped, shippedAt = 0 } = this.parts;
    const known = shipped.get(provider) ?? [];
    const entry = this.entries.get(provider);
    if (entry === undefined || (entry.lastModified ?? 0) <= shippedAt) return known;
    const origins = new Set(known.map(({ baseUrl }) => originOf(baseUrl)));
    const newer = entry.models.filter(model => {
      return model.provider === provider && parse(Listed, model).ok && origins.has(originOf(model.baseUrl));
    });
    const merged = new Map([...known, ...newer].map(model => [`${model.type ?? 'chat'}/${model.id}`, model]));
    return [...merged.values()];
  }

  /** The models of one type of all providers, as {@link modelsOf} gives them. */
  ofType(type: ModelType): readonly AnyModel[] {
    const all = [...this.parts.shipped.keys()].flatMap(provider => this.modelsOf(provider));
    return all.filter(model => (model.type ?? 'chat') === type);
  }

  /** From when the newest list is, in ms since 1970; undefined when nobody knows. */
  get listedAt(): number | undefined {
    const updates = [...this.parts.shipped.keys()].map(provider => this.entries.get(provider)?.lastModified);
    const known = [this.parts.shippedAt, ...updates].filter(date => date !== undefined);
    return known.length === 0 ? undefined : Math.max(...known);
  }

  /** Asks for the lists of these providers that were not asked for within a day. Resolves true when one changed; never rejects. */
  async update(providers: readonly string[], signal?: AbortSignal): Promise<boolean> {
    const due = providers.filter(provider => this.parts.shipped.has(provider) && this.isDue(provider));
    const changed = await Promise.all(
      due.map(provider =>
        this.ask(provider, signal).catch((error: unknown) => {
          this.parts.log.warn(`The models of ${provider} could not be asked for: ${messageOf(error)}`);
          return false;
        }),
      ),
    );
    return changed.includes(true);
  }

  private isDue(provider: string): boolean {
    const { checkedAt } = this.entries.get(provider) ?? {};
    const age = this.parts.now() - (checkedAt ?? -Infinity);
    return age >= DAY_MS || age < 0;
  }

  private async ask(provider: string, signal: AbortSignal | undefined): Promise<boolean> {
    const { send, userAgent, now } = this.parts;
    const before = this.entries.get(provider);
    const headers: Record<string, string> = { accept: 'application/json', 'User-Agent': userAgent };
    if (before?.etag !== undefined && before.models.length > 0) headers['if-none-match'] = before.etag;
    const address = `${ADDRESS}${encodeURIComponent(provider)}?types=chat,image,classifier`;
    // A failure counts as a check, too: a server that is down is not asked again each time the list is read.
    const keep = async (entry: Omit<ModelsStoreEntry, 'checkedAt'>): Promise<void> => {
      const checked = { ...entry, checkedAt: now() };
      this.entries.set(provider, checked);
      await this.parts.store.write(provider, checked);
    };
    const unchanged = before ?? { models: [] };
    try {
      const response = await send(address, { headers, signal: anySignal(AbortSignal.timeout(TIMEOUT_MS), signal) });
      if (!response.ok) {
        await keep(response.status === 404 ? { ...unchanged, lastModified: 0 } : unchanged);
        if (![304, 404, 501].includes(response.status)) throw new Error(`HTTP ${response.status}`);
        return false;
      }
      await keep({ models: listIn(await response.json(), provider), ...stampsOf(response) });
      return true;
    } catch (error) {
      if (this.isDue(provider) && signal?.aborted !== true) await keep(unchanged);
      throw error;
    }
  }
}

/** @throws Error when this is no list of models */
function listIn(body: unknown, provider: string): readonly AnyModel[] {
  const { models = body } = (isRecord(body) ? body : {}) as { readonly models?: unknown };
  const entries = Array.isArray(models) ? models : isRecord(models) ? Object.values(models) : undefined;
  if (entries === undefined) throw new Error('the answer is not a list of models');
  return entries.filter(isRecord).map(entry => ({ ...entry, provider }) as unknown as AnyModel);
}

function stampsOf({ headers }: Response): Pick<ModelsStoreEntry, 'lastModified' | 'etag'> {
  const lastModified = Date.parse(headers.get('last-modified') ?? '');
  return {
    lastModified: Number.isNaN(lastModified) ? 0 : lastModified,
    ...defined({ etag: headers.get('etag') ?? undefined }),
  };
}

function originOf(address: string): string | undefined {
  return URL.parse(address)?.origin;
}
