import { join } from 'node:path';
import type { Api, AssistantMessage, Model, ModelsRefreshResult, Provider } from '@mariozechner/pi-ai';
import { defined } from '../../base/defined';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { Emitter } from '../../base/event';
import { silentLog, type Log } from '../../base/log';
import type { Problem } from '../../base/result';
import { withTimeout } from '../../base/async/wait';
import type { Message } from '../messages';
import type { ApiKeySource } from './keys/api-key-source';
import type { RefreshOptions } from './dynamic-models';
import { BuiltInModels } from './built-in-models';
import { valuesOfFile, type ProviderSources } from './configured-auth';
import { AuthStorageView } from './keys/auth-storage-view';
import { Credentials } from './keys/credentials';
import type { ProviderAuthStatus } from './keys/key-ring';
import { knownProvider } from './keys/provider-names';
import { isVirtual, VirtualModels, type Route, type RouteQuestion } from './virtual-models';
import { fetchOfferedModels, type OfferedModel } from './choice/offered-models';
import { LoadedModels } from './files/loaded-models';
import { EDITOR_ADVICE, type KeyAdvice } from './keys/missing-key';
import type { EmbeddedModel } from './embedded-model';
import { loadPiAi, type PiAi } from './pi-ai';
import { ModelsStoreFile } from './files/models-store';
import { ModelList } from './model-list';
import { NativeProviders } from './native-providers';
import { otherModels, runOperation, type ModelType, type OperationResult, type OtherModel } from './operations';
import type { ProviderConfig } from './provider-config';
import { RegisteredProviders } from './registered-providers';
import { RequestKeys, type KeyAndHeaders, type KeyUse } from './request-keys';
import { claimOf, type ProviderClaim } from './servers/found-servers';
import {
  createStreamFn,
  type AssistantMessageStream,
  type AuthLookup,
  type ModelStreamFn,
  type RequestOptions,
  type ServeModel,
  type RequestAuth,
} from './requests/stream';

/** What the registry depends on. */
export interface RegistryOptions {
  /** pi's agent folder, absolute: holds models.json and auth.json. */
  readonly agentDir: string;
  readonly embedded: EmbeddedModel;
  /** Keys the user typed in. */
  readonly keys: ApiKeySource;
  /** Default `process.env`. pi-ai itself reads keys from `process.env` alone. */
  readonly env?: NodeJS.ProcessEnv;
  readonly log?: Log;
  readonly load?: () => Promise<PiAi>;
  /** How people set keys here; VS Code's way by default. */
  readonly keyAdvice?: KeyAdvice;
  /** How long a virtual model may take to choose; 2 minutes when absent. */
  readonly routeLimitMs?: number;
  /** How long {@link ModelRegistry.load} waits for providers that find their models by themselves; 5 s when absent. */
  readonly modelsLimitMs?: number;
  /** Whether {@link ModelRegistry.updateCatalog} may ask; always when absent. */
  readonly mayUpdateCatalog?: () => boolean;
  /** In ms since 1970. */
  readonly now?: () => number;
}

/** Code of providers may wait for a server that does not answer. What it finds later is added then. */
const MODELS_LIMIT_MS = 5_000;

/** See {@link ModelRegistry.listedFrom}; `at` in ms since 1970. */
export interface ListedFrom {
  readonly source: 'file' | 'server';
  readonly at: number;
}

/** See {@link ModelRegistry.getProvider}. */
export interface ProviderView {
  readonly id: string;
  readonly name: string;
  readonly baseUrl: string;
  getModels(): Model<Api>[];
}

/** See {@link ModelRegistry.getProviderAuth}. */
interface ProviderAuth extends Pick<RequestAuth, 'env'> {
  readonly auth: Omit<RequestAuth, 'env'>;
  /** Where the key comes from, in pi's words. */
  readonly source?: string;
}

interface RegistryStreamOptions extends RequestOptions {
  readonly reasoningEffort?: 'none' | NonNullable<RequestOptions['reasoning']>;
}

/**
 * Knows every model and how to get its key. The agent uses it, and hooks get it as `ctx.modelRegistry`.
 * pi-ai and the files are read by {@link load}; before that only the embedded model is known.
 */
