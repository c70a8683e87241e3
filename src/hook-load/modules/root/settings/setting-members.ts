import type { ValuePath } from './setting-values';

/** A setting for which `SettingsManager` has members. */
export interface SettingRow {
  readonly path: ValuePath;
  /** The value when nothing is set. */
  readonly fallback?: unknown;
  /** The only values that count; for any other value, `fallback` is used. */
  readonly only?: readonly unknown[];
  /** Brings a number within its limits. When a value that is not a number is read, `fallback` is used. */
  readonly limit?: (value: number) => number;
  /** True if there is no `set…` member. */
  readonly isReadOnly?: true;
  /** True if only the user's own settings file counts. */
  readonly isPersonal?: true;
}

const row = (path: string, fallback?: unknown, more: Omit<SettingRow, 'path' | 'fallback'> = {}): SettingRow => ({
  path: path.split('.') as unknown as ValuePath,
  fallback,
  ...more,
});
const READ_ONLY = { isReadOnly: true } as const;
const within =
  (least: number, most = Infinity) =>
  (value: number): number =>
    Math.max(least, Math.min(most, Math.floor(value)));

/** The members `get<name>()` and `set<name>(value)` of pi's `SettingsManager` that read or write one value. */
export const SETTING_ROWS: Readonly<Record<string, SettingRow>> = {
  AutocompleteMaxVisible: row('autocompleteMaxVisible', 5, { limit: within(3, 20) }),
  BlockImages: row('images.blockImages', false),
  BranchSummarySkipPrompt: row('branchSummary.skipPrompt', false, READ_ONLY),
  CacheWarmingMode: row('cacheWarming', 'idle', { only: ['off', 'streaming', 'idle'], isPersonal: true }),
  ClearOnShrink: row('terminal.clearOnShrink', false),
  CodeBlockIndent: row('markdown.codeBlockIndent', '  ', READ_ONLY),
  CollapseChangelog: row('collapseChangelog', false),
  CompactionEnabled: row('compaction.enabled', true),
  DefaultModel: row('defaultModel'),
  DefaultProjectTrust: row('defaultProjectTrust', 'ask', { only: ['always', 'never'], isPersonal: true }),
  DefaultProvider: row('defaultProvider'),
  DefaultThinkingLevel: row('defaultThinkingLevel'),
  DoubleEscapeAction: row('doubleEscapeAction', 'tree'),
  EditorPaddingX: row('editorPaddingX', 0, { limit: within(0, 3) }),
  EnableInstallTelemetry: row('enableInstallTelemetry', true),
  EnableSkillCommands: row('enableSkillCommands', true),
  EnabledModels: row('enabledModels'),
  FollowUpMode: row('followUpMode', 'one-at-a-time'),
  FullscreenCopyOnSelect: row('fullscreenCopyOnSelect', true),
  FullscreenExitOutput: row('fullscreenExitOutput', 'transcript', { only: ['resume-hint'] }),
  FullscreenScrollbar: row('fullscreenScrollbar', 'auto', { only: ['always', 'hidden'] }),
  FullscreenWheelScrollLines: row('fullscreenWheelScrollLines', 'auto', { limit: within(1, 100) }),
  HideThinkingBlock: row('hideThinkingBlock', false),
  ImageAutoResize: row('images.autoResize', true),
  ImageWidthCells: row('terminal.imageWidthCells', 60, { limit: within(1) }),
  LastChangelogVersion: row('lastChangelogVersion'),
  MermaidRenderingMode: row('markdown.mermaid', 'streaming', { only: ['off', 'final'] }),
  NpmCommand: row('npmCommand'),
  OutputPad: row('outputPad', 1, { only: [0] }),
  QuietStartup: row('quietStartup', false, { only: [true, 'header'] }),
  RetryEnabled: row('retry.enabled', true),
  SessionShareDestination: row('sessionShareDestination', 'auto', { only: ['gist', 'radius'] }),
  ShellCommandPrefix: row('shellCommandPrefix'),
  ShellPath: row('shellPath'),
  ShowCacheMissNotices: row('showCacheMissNotices', false),
  ShowHardwareCursor: row('showHardwareCursor', false),
  ShowImages: row('terminal.showImages', true),
  ShowTerminalProgress: row('terminal.showTerminalProgress', false),
  SessionDir: row('sessionDir', undefined, READ_ONLY),
  SteeringMode: row('steeringMode', 'one-at-a-time'),
  ThemeSetting: row('theme', undefined, READ_ONLY),
  ThinkingBudgets: row('thinkingBudgets', undefined, READ_ONLY),
  TrackingId: row('trackingId', undefined, READ_ONLY),
  Transport: row('transport', 'auto'),
  TreeFilterMode: row('treeFilterMode', 'default', {
    only: ['no-tools', 'user-only', 'labeled-only', 'all'],
  }),
  TuiMode: row('tuiMode', 'fullscreen', { only: ['regular'] }),
  EnableAnalytics: row('enableAnalytics', false, READ_ONLY),
  Warnings: row('warnings', {}),
};

/** The lists of resources, with the members `get…`, `set…` and `setProject…`. */
export const LIST_ROWS: Readonly<Record<string, ValuePath>> = {
  Packages: ['packages'],
  ExtensionPaths: ['extensions'],
  SkillPaths: ['skills'],
  PromptTemplatePaths: ['prompts'],
  ThemePaths: ['themes'],
};
