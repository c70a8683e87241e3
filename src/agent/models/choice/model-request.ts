import type { Api, Model } from '@mariozechner/pi-ai';
import {
  modelsMeant,
  modelsOf,
  newest,
  splitLevel,
  splitProvider,
  unlistedModel,
  type HasKey,
  type Models,
} from './model-names';
import { isProviderDefault } from './default-models';
import type { ThinkingLevel } from '../../thinking-levels';
import { defined } from '../../../base/defined';

/** No model matches, or several match equally; the text names the flag. */
export class ModelRequestError extends Error {}

/** The model that the command line asks for. */
export interface ModelRequest {
  readonly provider?: string;
  /** `provider/id`, an id or a part of one; `:<level>` may follow. */
  readonly model?: string;
  /** `--thinking`. If it is set, a level after an unknown id is a part of the id. */
  readonly thinking?: ThinkingLevel;
}

export interface FoundModel {
  readonly model: Model<Api>;
  readonly thinking?: ThinkingLevel;
  /** What a user should know about the choice. */
  readonly warning?: string;
}

/**
 * The model that is meant, as today's pi finds it (docs/cli.md): a whole name or id first, then the newest that has the text in
 * its id or name; if several providers have it, the one with a key. An id that a known provider does not list is used as it is.
 * Undefined if no model is requested.
 * @throws {ModelRequestError} naming the flag, when there is no such provider or model, or several are as good
 */
export function findRequestedModel(request: ModelRequest, models: Models, hasKey: HasKey): FoundModel | undefined {
  const { provider, model: name } = request;
  const offered = provider === undefined ? models : modelsOf(provider, models);
  if (provider !== undefined && offered.length === 0) {
    const known = [...new Set(models.map(model => model.provider))].sort();
    throw new ModelRequestError(`--provider: there is no provider "${provider}"; known are ${known.join(', ')}.`);
  }
  const text = name?.trim();
  if (text === undefined) {
    if (provider === undefined) return undefined;
    const usable = offered.filter(hasKey);
    const from = usable.length > 0 ? usable : offered;
    const first = from.find(isProviderDefault) ?? newest(from);
    return first === undefined ? undefined : { model: first };
  }
  const exact = lookUp(text, offered, hasKey);
  if (exact !== undefined) return { model: exact };
  const { bare, level } = splitLevel(text);
  const found = level === undefined ? undefined : lookUp(bare, offered, hasKey);
  if (found !== undefined) return { model: found, ...defined({ thinking: level }) };
  const unlisted = customModel(request, text, offered);
  if (unlisted !== undefined) return unlisted;
  throw new ModelRequestError(`--model: no model matches "${text}"; --list-models lists them.`);
}

/** @throws {ModelRequestError} when several providers have it */
function lookUp(text: string, models: Models, hasKey: HasKey): Model<Api> | undefined {
  const [first, ...others] = modelsMeant(text, models, hasKey);
  if (others.length === 0) return first;
  const names = [first, ...others].flatMap(model => (model === undefined ? [] : [`${model.provider}/${model.id}`]));
  throw new ModelRequestError(`--model: "${text}" may be ${names.sort().join(', ')}; name the provider, too.`);
}

/** An id that a known provider does not list, with the properties of another model of this provider. */
function customModel(request: ModelRequest, text: string, models: Models): FoundModel | undefined {
  const split = splitProvider(text, models);
  const provider = request.provider === undefined ? split?.provider : models[0]?.provider;
  const [first, ...others] = models.filter(model => model.provider === provider);
  if (provider === undefined || first === undefined) return undefined;
  const rest = split?.provider === provider ? split.rest : text;
  const { bare, level } = request.thinking === undefined ? splitLevel(rest) : { bare: rest, level: undefined };
  const thinks = (request.thinking ?? level ?? 'off') !== 'off';
  return {
    model: { ...unlistedModel(bare, [first, ...others]), ...(thinks ? { reasoning: true } : {}) },
    ...defined({ thinking: level }),
    warning: `${provider} does not list a model "${bare}". Hookline uses it anyway.`,
  };
}
