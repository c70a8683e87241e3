import type { Api, Model } from '@mariozechner/pi-ai';
import type { Log } from '../../base/log';
import { serverOf } from '../../base/loopback';
import { ApiRegistrations } from './api-registrations';
import { DynamicModels, type DynamicModelsParts, type RefreshOptions } from './dynamic-models';
import type { PiAi } from './pi-ai';
import { addedTo, checkProviderConfig, type ProviderConfig, type ProviderRegistration } from './provider-config';
import type { ServeModel } from './requests/stream';
import { claimOf, isClaimed, type ProviderClaim } from './servers/found-servers';

export interface RegisteredProvidersParts extends Omit<DynamicModelsParts, 'changed'> {
  /** Undefined until pi-ai is loaded. */
  readonly piAi: () => PiAi | undefined;
  readonly log: Log;
  /** What everybody else configured. */
  readonly claims: () => readonly ProviderClaim[];
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
  /** Names and addresses of the servers that were ever found. */
  private readonly foundAt = new Set<string>();
  private readonly apis = new ApiRegistrations();
  private readonly dynamic: DynamicModels;

  constructor(private readonly parts: RegisteredProvidersParts) {
    this.dynamic = new DynamicModels({ ...parts, changed: parts.modelsChanged });
  }

  /** As they were registered, the latest last, without servers that were found and are claimed (see {@link isClaimed}). */
  get all(): readonly ProviderRegistration[] {
    const configured = this.registrations.filter(({ isFound }) => !isFound);
    if (configured.length === this.registrations.length) return configured;
    const claims = [...this.parts.claims(), ...configured.map(({ name, config }) => claimOf(name, config))];
    const isFree = ({ name, config: { baseUrl = '' } }: ProviderRegistration): boolean =>
      !isClaimed({ name, baseUrl }, claims);
    return this.registrations.filter(each => !each.isFound || isFree(each));
  }

  /** {@link all}, with the models that were found since. */
  get current(): readonly ProviderRegistration[] {
    return this.all.map(registration => this.dynamic.current(registration));
  }

  /** What sources registered under a name, the latest last. */
  named(provider: string): readonly ProviderRegistration[] {
    return this.all.filter(({ name }) => name === provider);
  }

  /** Whether a provider is a server that was found, and not claimed. */
  isFound(provider: string): boolean {
    return this.named(provider).some(({ isFound }) => isFound);
  }

  /** Whether a model is at an address where a server of its provider's name was found once. */
  wasFound({ provider, baseUrl }: Pick<Model<Api>, 'provider' | 'baseUrl'>): boolean {
    return this.foundAt.has(placeOf(provider, baseUrl));
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
    if (options.isFound) this.foundAt.add(placeOf(name, checked.baseUrl));
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

function placeOf(provider: string, baseUrl = ''): string {
  return `${provider}\n${serverOf(baseUrl) ?? baseUrl}`;
}
