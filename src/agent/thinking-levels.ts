import type { Api, Model } from '@mariozechner/pi-ai';

/** From no thinking to the most a model can do. */
export const THINKING_LEVELS = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;

/** What a model can do; every level when there is none yet. Says the same as pi-ai, which need not be loaded for it. */
export function supportedLevels(model: Model<Api> | undefined): readonly string[] {
  if (model === undefined) return THINKING_LEVELS;
  if (!model.reasoning) return ['off'];
  const { thinkingLevelMap: map } = model;
  return THINKING_LEVELS.filter(level => map?.[level] !== null && (level !== 'xhigh' || map?.xhigh !== undefined));
}

/** The level itself when the model knows it, else the next one up, else the next one down. */
export function clampLevel(model: Model<Api> | undefined, level: string): string {
  const levels: readonly string[] = THINKING_LEVELS;
  const supported = supportedLevels(model);
  const at = levels.indexOf(level);
  const nearest = [...levels.slice(at), ...levels.slice(0, Math.max(0, at)).reverse()];
  return nearest.find(candidate => supported.includes(candidate)) ?? 'off';
}
