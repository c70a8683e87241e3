import type { Api, Model } from '@mariozechner/pi-ai';
import type { PiCompactionSettings, PiSettings } from './pi-settings';

/** The thinking level if none is set. */
const DEFAULT_THINKING_LEVEL = 'medium';

type Named = Pick<Model<Api>, 'provider' | 'id'>;

/** The level that the settings give a model: its own, else that for all models. Undefined if they set none. */
export function thinkingLevelFor(
  { modelThinkingLevels, defaultThinkingLevel }: Pick<PiSettings, 'modelThinkingLevels' | 'defaultThinkingLevel'>,
  model: Named | undefined,
): PiSettings['defaultThinkingLevel'] {
  return (model && modelThinkingLevels[keyOf(model)]) ?? defaultThinkingLevel;
}

/** The requested level of a session that does not set one. The model may know fewer levels. */
export function startLevelFor(
  settings: Pick<PiSettings, 'modelThinkingLevels' | 'defaultThinkingLevel' | 'startThinkingLevel'>,
  model: Named | undefined,
): string {
  return settings.startThinkingLevel ?? thinkingLevelFor(settings, model) ?? DEFAULT_THINKING_LEVEL;
}

/** The sizes for a model: its own (`compaction.modelOverrides`), else those for all models. */
export function compactionFor(settings: PiCompactionSettings, model: Named | undefined): PiCompactionSettings {
  const own = model && settings.modelOverrides?.[keyOf(model)];
  return own === undefined ? settings : { ...settings, ...own };
}

function keyOf({ provider, id }: Named): string {
  return `${provider}/${id}`;
}
