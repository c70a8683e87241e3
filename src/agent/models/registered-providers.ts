import type { Api, Model } from '@mariozechner/pi-ai';
import type { Log } from '../../base/log';
import { ApiRegistrations } from './api-registrations';
import { DynamicModels, type DynamicModelsParts, type RefreshOptions } from './dynamic-models';
import type { PiAi } from './pi-ai';
import { addedTo, checkProviderConfig, type ProviderConfig, type ProviderRegistration } from './provider-config';
import type { ServeModel } from './requests/stream';

export interface RegisteredProvidersParts extends Omit<DynamicModelsParts, 'changed'> {
  /** Undefined until pi-ai is loaded. */
  readonly piAi: () => PiAi | undefined;
  readonly log: Log;
  /** Called when providers were added or removed. */
  readonly changed: () => void;
  /** Called when a provider found other models. */
  readonly modelsChanged: () => void;
}

/** Who registers a provider, and how its key and streams are used; see {@link ProviderRegistration}. */
export type RegistrationOptions = Omit<ProviderRegistration, 'name' | 'config'>;

/** The providers that code registered by name, with the models that they found since. */
export class RegisteredProviders {
  private registrations: readonly ProviderRegistration[] = [];
  private readonly apis = new ApiRegistrations();
  private readonly dynamic: DynamicModels;

  constructor(private readonly parts: RegisteredProvidersParts) {
    this.dynamic = new DynamicModels({ ...parts, changed: parts.modelsChanged });
  }

  /** As they were registered, the latest last. */
  get all(): readonly ProviderRegistration[] {
    return this.registrations;
  }

  /** {@link all}, with the models that were found since. */
  get current(): readonly ProviderRegistration[] {
    return this.registrations.map(registration => this.dynamic.current(registration));
  }

  /** What sources registered under a name, the latest last. */
  named(provider: string): readonly ProviderRegistration[] {
    return this.registrations.filter(({ name }) => name === provider);
  }

  /**
   * Adds a provider, in place of one with the same name and source.
   * @throws Error naming provider and field, when the configuration is wrong; nothing is changed then
   */
  add(name: string, config: ProviderConfig, options: RegistrationOptions): void {
    const checked = checkProviderConfig(name, config);
    const isSame = (other: ProviderRegistration): boolean => other.name === name && other.sourceId === options.sourceId;
    const before = options.sharesApi ? undefined : this.registrations.find(isSame)?.config;
    const registration = { name, config: addedTo(before, checked), ...options };
    this.set([...this.registrations.filter(other => !isSame(other)), registration]);
    if (this.parts.piAi() !== undefined) void this.findModels({ allowNetwork: false }, [registration]);
  }

  remove(isGone: (registration: ProviderRegistration) => boolean): void {
    this.set(this.registrations.filter(registration => !isGone(registration)));
  }

  /** Makes the APIs of the providers known to pi-ai. */
  applyTo(piAi: PiAi): void {
    this.apis.apply(piAi, this.registrations);
  }

  /** Lets providers look for their models. A provider that fails keeps its models, and its error is in the log and the result. */
  async findModels(
    options: RefreshOptions,
    registrations: readonly ProviderRegistration[] = this.registrations,
  ): Promise<ReadonlyMap<string, Error>> {
    const errors = await this.dynamic.refresh(registrations, options);
    for (const error of errors.values()) this.parts.log.warn(error.message);
    return errors;
  }

  /** See `AuthLookup`. Providers of files for today's pi serve only their own models. */
  serve(model: Model<Api>): ServeModel | undefined {
    const own = this.named(model.provider).filter(({ sharesApi }) => !sharesApi);
    const { config } = own.findLast(({ config: { api, streamSimple } }) => streamSimple && api === model.api) ?? {};
    return config?.streamSimple as ServeModel | undefined;
  }

  private set(registrations: readonly ProviderRegistration[]): void {
    if (registrations.length === 0 && this.registrations.length === 0) return;
    this.registrations = registrations;
    const piAi = this.parts.piAi();
    if (piAi !== undefined) this.applyTo(piAi);
    this.parts.changed();
  }
}
