import type { AnyModel, Api, Model, ModelType, Provider } from '@mariozechner/pi-ai';
import { CatalogUpdates, type CatalogUpdatesParts } from './catalog-updates';
import { loadProviders, type PiAi } from './pi-ai';

/** The providers that come with pi-ai and their models of every type, with those that appeared after the release. */
export class BuiltInModels {
  private known: readonly Provider[] = [];
  private chatModels: readonly Model<Api>[] = [];
  private catalog: CatalogUpdates | undefined;

  constructor(private readonly parts: Pick<CatalogUpdatesParts, 'store' | 'now' | 'log'>) {}

  /** Reads the lists that ship and what was found since. Before that there are no providers. @throws when pi-ai cannot be loaded */
  async load(piAi: PiAi): Promise<void> {
    const { builtinProviders, getAllBuiltinModels, getBuiltinModelDataGeneratedAt, getBuiltinProviders } =
      await loadProviders();
    this.known = builtinProviders();
    this.catalog = new CatalogUpdates({
      ...this.parts,
      shippedAt: getBuiltinModelDataGeneratedAt(),
      shipped: new Map(getBuiltinProviders().map(provider => [provider, getAllBuiltinModels(provider)])),
      userAgent: piAi.formatUserAgent(),
      send: (...request) => fetch(...request),
    });
    await this.catalog.restore();
    this.readChatModels();
  }

  get providers(): readonly Provider[] {
    return this.known;
  }

  /** How a provider calls itself; undefined when it is none of these. */
  nameOf(provider: string): string | undefined {
    return this.known.find(({ id }) => id === provider)?.name;
  }

  /** {@link ofType} for chat, which is read often; the same list until {@link load} or {@link update} changes it. */
  get chat(): readonly Model<Api>[] {
    return this.chatModels;
  }

  ofType(type: ModelType): readonly AnyModel[] {
    return this.catalog?.ofType(type) ?? [];
  }

  /** From when the newest list is, in ms since 1970; undefined when nobody knows. */
  get listedAt(): number | undefined {
    return this.catalog?.listedAt;
  }

  /** Asks for newer models of the providers with a key, at most once a day. Resolves true when a list changed; never rejects. */
  async update(hasKey: (provider: string) => boolean, signal?: AbortSignal): Promise<boolean> {
    const withKey = this.known.map(({ id }) => id).filter(hasKey);
    if ((await this.catalog?.update(withKey, signal)) !== true) return false;
    this.readChatModels();
    return true;
  }

  private readChatModels(): void {
    this.chatModels = this.ofType('chat') as readonly Model<Api>[];
  }
}