export class ModelRegistry implements AuthLookup, Disposable {
  /** pi's view of the credentials, for hooks. */
  readonly authStorage: AuthStorageView;
  private readonly changeEmitter = new Emitter<undefined>();
  /** Fires when models or known keys may have changed. */
  readonly onDidChange = this.changeEmitter.event;
  readonly keyAdvice: KeyAdvice;

  private readonly store = new DisposableStore();
  private readonly log: Log;
  private readonly credentials: Credentials;
  private readonly builtIn: BuiltInModels;
  private readonly virtual: VirtualModels;
  private readonly registered: RegisteredProviders;
  private readonly native: NativeProviders;
  private readonly requestKeys: RequestKeys;
  private readonly models: ModelList;
  /** models.json */
  private file: LoadedModels;
  /** When providers were asked for their models, in ms since 1970. */
  private readonly askedAt = new Map<string, number>();
  private piAi: PiAi | undefined;
  private loading: Promise<void> | undefined;

  constructor(private readonly options: RegistryOptions) {
    const { agentDir, embedded, keys, log = silentLog, keyAdvice = EDITOR_ADVICE, now } = options;
    this.log = log;
    this.keyAdvice = keyAdvice;
    this.file = new LoadedModels(join(agentDir, 'models.json'));
    const store = new ModelsStoreFile(join(agentDir, 'models-store.json'));
    const changed = (): void => this.update();
    const piAi = (): PiAi | undefined => this.piAi;
    const sources = (): ProviderSources => this.sources;
    this.builtIn = new BuiltInModels({ store, now: now ?? Date.now, log });
    this.virtual = new VirtualModels(options.routeLimitMs);
    this.registered = new RegisteredProviders({
      piAi,
      log,
      store,
      claims: () => this.claims,
      changed: () => this.updateLogins(),
      modelsChanged: changed,
      isConfigured: provider => this.hasConfiguredAuth({ provider }),
      credentialOf: (provider, allowNetwork) => this.native.credentialOf(provider, allowNetwork),
    });
    const credentials = new Credentials({
      agentDir,
      env: this.env,
      typed: keys,
      sources,
      piAi,
      advice: keyAdvice,
      log,
      now,
    });
    this.credentials = credentials;
    const { auth, logins, keyRing } = credentials;
    this.native = new NativeProviders({ auth, keyOf: provider => keyRing.find(provider), store, changed });
    this.requestKeys = new RequestKeys({
      load: () => this.load(),
      sources,
      keyUse: provider => this.keyUse(provider),
      isGone: model => this.models.isGone(model, this.registered.wasFound(model)),
      native: this.native,
      credentials,
      log,
    });
    const { native, virtual, builtIn } = this;
    this.models = new ModelList({ embedded: embedded.model, builtIn, native, virtual, credentials, log });
    this.authStorage = new AuthStorageView({ registry: this, auth, logins, keys: keyRing });
    this.store.add(this.changeEmitter);
    const subscription = keys.onDidChange?.(
      () => void this.credentials.noteTyped(this.models.all).then(() => this.changeEmitter.fire(undefined)),
    );
    if (subscription !== undefined) this.store.add(subscription);
  }

  /** The key that a user typed in for a provider, for an agent that a hook starts. */
  typedKey(provider: string): Promise<string | undefined> {
    return this.options.keys.get(provider);
  }

  /** Loads pi-ai's models, models.json and auth.json, once. @throws when pi-ai cannot be loaded; may be tried again */
  load(): Promise<void> {
    this.loading ??= this.loadAll().catch((error: unknown) => {
      this.loading = undefined;
      throw error;
    });
    return this.loading;
  }

  /**
   * Reads models.json and auth.json again, forgets the output of commands, and lets registered providers look for their
   * models. Providers that fail keep the models that they had.
   */
  async reload({ allowNetwork = true, force, signal }: Partial<RefreshOptions> = {}): Promise<ModelsRefreshResult> {
    await this.load();
    this.credentials.values.clear();
    await this.readFiles();
    const online = allowNetwork && this.env['PI_OFFLINE'] === undefined;
    const errors = await this.registered.findModels({ allowNetwork: online, force, signal });
    const options = { allowNetwork: online, ...defined({ force, signal }) };
    const native = await this.native.refresh(options);
    for (const error of [...errors.values(), ...native.errors.values()]) this.log.warn(messageOf(error));
    return { aborted: signal?.aborted === true, errors: new Map([...native.errors, ...errors]) };
  }

