import { posix } from 'node:path';
import type { Api, Model } from '@mariozechner/pi-ai';
import type { ThinkingLevel } from '../../thinking-levels';
import { modelsMeant, splitLevel, type Models } from './model-names';
import { defined } from '../../../base/defined';

/** A model of the scope and its thinking level; the level of the conversation when absent. */
export interface ScopedModel {
  readonly model: Model<Api>;
  readonly thinkingLevel?: ThinkingLevel;
}

export interface ModelScope {
  /** In the order of the patterns; empty: there is no scope. */
  readonly models: readonly ScopedModel[];
  /** Patterns that match no model, or more than one provider's. */
  readonly warnings: readonly ScopeWarning[];
}

export interface ScopeWarning {
  /** pi's name for the kind of problem. */
  readonly code: 'no-match' | 'invalid-thinking-level' | 'ambiguous';
  /** In pi's words. */
  readonly message: string;
}

/** The models that `enabledModels` or `--models` name, of those that can be used, as today's pi reads it (docs/models.md). */
export function resolveModelScope(patterns: readonly string[], models: Models): ModelScope {
  const found: ScopedModel[] = [];
  const warnings: ScopeWarning[] = [];
  for (const pattern of patterns) {
    const { meant, thinkingLevel, warning } = /[*?[]/.test(pattern) ? byGlob(pattern, models) : byName(pattern, models);
    if (meant.length === 0) warnings.push({ code: 'no-match', message: `No models match pattern "${pattern}"` });
    else if (warning !== undefined) warnings.push(warning);
    for (const model of meant) {
      if (found.some(other => isSame(other.model, model))) continue;
      found.push({ model, ...defined({ thinkingLevel }) });
    }
  }
  return { models: found, warnings };
}

/** The next model of a scope, or with -1 the previous one, in a circle. Undefined if there is no other. */
export function nextInScope(
  scope: readonly ScopedModel[],
  current: Model<Api> | undefined,
  by: 1 | -1 = 1,
): ScopedModel | undefined {
  const at = scope.findIndex(({ model }) => isSame(model, current));
  if (at >= 0 && scope.length === 1) return undefined;
  return scope.at(at < 0 && by < 0 ? -1 : (at + by) % scope.length);
}

interface Meaning {
  readonly meant: Models;
  readonly thinkingLevel?: ThinkingLevel | undefined;
  readonly warning?: ScopeWarning | undefined;
}

function byGlob(pattern: string, models: Models): Meaning {
  const { bare, level: thinkingLevel } = splitLevel(pattern);
  const glob = bare.toLowerCase();
  const names = (model: Model<Api>): string[] =>
    [`${model.provider}/${model.id}`, model.id].map(name => name.toLowerCase());
  // An id may have brackets itself.
  const exact = models.filter(model => names(model).includes(glob));
  if (exact.length > 0) return { meant: exact, thinkingLevel, warning: severalProviders(pattern, exact) };
  return { meant: models.filter(model => names(model).some(name => posix.matchesGlob(name, glob))), thinkingLevel };
}

function byName(pattern: string, models: Models): Meaning {
  const look = (text: string): Models => modelsMeant(text, models, () => true);
  const exact = look(pattern.trim());
  if (exact.length > 0) return { meant: exact, warning: severalProviders(pattern, exact) };
  const { bare, level: thinkingLevel } = splitLevel(pattern.trim());
  if (thinkingLevel !== undefined) {
    const meant = look(bare);
    return { meant, thinkingLevel, warning: severalProviders(pattern, meant) };
  }
  const colon = pattern.lastIndexOf(':');
  const meant = colon < 1 ? [] : look(pattern.slice(0, colon).trim());
  const level = pattern.slice(colon + 1);
  const message = `Invalid thinking level "${level}" in pattern "${pattern}". Using default instead.`;
  return { meant, warning: { code: 'invalid-thinking-level', message } };
}

function severalProviders(pattern: string, models: Models): ScopeWarning | undefined {
  const providers = [...new Set(models.map(({ provider }) => provider))].sort((a, b) => a.localeCompare(b));
  if (providers.length < 2) return undefined;
  const message = `Pattern "${pattern}" matches several providers: ${providers.join(', ')}. Use provider/id to choose one.`;
  return { code: 'ambiguous', message };
}

function isSame(a: Model<Api>, b: Model<Api> | undefined): boolean {
  return a.provider === b?.provider && a.id === b.id;
}
