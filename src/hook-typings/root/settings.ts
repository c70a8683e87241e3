/** What a settings.json says, as written. */
export type Settings = Record<string, unknown>;

interface SettingsOptions {
  projectTrusted?: boolean;
}

type ModelName = { readonly provider: string; readonly id: string };

/** pi's `SettingsManager` over settings.json of the user and of the project. Changes are written behind you. */
export declare class SettingsManager {
  private constructor();
  static create(cwd: string, agentDir?: string, options?: SettingsOptions): SettingsManager;
  static fromStorage(
    storage: {
      withLock(scope: 'global' | 'project', change: (current: string | undefined) => string | undefined): void;
    },
    options?: SettingsOptions,
  ): SettingsManager;
  static inMemory(settings?: Settings, options?: SettingsOptions): SettingsManager;
  getSettings(): Settings;
  getGlobalSettings(): Settings;
  getProjectSettings(): Settings;
  isProjectTrusted(): boolean;
  setProjectTrusted(trusted: boolean): void;
  reload(): Promise<void>;
  applyOverrides(overrides: Settings): void;
  flush(): Promise<void>;
  drainErrors(): { scope: 'global' | 'project'; path?: string; error: Error }[];
  getDefaultProvider(): string | undefined;
  getDefaultModel(): string | undefined;
  setDefaultProvider(provider: string): void;
  setDefaultModel(modelId: string): void;
  setDefaultModelAndProvider(provider: string, modelId: string): void;
  getDefaultThinkingLevel(): string | undefined;
  setDefaultThinkingLevel(level: string): void;
  getModelThinkingLevel(provider: string, modelId: string): string | undefined;
  getAllModelThinkingLevels(): Record<string, string>;
  setModelThinkingLevel(provider: string, modelId: string, level: string): void;
  removeModelThinkingLevel(provider: string, modelId: string): void;
  getEnabledModels(): string[] | undefined;
  setEnabledModels(patterns: string[] | undefined): void;
  getDefaultTools(): string[] | undefined;
  getSteeringMode(): 'all' | 'one-at-a-time';
  getFollowUpMode(): 'all' | 'one-at-a-time';
  getTheme(): string | undefined;
  setTheme(theme: string): void;
  getCompactionEnabled(): boolean;
  setCompactionEnabled(enabled: boolean): void;
  getCompactionSettings(model?: ModelName): { enabled: boolean; reserveTokens: number; keepRecentTokens: number };
  getBranchSummarySettings(): { reserveTokens: number; skipPrompt: boolean };
  getRetrySettings(): { enabled: boolean; maxRetries: number; baseDelayMs: number; maxAgentDelayMs: number };
  getShellPath(): string | undefined;
  getShellCommandPrefix(): string | undefined;
  getSessionDir(): string | undefined;
  getPackages(): unknown[];
  setPackages(packages: readonly unknown[]): void;
  getExtensionPaths(): string[];
  setExtensionPaths(paths: string[]): void;
  setProjectExtensionPaths(paths: string[]): void;
  getSkillPaths(): string[];
  setSkillPaths(paths: string[]): void;
  getPromptTemplatePaths(): string[];
  setPromptTemplatePaths(paths: string[]): void;
  getThemePaths(): string[];
  setThemePaths(paths: string[]): void;
  getEnableSkillCommands(): boolean;
  getImageAutoResize(): boolean;
  getBlockImages(): boolean;
  getDefaultProjectTrust(): 'ask' | 'always' | 'never';
}

/** What is saved about folders in trust.json. */
export declare class ProjectTrustStore {
  constructor(agentDir: string);
  /** The decision about the folder or the nearest folder above it; `null` where nothing is saved. */
  get(cwd: string): boolean | null;
  getEntry(cwd: string): { path: string; decision: boolean } | null;
  set(cwd: string, decision: boolean | null): void;
  setMany(decisions: { path: string; decision: boolean | null }[]): void;
}

/** Whether a folder has anything that trust decides about. */
export declare function hasTrustRequiringProjectResources(cwd: string): boolean;
