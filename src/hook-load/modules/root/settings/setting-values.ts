import { isRecord } from '../../../../base/json/is-record';
import { parseJson } from '../../../../base/json/parse-json';

/** The parsed content of a settings.json. */
export type SettingsJson = Readonly<Record<string, unknown>>;

/** The names that lead to a value, for example `['compaction', 'enabled']`. */
export type ValuePath = readonly [string, ...string[]];

/** Parses the text of a settings.json; an empty text has no settings. @throws Error when it is not a JSON object */
export function parseSettings(text: string | undefined): SettingsJson {
  if (text === undefined || text.trim() === '') return {};
  const parsed: unknown = parseJson(text.replace(/^\uFEFF/, ''));
  if (!isRecord(parsed)) throw new Error('Settings must be a JSON object');
  return withTodaysNames(parsed);
}

/** Renames older settings as pi does, unless the new name is there as well. */
export function withTodaysNames(settings: SettingsJson): SettingsJson {
  const { queueMode, websockets, skills, retry, ...rest } = settings;
  const today: Record<string, unknown> = { ...rest };
  if (queueMode !== undefined) today['steeringMode'] ??= queueMode;
  if (typeof websockets === 'boolean') today['transport'] ??= websockets ? 'websocket' : 'sse';
  if (isRecord(skills)) {
    const { enableSkillCommands, customDirectories } = skills;
    if (enableSkillCommands !== undefined) today['enableSkillCommands'] ??= enableSkillCommands;
    if (Array.isArray(customDirectories) && customDirectories.length > 0) today['skills'] = customDirectories;
  } else if (skills !== undefined) today['skills'] = skills;
  if (isRecord(retry)) {
    const { maxDelayMs, ...others } = retry;
    const provider = isRecord(retry['provider']) ? retry['provider'] : {};
    const moved = typeof maxDelayMs === 'number' ? { maxRetryDelayMs: maxDelayMs, ...provider } : retry['provider'];
    today['retry'] = moved === undefined ? others : { ...others, provider: moved };
  }
  return today;
}

/**
 * Merges `above` over `below`: objects member by member; any other value is replaced. If `defaultTools` of `above`
 * holds only `+name` and `-name`, it is added to that of `below`.
 */
export function mergeSettings(below: SettingsJson, above: SettingsJson): SettingsJson {
  const merged = mergeMembers(below, above);
  const [lower, upper] = [below['defaultTools'], above['defaultTools']];
  const changes = Array.isArray(lower) && Array.isArray(upper) && upper.every(isToolChange);
  return changes ? { ...merged, defaultTools: [...(lower as unknown[]), ...(upper as unknown[])] } : merged;
}

function mergeMembers(below: SettingsJson, above: SettingsJson): SettingsJson {
  const merged: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const under = below[key];
    if (value !== undefined) merged[key] = isRecord(under) && isRecord(value) ? mergeMembers(under, value) : value;
  }
  return merged;
}

export function settingAt(settings: SettingsJson, [key, ...rest]: ValuePath): unknown {
  const value = settings[key];
  const [next, ...more] = rest;
  if (next === undefined) return value;
  return isRecord(value) ? settingAt(value, [next, ...more]) : undefined;
}

/** Returns the settings with one value changed; undefined removes it. */
export function withSetting(settings: SettingsJson, [key, ...rest]: ValuePath, value: unknown): SettingsJson {
  const [next, ...more] = rest;
  const under = settings[key];
  const changed = next === undefined ? value : withSetting(isRecord(under) ? under : {}, [next, ...more], value);
  const others = Object.entries(settings).filter(([name]) => name !== key);
  return Object.fromEntries(changed === undefined ? others : [...others, [key, changed]]);
}

/**
 * The tools that `defaultTools` chooses: plain names replace the usual four; then `+name` adds and `-name` removes one.
 */
export function chosenTools(entries: readonly unknown[]): string[] {
  const names = entries.filter(entry => typeof entry === 'string');
  const plain = names.filter(name => !isToolChange(name));
  const chosen = new Set(plain.length > 0 || names.length === 0 ? plain : USUAL_TOOLS);
  for (const change of names.filter(isToolChange)) {
    if (change.startsWith('-')) chosen.delete(change.slice(1));
    else if (change !== '+') chosen.add(change.slice(1));
  }
  return [...chosen];
}

const USUAL_TOOLS = ['read', 'bash', 'edit', 'write'];

function isToolChange(entry: unknown): boolean {
  return typeof entry === 'string' && /^[+-]/.test(entry);
}
