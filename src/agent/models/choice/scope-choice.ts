import type { Api, Model } from '@mariozechner/pi-ai';
import type { ThinkingLevel } from '../../thinking-levels';
import type { Models } from './model-names';
import { resolveModelScope } from './model-scope';
import { defined } from '../../../base/defined';

/** A row of the list in which the user chooses the scope of models. */
export interface ScopeRow {
  /** `provider/id`; for a pattern that means no model now, the pattern. */
  readonly name: string;
  /** Absent where the pattern means none that can be used now. */
  readonly model?: Model<Api>;
  readonly inScope: boolean;
}

/** The rows: the models of the patterns, in their order, then all other models that can be used. */
export function scopeRows(patterns: readonly string[], models: Models): readonly ScopeRow[] {
  const byName = new Map(models.map(model => [fullModelName(model), model]));
  const row = (name: string, inScope: boolean): ScopeRow => {
    const model = byName.get(name);
    return { name, inScope, ...defined({ model }) };
  };
  const chosen = meanings(patterns, models).flatMap(({ names }) => names);
  const others = [...byName.keys()].filter(name => !chosen.includes(name));
  return [...chosen.map(name => row(name, true)), ...others.map(name => row(name, false))];
}

/**
 * The patterns for a choice: names of {@link scopeRows}, in the order of cycling. If everything that a pattern matches is still
 * chosen, the pattern stays as it is written. Thinking levels stay, too. Undefined for all models without a level, and for none:
 * both mean that there is no scope.
 */
export function patternsFor(
  chosen: readonly string[],
  patterns: readonly string[],
  models: Models,
): readonly string[] | undefined {
  const before = meanings(patterns, models);
  const levelOf = (name: string): ThinkingLevel | undefined => before.find(({ names }) => names.includes(name))?.level;
  const written: string[] = [];
  for (let left = chosen; left.length > 0;) {
    const [name = ''] = left;
    const level = levelOf(name);
    const entry = before.find(({ names }) => names.length > 0 && names.every((one, index) => left[index] === one));
    written.push(entry?.pattern ?? (level === undefined ? name : `${name}:${level}`));
    left = left.slice(entry?.names.length ?? 1);
  }
  const isAll = models.every(model => chosen.includes(fullModelName(model))) && chosen.length === models.length;
  const isPlain = isAll && chosen.every(name => levelOf(name) === undefined);
  return written.length === 0 || isPlain ? undefined : written;
}

interface Meaning {
  readonly pattern: string;
  /** The names that a pattern adds to the earlier ones. The pattern itself if it matches no model. */
  readonly names: readonly string[];
  readonly level: ThinkingLevel | undefined;
}

function meanings(patterns: readonly string[], models: Models): readonly Meaning[] {
  const taken = new Set<string>();
  return patterns.map((pattern): Meaning => {
    const { models: meant } = resolveModelScope([pattern], models);
    const all = meant.length === 0 ? [pattern] : meant.map(({ model }) => fullModelName(model));
    const names = all.filter(name => !taken.has(name));
    for (const name of names) taken.add(name);
    return { pattern, names, level: meant[0]?.thinkingLevel };
  });
}

function fullModelName({ provider, id }: Model<Api>): string {
  return `${provider}/${id}`;
}
