import { Type, type Static } from '@sinclair/typebox';
import type { Api, Model } from '@mariozechner/pi-ai';
import { parse } from '../../../base/json/schema';
import type { Disposable } from '../../../base/disposable';
import { ModelEntry } from '../files/models-schema';
import type { ModelRegistry } from '../registry';
import { findServer } from './find-server';
import { SERVER_KINDS, type ServerKind } from './server-kinds';
import type { LocalServerId } from './usual-ports';

/** How long each server may take to answer, in ms. */
const LIMIT_MS = 2_000;

/** Clients of these servers must not use what only OpenAI itself understands. */
export const SERVER_COMPAT = { supportsDeveloperRole: false, supportsStore: false } as const;

/** The name under which the registry records who registered these models. */
const SOURCE = 'local servers';

const Remembered = Type.Array(
  Type.Object({ id: Type.String(), baseUrl: Type.String(), models: Type.Array(ModelEntry) }),
);
type RememberedServer = Static<typeof Remembered>[number];

export interface LocalServersParts {
  readonly registry: Pick<ModelRegistry, 'registerProvider' | 'unregisterProvider' | 'isFoundServer'>;
  /** What was chosen, over restarts. */
  readonly memory: { get(): unknown; set(value: readonly RememberedServer[]): PromiseLike<void> };
  /** On which ports of this machine to look now; 0: not for this program. */
  readonly ports: () => Readonly<Partial<Record<LocalServerId, number>>>;
  /** In ms since 1970. */
  readonly now?: () => number;
}

/**
 * Servers of models on this machine that no file names. They are looked for only when {@link look} is called; a model that was
 * chosen stays known after a restart, whether its server runs or not. They get no key, and a provider of the same name or address
 * in a file or of a hook has priority (see `ModelRegistry.registerProvider`).
 */
export class LocalServers implements Disposable {
  private readonly found = new Map<string, { readonly models: readonly ModelEntry[]; readonly at: number }>();

  constructor(private readonly parts: LocalServersParts) {
    for (const { id, baseUrl, models } of this.remembered) this.register(id, baseUrl, models);
  }

  /** Asks all ports at once, and lists what answers as it comes. Never rejects. */
  async look(signal?: AbortSignal): Promise<void> {
    await Promise.all(
      SERVER_KINDS.map(async kind => {
        const port = kind.id === 'openai' ? undefined : this.parts.ports()[kind.id];
        if (port !== undefined && port > 0) await this.lookFor(kind, port, signal);
      }),
    );
  }

  /** When the list of a provider is from, in ms since 1970; undefined if it did not answer. */
  listedAt(provider: string): number | undefined {
    return this.found.get(provider)?.at;
  }

  /** Whether these are models of a server on this machine, and of nobody who has priority. */
  has(provider: string): boolean {
    return this.parts.registry.isFoundServer(provider);
  }

  /** To be called when a model was chosen; does nothing for models of others. */
  async remember({ provider, id, baseUrl }: Model<Api>): Promise<void> {
    const entry = this.found.get(provider)?.models.find(model => model.id === id);
    if (entry === undefined) return;
    const { remembered } = this;
    const known = remembered.find(server => server.id === provider && server.baseUrl === baseUrl)?.models ?? [];
    const models = [...known.filter(model => model.id !== id), entry];
    await this.parts.memory.set([
      ...remembered.filter(server => server.id !== provider),
      { id: provider, baseUrl, models },
    ]);
  }

  dispose(): void {
    for (const { id } of SERVER_KINDS) this.parts.registry.unregisterProvider(id, SOURCE);
  }

  private get remembered(): readonly RememberedServer[] {
    const stored = parse(Remembered, this.parts.memory.get() ?? []);
    return stored.ok ? stored.value.filter(({ id }) => SERVER_KINDS.some(kind => kind.id === id)) : [];
  }

  private async lookFor(kind: ServerKind, port: number, signal: AbortSignal | undefined): Promise<void> {
    const { id } = kind;
    const server = await findServer(`http://127.0.0.1:${port}`, { limitMs: LIMIT_MS, signal }, [kind]);
    if (signal?.aborted === true) return;
    const chosen = this.remembered.find(each => each.id === id);
    if (server.type === 'found' && server.models.length > 0) {
      this.found.set(id, { models: server.models, at: (this.parts.now ?? Date.now)() });
      this.register(id, server.baseUrl, server.models);
    } else if (this.found.delete(id)) {
      if (chosen === undefined) this.parts.registry.unregisterProvider(id, SOURCE);
      else this.register(id, chosen.baseUrl, chosen.models);
    }
  }

  private register(id: string, baseUrl: string, models: readonly ModelEntry[]): void {
    const name = SERVER_KINDS.find(kind => kind.id === id)?.name ?? id;
    const config = { name, baseUrl, api: 'openai-completions', compat: SERVER_COMPAT, models };
    this.parts.registry.registerProvider(id, config, SOURCE, { isFound: true });
  }
}
