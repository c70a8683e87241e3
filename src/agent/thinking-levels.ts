import type { Api, Model } from '@mariozechner/pi-ai';

/** From no thinking to the most a model can do. */
export const THINKING_LEVELS = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

export type ThinkingLevel = (typeof THINKING_LEVELS)[number];

/** Levels that a model has only if it says so. */
const RARE: ReadonlySet<ThinkingLevel> = new Set(['xhigh', 'max']);

/** The levels of a model; all levels if there is no model yet. The result is the same as pi-ai's, without loading it. */
export function supportedLevels(model: Model<Api> | undefined): readonly ThinkingLevel[] {
  if (model === undefined) return THINKING_LEVELS;
  if (!model.reasoning) return ['off'];
  const { thinkingLevelMap: map } = model;
  return THINKING_LEVELS.filter(level => map?.[level] !== null && (!RARE.has(level) || map?.[level] !== undefined));
}

/**
 * The level itself if the model knows it, else the next higher one, else the next lower one. For an unknown level, the lowest.
 */
export function clampLevel(model: Model<Api> | undefined, level: string): ThinkingLevel {
  const supported = supportedLevels(model);
  const at = THINKING_LEVELS.findIndex(known => known === level);
  const nearest = at < 0 ? supported : [...THINKING_LEVELS.slice(at), ...THINKING_LEVELS.slice(0, at).reverse()];
  return nearest.find(candidate => supported.includes(candidate)) ?? 'off';
}
