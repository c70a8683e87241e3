import type { SettingsContent } from './setting-keys';

/** How many queued messages one delivery takes. */
export type QueueMode = 'one-at-a-time' | 'all';

/** Settings in force, every default filled in. Times in ms, sizes in tokens. */
export interface PiSettings {
  /** The values that are set, without defaults: the members of the files under pi's names, also unknown ones. */
  readonly written: Readonly<Record<string, unknown>>;
  readonly defaultProvider?: string;
  readonly defaultModel?: string;
  /** Undefined: medium for a new session, and a change of model changes nothing. */
  readonly defaultThinkingLevel?: SettingsContent['defaultThinkingLevel'];
  /** The level from the command line; it counts before the others until another one is chosen. */
  readonly startThinkingLevel?: SettingsContent['defaultThinkingLevel'];
  /** `provider/id` -> the level that this model starts with. */
  readonly modelThinkingLevels: NonNullable<SettingsContent['modelThinkingLevels']>;
  /** Patterns of models to choose from, as `--models` takes them; empty: all. */
  readonly enabledModels: readonly string[];
  /** Names, `+name` and `-name`, as written; undefined: all built-in tools. */
  readonly defaultTools?: readonly string[];
  readonly shellPath?: string;
  readonly shellCommandPrefix?: string;
  /** The folder of the sessions, as written. Undefined: in the agent folder. */
  readonly sessionDir?: string;
  /** Whether a folder is trusted if the user did not decide about it. */
  readonly defaultProjectTrust: NonNullable<SettingsContent['defaultProjectTrust']>;
  readonly steeringMode: QueueMode;
  readonly followUpMode: QueueMode;
  readonly hookTimeout: number;
  /** How long code of a hook may keep everything else from running, ms; 0: for ever. */
  readonly hookLoopLimit: number;
  /** Whether programs that the agent runs get no keys of model providers from the environment. */
  readonly hideProviderKeys: boolean;
  /** Paths as written, with the file that names them: relative ones are meant from the workspace. */
  readonly hooks: readonly SettingPath[];
  /** Lists of the project's settings file, then of the user's. */
  readonly extensions: readonly ResourceList[];
  readonly prompts: readonly ResourceList[];
  /** Lists of the project's settings file, then of the user's. */
  readonly packages: readonly PackageList[];
  /** The program that installs npm packages, and its first arguments; empty: npm. */
  readonly npmCommand: readonly string[];
  readonly skills: SkillSettings;
  /** Skills are offered as commands `/skill:name`. */
  readonly enableSkillCommands: boolean;
  /** The todo tool, and whether unfinished todos make the agent go on. Undefined members: as `TodoList` decides. */
  readonly todo: NonNullable<SettingsContent['todo']>;
  readonly compaction: PiCompactionSettings;
  /** `skipPrompt`: going elsewhere in the tree never asks for a summary. */
  readonly branchSummary: { readonly reserveTokens: number; readonly skipPrompt: boolean };
  readonly retry: {
    readonly enabled: boolean;
    readonly maxRetries: number;
    readonly baseDelayMs: number;
    /** The longest pause between two tries of a run. */
    readonly maxAgentDelayMs: number;
  };
  /** What the provider's own client does, below the tries of a run (`retry.provider`). */
  readonly providerRetry: {
    /** How long one request may take; undefined: as its client likes. */
    readonly timeoutMs?: number;
    readonly maxRetries: number;
    /** The longest pause that a server may ask for; 0: any. */
    readonly maxRetryDelayMs: number;
  };
  /** How to connect to providers that offer several ways. */
  readonly transport: NonNullable<SettingsContent['transport']>;
  /** When what a provider cached is kept: never, within runs, or also for a while after them. */
  readonly cacheWarming: NonNullable<SettingsContent['cacheWarming']>;
  /** The chat says when a cache was kept warm, and when a provider dropped earlier reasoning. */
  readonly showCacheMissNotices: boolean;
  /** How long a server may take to begin an answer; 0: for ever. */
  readonly httpIdleTimeoutMs: number;
  /** How long a web socket may take to open; 0: for ever, undefined: as its client likes. */
  readonly websocketConnectTimeoutMs?: number;
  /** `blockImages`: models get words in place of images. */
  readonly images: { readonly autoResize: boolean; readonly blockImages: boolean };
  /** Tokens that each level may think, for providers that count them; undefined: as their client likes. */
  readonly thinkingBudgets?: SettingsContent['thinkingBudgets'];
}

/** `modelOverrides`: `provider/id` -> sizes that count for this model instead. */
export interface PiCompactionSettings {
  readonly enabled: boolean;
  readonly reserveTokens: number;
  readonly keepRecentTokens: number;
  readonly modelOverrides?: Readonly<
    Record<string, { readonly reserveTokens?: number; readonly keepRecentTokens?: number }>
  >;
}

export interface SettingPath {
  readonly path: string;
  /** settings.json that names it, absolute. */
  readonly from: string;
}

/** `extensions`, `skills` or `prompts` of one settings file: paths, and patterns that choose among files (docs/settings.md). */
export interface ResourceList {
  readonly entries: readonly string[];
  /** settings.json that holds it, absolute. */
  readonly from: string;
  /** Folder that relative paths start from, absolute. */
  readonly base: string;
  readonly scope: 'user' | 'project';
}

/** `packages` of one settings file, as written. */
export interface PackageList extends Omit<ResourceList, 'entries'> {
  readonly entries: NonNullable<SettingsContent['packages']>;
}

/** Which skills are read. */
export interface SkillSettings {
  readonly enabled: boolean;
  readonly lists: readonly ResourceList[];
  /** The usual folders that are searched. */
  readonly folders: Readonly<
    Record<'piUser' | 'piProject' | 'agents' | 'claudeUser' | 'claudeProject' | 'codexUser', boolean>
  >;
  /** Globs of names; empty: all. */
  readonly include: readonly string[];
  /** Globs of names that are left out in any case. */
  readonly ignore: readonly string[];
}
