import type { Api, Model } from '@mariozechner/pi-ai';
import type { PiCompactionSettings, PiSettings } from './pi-settings';

/** The thinking level if none is set. */
const DEFAULT_THINKING_LEVEL = 'medium';

type Named = Pick<Model<Api>, 'provider' | 'id'>;

/** The level that settings give a model: its own, else that of all; undefined when they say nothing. */
export function thinkingLevelFor(
  { modelThinkingLevels, defaultThinkingLevel }: Pick<PiSettings, 'modelThinkingLevels' | 'defaultThinkingLevel'>,
  model: Named | undefined,
): PiSettings['defaultThinkingLevel'] {
  return (model && modelThinkingLevels[keyOf(model)]) ?? defaultThinkingLevel;
}

/** The level of a session that says nothing about it, as it was wished for: the model may know less. */
export function startLevelFor(
  settings: Pick<PiSettings, 'modelThinkingLevels' | 'defaultThinkingLevel' | 'startThinkingLevel'>,
  model: Named | undefined,
): string {
  return settings.startThinkingLevel ?? thinkingLevelFor(settings, model) ?? DEFAULT_THINKING_LEVEL;
}

/** The sizes that count for a model: each its own (`compaction.modelOverrides`), else that of all. */
export function compactionFor(settings: PiCompactionSettings, model: Named | undefined): PiCompactionSettings {
  const own = model && settings.modelOverrides?.[keyOf(model)];
  return own === undefined ? settings : { ...settings, ...own };
}

function keyOf({ provider, id }: Named): string {
  return `${provider}/${id}`;
}
