import { Type, type Static, type TSchema } from '@sinclair/typebox';
import { literalUnion } from '../../base/json/schema';
import { THINKING_LEVELS } from '../thinking-levels';

/** An object of which every member may be missing. */
const some = <M extends Record<string, TSchema>>(members: M) => Type.Partial(Type.Object(members));

const Text = Type.String();
const Flag = Type.Boolean();
const List = Type.Array(Type.String());
const Level = literalUnion(...THINKING_LEVELS);
const Queue = literalUnion('all', 'one-at-a-time');
/** Tokens, ms or times. */
const Amount = Type.Number({ minimum: 0 });
const Tokens = Type.Integer({ minimum: 0 });
/** Ms; 0 and `disabled` mean that nothing is waited for in vain too long. */
const Timeout = Type.Union([Amount, Type.Literal('disabled')]);

/** `skills` as V1 and TREE write it; from EXT on it is a list of paths. */
const SkillRules = some({
  enabled: Flag,
  enableCodexUser: Flag,
  enableClaudeUser: Flag,
  enableClaudeProject: Flag,
  enablePiUser: Flag,
  enablePiProject: Flag,
  enableSkillCommands: Flag,
  customDirectories: List,
  ignoredSkills: List,
  includeSkills: List,
});

/** A package of which not all is wanted; each list chooses among the files that the package offers (docs/packages.md). */
const PackageEntry = some({
  source: Text,
  extensions: List,
  skills: List,
  prompts: List,
  themes: List,
  autoload: Flag,
});

/** The keys of pi's settings.json that count here (docs/settings.md). */
export const SettingsContent = some({
  defaultProvider: Text,
  defaultModel: Text,
  defaultThinkingLevel: Level,
  modelThinkingLevels: Type.Record(Text, Level),
  thinkingBudgets: some({ minimal: Amount, low: Amount, medium: Amount, high: Amount }),
  enabledModels: List,
  defaultTools: List,
  steeringMode: Queue,
  followUpMode: Queue,
  queueMode: Queue,
  sessionDir: Text,
  defaultProjectTrust: literalUnion('ask', 'always', 'never'),
  compaction: some({
    enabled: Flag,
    reserveTokens: Tokens,
    keepRecentTokens: Tokens,
    modelOverrides: Type.Record(Text, some({ reserveTokens: Tokens, keepRecentTokens: Tokens })),
  }),
  branchSummary: some({ reserveTokens: Amount, skipPrompt: Flag }),
  retry: some({
    enabled: Flag,
    maxRetries: Amount,
    baseDelayMs: Amount,
    maxAgentDelayMs: Amount,
    maxDelayMs: Amount,
    provider: some({ timeoutMs: Amount, maxRetries: Amount, maxRetryDelayMs: Amount }),
  }),
  transport: literalUnion('sse', 'websocket', 'websocket-cached', 'auto'),
  cacheWarming: literalUnion('off', 'streaming', 'idle'),
  showCacheMissNotices: Flag,
  websockets: Flag,
  httpIdleTimeoutMs: Timeout,
  websocketConnectTimeoutMs: Timeout,
  images: some({ autoResize: Flag, blockImages: Flag }),
  shellPath: Text,
  shellCommandPrefix: Text,
  hooks: List,
  extensions: List,
  npmCommand: List,
  packages: Type.Array(Type.Union([Text, PackageEntry])),
  hookTimeout: Amount,
  hookLoopLimit: Amount,
  hideProviderKeys: Flag,
  prompts: List,
  skills: Type.Union([List, SkillRules]),
  enableSkillCommands: Flag,
  todo: some({ enabled: Flag, reminders: Flag }),
});

/** What one settings.json says, of the keys that count. */
export type SettingsContent = Static<typeof SettingsContent>;

/**
 * Keys of today's pi without a meaning here: any value is accepted without a problem (docs/settings.md says why). Keys
 * that are in neither table belong to others, such as an extension.
 */
export const SETTINGS_WITHOUT_MEANING = [
  '$schema',
  'autocompleteMaxVisible',
  'codemode',
  'collapseChangelog',
  'deviceId',
  'doubleEscapeAction',
  'editorPaddingX',
  'enableAnalytics',
  'enableInstallTelemetry',
  'extensionChangelogVersions',
  'externalEditor',
  'fullscreenCopyOnSelect',
  'fullscreenExitOutput',
  'fullscreenScrollbar',
  'fullscreenWheelScrollLines',
  'hideThinkingBlock',
  'httpProxy',
  'lastChangelogVersion',
  'markdown',
  'outputPad',
  'quietStartup',
  'selfUpdateCommand',
  'sessionShareDestination',
  'showHardwareCursor',
  'terminal',
  'theme',
  'themes',
  'trackingId',
  'treeFilterMode',
  'tuiMode',
  'warnings',
] as const;

/** Keys of settings.json that are read. */
export const PI_SETTING_NAMES: readonly string[] = Object.keys(SettingsContent.properties);

/** Keys that only the user's own settings file can set, and not a folder that is opened. */
export const PERSONAL_SETTINGS: readonly (keyof SettingsContent)[] = [
  'cacheWarming',
  'defaultProjectTrust',
  'hideProviderKeys',
  'hookLoopLimit',
];
