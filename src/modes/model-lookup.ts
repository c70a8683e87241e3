import type { Api, Model } from '@mariozechner/pi-ai';
import { THINKING_LEVELS, type ThinkingLevel } from '../agent/thinking-levels';
import { UsageError } from './usage-error';

/** What is asked for on the command line. */
export interface ModelWish {
  readonly provider?: string;
  /** `provider/id`, an id or a part of one; `:<level>` may stand behind it. */
  readonly model?: string;
  /** `--thinking`, which leaves a level behind an unknown id a part of the id. */
  readonly thinking?: ThinkingLevel;
}

export interface FoundModel {
  readonly model: Model<Api>;
  readonly thinking?: ThinkingLevel;
  /** What a person should know about the choice. */
  readonly warning?: string;
}

type Models = readonly Model<Api>[];
type HasKey = (model: Model<Api>) => boolean;

/** Ids of models that were frozen at a day: the ones without are what people mean. */
const DATED = /-\d{8}$/;

/**
 * The model that is meant, as pi 1.5.2 finds it (docs/cli.md): a whole name or id first, then the newest that has the text
 * in its id or name; where several providers have it, the one with a key. An id that a known provider does not list is
 * used as it is. Undefined when nothing is asked for.
 * @throws {UsageError} naming the flag, when there is no such provider or model, or several are as good
 */
export function findModel(wish: ModelWish, models: Models, hasKey: HasKey): FoundModel | undefined {
  const { provider, model: name } = wish;
  const offered = provider === undefined ? models : modelsOf(provider, models);
  if (provider !== undefined && offered.length === 0) {
    const known = [...new Set(models.map(model => model.provider))].sort();
    throw new UsageError(`--provider: there is no provider "${provider}"; known are ${known.join(', ')}.`);
  }
  const text = name?.trim();
  if (text === undefined) {
    const first = provider === undefined ? undefined : (newest(offered.filter(hasKey)) ?? newest(offered));
    return first === undefined ? undefined : { model: first };
  }
  const whole = lookUp(text, offered, hasKey);
  if (whole !== undefined) return { model: whole };
  const { bare, level } = splitLevel(text);
  const found = level === undefined ? undefined : lookUp(bare, offered, hasKey);
  if (found !== undefined) return { model: found, ...(level === undefined ? {} : { thinking: level }) };
  const unlisted = unlistedModel(wish, text, offered);
  if (unlisted !== undefined) return unlisted;
  throw new UsageError(`--model: no model matches "${text}"; --list-models tells which there are.`);
}

function lookUp(text: string, models: Models, hasKey: HasKey): Model<Api> | undefined {
  return named(text, models, hasKey) ?? resembling(text, models, hasKey);
}

/**
 * A model whose name this is. `provider/rest` usually means that provider, but may as well be the whole id of a model of
 * another one; then the one with a key counts.
 */
function named(text: string, models: Models, hasKey: HasKey): Model<Api> | undefined {
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
  if (meant !== undefined && (others.length === 0 || hasKey(meant))) return meant;
  const usable = others.filter(hasKey);
  if (usable.length === 0 && meant !== undefined) return meant;
  return onlyOne(text, usable.length > 0 ? usable : others);
}

function resembling(text: string, models: Models, hasKey: HasKey): Model<Api> | undefined {
  const found = matching(text, models);
  const usable = found.filter(hasKey);
  const best = newest(usable.length > 0 ? usable : found);
  if (best === undefined) return undefined;
  return onlyOne(
    text,
    (usable.length > 0 ? usable : found).filter(({ id }) => id === best.id),
  );
}

/** @throws {UsageError} when several providers have it */
function onlyOne(text: string, models: Models): Model<Api> | undefined {
  const [first, ...others] = models;
  if (others.every(model => model.provider === first?.provider)) return first;
  const names = models.map(({ provider, id }) => `${provider}/${id}`).sort();
  throw new UsageError(`--model: "${text}" may be ${names.join(', ')}; name the provider, too.`);
}

function matching(text: string, models: Models): Models {
  const lower = text.toLowerCase();
  return models.filter(({ id, name }) => id.toLowerCase().includes(lower) || name.toLowerCase().includes(lower));
}

/** Undated ids before dated ones, then the last by its letters. */
function newest(models: Models): Model<Api> | undefined {
  const undated = models.filter(({ id }) => !DATED.test(id));
  return (undated.length > 0 ? undated : models).toSorted((a, b) => b.id.localeCompare(a.id))[0];
}

/** An id that a known provider does not list, with what another model of this provider is like. */
function unlistedModel(wish: ModelWish, text: string, models: Models): FoundModel | undefined {
  const split = splitProvider(text, models);
  const provider = wish.provider === undefined ? split?.provider : models[0]?.provider;
  const like = models.find(model => model.provider === provider);
  if (provider === undefined || like === undefined) return undefined;
  const rest = split?.provider === provider ? split.rest : text;
  const { bare, level } = wish.thinking === undefined ? splitLevel(rest) : { bare: rest, level: undefined };
  const thinks = (wish.thinking ?? level ?? 'off') !== 'off';
  return {
    model: { ...like, id: bare, name: bare, ...(thinks ? { reasoning: true } : {}) },
    ...(level === undefined ? {} : { thinking: level }),
    warning: `${provider} lists no model "${bare}"; it is asked for all the same.`,
  };
}

function modelsOf(provider: string, models: Models): Models {
  const lower = provider.toLowerCase();
  return models.filter(model => model.provider.toLowerCase() === lower);
}

function modelsWithId(id: string, models: Models): Models {
  const lower = id.toLowerCase();
  return models.filter(model => model.id.toLowerCase() === lower);
}

/** The longest known provider that the text begins with: names of providers may have slashes themselves. */
function splitProvider(text: string, models: Models): { readonly provider: string; readonly rest: string } | undefined {
  const lower = text.toLowerCase();
  const [provider] = [...new Set(models.map(model => model.provider))]
    .filter(name => lower.startsWith(`${name.toLowerCase()}/`) && text.length > name.length + 1)
    .sort((a, b) => b.length - a.length);
  return provider === undefined ? undefined : { provider, rest: text.slice(provider.length + 1) };
}

function splitLevel(text: string): { readonly bare: string; readonly level?: ThinkingLevel } {
  const colon = text.lastIndexOf(':');
  const level = THINKING_LEVELS.find(known => known === text.slice(colon + 1));
  return colon < 1 || level === undefined ? { bare: text } : { bare: text.slice(0, colon), level };
}
