import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from '@sinclair/typebox';
import { messageOf } from '../base/errors';
import type { Problem } from '../base/result';
import { parse } from '../base/schema';
import type { QueueMode } from './message-queue';

const Level = Type.Union(
  (['off', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const).map(level => Type.Literal(level)),
);
const Queue = Type.Union([Type.Literal('all'), Type.Literal('one-at-a-time')]);
const Paths = Type.Array(Type.String());
/** Tokens. */
const Budget = Type.Number({ minimum: 0 });

/** `skills` as V1 and TREE write it; from EXT on it is a list of paths. */
const SkillRules = Type.Partial(
  Type.Object({
    enabled: Type.Boolean(),
    enableCodexUser: Type.Boolean(),
    enableClaudeUser: Type.Boolean(),
    enableClaudeProject: Type.Boolean(),
    enablePiUser: Type.Boolean(),
    enablePiProject: Type.Boolean(),
    customDirectories: Paths,
    ignoredSkills: Paths,
    includeSkills: Paths,
  }),
);

/** The keys of pi's settings.json that Hookline reads; other keys are left alone. */
const FIELDS = {
  defaultProvider: Type.String(),
  defaultModel: Type.String(),
  defaultThinkingLevel: Level,
  shellPath: Type.String(),
  shellCommandPrefix: Type.String(),
  queueMode: Queue,
  steeringMode: Queue,
  followUpMode: Queue,
  hooks: Paths,
  extensions: Paths,
  hookTimeout: Type.Number({ minimum: 0 }),
  prompts: Paths,
  skills: Type.Union([Paths, SkillRules]),
  enableSkillCommands: Type.Boolean(),
  todo: Type.Object({ enabled: Type.Optional(Type.Boolean()), reminders: Type.Optional(Type.Boolean()) }),
  compaction: Type.Object({
    enabled: Type.Optional(Type.Boolean()),
    reserveTokens: Type.Optional(Type.Number({ minimum: 0 })),
    keepRecentTokens: Type.Optional(Type.Number({ minimum: 0 })),
  }),
  branchSummary: Type.Object({
    reserveTokens: Type.Optional(Type.Number({ minimum: 0 })),
    skipPrompt: Type.Optional(Type.Boolean()),
  }),
  retry: Type.Object({
    enabled: Type.Optional(Type.Boolean()),
    maxRetries: Type.Optional(Type.Number({ minimum: 0 })),
    baseDelayMs: Type.Optional(Type.Number({ minimum: 0 })),
    maxDelayMs: Type.Optional(Type.Number({ minimum: 0 })),
  }),
  transport: Type.Union((['sse', 'websocket', 'websocket-cached', 'auto'] as const).map(way => Type.Literal(way))),
  images: Type.Object({ blockImages: Type.Optional(Type.Boolean()) }),
  thinkingBudgets: Type.Partial(Type.Object({ minimal: Budget, low: Budget, medium: Budget, high: Budget })),
} as const;

/** Keys of settings.json that are read. */
export const PI_SETTING_NAMES: readonly string[] = Object.keys(FIELDS);

type Raw = { [K in keyof typeof FIELDS]?: Static<(typeof FIELDS)[K]> };

/** Settings in force, every default filled in. Times in ms, sizes in tokens. */
export interface PiSettings {
  readonly defaultProvider?: string;
  readonly defaultModel?: string;
  readonly defaultThinkingLevel: Static<typeof Level>;
  readonly shellPath?: string;
  readonly shellCommandPrefix?: string;
  readonly steeringMode: QueueMode;
  readonly followUpMode: QueueMode;
  readonly hookTimeout: number;
  /** Paths as written, with the file that names them: relative ones are meant from the workspace. */
  readonly hooks: readonly SettingPath[];
  readonly extensions: readonly SettingPath[];
  readonly prompts: readonly SettingPath[];
  readonly skills: SkillSettings;
  /** Skills are offered as commands `/skill:name`. */
  readonly enableSkillCommands: boolean;
  /** The todo tool, and whether unfinished todos make the agent go on. */
  readonly todo: { readonly enabled: boolean; readonly reminders: boolean };
  readonly compaction: { readonly enabled: boolean; readonly reserveTokens: number; readonly keepRecentTokens: number };
  /** `skipPrompt`: going elsewhere in the tree never asks for a summary. */
  readonly branchSummary: { readonly reserveTokens: number; readonly skipPrompt: boolean };
  readonly retry: {
    readonly enabled: boolean;
    readonly maxRetries: number;
    readonly baseDelayMs: number;
    readonly maxDelayMs: number;
  };
  /** How to reach providers that can be reached in several ways; undefined: as their client likes. */
  readonly transport?: Static<typeof FIELDS.transport>;
  /** Models get words in place of images. */
  readonly blockImages: boolean;
  /** Tokens that each level may think, for providers that count them; undefined: as their client likes. */
  readonly thinkingBudgets?: Static<typeof FIELDS.thinkingBudgets>;
}

export interface SettingPath {
  readonly path: string;
  /** settings.json that names it, absolute. */
  readonly from: string;
}

/** Which skills are read. */
export interface SkillSettings {
  readonly enabled: boolean;
  readonly paths: readonly SettingPath[];
  /** Folders that are looked into by themselves. */
  readonly folders: Readonly<
    Record<'piUser' | 'piProject' | 'agents' | 'claudeUser' | 'claudeProject' | 'codexUser', boolean>
  >;
  /** Globs of names; empty: all. */
  readonly include: readonly string[];
  /** Globs of names that are left out even so. */
  readonly ignore: readonly string[];
}

export interface SettingsSources {
  readonly agentDir: string;
  readonly cwd: string;
  /** False in Restricted Mode: the project's settings are then not read at all. */
  readonly includeProject: boolean;
  /** What was read before stands in for what cannot be read now. */
  readonly memory?: SettingsMemory;
}

/** The last good content of each settings file, by its path; belongs to `loadSettings`, kept by whoever reads again. */
export type SettingsMemory = Map<string, Readonly<Record<string, unknown>>>;

/**
 * Reads the global settings and lays the project's over them: objects merged one level deep, arrays and scalars
 * replaced. A bad file or field is a problem that names it; everything else still counts, and
 * with a memory so does what stood in its place before: half a file must not unload the hooks that it names.
 */
export async function loadSettings(
  sources: SettingsSources,
): Promise<{ readonly settings: PiSettings; readonly problems: readonly Problem[] }> {
  const files = [join(sources.agentDir, 'settings.json')];
  if (sources.includeProject) files.push(join(sources.cwd, '.pi', 'settings.json'));
  const problems: Problem[] = [];
  const merged: Record<string, unknown> = {};
  const from: Partial<Record<string, string>> = {};
  for (const file of files) {
    const raw = await readSettingsFile(file, problems, sources.memory);
    for (const [key, value] of Object.entries(raw)) {
      const both = isObject(merged[key]) && isObject(value);
      merged[key] = both ? { ...(merged[key] as object), ...value } : value;
      from[key] = file;
    }
  }
  return { settings: withDefaults(merged, key => from[key] ?? ''), problems };
}

async function readSettingsFile(file: string, problems: Problem[], memory: SettingsMemory = new Map()): Promise<Raw> {
  const before = memory.get(file);
  const cannot = (message: string): Raw => {
    const rest = before === undefined ? '' : ' Until they can, what they said before stays in force.';
    problems.push({ file, message: `${message}${rest}` });
    return before ?? {};
  };
  let value: unknown;
  try {
    value = JSON.parse(stripBom(await readFile(file, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      return cannot(`Settings cannot be read: ${messageOf(error)}`);
    }
    memory.delete(file);
    return {};
  }
  if (!isObject(value)) return cannot('Settings must be a JSON object.');
  const good: Record<string, unknown> = {};
  for (const [key, schema] of Object.entries(FIELDS)) {
    const given = value[key];
    if (given === undefined) continue;
    const checked = parse(schema, given);
    if (checked.ok) {
      good[key] = checked.value;
      continue;
    }
    if (before?.[key] !== undefined) good[key] = before[key];
    problems.push(...checked.problems.map(problem => ({ file, message: `Setting "${key}": ${problem.message}` })));
  }
  memory.set(file, good);
  return good;
}

function withDefaults(raw: Raw, from: (key: string) => string): PiSettings {
  const paths = (key: 'hooks' | 'extensions' | 'prompts'): SettingPath[] =>
    (raw[key] ?? []).map(path => ({ path, from: from(key) }));
  return {
    ...(raw.defaultProvider === undefined ? {} : { defaultProvider: raw.defaultProvider }),
    ...(raw.defaultModel === undefined ? {} : { defaultModel: raw.defaultModel }),
    ...(raw.shellPath === undefined ? {} : { shellPath: raw.shellPath }),
    ...(raw.shellCommandPrefix === undefined ? {} : { shellCommandPrefix: raw.shellCommandPrefix }),
    defaultThinkingLevel: raw.defaultThinkingLevel ?? 'off',
    steeringMode: raw.steeringMode ?? raw.queueMode ?? 'one-at-a-time',
    followUpMode: raw.followUpMode ?? raw.queueMode ?? 'one-at-a-time',
    hookTimeout: raw.hookTimeout ?? 30_000,
    hooks: paths('hooks'),
    extensions: paths('extensions'),
    prompts: paths('prompts'),
    skills: skillSettings(raw.skills, from('skills')),
    enableSkillCommands: raw.enableSkillCommands ?? true,
    todo: { enabled: false, reminders: true, ...raw.todo },
    compaction: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000, ...raw.compaction },
    branchSummary: { reserveTokens: 16_384, skipPrompt: false, ...raw.branchSummary },
    retry: { enabled: true, maxRetries: 3, baseDelayMs: 2000, maxDelayMs: 60_000, ...raw.retry },
    ...(raw.transport === undefined ? {} : { transport: raw.transport }),
    blockImages: raw.images?.blockImages ?? false,
    ...(raw.thinkingBudgets === undefined ? {} : { thinkingBudgets: raw.thinkingBudgets }),
  };
}

const SKILL_RULES: Required<Static<typeof SkillRules>> = {
  enabled: true,
  enableCodexUser: true,
  enableClaudeUser: true,
  enableClaudeProject: true,
  enablePiUser: true,
  enablePiProject: true,
  customDirectories: [],
  ignoredSkills: [],
  includeSkills: [],
};

/** The older form looks into other programs' folders unless told not to; the list, and no setting at all, do not. */
function skillSettings(raw: Raw['skills'], from: string): SkillSettings {
  const older = raw !== undefined && !Array.isArray(raw);
  const rules = { ...SKILL_RULES, ...(older ? raw : {}) };
  const paths = Array.isArray(raw) ? raw : rules.customDirectories;
  return {
    enabled: rules.enabled,
    paths: paths.map(path => ({ path, from })),
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function stripBom(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