  /** For hooks: {@link reload} and {@link updateCatalog}. */
  async refresh(options: Partial<RefreshOptions> = {}): Promise<ModelsRefreshResult> {
    const result = await this.reload(options);
    if (options.allowNetwork !== false) await this.updateCatalog(options.signal);
    return { ...result, aborted: options.signal?.aborted === true };
  }

  /**
   * Asks for models of the providers with a key that appeared after this release, at most once a day (docs/models.md).
   * Never with `PI_OFFLINE`, never rejects: a failure is in the log.
   */
  async updateCatalog(signal?: AbortSignal): Promise<void> {
    await this.load();
    if (this.env['PI_OFFLINE'] !== undefined || this.options.mayUpdateCatalog?.() === false) return;
    if (await this.builtIn.update(provider => this.hasConfiguredAuth({ provider }), signal)) this.update();
  }

  /** From when the newest list of models is, in ms since 1970; undefined when nobody knows. */
  get listedAt(): number | undefined {
    return this.builtIn.listedAt;
  }

  /** Where the models of a provider are listed, if not in the shipped list, and from when; undefined for all others. */
  listedFrom(provider: string): ListedFrom | undefined {
    const id = knownProvider(provider);
    const asked = this.askedAt.get(id);
    if (asked !== undefined) return { source: 'server', at: asked };
    const inFile = this.file.listedAt(id);
    return inFile === undefined ? undefined : { source: 'file', at: inFile };
  }

  getAll(): Model<Api>[] {
    return [...this.models.all];
  }

  /**
   * Models whose provider has a key somewhere, or needs none, and an address without a gap; the embedded one only where there
   * is no other.
   */
  getAvailable(): Model<Api>[] {
    const usable = this.requestKeys.withKey(this.models.all).filter(model => this.requestKeys.hasWholeAddress(model));
    const others = usable.filter(({ provider }) => provider !== this.options.embedded.model.provider);
    return others.length > 0 ? others : usable;
  }

  find(provider: string, id: string): Model<Api> | undefined {
    return this.models.find(knownProvider(provider), id);
  }

  /** True when requests to this model can be tried: a key is known, or none is needed. */
  async hasKey(model: Model<Api>): Promise<boolean> {
    await this.load();
    if (this.hasConfiguredAuth(model)) return true;
    // A key may have been saved a moment ago, and the event that says so comes later.
    await this.credentials.noteTyped(this.models.all);
    return this.hasConfiguredAuth(model);
  }

  /**
   * Makes a model known that its provider does not list, with the properties of the one that is named most like it;
   * undefined when the provider has no models.
   */
  addUnlisted(provider: string, id: string): Model<Api> | undefined {
    const known = this.find(provider, id);
    if (known !== undefined) return known;
    if (this.models.ofProvider(provider).length === 0) return undefined;
    this.addOwn(provider, [{ id }]);
    return this.find(provider, id);
  }

  /**
   * Asks a provider which models it offers now, and makes those known that were not. Resolves with their numbers.
   * @throws Error for people; nothing is changed then
   */
  async askOffered(provider: string, signal?: AbortSignal): Promise<{ readonly all: number; readonly added: number }> {
    const [like] = this.models.ofProvider(provider);
    if (like === undefined) throw new Error(`Provider "${provider}" is not known.`);
    const offered = await fetchOfferedModels(like, await this.requestAuth(like), signal);
    const fresh = offered.filter(({ id }) => this.find(provider, id) === undefined);
    this.askedAt.set(knownProvider(provider), (this.options.now ?? Date.now)());
    if (fresh.length > 0) this.addOwn(provider, fresh);
    else this.changeEmitter.fire(undefined);
    return { all: offered.length, added: fresh.length };
  }

  /** {@link hasKey} for callers that cannot wait. Before {@link load}, true only for the embedded model. */
  hasConfiguredAuth(model: Pick<Model<Api>, 'provider'>): boolean {
    return this.requestKeys.has(model.provider);
  }

  /** The key of a model; undefined if none is available. The error of {@link requestAuth} says why. */
  getApiKey(model: Pick<Model<Api>, 'provider'>): Promise<string | undefined> {
    return this.getApiKeyForProvider(model.provider);
  }

