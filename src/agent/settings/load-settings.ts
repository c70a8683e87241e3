import { join } from 'node:path';
import { defined } from '../../base/defined';
import { isRecord } from '../../base/json/is-record';
import type { Problem } from '../../base/result';
import { expandHome } from './configured-path';
import type { PackageList, PiSettings, ResourceList, SettingPath, SkillSettings } from './pi-settings';
import { PERSONAL_SETTINGS, type SettingsContent } from './setting-keys';
import { readSettingsFile, type SettingsMemory } from './settings-file';

export interface SettingsSources {
  readonly agentDir: string;
  readonly cwd: string;
  /** False in Restricted Mode: the project's settings are then not read at all. */
  readonly includeProject: boolean;
  /** The last good contents, used for files that cannot be read now. */
  readonly memory?: SettingsMemory;
}

/** A settings file that was read. */
interface Layer {
  readonly file: string;
  readonly scope: ResourceList['scope'];
  /** Folder that paths in it start from. */
  readonly base: string;
  readonly content: SettingsContent;
}

/**
 * Reads the user's settings and applies the project's to them, as docs/settings.md says: objects are merged member by
 * member, lists of resources are kept side by side, other values are replaced. Wrong parts of a file are problems; see
 * `readSettingsFile`.
 */
export async function loadSettings(
  sources: SettingsSources,
): Promise<{ readonly settings: PiSettings; readonly problems: readonly Problem[] }> {
  const { agentDir, cwd, includeProject, memory } = sources;
  const problems: Problem[] = [];
  const read = async (scope: Layer['scope'], base: string): Promise<Layer> => {
    const file = join(base, 'settings.json');
    return { file, scope, base, content: await readSettingsFile(file, problems, memory) };
  };
  const personal = await read('user', agentDir);
  const layers = includeProject ? [await read('project', join(cwd, '.pi')), personal] : [personal];
  return { settings: withDefaults(merge(layers), layers, cwd), problems };
}

function merge(layers: readonly Layer[]): SettingsContent {
  return [...layers].reverse().reduce<SettingsContent>((below, { scope, content }) => {
    const own = Object.entries(content).filter(
      ([key]) => scope === 'user' || !PERSONAL_SETTINGS.some(personal => personal === key),
    );
    const merged: SettingsContent = mergeMembers(below, Object.fromEntries(own));
    const defaultTools = mergeTools(below.defaultTools, content.defaultTools);
    return { ...merged, ...defined({ defaultTools }) };
  }, {});
}

function mergeMembers(below: Members, above: Members): Members {
  const merged = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const under = below[key];
    merged[key] = isRecord(under) && isRecord(value) ? mergeMembers(under, value) : value;
  }
  return merged;
}

type Members = Readonly<Record<string, unknown>>;

/** A list of only `+name` and `-name` changes what the list below chose; with a plain name it takes its place. */
function mergeTools(below: readonly string[] | undefined, above: readonly string[] | undefined): string[] | undefined {
  const changes = above?.every(entry => /^[+-]/.test(entry)) === true;
  return changes && below !== undefined ? [...below, ...above] : (above ?? below)?.slice();
}

