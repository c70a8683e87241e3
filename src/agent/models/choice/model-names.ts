import type { Api, Model } from '@mariozechner/pi-ai';
import { THINKING_LEVELS, type ThinkingLevel } from '../../thinking-levels';
import { knownProvider, namesOfProvider } from '../keys/provider-names';

export type Models = readonly Model<Api>[];
export type HasKey = (model: Model<Api>) => boolean;

/** Ids that end with a date. Users usually mean the id without a date. */
const DATED = /-\d{8}$/;

/**
 * The models that match a text, as in today's pi (docs/models.md): first a full name or id, then the newest model with the text
 * in its id or name, and of several providers those with a key. There is more than one result if several providers match equally.
 */
export function modelsMeant(text: string, models: Models, hasKey: HasKey): Models {
  const exact = named(text, models, hasKey);
  return exact.length > 0 ? exact : resembling(text, models, hasKey);
}

/**
 * The models with this name. `provider/rest` usually means that provider, but may as well be the whole id of a model of another
 * one; then the one with a key counts.
 */
function named(text: string, models: Models, hasKey: HasKey): Models {
  const withId = modelsWithId(text, models);
  const split = splitProvider(text, models);
  const own = split === undefined ? [] : modelsOf(split.provider, models);
  const meant =
    split === undefined
      ? undefined
      : (modelsWithId(split.rest, own)[0] ??
        withId.find(model => own.includes(model)) ??
        newest(matching(split.rest, own)));
  const others = withId.filter(model => model !== meant);
  if (meant !== undefined && (others.length === 0 || hasKey(meant))) return [meant];
  const usable = others.filter(hasKey);
  if (usable.length === 0 && meant !== undefined) return [meant];
  return onePerChoice(usable.length > 0 ? usable : others);
}

function resembling(text: string, models: Models, hasKey: HasKey): Models {
  const found = matching(text, models);
  const usable = found.filter(hasKey);
  const pool = usable.length > 0 ? usable : found;
  const best = newest(pool);
  return onePerChoice(pool.filter(({ id }) => id === best?.id));
}

/** When all models are of one provider, the first one: there is nothing to choose between. */
function onePerChoice(models: Models): Models {
  const [first] = models;
  return models.every(({ provider }) => provider === first?.provider) ? models.slice(0, 1) : models;
}

function matching(text: string, models: Models): Models {
  const lower = text.toLowerCase();
  return models.filter(({ id, name }) => id.toLowerCase().includes(lower) || name.toLowerCase().includes(lower));
}

/** Ids without a date come first, then the alphabetically last. */
export function newest(models: Models): Model<Api> | undefined {
  const undated = models.filter(({ id }) => !DATED.test(id));
  return (undated.length > 0 ? undated : models).toSorted((a, b) => b.id.localeCompare(a.id))[0];
}

/**
 * A model that its provider does not list. It gets the properties of the model whose id has the longest common beginning with its
 * own, of several the first.
 */
export function unlistedModel(id: string, ofProvider: readonly [Model<Api>, ...Models]): Model<Api> {
  const [first, ...others] = ofProvider;
  const like = others.reduce((best, model) => (common(model.id, id) > common(best.id, id) ? model : best), first);
  return { ...like, id, name: id };
}

/** Length of the common beginning of two ids. */
function common(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

/** What `provider/id` names when that provider is known and does not list the id; undefined for anything else. */
export function unlistedName(
  text: string,
  models: Models,
): { readonly provider: string; readonly id: string } | undefined {
  const split = splitProvider(text.trim(), models);
  if (split === undefined || /\s/.test(split.rest)) return undefined;
  const isListed = modelsWithId(split.rest, modelsOf(split.provider, models)).length > 0;
  return isListed ? undefined : { provider: split.provider, id: split.rest };
}

export function modelsOf(provider: string, models: Models): Models {
  const lower = knownProvider(provider.toLowerCase());
  return models.filter(model => model.provider.toLowerCase() === lower);
}

function modelsWithId(id: string, models: Models): Models {
  const lower = id.toLowerCase();
  return models.filter(model => model.id.toLowerCase() === lower);
}

/** The longest known provider at the beginning of the text: names of providers may contain slashes. */
export function splitProvider(
  text: string,
  models: Models,
): { readonly provider: string; readonly rest: string } | undefined {
  const lower = text.toLowerCase();
  const [name] = [...new Set(models.map(model => model.provider))]
    .flatMap(namesOfProvider)
    .filter(each => lower.startsWith(`${each.toLowerCase()}/`) && text.length > each.length + 1)
    .sort((a, b) => b.length - a.length);
  return name === undefined ? undefined : { provider: knownProvider(name), rest: text.slice(name.length + 1) };
}

/** The thinking level after the last colon, and the text before it. */
export function splitLevel(text: string): { readonly bare: string; readonly level?: ThinkingLevel } {
  const colon = text.lastIndexOf(':');
  const level = THINKING_LEVELS.find(known => known === text.slice(colon + 1));
  return colon < 1 || level === undefined ? { bare: text } : { bare: text.slice(0, colon), level };
}