  getApiKeyForProvider(provider: string): Promise<string | undefined> {
    return this.requestKeys.find(provider);
  }

  /** Key and headers of a request. Rejects with a text for people if a key is configured but not available. */
  requestAuth(model: Model<Api>): Promise<RequestAuth> {
    return this.requestKeys.ofModel(model);
  }

  /** What a hook needs to call a model by itself; never rejects. */
  getApiKeyAndHeaders(model: Model<Api>): Promise<KeyAndHeaders> {
    return this.requestKeys.keyAndHeaders(model);
  }

  /** Whether a provider can be used, and from where its key comes; nothing is run or asked for it. */
  getProviderAuthStatus(provider: string): ProviderAuthStatus {
    return this.credentials.keyRing.status(knownProvider(provider));
  }

  /** See {@link Credentials.keyVariables}. */
  keyVariables(): readonly string[] {
    return this.credentials.keyVariables();
  }

  getProviderDisplayName(provider: string): string {
    return this.getProvider(provider)?.name ?? provider;
  }

  /** A provider with its models; undefined when it has none. */
  getProvider(provider: string): ProviderView | Provider | undefined {
    const id = knownProvider(provider);
    const native = this.native.get(id);
    if (native !== undefined) return native;
    const [first] = this.models.ofProvider(id);
    if (first === undefined) return undefined;
    const names = [
      this.file.providers.get(id)?.settings.name,
      ...this.registered.named(id).map(({ config }) => config.name),
    ];
    const name =
      names.findLast(given => given !== undefined) ??
      this.builtIn.nameOf(id) ??
      this.credentials.logins.find(id)?.name ??
      id;
    return { id, name, baseUrl: first.baseUrl, getModels: () => this.models.ofProvider(id) };
  }

  /** Key and headers for a provider or one of its models; undefined when there are none. Rejects as {@link requestAuth}. */
  async getProviderAuth(provider: string): Promise<ProviderAuth | undefined> {
    const id = knownProvider(provider);
    await this.load();
    const [first] = this.models.ofProvider(id);
    if (first === undefined) return undefined;
    const { env, ...auth } = await this.requestAuth(first);
    if (auth.apiKey === undefined) return undefined;
    const source = this.credentials.keyRing.sourceName(id);
    return { auth, ...defined({ env, source }) };
  }

  /** Asks a model with the keys that are known here; failures arrive in the stream. */
  streamSimple(...request: Parameters<ModelStreamFn>): AssistantMessageStream {
    return createStreamFn(this, this.options.load)(...request);
  }

  /** {@link streamSimple}; how much the model thinks may also be said as OpenAI's own options do, `reasoningEffort`. */
  stream(
    model: Model<Api>,
    context: Parameters<ModelStreamFn>[1],
    options: RegistryStreamOptions = {},
  ): AssistantMessageStream {
    const { reasoningEffort, ...others } = options;
    const reasoning = reasoningEffort === 'none' ? undefined : reasoningEffort;
    return this.streamSimple(model, context, { ...defined({ reasoning }), ...others });
  }

  /** {@link stream}, waited for. */
  complete(...request: Parameters<ModelRegistry['stream']>): Promise<AssistantMessage> {
    return this.stream(...request).result();
  }

  /** All models of a kind: for chat, for images, for classes. */
  getModelsOfType(type: ModelType, provider?: string): readonly (Model<Api> | OtherModel)[] {
    const all = type === 'chat' ? this.models.all : otherModels(type, this.sources, this.builtIn.ofType(type));
    return provider === undefined ? all : all.filter(model => model.provider === provider);
  }

  /** {@link getModelsOfType}, as far as their keys are known. */
  async getAvailableOfType(type: ModelType, provider?: string): Promise<readonly (Model<Api> | OtherModel)[]> {
    await this.load();
    return this.requestKeys.withKey(this.getModelsOfType(type, provider));
  }

  getModelOfType(type: ModelType, provider: string, id: string): Model<Api> | OtherModel | undefined {
    return this.getModelsOfType(type, provider).find(model => model.id === id);
  }

  findOfType(type: ModelType, provider: string, id: string): Model<Api> | OtherModel | undefined {
    return this.getModelOfType(type, provider, id);
  }