function withDefaults(raw: SettingsContent, layers: readonly Layer[], cwd: string): PiSettings {
  const { defaultProvider, defaultModel, defaultThinkingLevel, defaultTools, shellCommandPrefix, sessionDir } = raw;
  const shellPath = raw.shellPath === undefined ? undefined : expandHome(raw.shellPath);
  const { thinkingBudgets, images, retry } = raw;
  const websocketConnectTimeoutMs = timeout(raw.websocketConnectTimeoutMs);
  return {
    written: raw,
    ...defined({ defaultProvider, defaultModel, defaultThinkingLevel, defaultTools, sessionDir }),
    ...defined({ shellPath, shellCommandPrefix }),
    ...defined({ thinkingBudgets, websocketConnectTimeoutMs }),
    transport: raw.transport ?? 'auto',
    cacheWarming: raw.cacheWarming ?? 'idle',
    showCacheMissNotices: raw.showCacheMissNotices ?? false,
    modelThinkingLevels: raw.modelThinkingLevels ?? {},
    enabledModels: raw.enabledModels ?? [],
    defaultProjectTrust: raw.defaultProjectTrust ?? 'ask',
    steeringMode: raw.steeringMode ?? 'one-at-a-time',
    followUpMode: raw.followUpMode ?? 'one-at-a-time',
    hookTimeout: raw.hookTimeout ?? 30_000,
    hookLoopLimit: raw.hookLoopLimit ?? 10_000,
    hideProviderKeys: raw.hideProviderKeys ?? false,
    hooks: hookPaths(layers),
    extensions: resourceLists('extensions', layers),
    prompts: resourceLists('prompts', layers),
    packages: packageLists(layers),
    npmCommand: raw.npmCommand ?? [],
    skills: skillSettings(layers, cwd),
    enableSkillCommands: raw.enableSkillCommands ?? true,
    todo: raw.todo ?? {},
    compaction: {
      enabled: true,
      reserveTokens: 16_384,
      keepRecentTokens: 20_000,
      ...raw.compaction,
    },
    branchSummary: { reserveTokens: 16_384, skipPrompt: false, ...raw.branchSummary },
    retry: { enabled: true, maxRetries: 3, baseDelayMs: 2000, maxAgentDelayMs: 60_000, ...retry },
    providerRetry: { maxRetries: 0, maxRetryDelayMs: 60_000, ...retry?.provider },
    httpIdleTimeoutMs: timeout(raw.httpIdleTimeoutMs) ?? 300_000,
    images: { autoResize: true, blockImages: false, ...images },
  };
}

function timeout(setting: number | 'disabled' | undefined): number | undefined {
  return setting === 'disabled' ? 0 : setting;
}

/** `hooks` is older than lists side by side: the project's stands for both (docs/settings.md). */
function hookPaths(layers: readonly Layer[]): readonly SettingPath[] {
  const layer = layers.find(({ content }) => content.hooks !== undefined);
  return layer?.content.hooks?.map(path => ({ path, from: layer.file })) ?? [];
}

function resourceLists(key: 'extensions' | 'prompts', layers: readonly Layer[]): readonly ResourceList[] {
  return layers.flatMap(({ content, file, base, scope }) => {
    const entries = content[key] ?? [];
    return entries.length === 0 ? [] : [{ entries, from: file, base, scope }];
  });
}

function packageLists(layers: readonly Layer[]): readonly PackageList[] {
  return layers.flatMap(({ content, file, base, scope }) => {
    const entries = content.packages ?? [];
    return entries.length === 0 ? [] : [{ entries, from: file, base, scope }];
  });
}

/**
 * The older form looks into other programs' folders unless told not to, and its paths start from the workspace; the
 * list, and no setting at all, do not.
 */
function skillSettings(layers: readonly Layer[], cwd: string): SkillSettings {
  const rulesOf = ({ content: { skills } }: Layer): Partial<SkillRules> | undefined =>
    skills === undefined || Array.isArray(skills) ? undefined : skills;
  const older = layers.some(layer => rulesOf(layer) !== undefined);
  const rules = [...layers]
    .reverse()
    .reduce<SkillRules>((below, layer) => ({ ...below, ...rulesOf(layer) }), SKILL_RULES);
  const lists = layers.flatMap((layer): ResourceList[] => {
    const { content, file: from, base, scope } = layer;
    if (Array.isArray(content.skills)) return [{ entries: content.skills, from, base, scope }];
    const entries = rulesOf(layer)?.customDirectories ?? [];
    return entries.length === 0 ? [] : [{ entries, from, base: cwd, scope }];
  });
  return {
    enabled: rules.enabled,
    lists,
    folders: {
      piUser: rules.enablePiUser,
      piProject: rules.enablePiProject,
      agents: !older,
      claudeUser: older && rules.enableClaudeUser,
      claudeProject: older && rules.enableClaudeProject,
      codexUser: older && rules.enableCodexUser,
    },
    include: rules.includeSkills,
    ignore: rules.ignoredSkills,
  };
}

const SKILL_RULES = {
  enabled: true,
  enableCodexUser: true,
  enableClaudeUser: true,
  enableClaudeProject: true,
  enablePiUser: true,
  enablePiProject: true,
  customDirectories: [] as readonly string[],
  ignoredSkills: [] as readonly string[],
  includeSkills: [] as readonly string[],
};
type SkillRules = typeof SKILL_RULES;
