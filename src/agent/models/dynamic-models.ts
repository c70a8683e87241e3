import type { Credential, ModelsPublication, ModelsStore, RefreshModelsContext } from '@mariozechner/pi-ai';
import { defined } from '../../base/defined';
import { messageOf } from '../../base/errors';
import { unlessAborted } from '../../base/async/wait';
import type { ProviderModel } from './files/models-schema';
import { checkProviderConfig, type ProviderRegistration } from './provider-config';

/** Options of a refresh of models. */
export interface RefreshOptions {
  readonly allowNetwork: boolean;
  /** Providers ask again, even if their lists are recent. */
  readonly force?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface DynamicModelsParts {
  readonly store: ModelsStore;
  /** The key or login of a provider. It is renewed if the network may be used. */
  readonly credentialOf: (provider: string, allowNetwork: boolean) => Promise<Credential | undefined>;
  /** Providers without a key are not asked. */
  readonly isConfigured: (provider: string) => boolean;
  /** Called when the models of a provider changed. */
  readonly changed: () => void;
}

/** The models that registered providers found with `refreshModels`. They are removed with the registration. */
export class DynamicModels {
  private readonly found = new WeakMap<ProviderRegistration, readonly ProviderModel[]>();

  constructor(private readonly parts: DynamicModelsParts) {}

  /** The registration with the models that it found instead of its initial ones. */
  current(registration: ProviderRegistration): ProviderRegistration {
    const models = this.found.get(registration);
    return models === undefined ? registration : { ...registration, config: { ...registration.config, models } };
  }

  /** Asks providers for their models. A provider that fails keeps its models, and its error is in the result by its name. */
  async refresh(registrations: readonly ProviderRegistration[], options: RefreshOptions): Promise<Map<string, Error>> {
    const errors = new Map<string, Error>();
    const dynamic = registrations.filter(({ name, config }) => config.refreshModels && this.parts.isConfigured(name));
    await Promise.all(
      dynamic.map(async registration => {
        try {
          await this.ask(registration, options);
        } catch (error) {
          const text = `Provider "${registration.name}" could not refresh its models: ${messageOf(error)}`;
          errors.set(registration.name, new Error(text, { cause: error }));
        }
      }),
    );
    return errors;
  }

  private async ask(registration: ProviderRegistration, options: RefreshOptions): Promise<void> {
    const { allowNetwork, force = false, signal } = options;
    const { name, config } = registration;
    const { store, changed, credentialOf } = this.parts;
    const [stored, credential] = await Promise.all([store.read(name), credentialOf(name, allowNetwork)]);
    const context: RefreshModelsContext & { readonly baseUrl?: string } = {
      allowNetwork,
      force,
      ...defined({ baseUrl: config.baseUrl, credential }),
      signal: signal ?? new AbortController().signal,
      ...defined({ stored }),
      publish: async ({ persist, update }: ModelsPublication) => {
        if (signal?.aborted === true) return false;
        if (persist === null) await store.delete(name);
        else if (persist !== undefined) await store.write(name, persist);
        update?.();
        return true;
      },
    };
    const models = await unlessAborted(config.refreshModels?.(context), signal, () => undefined);
    if (models === undefined || signal?.aborted === true) return;
    this.found.set(registration, checkProviderConfig(name, { ...config, models }).models ?? []);
    changed();
  }
}