  /** Asks a model for classes; never rejects. */
  classify(
    model: OtherModel,
    context: unknown,
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<OperationResult> {
    return this.operate({ ...model, type: 'classifier' }, context, options);
  }

  /** Asks a model for images; never rejects. */
  generateImages(
    model: OtherModel,
    context: unknown,
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<OperationResult> {
    return this.operate({ ...model, type: 'image' }, context, options);
  }

  serve(model: Model<Api>): ServeModel | undefined {
    const native = this.native.get(model.provider);
    if (native !== undefined) return (...request) => native.streamSimple(...request);
    return this.registered.serve(model);
  }

  isUsingOAuth(model: Pick<Model<Api>, 'provider'>): boolean {
    return this.credentials.auth.get(model.provider)?.type === 'oauth';
  }

  /** The problems of models.json and auth.json. */
  get problems(): readonly Problem[] {
    const values = [...valuesOfFile(this.sources), ...this.credentials.auth.keys()];
    return [...this.file.problems, ...this.credentials.auth.problems, ...this.credentials.values.bareNames(values)];
  }

  /** {@link problems} of models.json as one text, as pi gives it; undefined when there are none. */
  getError(): string | undefined {
    return this.file.error;
  }

  /**
   * Adds a whole provider of pi-ai, or adds or changes one by its name: `models` replace its models, `baseUrl` and `headers` alone change
   * them, `streamSimple` serves its `api`, `oauth` is a login. The same name and source again replaces what was
   * registered. Keys may be bare names of variables unless `namesKeysBare` is false. With `isFound`, it is a server that nobody
   * configured: any other provider of its name or address has priority, also a later one, and it gets no key.
   * @throws Error naming provider and field, when the configuration is wrong; nothing is changed then
   */
  registerProvider(
    name: string | Provider,
    config: ProviderConfig = {},
    sourceId = '',
    { namesKeysBare = true, takesSystemMessages = (): boolean => false, sharesApi = true, isFound = false } = {},
  ): void {
    if (typeof name !== 'string') this.registerNativeProvider(name, sourceId);
    else this.registered.add(name, config, { sourceId, namesKeysBare, takesSystemMessages, sharesApi, isFound });
  }

  /**
   * Adds a whole provider of pi-ai: its own keys, models and streams.
   * @throws Error naming provider and member, when something is missing; nothing is changed then
   */
  registerNativeProvider(provider: unknown, sourceId = ''): void {
    this.native.register(provider, sourceId);
    this.updateLogins();
  }

  /** Names of all providers that were registered. */
  getRegisteredProviderIds(): readonly string[] {
    return [...new Set([...this.registered.all.map(({ name }) => name), ...this.native.list.map(({ id }) => id)])];
  }

  getRegisteredProviderConfig(name: string): ProviderConfig | undefined {
    return this.registered.named(name).at(-1)?.config;
  }

  getRegisteredNativeProvider(name: string): Provider | undefined {
    return this.native.get(name);
  }

  /** Whether a provider is a server that was found, and that nobody configured; see {@link registerProvider}. */
  isFoundServer(provider: string): boolean {
    return this.registered.isFound(provider);
  }

  /** What a name of a provider stands for already: a provider that somebody configured, or only a key. */
  async nameUse(name: string): Promise<'free' | 'provider' | 'key'> {
    const id = knownProvider(name);
    if (!this.isFoundServer(id) && this.models.ofProvider(id).length > 0) return 'provider';
    const hasKey = this.credentials.keyRing.has(id) || (await this.typedKey(id)) !== undefined;
    return hasKey ? 'key' : 'free';
  }

  /** Removes the providers with a name, of one source or (if none is given) of all. */
  unregisterProvider(name: string, sourceId?: string): void {
    if (this.native.unregister(name, sourceId)) this.updateLogins();
    this.registered.remove(own => own.name === name && (sourceId === undefined || own.sourceId === sourceId));
  }

  /**
   * Adds a model that sends each request to another one.
   * @throws Error naming model and field, when the definition is wrong; nothing is changed then
   */
  registerVirtualModel(definition: unknown, sourceId = ''): void {
    this.virtual.register(definition, sourceId, (provider, id) => this.findPhysical(provider, id) !== undefined);
    this.update();
  }

  /** Removes a virtual model, of one source or (if none is given) of any source. */
  unregisterVirtualModel(provider: string, id: string, sourceId?: string): void {
    if (this.virtual.unregister(provider, id, sourceId)) this.update();
  }

  /**
   * Where a request of a virtual model is to go.
   * @throws Error for people, when it says nothing that can be used
   */
  async route(model: Model<Api>, messages: readonly Message[], question: RouteQuestion): Promise<Route> {
    await this.load();
    return this.virtual.route(model, messages, question, this);
  }

  /** As {@link find}, without virtual models. */
  findPhysical(provider: string, id: string): Model<Api> | undefined {
    const model = this.find(provider, id);
    return model === undefined || isVirtual(model) ? undefined : model;
  }

  /** Removes everything that a source registered: its hook was unloaded. */
  unregisterSource(sourceId: string): void {
    this.virtual.unregisterSource(sourceId);
    if (this.native.unregister(undefined, sourceId)) this.updateLogins();
    this.registered.remove(own => own.sourceId === sourceId);
  }

  /**
   * Assembles the models again and fires {@link onDidChange}. To be called after logins and overrides, which change
   * models and keys.
   */
  update(): void {
    this.assemble();
    this.changeEmitter.fire(undefined);
  }

  dispose(): void {
    this.registered.remove(() => true);
    this.store.dispose();
  }

  private async loadAll(): Promise<void> {
    const piAi = await (this.options.load ?? loadPiAi)();
    this.options.embedded.register(piAi);
    await this.credentials.logins.load();
    this.piAi = piAi;
    await this.builtIn.load(piAi);
    this.registered.applyTo(piAi);
    this.native.attach(piAi);
    await this.readFiles();
    const found = Promise.all([
      this.registered.findModels({ allowNetwork: false }),
      this.native.refresh({ allowNetwork: false }),
    ]);
    await withTimeout(found, this.options.modelsLimitMs ?? MODELS_LIMIT_MS, () => undefined);
  }

  private operate(
    model: OtherModel,
    context: unknown,
    options: Readonly<Record<string, unknown>>,
  ): Promise<OperationResult> {
    return runOperation(model, context, options, {
      registered: this.registered.current,
      builtIn: this.builtIn.providers,
      requestAuth: each => this.requestAuth(each),
    });
  }

  private get env(): NodeJS.ProcessEnv {
    return this.options.env ?? process.env;
  }

  private async readFiles(): Promise<void> {
    const [file] = await Promise.all([
      LoadedModels.read(this.file.path, this.models.builtInProviders),
      this.credentials.auth.load(),
    ]);
    this.file = file;
    for (const { message } of this.problems) this.log.warn(message);
    this.assemble();
    await this.credentials.noteTyped(this.models.all);
    this.changeEmitter.fire(undefined);
  }

  private assemble(): void {
    this.models.assemble(this.sources);
    this.credentials.learn(this.models.all);
  }

  /** {@link update}, after providers were registered or removed: they may bring logins. */
  private updateLogins(): void {
    this.credentials.logins.setRegistered(this.registered.all, this.native.list);
    this.update();
  }

  /** A key is optional for the embedded model, and for providers that registered code serves without having named a key. */
  private keyUse(provider: string): KeyUse {
    if (provider === this.options.embedded.model.provider) return 'optional';
    if (this.virtual.has(provider) && this.models.ofProvider(provider).every(isVirtual)) return 'optional';
    if (this.isFoundServer(provider)) return 'never';
    const last = this.registered.named(provider).at(-1)?.config;
    return last?.streamSimple !== undefined && last.apiKey === undefined && last.oauth === undefined
      ? 'optional'
      : 'required';
  }

  private get claims(): readonly ProviderClaim[] {
    const ofCode = [...this.native.allModels, ...this.virtual.models].map(model => claimOf(model.provider, model));
    const builtIn = [...this.builtIn.providers, ...this.native.list].map(({ id }) => claimOf(id, {}));
    return [...this.file.claims, ...ofCode, ...builtIn];
  }

  private get sources(): ProviderSources {
    return { file: this.file.providers, path: this.file.path, registered: this.registered.current };
  }

  private addOwn(provider: string, models: readonly OfferedModel[]): void {
    this.models.addOwn(provider, models);
    this.update();
  }
}
