import type { Api, Model } from '@mariozechner/pi-ai';
import type { ThinkingLevel } from './arguments/options';
import { UsageError } from './usage-error';

/** What is asked for on the command line. */
export interface ModelWish {
  readonly provider?: string;
  /** `provider/id`, an id or a part of one; `:<level>` may stand behind it. */
  readonly model?: string;
}

export interface FoundModel {
  readonly model: Model<Api>;
  readonly thinking?: ThinkingLevel;
}

const LEVEL = /^(.+):(off|minimal|low|medium|high|xhigh)$/;
/** Ids of models that were frozen at a day: the ones without are what people mean. */
const DATED = /-\d{8}$|-\d{4}-\d{2}-\d{2}$/;
const SHOWN = 8;

/**
 * The model that is meant: an exact name first, then a part of an id or name, where models with a key come before those
 * without and undated ones before dated. Undefined when nothing is asked for.
 * @throws {UsageError} naming the flag, when there is none or several are as good
 */
export function findModel(
  wish: ModelWish,
  models: readonly Model<Api>[],
  hasKey: (model: Model<Api>) => boolean,
): FoundModel | undefined {
  const { provider, model: name } = wish;
  const offered = provider === undefined ? models : models.filter(model => model.provider === provider);
  if (provider !== undefined && offered.length === 0) {
    const known = [...new Set(models.map(model => model.provider))].sort();
    throw new UsageError(`--provider: there is no provider "${provider}"; known are ${known.join(', ')}.`);
  }
  if (name === undefined) {
    const [first] = provider === undefined ? [] : best(offered, hasKey);
    return first === undefined ? undefined : { model: first };
  }
  const whole = exact(name, offered);
  if (whole !== undefined) return { model: whole };
  const [, bare, thinking] = LEVEL.exec(name) ?? [];
  if (bare !== undefined) {
    const found = exact(bare, offered) ?? partial(bare, offered, hasKey, provider);
    return { model: found, thinking: thinking as ThinkingLevel };
  }
  return { model: partial(name, offered, hasKey, provider) };
}

function exact(name: string, models: readonly Model<Api>[]): Model<Api> | undefined {
  const lower = name.toLowerCase();
  return (
    models.find(({ provider, id }) => `${provider}/${id}`.toLowerCase() === lower) ??
    models.find(({ id }) => id.toLowerCase() === lower)
  );
}

function partial(
  name: string,
  models: readonly Model<Api>[],
  hasKey: (model: Model<Api>) => boolean,
  provider: string | undefined,
): Model<Api> {
  const lower = name.toLowerCase();
  const matching = models.filter(({ provider: of, id, name: shown }) =>
    [`${of}/${id}`, shown].some(text => text.toLowerCase().includes(lower)),
  );
  const [first, ...others] = best(matching, hasKey);
  if (first === undefined) {
    throw new UsageError(`--model: no model${provider === undefined ? '' : ` of "${provider}"`} matches "${name}".`);
  }
  if (others.length === 0) return first;
  const names = [first, ...others].map(({ provider: of, id }) => `${of}/${id}`);
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  throw new UsageError(`--model: "${name}" may be ${names.slice(0, SHOWN).join(', ')}${more}.`);
}

/** Those that none of the others is better than. */
function best(models: readonly Model<Api>[], hasKey: (model: Model<Api>) => boolean): readonly Model<Api>[] {
  const usable = preferred(models, hasKey);
  return preferred(usable, ({ id }) => !DATED.test(id));
}

function preferred<T>(all: readonly T[], isGood: (one: T) => boolean): readonly T[] {
  const good = all.filter(isGood);
  return good.length > 0 ? good : all;
}
