import type {
  Api,
  AuthResult,
  Credential,
  CredentialStore,
  Model,
  ModelsRefreshOptions,
  ModelsRefreshResult,
  ModelsStore,
  MutableModels,
  Provider,
} from '@mariozechner/pi-ai';
import { defined } from '../../base/defined';
import { isRecord } from '../../base/json/is-record';
import type { AuthFile } from './keys/auth-file';
import type { PiAi } from './pi-ai-module';

/** What the providers need. */
export interface NativeProviderParts {
  readonly auth: AuthFile;
  /** The key that a user or the settings give a provider; undefined when there is none. */
  readonly keyOf: (provider: string) => Promise<string | undefined>;
  readonly store: ModelsStore;
  /** Called when models, or the known keys for them, have changed. */
  readonly changed: () => void;
}

interface Registered {
  readonly provider: Provider;
  readonly sourceId: string;
}

/** Whole providers of pi-ai that code registered; pi-ai itself finds their keys and refreshes their models. */
export class NativeProviders {
  private registrations: readonly Registered[] = [];
  private models: MutableModels | undefined;
  /** Providers that have all they need, as far as is known. */
  private configured = new Set<string>();

  constructor(private readonly parts: NativeProviderParts) {}

  /** To be called when pi-ai is loaded. */
  attach(piAi: PiAi): void {
    const { store } = this.parts;
    this.models = piAi.createModels({ credentials: this.credentials, modelsStore: store });
    for (const { provider } of this.registrations) this.models.setProvider(provider);
  }

  get list(): readonly Provider[] {
    return this.registrations.map(({ provider }) => provider);
  }

  get(id: string): Provider | undefined {
    return this.registrations.find(({ provider }) => provider.id === id)?.provider;
  }

  /** The models of all providers; one that throws has none. */
  get allModels(): readonly Model<Api>[] {
    return this.list.flatMap(modelsOf);
  }

  /**
   * Adds a provider, in place of one of the same id.
   * @throws Error naming provider and member, when something is missing
   */
  register(given: unknown, sourceId: string): void {
    const provider = checkNativeProvider(given);
    this.registrations = [
      ...this.registrations.filter(other => other.provider.id !== provider.id),
      { provider, sourceId },
    ];
    this.models?.setProvider(provider);
    void this.refresh({ allowNetwork: false, providers: [provider.id] });
  }

  /** Removes a provider, of one source or (if none is given) of any source; false if there is none. */
  unregister(id: string | undefined, sourceId?: string): boolean {
    const isGone = ({ provider, sourceId: own }: Registered): boolean =>
      (id === undefined || provider.id === id) && (sourceId === undefined || own === sourceId);
    const gone = this.registrations.filter(isGone);
    this.registrations = this.registrations.filter(registered => !isGone(registered));
    for (const { provider } of gone) this.models?.deleteProvider(provider.id);
    return gone.length > 0;
  }

  isConfigured(id: string): boolean {
    return this.configured.has(id);
  }

  /** What a request of a provider needs; undefined when it is not set up. Rejects with what its code throws. */
  auth(id: string): Promise<AuthResult | undefined> {
    return this.models?.getAuth(id) ?? Promise.resolve(undefined);
  }

  /** A key or login as providers get it; undefined when there is none. Keys are found, and logins renewed, over the network. */
  async credentialOf(id: string, allowNetwork: boolean): Promise<Credential | undefined> {
    const { auth, keyOf } = this.parts;
    const key = allowNetwork ? await keyOf(id).catch(() => undefined) : undefined;
    return loginIn(auth, id) ?? keyCredential(key, auth.env(id));
  }

  /** Lets providers look for their models again, and finds out who is set up. Failures are in the result. */
  async refresh(options: ModelsRefreshOptions): Promise<ModelsRefreshResult> {
    const { models } = this;
    if (models === undefined || this.registrations.length === 0) return { aborted: false, errors: new Map() };
    const result = await models.refresh(options);
    const checked = await Promise.all(
      this.list.map(async ({ id }) => ((await models.checkAuth(id).catch(() => undefined)) === undefined ? [] : [id])),
    );
    this.configured = new Set(checked.flat());
    this.parts.changed();
    return result;
  }

  /** pi-ai's view of our keys: it reads them, and renews logins under the lock of auth.json. */
  private get credentials(): CredentialStore {
    const { auth } = this.parts;
    return {
      read: async id => loginIn(auth, id) ?? this.credentialOf(id, true),
      list: () =>
        Promise.resolve(auth.list().map(providerId => ({ providerId, type: auth.get(providerId)?.type ?? 'api_key' }))),
      modify: async (id, change) => {
        await auth.renewLogin(
          id,
          () => false,
          async tokens => {
            const next = await change({ ...tokens, type: 'oauth' });
            return next?.type === 'oauth' ? next : tokens;
          },
        );
        return loginIn(auth, id);
      },
      delete: id => auth.removeLogin(id),
    };
  }
}

function loginIn(auth: AuthFile, id: string): Credential | undefined {
  const entry = auth.get(id);
  return entry?.type === 'oauth' ? { ...entry } : undefined;
}

function keyCredential(
  key: string | undefined,
  env: Readonly<Record<string, string>> | undefined,
): Credential | undefined {
  if (key === undefined && env === undefined) return undefined;
  return { type: 'api_key', ...defined({ key, env: env && { ...env } }) };
}

function modelsOf(provider: Provider): readonly Model<Api>[] {
  try {
    const models: unknown = provider.getModels();
    return Array.isArray(models) ? (models as readonly Model<Api>[]).filter(isRecord) : [];
  } catch {
    return []; // As in pi-ai: a provider that cannot tell has none.
  }
}

/**
 * Checks a whole provider as foreign code gives it.
 * @throws Error naming provider and member
 */
export function checkNativeProvider(given: unknown): Provider {
  const { id, name, auth, getModels, stream, streamSimple } = isRecord(given) ? given : {};
  const called = `Provider "${String(id)}"`;
  const check = (isRight: boolean, text: string): void => {
    if (!isRight) throw new Error(`${called}: ${text}.`);
  };
  check(typeof id === 'string' && id.trim() !== '', '"id" must be a text');
  check(typeof name === 'string', '"name" must be a text');
  check(isRecord(auth) && (isRecord(auth['apiKey']) || isRecord(auth['oauth'])), '"auth" must have apiKey or oauth');
  for (const [member, value] of Object.entries({ getModels, stream, streamSimple })) {
    check(typeof value === 'function', `"${member}" must be a function`);
  }
  return given as Provider;
}
