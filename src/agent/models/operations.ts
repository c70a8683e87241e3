import type { AnyModel, Api, Model, Provider } from '@mariozechner/pi-ai';
import { defined } from '../../base/defined';
import { messageOf } from '../../base/errors';
import { hideSecrets } from '../../base/text/redact';
import type { ProviderSources } from './configured-auth';
import type { OtherModelEntry } from './files/models-schema';
import type { ProviderRegistration } from './provider-config';
import type { RequestAuth } from './requests/stream';

/** What a model is for. Chat models may leave it out. */
export type ModelType = 'chat' | OtherModelEntry['type'];

/** A model that makes images or answers with classes. */
export type OtherModel = Omit<OtherModelEntry, 'headers'> & { readonly headers?: undefined } & {
  readonly provider: string;
  readonly baseUrl: string;
};

/** The result of one request to such a model; with `output` or `answers` if it succeeded. */
export type OperationResult = Readonly<Record<string, unknown>> & { readonly stopReason: string };

/**
 * Models of other kinds than chat: those that code registered, and pi-ai's own at the address that models.json gives their
 * provider. models.json also says how a server takes the images of classifiers.
 */
export function otherModels(
  type: OtherModel['type'],
  { file, registered }: Pick<ProviderSources, 'file' | 'registered'>,
  builtIn: readonly AnyModel[],
): readonly OtherModel[] {
  let models = builtIn.map(model => {
    const { baseUrl = model.baseUrl, compat } = file.get(model.provider)?.settings ?? {};
    const own = (model as { readonly compat?: object }).compat;
    const told = type === 'classifier' && compat !== undefined ? { compat: { ...own, ...compat } } : {};
    return { ...model, baseUrl, ...told, headers: undefined } as OtherModel;
  });
  for (const { name, config } of registered) {
    if (config.models === undefined) continue;
    const own = config.models.flatMap(entry => {
      if (entry.type !== type) return [];
      return [{ ...entry, headers: undefined, provider: name, baseUrl: entry.baseUrl ?? config.baseUrl ?? '' }];
    });
    models = [...models.filter(({ provider }) => provider !== name), ...own];
  }
  return models;
}

/** Asks a model of another kind than chat, with its key; never rejects: failures are results, as in pi. */
export async function runOperation(
  model: OtherModel,
  context: unknown,
  options: Readonly<Record<string, unknown>>,
  parts: {
    readonly registered: readonly ProviderRegistration[];
    readonly builtIn: readonly Provider[];
    readonly requestAuth: (model: Model<Api>) => Promise<RequestAuth>;
  },
): Promise<OperationResult> {
  const { signal } = options;
  let key: string | undefined;
  try {
    const run = implementationOf(model, parts.registered, parts.builtIn);
    const { apiKey, headers, baseUrl, env } = await parts.requestAuth(model as unknown as Model<Api>);
    key = apiKey;
    const given = defined({ apiKey, headers, env });
    const result = await run(baseUrl === undefined ? model : { ...model, baseUrl }, context, { ...given, ...options });
    const { errorMessage } = result;
    return typeof errorMessage === 'string' ? { ...result, errorMessage: hideSecrets(errorMessage, [key]) } : result;
  } catch (error) {
    const { api, provider, id, type } = model;
    const nothing = type === 'image' ? { output: [] } : { answers: {} };
    const aborted = signal instanceof AbortSignal && signal.aborted;
    const stopReason = aborted ? 'aborted' : 'error';
    const errorMessage = hideSecrets(messageOf(error), [key]);
    return { api, provider, model: id, ...nothing, stopReason, errorMessage, timestamp: Date.now() };
  }
}

type Operation = (model: OtherModel, context: unknown, options: object) => Promise<OperationResult>;

/** @throws Error naming provider and API, if nothing serves it */
function implementationOf(
  { provider, api, type }: OtherModel,
  registered: readonly ProviderRegistration[],
  builtIn: readonly Provider[],
): Operation {
  const { images, classifiers } = registered.findLast(({ name }) => name === provider)?.config ?? {};
  const [own, method] = type === 'image' ? [images?.[api], 'generateImages'] : [classifiers?.[api], 'classify'];
  const by = own ?? builtIn.find(({ id }) => id === provider);
  const run: unknown = by === undefined ? undefined : Reflect.get(by, method);
  if (typeof run === 'function') {
    return (...request) => Promise.resolve(Reflect.apply(run, by, request) as OperationResult);
  }
  throw new Error(`Provider ${provider} does not support ${type === 'image' ? 'image generation' : 'classification'}`);
}
