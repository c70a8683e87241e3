import type { Api, Model } from '@mariozechner/pi-ai';
import type { Log } from '../../base/log';
import { serverOf } from '../../base/loopback';
import { assembleModels } from './assemble-models';
import type { BuiltInModels } from './built-in-models';
import { unlistedModel } from './choice/model-names';
import type { OfferedModel } from './choice/offered-models';
import type { ProviderSources } from './configured-auth';
import type { Credentials } from './keys/credentials';
import type { NativeProviders } from './native-providers';
import type { VirtualModels } from './virtual-models';

/** What {@link ModelList} is made of. */
export interface ModelListParts {
  readonly embedded: Model<Api>;
  readonly builtIn: BuiltInModels;
  readonly native: NativeProviders;
  readonly virtual: VirtualModels;
  readonly credentials: Credentials;
  readonly log: Log;
}

/** Every model that can be named: built in, of models.json, registered by code, typed by hand. */
export class ModelList {
  /** Models that are in none of our lists: the user named them, or their provider reported them. */
  private own: readonly { readonly provider: string; readonly offered: OfferedModel }[] = [];
  /** All that ever were in the list: others may still have one. */
  private readonly listed = new WeakSet<Model<Api>>();
  private models: readonly Model<Api>[];
  /** {@link models} by {@link modelKey}: one is looked up at each piece of an answer. */
  private index: { readonly of: readonly Model<Api>[]; readonly models: ReadonlyMap<string, Model<Api>> } | undefined;

  constructor(private readonly parts: ModelListParts) {
    this.models = this.builtIn;
  }

  get all(): readonly Model<Api>[] {
    return this.models;
  }

  private get builtIn(): readonly Model<Api>[] {
    return [...this.parts.builtIn.chat, this.parts.embedded];
  }

  get builtInProviders(): ReadonlySet<string> {
    return new Set(this.builtIn.map(({ provider }) => provider));
  }

  find(provider: string, id: string): Model<Api> | undefined {
    if (this.index?.of !== this.models) this.index = { of: this.models, models: indexOf(this.models) };
    return this.index.models.get(modelKey(provider, id));
  }

  ofProvider(provider: string): Model<Api>[] {
    return this.models.filter(model => model.provider === provider);
  }

  /**
   * Keeps models of a provider that are in no list. From the next {@link assemble} on, each has the properties and the address of the
   * most similar model of that provider, as long as the provider has models.
   */
  addOwn(provider: string, models: readonly OfferedModel[]): void {
    this.own = [...this.own, ...models.map(offered => ({ provider, offered }))];
  }

  /**
   * Whether the key of the provider is for another server than that of this model: the model was listed, and its provider was
   * configured anew since. A server that was found (`wasFound`) never had a key. Models of code that were never listed are its own.
   */
  isGone(model: Model<Api>, wasFound: boolean): boolean {
    const server = serverOf(model.baseUrl);
    const now = this.ofProvider(model.provider);
    if (now.some(({ baseUrl }) => serverOf(baseUrl) === server)) return false;
    return wasFound || (this.listed.has(model) && now.length > 0);
  }

  /** Computes the list again. A login that cannot change its models is named in the log and leaves them as they are. */
  assemble(sources: ProviderSources): void {
    const { native, virtual, credentials, log } = this.parts;
    const { logins, auth, values } = credentials;
    const nativeIds = native.list.map(({ id }) => id);
    const builtIn = [...this.builtIn.filter(({ provider }) => !nativeIds.includes(provider)), ...native.allModels];
    const listed = assembleModels({ builtIn, sources, values });
    const own = this.own.flatMap(({ provider, offered }) => unlistedIn(listed, provider, offered));
    let models = [...listed, ...own].filter(model => !this.isHidden(model));
    for (const login of logins.list()) {
      const entry = auth.get(login.id);
      if (entry?.type !== 'oauth' || login.modifyModels === undefined) continue;
      try {
        models = login.modifyModels([...models], entry);
      } catch (error) {
        log.error(`The login of provider "${login.id}" could not change its models.`, error);
      }
    }
    this.models = [...models, ...virtual.models];
    for (const model of this.models) this.listed.add(model);
  }

  /** A virtual model hides a model of the same name that its provider got later. */
  private isHidden({ provider, id }: Model<Api>): boolean {
    return this.parts.virtual.models.some(other => other.provider === provider && other.id === id);
  }
}

/** None if it is listed meanwhile, or its provider has no models. */
function unlistedIn(listed: readonly Model<Api>[], provider: string, offered: OfferedModel): Model<Api>[] {
  const [first, ...others] = listed.filter(model => model.provider === provider);
  if (first === undefined || [first, ...others].some(({ id }) => id === offered.id)) return [];
  return [{ ...unlistedModel(offered.id, [first, ...others]), ...offered }];
}

function modelKey(provider: string, id: string): string {
  return `${provider}\n${id}`;
}

/** When two models have one name, the first one counts. */
function indexOf(models: readonly Model<Api>[]): ReadonlyMap<string, Model<Api>> {
  return new Map(models.toReversed().map(model => [modelKey(model.provider, model.id), model]));
}
